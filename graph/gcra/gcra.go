// Package gcra limits rates (contract section 2) with the generic cell rate
// algorithm.
//
// For each key one number is kept: the time at which its allowance will be full
// again. A request moves it later by the interval between two requests at the
// full rate, and is refused when that would take it further ahead than a whole
// burst. So there is no window at whose edge twice the rate slips through, and a
// key that rests is a key that can be forgotten.
package gcra

import (
	"errors"
	"hash/maphash"
	"math"
	"sync"
	"time"
)

// Config sets a [Limiter].
type Config struct {
	// Rate is how many requests a second a key may make for ever; 0 switches
	// the limiter off.
	Rate float64
	// Burst is how many requests a rested key may make at once; at least 1.
	Burst int
}

// Limiter counts the requests of each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	rate     float64
	burst    int64
	interval int64 // ns between two requests at the full rate
	full     int64 // ns from an empty allowance to a full one
	start    time.Time
	seed     maphash.Seed
	shards   [shards]shard[K]
}

// shards keeps requests of different keys from waiting for each other.
const shards = 64

// shard holds, for each key, when its allowance is full again, in ns since the
// limiter's start. A time that has passed means the same as no entry.
type shard[K comparable] struct {
	mu      sync.Mutex
	fullAt  map[K]int64
	sweepAt int64 // the next sweep is due at this time,
	sweepOn int   // or at this many entries
	_       [32]byte
}

// New makes a limiter.
func New[K comparable](c Config) (*Limiter[K], error) {
	if math.IsNaN(c.Rate) || math.IsInf(c.Rate, 0) || c.Rate < 0 {
		return nil, errors.New("rate limit: the rate must be a number of at least 0")
	}
	l := &Limiter[K]{rate: c.Rate, burst: int64(c.Burst), start: time.Now(), seed: maphash.MakeSeed()}
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
	for i := range l.shards {
		l.shards[i].reset(map[K]int64{}, l.sweepAfter(0))
	}
	return l, nil
}

// Off reports whether the limiter allows everything.
func (l *Limiter[K]) Off() bool { return l.rate == 0 }

// Decision is the answer to one request.
type Decision struct {
	// OK reports whether the request may go on.
	OK bool
	// Remaining is how many more requests would be allowed at this moment.
	Remaining int
	// Reset is the time until the allowance is full again, or, when the
	// request is refused, until one more is allowed.
	Reset time.Duration
	// RetryAfter is 0 when OK, else the time until one request is allowed.
	RetryAfter time.Duration
}

// Take counts a request of key. A refused one costs nothing, so a client that
// keeps knocking is let in as soon as one that waits.
func (l *Limiter[K]) Take(key K) Decision { return l.TakeN(key, 1) }

// TakeN is Take for a request that counts as n, at most the burst.
func (l *Limiter[K]) TakeN(key K, n int) Decision {
	if l.Off() {
		return Decision{OK: true, Remaining: math.MaxInt}
	}
	now := int64(time.Since(l.start))
	s := &l.shards[maphash.Comparable(l.seed, key)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()

	fullAt := max(s.fullAt[key], now) + l.interval*min(int64(n), l.burst)
	if wait := fullAt - now - l.full; wait > 0 {
		return Decision{Reset: time.Duration(wait), RetryAfter: time.Duration(wait)}
	}
	s.fullAt[key] = fullAt
	if now >= s.sweepAt || len(s.fullAt) >= s.sweepOn {
		s.sweep(now, l.sweepAfter(now))
	}
	return Decision{
		OK:        true,
		Remaining: int((l.full - (fullAt - now)) / l.interval),
		Reset:     time.Duration(fullAt - now),
	}
}

// Charge counts n more of key whatever is left, at most the burst: for a request that
// turned out to cost more than it took.
func (l *Limiter[K]) Charge(key K, n int) {
	if l.Off() {
		return
	}
	now := int64(time.Since(l.start))
	s := &l.shards[maphash.Comparable(l.seed, key)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fullAt[key] = max(s.fullAt[key], now) + l.interval*min(int64(n), l.burst)
}

// Return takes one [Limiter.Take] of key back, for a request that turned out not
// to count. It never gives more than the burst. A limiter that charges failures
// alone takes first and returns what succeeded: were it to look first and take
// what failed, all attempts that run at the same time would be let in.
func (l *Limiter[K]) Return(key K) {
	if l.Off() {
		return
	}
	now := int64(time.Since(l.start))
	s := &l.shards[maphash.Comparable(l.seed, key)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if fullAt := s.fullAt[key] - l.interval; fullAt > now {
		s.fullAt[key] = fullAt
	} else {
		delete(s.fullAt, key)
	}
}

// Len returns the number of keys that are kept, for a gauge.
func (l *Limiter[K]) Len() int {
	n := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		n += len(s.fullAt)
		s.mu.Unlock()
	}
	return n
}

// sweepAfter returns when a shard that was swept now is due again: not before
// an entry of now could have passed, and not more often than once a minute.
func (l *Limiter[K]) sweepAfter(now int64) int64 {
	return now + max(l.full, int64(time.Minute))
}

// sweep forgets the keys that have rested. It runs when the number of entries
// has doubled since the last time, so each request pays for a constant part,
// and copies what stays, because a map never gives memory back.
func (s *shard[K]) sweep(now, due int64) {
	active := 0
	for _, t := range s.fullAt {
		if t > now {
			active++
		}
	}
	kept := make(map[K]int64, active)
	for k, t := range s.fullAt {
		if t > now {
			kept[k] = t
		}
	}
	s.reset(kept, due)
}

func (s *shard[K]) reset(kept map[K]int64, due int64) {
	s.fullAt, s.sweepAt, s.sweepOn = kept, due, max(2*len(kept), 128)
}
