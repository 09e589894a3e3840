package ratelimit

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func limiter(t testing.TB, rate float64, burst int) *Limiter[string] {
	t.Helper()
	l, err := New[string](Config{Rate: rate, Burst: burst})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBurstThenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 100, 200)
		for i := range 200 {
			want := Decision{OK: true, Remaining: 199 - i, Reset: time.Duration(i+1) * 10 * time.Millisecond}
			if got := l.Take("a"); got != want {
				t.Fatalf("request %d: got %+v, want %+v", i, got, want)
			}
		}
		refused := Decision{Reset: 10 * time.Millisecond, RetryAfter: 10 * time.Millisecond}
		for range 3 { // refusals cost nothing
			if got := l.Take("a"); got != refused {
				t.Fatalf("got %+v, want %+v", got, refused)
			}
		}
		if got := l.Take("b"); !got.OK || got.Remaining != 199 {
			t.Errorf("another key: got %+v", got)
		}
		time.Sleep(refused.RetryAfter - 1)
		if l.Take("a").OK {
			t.Error("allowed a nanosecond early")
		}
		time.Sleep(time.Nanosecond)
		if got := l.Take("a"); !got.OK || got.Remaining != 0 {
			t.Errorf("after the wait: got %+v", got)
		}
		if l.Take("a").OK {
			t.Error("two allowed after the wait for one")
		}
		time.Sleep(time.Hour)
		if got := l.Take("a"); got.Remaining != 199 {
			t.Errorf("rested: got %+v, want no more than the burst", got)
		}
	})
}

// TestTakeN: a request that counts as several takes as much as several, and never more than a
// burst.
func TestTakeN(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 1, 5)
		if got := l.TakeN("a", 3); !got.OK || got.Remaining != 2 {
			t.Errorf("three of five: %+v", got)
		}
		if got := l.TakeN("a", 3); got.OK || got.RetryAfter != time.Second {
			t.Errorf("three of two: %+v", got)
		}
		if got := l.TakeN("b", 50); !got.OK || got.Remaining != 0 {
			t.Errorf("fifty of five: %+v", got)
		}
	})
}

// TestCharge: extra cost delays later requests, by a burst at most.
func TestCharge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 10, 20)
		const one = 100 * time.Millisecond
		for _, tc := range []struct {
			n    int
			wait time.Duration
		}{{0, 0}, {18, 0}, {19, one}, {25, 2 * one}, {1 << 40, 2 * one}} {
			if !l.Take("a").OK {
				t.Fatal("a rested key")
			}
			l.Charge("a", tc.n)
			if got := l.Take("a").RetryAfter; got != tc.wait {
				t.Errorf("after %d: wait %v, want %v", tc.n, got, tc.wait)
			}
			if !l.Take("b").OK {
				t.Error("another key")
			}
			time.Sleep(time.Minute)
		}
	})
}

// TestLongRun: in any stretch of time no more than burst + rate·time pass.
func TestLongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 3, 5)
		allowed := 0
		for range 10 * 1000 { // 1000 s, ten attempts a second
			if l.Take("a").OK {
				allowed++
			}
			time.Sleep(100 * time.Millisecond)
		}
		if want := 3*1000 + 5; allowed < want-5 || allowed > want {
			t.Errorf("got %d allowed, want about %d", allowed, want)
		}
	})
}

// TestServers: together, servers let the rate through after a burst each. A change of their number
// takes effect at once.
func TestServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := int64(4)
		var fleet [4]*Limiter[string]
		for i := range fleet {
			l, err := New[string](Config{Rate: 100, Burst: 200, Servers: func() int64 { return servers }})
			if err != nil {
				t.Fatal(err)
			}
			fleet[i] = l
		}
		during := func(seconds int) (passed int) {
			for range seconds * 100 {
				for _, l := range fleet[:servers] {
					for l.Take("a").OK {
						passed++
					}
				}
				time.Sleep(10 * time.Millisecond)
			}
			return passed
		}
		if n := during(10); n < 1790 || n > 1800 {
			t.Errorf("four servers let %d through, want 4 bursts and 1000", n)
		}
		servers = 1
		if n := during(10); n < 790 || n > 1000 {
			t.Errorf("the last server let %d through, want 1000 after at most a burst more", n)
		}
		if n := during(10); n != 1000 {
			t.Errorf("then it let %d through, want 1000", n)
		}
		servers = 0
		if got := fleet[0].TakeN("b", 200); !got.OK || got.Reset != 2*time.Second {
			t.Errorf("an unknown number of servers: %+v, want as for one", got)
		}
	})
}

// peek returns the next decision without taking.
func peek(l *Limiter[string], key string) Decision {
	d := l.Take(key)
	if d.OK {
		l.Return(key)
		d.Remaining++
		d.Reset -= time.Duration(l.interval())
	}
	return d
}

func TestTakeAndReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 1, 2)
		for range 5 {
			if got := peek(l, "a"); got != (Decision{OK: true, Remaining: 2}) {
				t.Fatalf("fresh: got %+v", got)
			}
		}
		if l.Len() != 0 {
			t.Errorf("what is returned keeps %d keys", l.Len())
		}
		l.Take("a")
		if got := peek(l, "a"); got != (Decision{OK: true, Remaining: 1, Reset: time.Second}) {
			t.Errorf("after one: got %+v", got)
		}
		l.Take("a")
		if got := peek(l, "a"); got.OK || got.RetryAfter != time.Second {
			t.Errorf("after two: got %+v", got)
		}
	})
}

func TestForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := New[int](Config{Rate: 100, Burst: 200})
		if err != nil {
			t.Fatal(err)
		}
		// A flood of addresses: some hundred are active at a time.
		for key := range 500_000 {
			l.Take(key)
			time.Sleep(100 * time.Microsecond)
		}
		if got := l.Len(); got > shards*128 {
			t.Errorf("got %d keys kept after the flood, want at most %d", got, shards*128)
		}
		time.Sleep(2 * time.Minute)
		for key := range 5000 { // a little traffic on every shard
			l.Take(key % 1000)
		}
		if got := l.Len(); got > 1000 {
			t.Errorf("got %d keys kept after a rest, want at most 1000", got)
		}
	})
}

// TestForgettingIsHarmless: a sweep never restores the burst of an active key.
func TestForgettingIsHarmless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := New[int](Config{Rate: 0.001, Burst: 1})
		if err != nil {
			t.Fatal(err)
		}
		for key := range 20_000 {
			l.Take(key)
		}
		time.Sleep(999 * time.Second)
		for key := range 20_000 {
			if l.Take(key).OK {
				t.Fatalf("key %d was forgotten", key)
			}
		}
	})
}

func TestOff(t *testing.T) {
	l := limiter(t, 0, 0)
	for range 1000 {
		if !l.Take("a").OK {
			t.Fatal("refused though off")
		}
	}
	if l.Policy("default") != "" || l.Len() != 0 {
		t.Error("off, but speaks of a policy or keeps keys")
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]Config{
		"negative rate": {Rate: -1, Burst: 1},
		"no number":     {Rate: math.NaN(), Burst: 1},
		"infinite":      {Rate: math.Inf(1), Burst: 1},
		"no burst":      {Rate: 1},
		"ages":          {Rate: 1e-9, Burst: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New[string](c); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	for _, tc := range []struct {
		name, got, want string
	}{
		{"policy", limiter(t, 100, 200).Policy("default"), `"default";q=200;w=2`},
		{"policy, part of a second", limiter(t, 100, 50).Policy("default"), `"default";q=50;w=1`},
		{"policy, slow", limiter(t, 0.1, 5).Policy("sign-in"), `"sign-in";q=5;w=50`},
		{"left", Decision{OK: true, Remaining: 199, Reset: 10 * time.Millisecond}.Header("default"),
			`"default";r=199;t=1`},
		{"full", Decision{OK: true, Remaining: 200}.Header("default"), `"default";r=200;t=0`},
		{"refused", Decision{Reset: 1001 * time.Millisecond}.Header("default"), `"default";r=0;t=2`},
		{"retry at once", Seconds(0), "1"},
		{"retry soon", Seconds(time.Millisecond), "1"},
		{"retry exact", Seconds(3 * time.Second), "3"},
		{"retry rounded up", Seconds(3*time.Second + 1), "4"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.got != tc.want {
				t.Errorf("got %s, want %s", tc.got, tc.want)
			}
		})
	}
}

func TestConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 1, 100)
		var allowed atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for range 50 {
					if l.Take("a").OK {
						allowed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if got := allowed.Load(); got != 100 {
			t.Errorf("got %d allowed, want exactly the burst of 100", got)
		}
	})
}

func TestAllocates(t *testing.T) {
	l := limiter(t, 100, 200)
	l.Take("a")
	if n := testing.AllocsPerRun(100, func() { l.Take("a"); l.Return("a") }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func BenchmarkTake(b *testing.B) {
	l, err := New[[16]byte](Config{Rate: 100, Burst: 200})
	if err != nil {
		b.Fatal(err)
	}
	var worker atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		key := [16]byte{15: byte(worker.Add(1))}
		for pb.Next() {
			key[0]++
			l.Take(key)
		}
	})
}

// A returned request can be taken again, at once and never beyond the burst.
func TestReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, 1, 3)
		l.Return("a") // nothing was taken
		if got := l.Take("a"); got.Remaining != 2 {
			t.Errorf("after a return of nothing: got %+v", got)
		}
		l.Take("a")
		l.Take("a")
		if l.Take("a").OK {
			t.Fatal("a fourth was allowed")
		}
		l.Return("a")
		if got := l.Take("a"); !got.OK || got.Remaining != 0 {
			t.Errorf("after a return: got %+v", got)
		}
		for range 5 {
			l.Return("a")
		}
		if got := peek(l, "a"); got.Remaining != 3 || got.Reset != 0 || l.Len() != 0 {
			t.Errorf("all returned: got %+v, %d keys", got, l.Len())
		}
		off := limiter(t, 0, 0)
		off.Return("a")
	})
}
