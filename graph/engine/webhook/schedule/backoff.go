package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// The retry schedule (contract, section 8).
const (
	// Window is how long a delivery is tried, from its first attempt.
	Window = 24 * time.Hour
	// MaxTries is how many attempts fit into [Window].
	MaxTries = 18

	firstWait = 5 * time.Second
	maxWait   = 4 * time.Hour
)

// after returns when to try a delivery again after its n-th attempt in this window failed, and
// false if that was the last. The first attempt began at first. Retry-After can only delay an
// attempt.
func after(n int, first, now micros.Time, retryAfter time.Duration, chance float64) (due micros.Time, again bool) {
	end := first.Add(Window)
	if now >= end || n >= MaxTries {
		return 0, false
	}
	due = now.Add(max(wait(n, chance), min(retryAfter, maxWait)))
	if n == MaxTries-1 {
		due = end // the last attempt is at the end of the window, whatever the jitter of the others
	}
	return min(due, end), true
}

// wait returns min(5 s · 2ⁿ⁻¹, 4 h) ± 10 %; chance, from 0 to 1, is the jitter.
func wait(n int, chance float64) time.Duration {
	w := maxWait
	if n < 13 {
		w = min(firstWait<<(n-1), maxWait)
	}
	return time.Duration(float64(w) * (0.9 + 0.2*chance))
}
