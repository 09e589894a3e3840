package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

// fleet is several processes that count together: each exchanges reports once in 900 ms, at its own
// time.
type fleet struct {
	limiters []*Limiter[string]
	ids      []xid.ID
	board    map[xid.ID]Report[string]
	reported int // non-empty reports
	rate     int
}

// step is the time resolution of the tests.
const step = 5 * time.Millisecond

func newFleet(t *testing.T, n, rate, burst int) *fleet {
	t.Helper()
	f := &fleet{board: map[xid.ID]Report[string]{}, rate: rate}
	for range n {
		l, err := New[string](Config{Rate: float64(rate), Burst: burst, Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		l.Servers(int64(n))
		f.limiters, f.ids = append(f.limiters, l), append(f.ids, xid.New())
	}
	return f
}

// exchange exchanges the reports of process i.
func (f *fleet) exchange(i int) {
	uses := f.limiters[i].Uses(100)
	if len(uses) > 0 {
		f.reported++
		f.board[f.ids[i]] = Report[string]{Process: f.ids[i], At: time.Now().UnixMicro(), Uses: uses}
	} else {
		delete(f.board, f.ids[i])
	}
	var reports []Report[string]
	for id, r := range f.board {
		if id != f.ids[i] {
			reports = append(reports, r)
		}
	}
	f.limiters[i].Merge(reports)
}

// run makes requests for some seconds and returns how many were let through in each. asked returns
// how many requests a second reach a process at a time.
func (f *fleet) run(seconds int, asked func(process int, at time.Duration) float64) []int {
	passed := make([]int, seconds)
	due := make([]float64, len(f.limiters))
	for at := time.Duration(0); at < time.Duration(seconds)*time.Second; at += step {
		for i, l := range f.limiters {
			for due[i] += asked(i, at) * step.Seconds(); due[i] >= 1; due[i]-- {
				if l.Take("a").OK {
					passed[at/time.Second]++
				}
			}
			if (at+time.Duration(i)*310*time.Millisecond)%(900*time.Millisecond) == 0 {
				f.exchange(i)
			}
		}
		<-time.After(step)
	}
	return passed
}

func sum(of []int) (n int) {
	for _, v := range of {
		n += v
	}
	return n
}

// TestFleet: the rate holds for all processes together within a quarter in any ten seconds, however
// the requests are distributed. Before that, the excess of the first contact is bounded.
func TestFleet(t *testing.T) {
	type spread func(process int, at time.Duration) float64
	each := func(rates ...float64) spread {
		return func(i int, _ time.Duration) float64 { return rates[i] }
	}
	for _, tc := range []struct {
		name      string
		processes int
		asked     spread
	}{
		{"one", 1, each(500)},
		{"one of three", 3, each(500, 0, 0)},
		{"two, evenly", 2, each(300, 300)},
		{"three, evenly", 3, each(300, 300, 300)},
		{"eight, evenly", 8, func(int, time.Duration) float64 { return 60 }},
		{"eight, each a little", 8, func(int, time.Duration) float64 { return 24 }},
		{"two, exactly the rate each", 2, each(100, 100)},
		{"two, skewed", 2, each(300, 30)},
		{"three, skewed", 3, each(300, 24, 24)},
		{"three, of which two want little", 3, each(500, 10, 1)},
		{"two, in turns of a second", 2, func(i int, at time.Duration) float64 {
			return 400 * float64((int(at/time.Second)+i)%2)
		}},
		{"two, in turns of five seconds", 2, func(i int, at time.Duration) float64 {
			return 400 * float64((int(at/(5*time.Second))+i)%2)
		}},
		{"three, in turns of three seconds", 3, func(i int, at time.Duration) float64 {
			if int(at/(3*time.Second))%3 == i {
				return 400
			}
			return 0
		}},
		{"two, of which one rests now and then", 2, func(i int, at time.Duration) float64 {
			return 200 * float64(1-i*(int(at/(7*time.Second))%2))
		}},
		{"two, one by one", 2, func(i int, at time.Duration) float64 {
			return 400 * float64((int(at/step)+i)%2)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, tc.processes, 100, 200)
				passed := f.run(150, tc.asked)
				// The initial excess is waited for within this many seconds.
				first := 10 + 4*tc.processes
				for i := first; i+10 <= len(passed); i++ {
					if n := sum(passed[i : i+10]); n < 750 || n > 1250 {
						t.Errorf("seconds %d to %d let %d through, want 750 to 1250", i, i+10, n)
					}
				}
				if n, most := sum(passed[:10]), 1000+400*tc.processes; n > most {
					t.Errorf("the first ten seconds let %d through, want %d at most", n, most)
				}
			})
		})
	}
}

// TestFleetNotBusy: processes do not report a key of which each lets through less than a quarter of
// the rate, however low that is, and refuse none of its requests.
func TestFleetNotBusy(t *testing.T) {
	for _, rate := range []int{1, 2, 100, 1000} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, 3, rate, 2*rate)
			part := 0.24 * float64(rate)
			passed := f.run(60, func(int, time.Duration) float64 { return part })
			if n, want := sum(passed), int(3*60*part); n < want-3 || f.reported > 0 {
				t.Errorf("at %d a second %d of %d went through, %d reports, want none", rate, n, want, f.reported)
			}
		})
	}
}

// TestFleetBelow: a client below the rate is never refused, whichever processes get its requests,
// even if one of them is new. Afterwards everything is forgotten.
func TestFleetBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 3, 100, 200)
		asked := func(i int, at time.Duration) float64 {
			if i == 2 && at < 20*time.Second {
				return 0
			}
			return 31
		}
		passed := f.run(60, asked)
		if n, want := sum(passed), 60*62+40*31; n < want-3 || f.reported == 0 {
			t.Errorf("%d of %d went through, %d reports", n, want, f.reported)
		}
		f.run(20, func(int, time.Duration) float64 { return 0 })
		if len(f.board) > 0 {
			t.Errorf("it is no longer busy, but still reported: %v", f.board)
		}
	})
}

// TestFleetLow: rates far below one a second hold as well.
func TestFleetLow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, 1, 1)
		passed := f.run(120, func(int, time.Duration) float64 { return 3 })
		if n := sum(passed[20:]); n < 75 || n > 125 {
			t.Errorf("at one a second, %d went through in 100 s", n)
		}
	})
}

// TestFleetLost: a process without reports continues alone, and when reports arrive again, the key
// waits for at most ten seconds and a burst.
func TestFleetLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := limiter(t, 100, 200), xid.New()
		here.shared = true
		for range 300 {
			here.Take("a")
		}
		report := func(taken int64) {
			time.Sleep(time.Second)
			here.Uses(10)
			here.Merge([]Report[string]{{Process: there, At: time.Now().UnixMicro(), Uses: []Use[string]{
				{Key: "a", Since: 1, Taken: taken, Asked: taken, Short: 200, Busy: true}}}})
		}
		report(100)
		report(1_000_000)
		if d := here.Take("a"); d.OK || d.RetryAfter > 11*time.Second {
			t.Errorf("after a long silence: %+v, want refused for ten seconds", d)
		}
		time.Sleep(11 * time.Second)
		if !here.Take("a").OK {
			t.Error("still refused after that")
		}
	})
}

// TestShareReturn: returned requests are not reported.
func TestShareReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFleet(t, 1, 100, 200).limiters[0]
		for range 50 {
			l.Take("a")
		}
		for range 20 {
			l.Return("a")
		}
		if uses := l.Uses(10); len(uses) != 1 || uses[0].Taken != 30 || uses[0].Short != 30 || !uses[0].Busy {
			t.Errorf("reported %+v, want 30", uses)
		}
		if uses := l.Uses(0); len(uses) != 0 {
			t.Errorf("reported %+v, want none", uses)
		}
	})
}
