// Package ratelimit limits rates (contract section 2) with the generic cell rate algorithm. A
// [Limiter] counts in memory. [Take] and [Wait] count in the database, for rates that all processes
// share exactly, such as password guesses.
//
// Each key has one number: the time at which its allowance is full again. A request moves it later
// by the interval between two requests at the full rate, and is refused if that would move it
// further ahead than a whole burst. So no window has an edge at which twice the rate passes, and a
// key whose allowance is full can be forgotten.
//
// Several servers each grant their share of a rate, see [Config.Servers].
package ratelimit

import (
	"errors"
	"hash/maphash"
	"math"
	"sync"
	"time"
)

// Config configures a [Limiter].
type Config struct {
	// Rate is the sustained number of requests a second per key; 0 turns the limiter off.
	Rate float64
	// Burst is how many requests a key with a full allowance may make at once; at least 1.
	Burst int
	// Servers, if set, returns how many servers count the same keys, each alone. An allowance then
	// refills at its share of the rate, but still holds the whole burst.
	Servers func() int64
}

// Limiter counts the requests of each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	rate    float64
	burst   int64
	every   int64 // ns between two requests at the full rate
	servers func() int64
	start   time.Time
	seed    maphash.Seed
	shards  [shards]shard[K]
}

// shards reduce contention between different keys.
const shards = 64

// shard has the state of some keys. Times are ns since the limiter's start.
type shard[K comparable] struct {
	mu      sync.Mutex
	keys    map[K]int64 // when the allowance is full again; a past time means the same as none
	sweepAt int64       // the next sweep is due at this time,
	sweepOn int         // or at this many entries
	_       [32]byte
}

// of returns the shard of a key, locked.
func (l *Limiter[K]) of(key K) *shard[K] {
	s := &l.shards[maphash.Comparable(l.seed, key)%shards]
	s.mu.Lock()
	return s
}

func (l *Limiter[K]) now() int64 { return int64(time.Since(l.start)) }

// New returns a limiter. It fails if the configuration is invalid.
func New[K comparable](c Config) (*Limiter[K], error) {
	if math.IsNaN(c.Rate) || math.IsInf(c.Rate, 0) || c.Rate < 0 {
		return nil, errors.New("rate limit: the rate must be a number of at least 0")
	}
	l := &Limiter[K]{rate: c.Rate, burst: int64(c.Burst), servers: c.Servers, start: time.Now(),
		seed: maphash.MakeSeed()}
	if l.Off() {
		return l, nil
	}
	if c.Burst < 1 {
		return nil, errors.New("rate limit: the burst must be at least 1")
	}
	interval := max(math.Round(float64(time.Second)/c.Rate), 1)
	if interval*float64(c.Burst) > float64(math.MaxInt64/4/maxServers) {
		return nil, errors.New("rate limit: burst / rate must be below 26 days")
	}
	l.every = int64(interval)
	for i := range l.shards {
		l.shards[i].reset(map[K]int64{}, 0)
	}
	return l, nil
}

// maxServers bounds [Config.Servers], so that no time overflows.
const maxServers = 1000

// interval returns the time between two requests at this server's share of the rate, in ns.
func (l *Limiter[K]) interval() int64 {
	if l.servers == nil {
		return l.every
	}
	return l.every * min(max(l.servers(), 1), maxServers)
}

// Off reports whether the limiter allows everything.
func (l *Limiter[K]) Off() bool { return l.rate == 0 }

// Decision is the result for one request.
type Decision struct {
	OK        bool
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
	now, interval, count := l.now(), l.interval(), min(int64(n), l.burst)
	full := interval * l.burst
	s := l.of(key)
	defer s.mu.Unlock()
	before := from(s.keys[key], now, full)
	fullAt := before + interval*count
	if wait := fullAt - now - full; wait > 0 {
		s.keys[key] = before
		return Decision{Reset: time.Duration(wait), RetryAfter: time.Duration(wait)}
	}
	s.keys[key] = fullAt
	if now >= s.sweepAt || len(s.keys) >= s.sweepOn {
		// Not before its present entries can be full, and at most once a minute.
		s.sweep(now, now+max(full, int64(time.Minute)))
	}
	return Decision{OK: true, Remaining: int((full - (fullAt - now)) / interval), Reset: time.Duration(fullAt - now)}
}

// from returns when an allowance is full, if not yet. That is at most two bursts ahead, where
// [Limiter.Charge] may put it: with more servers it was further.
func from(fullAt, now, full int64) int64 { return min(max(fullAt, now), now+2*full) }

// Charge counts n more uses of key, at most the burst, whatever is left. It is for a request that
// turned out to cost more than it took.
func (l *Limiter[K]) Charge(key K, n int) {
	if l.Off() {
		return
	}
	now, interval := l.now(), l.interval()
	s := l.of(key)
	defer s.mu.Unlock()
	s.keys[key] = from(s.keys[key], now, interval*l.burst) + interval*min(int64(n), l.burst)
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
	if fullAt := s.keys[key] - l.interval(); fullAt > now {
		s.keys[key] = fullAt
	} else {
		delete(s.keys, key)
	}
}

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

// sweep forgets keys with full allowances. It runs when the number of entries has doubled, so each
// request pays a constant share, and it copies the remaining entries, because a map never shrinks.
func (s *shard[K]) sweep(now, due int64) {
	active := 0
	for _, fullAt := range s.keys {
		if fullAt > now {
			active++
		}
	}
	kept := make(map[K]int64, active)
	for k, fullAt := range s.keys {
		if fullAt > now {
			kept[k] = fullAt
		}
	}
	s.reset(kept, due)
}

func (s *shard[K]) reset(kept map[K]int64, due int64) {
	s.keys, s.sweepAt, s.sweepOn = kept, due, max(2*len(kept), 128)
}
