// Package ratelimit limits rates (contract section 2) with the generic cell rate algorithm. A
// [Limiter] counts in memory. [Take] and [Wait] count in the database, for rates that all processes
// share exactly, such as password guesses.
//
// Each key has one number: the time at which its allowance is full again. A request moves it later
// by the interval between two requests at the full rate, and is refused if that would move it
// further ahead than a whole burst. So no window has an edge at which twice the rate passes, and a
// key whose allowance is full can be forgotten.
//
// Several processes can count a key together, see [Limiter.Uses].
package ratelimit

import (
	"errors"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Config configures a [Limiter].
type Config struct {
	// Rate is the sustained number of requests a second per key; 0 turns the limiter off.
	Rate float64
	// Burst is how many requests a key with a full allowance may make at once; at least 1.
	Burst int
	// Shared says that other processes count the same keys and exchange reports, see
	// [Limiter.Uses].
	Shared bool
}

// Limiter counts the requests of each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	rate         float64
	burst        int64
	interval     int64 // ns between two requests at the full rate
	full         int64 // ns until an empty allowance is full
	shared       bool
	calmInterval atomic.Int64 // ns between two requests of a key that is just not busy
	start        time.Time
	seed         maphash.Seed
	shards       [shards]shard[K]
}

// shards reduce contention between different keys.
const shards = 64

// shard has the state of some keys. Times are ns since the limiter's start.
type shard[K comparable] struct {
	mu      sync.Mutex
	keys    map[K]balance
	shares  map[K]*share // of the keys that are counted together
	sweepAt int64        // the next sweep is due at this time,
	sweepOn int          // or at this many entries
	_       [24]byte
}

// balance is the allowance of a key. If both times are past, it means the same as none.
type balance struct {
	// fullAt is when it is full again.
	fullAt int64
	// calmAt is when the smaller allowance is full again that a key may use up before it is busy.
	calmAt int64
}

// of returns the shard of a key, locked.
func (l *Limiter[K]) of(key K) *shard[K] {
	s := &l.shards[maphash.Comparable(l.seed, key)%shards]
	s.mu.Lock()
	return s
}

// now returns the time since the start.
func (l *Limiter[K]) now() int64 { return int64(time.Since(l.start)) }

// New returns a limiter. It fails if the configuration is invalid.
func New[K comparable](c Config) (*Limiter[K], error) {
	if math.IsNaN(c.Rate) || math.IsInf(c.Rate, 0) || c.Rate < 0 {
		return nil, errors.New("rate limit: the rate must be a number of at least 0")
	}
	l := &Limiter[K]{rate: c.Rate, burst: int64(c.Burst), shared: c.Shared, start: time.Now(), seed: maphash.MakeSeed()}
	if l.Off() {
		return l, nil
	}
	if c.Burst < 1 {
		return nil, errors.New("rate limit: the burst must be at least 1")
	}
	interval := max(math.Round(float64(time.Second)/c.Rate), 1)
	if interval*float64(c.Burst) > float64(math.MaxInt64/4) {
		return nil, errors.New("rate limit: burst / rate must be below 70 years")
	}
	l.interval = int64(interval)
	l.full = l.interval * l.burst
	l.calmInterval.Store(l.interval * busy)
	for i := range l.shards {
		l.shards[i].reset(map[K]balance{}, l.sweepAfter(0))
	}
	return l, nil
}

// Off reports whether the limiter allows everything.
func (l *Limiter[K]) Off() bool { return l.rate == 0 }

// Decision is the result for one request.
type Decision struct {
	// OK says that the request is allowed.
	OK bool
	// Remaining is how many more requests are allowed now.
	Remaining int
	// Reset is the time until the allowance is full again or, for a refused request, until one more
	// is allowed.
	Reset time.Duration
	// RetryAfter is 0 if OK, else the time until one request is allowed.
	RetryAfter time.Duration
}

// Take counts a request of key. A refused request is not counted, so a client that keeps trying is
// allowed again as soon as one that waits.
func (l *Limiter[K]) Take(key K) Decision { return l.TakeN(key, 1) }

// TakeN is Take for a request that counts as n, at most the burst.
func (l *Limiter[K]) TakeN(key K, n int) Decision {
	if l.Off() {
		return Decision{OK: true, Remaining: math.MaxInt}
	}
	now, count := l.now(), min(int64(n), l.burst)
	s := l.of(key)
	defer s.mu.Unlock()
	a, sh := s.keys[key], s.shares[key]
	if wait := max(a.fullAt, now) + l.interval*count - now - l.full; wait > 0 {
		if sh != nil {
			sh.asked += count
		}
		return Decision{Reset: time.Duration(wait), RetryAfter: time.Duration(wait)}
	}
	cost := l.charge(s, key, a, now, count)
	fullAt := s.keys[key].fullAt
	if now >= s.sweepAt || len(s.keys) >= s.sweepOn {
		s.sweep(now, l.sweepAfter(now))
	}
	return Decision{
		OK:        true,
		Remaining: int(max(l.full-(fullAt-now), 0) / cost),
		Reset:     time.Duration(fullAt - now),
	}
}

// charge counts n uses of a key and returns the cost of one.
func (l *Limiter[K]) charge(s *shard[K], key K, a balance, now, n int64) (cost int64) {
	cost = l.interval
	sh := s.shares[key]
	if sh != nil {
		cost = sh.take(l.interval, n)
	}
	a.fullAt = max(a.fullAt, now) + cost*n
	if l.shared {
		if used, busy := l.useUnshared(&a, now, n); busy {
			if sh == nil {
				sh = s.join(key, used)
			}
			sh.busyUntil = now + busyFor
		}
	}
	s.keys[key] = a
	return cost
}

// Charge counts n more uses of key, at most the burst, whatever is left. It is for a request that
// turned out to cost more than it took.
func (l *Limiter[K]) Charge(key K, n int) {
	if l.Off() {
		return
	}
	s := l.of(key)
	defer s.mu.Unlock()
	l.charge(s, key, s.keys[key], l.now(), min(int64(n), l.burst))
}

// Return uncounts one [Limiter.Take] of key, up to the burst. A limiter of failures takes first and
// returns successes: if it checked first and took failures afterwards, all concurrent attempts
// would be allowed.
func (l *Limiter[K]) Return(key K) {
	if l.Off() {
		return
	}
	now := l.now()
	s := l.of(key)
	defer s.mu.Unlock()
	a := s.keys[key]
	cost := l.interval
	if sh := s.shares[key]; sh != nil {
		cost = sh.undo(l.interval)
	}
	a.fullAt -= cost
	a.calmAt -= l.calmInterval.Load()
	if a.rested(now) {
		delete(s.keys, key)
	} else {
		s.keys[key] = a
	}
}

// rested reports whether the allowance means the same as none.
func (a balance) rested(now int64) bool { return a.fullAt <= now && a.calmAt <= now }

// Len returns the number of stored keys, for a gauge.
func (l *Limiter[K]) Len() int {
	n := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		n += len(s.keys)
		s.mu.Unlock()
	}
	return n
}

// sweepAfter returns when a shard that is swept now is due again: not before its present entries
// can be full, and at most once a minute.
func (l *Limiter[K]) sweepAfter(now int64) int64 {
	return now + max(l.full, int64(time.Minute))
}

// sweep forgets keys with full allowances. It runs when the number of entries has doubled, so each
// request pays a constant share, and it copies the remaining entries, because a map never shrinks.
func (s *shard[K]) sweep(now, due int64) {
	active := 0
	for _, a := range s.keys {
		if !a.rested(now) {
			active++
		}
	}
	kept := make(map[K]balance, active)
	for k, a := range s.keys {
		if !a.rested(now) {
			kept[k] = a
		}
	}
	s.reset(kept, due)
}

func (s *shard[K]) reset(kept map[K]balance, due int64) {
	s.keys, s.sweepAt, s.sweepOn = kept, due, max(2*len(kept), 128)
}
