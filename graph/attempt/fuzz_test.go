package attempt_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/storefront-go/storefront/graph/attempt"
)

// Whatever a receiver says, the pause is one that can be kept.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"", "0", "120", "-1", "1e9", "99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT",
		"Friday, 31-Dec-99 23:59:59 GMT",
	} {
		f.Add(seed)
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if d := attempt.RetryAfter(http.Header{"Retry-After": {text}}, now); d < 0 || d > 30*24*time.Hour {
			t.Errorf("Retry-After %q: %v", text, d)
		}
	})
}
