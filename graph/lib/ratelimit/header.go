package ratelimit

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Policy returns the value of the RateLimit-Policy header for this limiter under a name: q is the
// burst, w the whole seconds in which it is restored. It is constant, so compute it once. It is ""
// if the limiter is off.
func (l *Limiter[K]) Policy(name string) string {
	if l.Off() {
		return ""
	}
	w := max(int64(math.Ceil(float64(l.burst)/l.rate)), 1)
	return fmt.Sprintf("%q;q=%d;w=%d", name, l.burst, w)
}

// Header returns the value of the RateLimit header: r is [Decision.Remaining], t is
// [Decision.Reset] in seconds, rounded up.
func (d Decision) Header(name string) string {
	b := make([]byte, 0, 48)
	b = strconv.AppendQuote(b, name)
	b = append(b, ";r="...)
	b = strconv.AppendInt(b, int64(d.Remaining), 10)
	b = append(b, ";t="...)
	return string(strconv.AppendInt(b, int64((d.Reset+time.Second-1)/time.Second), 10))
}

// Seconds returns the value of a Retry-After header; see [wire.RetrySeconds].
func Seconds(d time.Duration) string { return strconv.Itoa(wire.RetrySeconds(d)) }
