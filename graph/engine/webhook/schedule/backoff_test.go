package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// TestDayHasEighteenAttempts holds whatever the jitter, and however long the attempts take.
func TestDayHasEighteenAttempts(t *testing.T) {
	for draw := range 2000 {
		first := micros.Now()
		now, n := first, 0
		var last micros.Time
		took := time.Duration(draw%10) * time.Second // up to the longest attempt
		for {
			n++
			last = now
			due, again := after(n, first, now.Add(took), 0, rand.Float64())
			if !again {
				break
			}
			if due < now.Add(took) || due > first.Add(Window) {
				t.Fatalf("attempt %d is due %v after the first, %v after the one before", n+1,
					due.Time().Sub(first.Time()), due.Time().Sub(now.Time()))
			}
			now = due
		}
		if n != MaxTries || last != first.Add(Window) {
			t.Fatalf("%d attempts, the last after %v", n, last.Time().Sub(first.Time()))
		}
	}
}

func TestWaits(t *testing.T) {
	for n, want := range map[int]time.Duration{
		1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 4: 40 * time.Second, 8: 640 * time.Second,
		11: 5120 * time.Second, 12: 10240 * time.Second, 13: 4 * time.Hour, 14: 4 * time.Hour, 16: 4 * time.Hour,
		40: 4 * time.Hour, 1000: 4 * time.Hour, // a streak may be long
	} {
		low, high := time.Duration(1<<62), time.Duration(0)
		for range 2000 {
			w := wait(n, rand.Float64())
			low, high = min(low, w), max(high, w)
		}
		tenth := want / 10
		if low < want-tenth || high > want+tenth || low > want-tenth*8/10 || high < want+tenth*8/10 {
			t.Errorf("after attempt %d: from %v to %v, want %v, ± 10 %%", n, low, high, want)
		}
	}
}

func TestAfter(t *testing.T) {
	const first = micros.Time(1_000_000_000_000)
	for _, c := range []struct {
		name       string
		n          int
		now        time.Duration // since the first
		retryAfter time.Duration
		low, high  time.Duration // since the first; 0: never
	}{
		{name: "plain", n: 1, now: time.Second, low: 5500 * time.Millisecond, high: 6500 * time.Millisecond},
		{name: "sooner than the schedule", n: 4, now: time.Minute, retryAfter: time.Second, low: 96 * time.Second,
			high: 104 * time.Second},
		{name: "later than the schedule", n: 1, retryAfter: time.Hour, low: time.Hour, high: time.Hour},
		{name: "at most four hours", n: 1, now: time.Hour, retryAfter: 30 * 24 * time.Hour, low: 5 * time.Hour,
			high: 5 * time.Hour},
		{name: "Retry-After never past the window", n: 5, now: 22 * time.Hour, retryAfter: 4 * time.Hour, low: Window,
			high: Window},
		{name: "schedule never past the window", n: 14, now: 23 * time.Hour, low: Window, high: Window},
		{name: "last attempt", n: 17, now: 22 * time.Hour, low: Window, high: Window},
		{name: "last attempt with Retry-After", n: 17, now: time.Hour, retryAfter: time.Hour, low: Window,
			high: Window},
		{name: "after the last attempt", n: 18, now: 23 * time.Hour},
		{name: "at the end", n: 3, now: Window},
		{name: "after the end", n: 3, now: Window + time.Hour, retryAfter: time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 200 {
				due, again := after(c.n, first, first.Add(c.now), c.retryAfter, rand.Float64())
				if !again && due == 0 && c.high == 0 {
					continue
				}
				if !again || due < first.Add(c.low) || due > first.Add(c.high) {
					t.Fatalf("due %v after the first, %v; want %v to %v", due.Time().Sub(first.Time()), again, c.low,
						c.high)
				}
			}
		})
	}
}
