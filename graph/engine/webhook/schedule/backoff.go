package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// The schedule of attempts (contract, section 8).
const (
	// Window is how long a delivery is tried, from its first attempt.
	Window = 24 * time.Hour
	// MaxTries is how many attempts that makes.
	MaxTries = 18

	firstWait = 5 * time.Second
	maxWait   = 4 * time.Hour
)

// after returns when a delivery is tried next whose n-th attempt of this window
// has just failed, and whether there is a next time. The first attempt began at
// first. Retry-After only moves a try later.
func after(n int, first, now micros.Time, retryAfter time.Duration, chance float64) (due micros.Time, again bool) {
	end := first.Add(Window)
	if now >= end || n >= MaxTries {
		return 0, false
	}
	due = now.Add(max(wait(n, chance), min(retryAfter, maxWait)))
	if n == MaxTries-1 {
		due = end // the last one comes when the window ends, whatever chance made of the others
	}
	return min(due, end), true
}

// wait is min(5 s · 2ⁿ⁻¹, 4 h), a tenth more or less, as chance has it from 0 to 1.
func wait(n int, chance float64) time.Duration {
	w := maxWait
	if n < 13 {
		w = min(firstWait<<(n-1), maxWait)
	}
	return time.Duration(float64(w) * (0.9 + 0.2*chance))
}
