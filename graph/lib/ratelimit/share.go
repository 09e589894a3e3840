package ratelimit

import (
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

// Processes that count the same keys report to each other, about once a second, how much they let
// through of busy keys. Each decides by its own allowance of a key, and charges to it what the
// others let through as soon as it gets their reports. So all allowances show the same sum, with a
// delay, and the sum keeps to the rate whichever process gets the requests: what exceeded it during
// the delay has to be waited for afterwards.
//
// That alone would let several processes, each of which gets requests at the full rate, let them
// through together and then all pause. So while all processes together get more requests than the
// rate, each request is also charged in advance what the others let through in the same time, in
// proportion to their requests. What they do not use of that is given back.
const (
	// busy is the divisor of the rate below which a key's use in one process is not shared: a
	// quarter.
	busy = 4
	// busyFor is how long a key stays busy after its last use above that.
	busyFor = int64(10 * time.Second)
	// calmBurst is the burst that a key may use without being busy: what a second allows.
	calmBurst = int64(time.Second)
	// maxDebt is how long a key may have to wait because of what others let through.
	maxDebt = int64(10 * time.Second)
	// staleAfter is how long after its last report a process is assumed to get no requests.
	staleAfter = int64(2500 * time.Millisecond)
)

// Use is what a process has let through of a key since it began to count it.
type Use[K comparable] struct {
	Key K
	// Since identifies one count of a key by a process. The next count begins at 0.
	Since int64
	// Taken is how many requests were let through, Asked how many were made.
	Taken, Asked int64
	// Short is how many requests this process's allowance is below full. A receiver that has not
	// seen this count before charges no more of Taken than that.
	Short int64
	// Busy says that this process alone lets through more than a quarter of the rate.
	Busy bool
}

// Report is the latest report of a process.
type Report[K comparable] struct {
	Process xid.ID
	// At is its time, in µs of a clock that all reports share.
	At   int64
	Uses []Use[K]
}

// share is this process's part of a key that is counted together.
type share struct {
	since        int64
	taken, asked int64
	// ahead is what was charged in advance for the other processes, in ns.
	ahead int64
	// factor is the cost of one request, in requests: itself and the concurrent requests of others.
	factor float64
	// own is the request rate of this process, and others what is known of the other processes.
	own    pace
	others map[xid.ID]*other
	// The key is counted together until neither this process nor the others find it busy.
	busyUntil, peersBusyUntil int64
}

// other is what another process reported.
type other struct {
	since, taken int64
	pace         pace
	reportedAt   int64 // ns since the limiter's start
}

// pace is a measured request rate.
type pace struct {
	asked  int64
	at     int64 // ns
	second float64
	known  bool
}

// minPace is the shortest time over which a rate is measured.
const minPace = int64(200 * time.Millisecond)

// observe updates the rate with the number of requests up to a time. The newest measurement counts as
// much as all older ones together. If it is far lower it counts alone, so that a process that lost
// its traffic starts over.
func (p *pace) observe(asked, at int64) {
	passed := at - p.at
	switch {
	case p.at == 0 || passed < 0:
		*p = pace{asked: asked, at: at}
	case passed >= minPace:
		now := float64(max(asked-p.asked, 0)) / time.Duration(passed).Seconds()
		if p.known && now > p.second/4 {
			now = (now + p.second) / 2
		}
		*p = pace{asked: asked, at: at, second: now, known: true}
	}
}

// Servers sets how many processes count together. With more than four, a key is busy in a process
// from an even share of the rate on, so that its use by all of them is always noticed.
func (l *Limiter[K]) Servers(n int64) { l.calmInterval.Store(l.interval * max(n, busy)) }

// useUnshared counts n against what a key may use without being busy. It returns how much of that
// is used, and whether the key is busy.
func (l *Limiter[K]) useUnshared(a *balance, now, n int64) (used int64, busy bool) {
	calmInterval := l.calmInterval.Load()
	most := max(calmBurst, calmInterval)
	a.calmAt = max(a.calmAt, now) + calmInterval*n
	used = a.unshared(now, calmInterval)
	if a.calmAt-now <= most {
		return used, false
	}
	a.calmAt = now + most
	return used, true
}

// unshared returns how much of what a key may use without being busy is used, rounded up.
func (a balance) unshared(now, calmInterval int64) int64 {
	return (max(a.calmAt-now, 0) + calmInterval - 1) / calmInterval
}

// join begins to count a key together. used is its recent use.
func (s *shard[K]) join(key K, used int64) *share {
	sh := &share{since: time.Now().UnixMicro(), taken: used, factor: 1, others: map[xid.ID]*other{}}
	if s.shares == nil {
		s.shares = map[K]*share{}
	}
	s.shares[key] = sh
	return sh
}

// cost returns the cost of one request.
func (sh *share) cost(interval int64) int64 {
	return max(interval, min(int64(float64(interval)*sh.factor), int64(time.Second)))
}

func (sh *share) take(interval, n int64) (cost int64) {
	cost = sh.cost(interval)
	sh.taken += n
	sh.asked += n
	sh.ahead += (cost - interval) * n
	return cost
}

// undo undoes a take of one.
func (sh *share) undo(interval int64) (cost int64) {
	back := min(sh.cost(interval)-interval, sh.ahead)
	sh.taken--
	sh.asked--
	sh.ahead -= back
	return interval + back
}

// Uses returns the report for the other processes: the uses of keys that are busy here or
// elsewhere, at most the given number. Call it about once a second, like [Limiter.Merge].
func (l *Limiter[K]) Uses(most int) (uses []Use[K]) {
	if l.Off() {
		return nil
	}
	now := l.now()
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for key, sh := range s.shares {
			if sh.busyUntil <= now && sh.peersBusyUntil <= now {
				delete(s.shares, key)
				continue
			}
			sh.own.observe(sh.asked, now)
			if sh.taken != 0 && len(uses) < most {
				uses = append(uses, Use[K]{Key: key, Since: sh.since, Taken: sh.taken, Asked: sh.asked,
					Short: max(s.keys[key].fullAt-now, 0) / l.interval, Busy: sh.busyUntil > now})
			}
		}
		s.mu.Unlock()
	}
	return uses
}

// Merge merges the latest reports of all other processes, also those that have not changed.
func (l *Limiter[K]) Merge(reports []Report[K]) {
	if l.Off() {
		return
	}
	now := l.now()
	merged := map[*share]int64{}
	for _, r := range reports {
		for _, u := range r.Uses {
			s := l.of(u.Key)
			sh := s.shares[u.Key]
			if sh == nil && u.Busy {
				sh = s.join(u.Key, s.keys[u.Key].unshared(now, l.calmInterval.Load()))
			}
			if sh != nil {
				merged[sh] += mergeUse(sh, r.Process, r.At, now, u)
			}
			s.mu.Unlock()
		}
	}
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for key, sh := range s.shares {
			l.settle(s, key, sh, now, merged[sh])
		}
		s.mu.Unlock()
	}
}

// mergeUse merges one use of a report and returns how much of it is new.
func mergeUse[K comparable](sh *share, process xid.ID, at, now int64, u Use[K]) (fresh int64) {
	o := sh.others[process]
	if o == nil || o.since != u.Since {
		o = &other{since: u.Since, taken: u.Taken - min(u.Taken, u.Short)}
		sh.others[process] = o
	}
	fresh = u.Taken - o.taken
	o.taken = u.Taken
	if at := at * int64(time.Microsecond); at != o.pace.at {
		o.pace.observe(u.Asked, at)
		o.reportedAt = now
		if u.Busy {
			sh.peersBusyUntil = now + busyFor/2
		}
	}
	return fresh
}

// settle charges what the others let through, less what was charged for it in advance, and gives
// back half of the rest of that: the other half may still be reported.
func (l *Limiter[K]) settle(s *shard[K], key K, sh *share, now, taken int64) {
	due := taken * l.interval
	known := min(max(due, 0), sh.ahead)
	sh.ahead -= known
	due -= known
	back := sh.ahead / 2
	sh.ahead -= back
	a := s.keys[key]
	if due != back {
		a.fullAt = min(max(a.fullAt, now)+due-back, now+l.full+maxDebt)
		s.keys[key] = a
	}
	theirs := 0.0
	for _, o := range sh.others {
		if now-o.reportedAt <= staleAfter {
			theirs += o.pace.second
		}
	}
	sh.factor = 1
	if own := sh.own.second; own >= l.rate/100 && own+theirs > l.rate {
		sh.factor += theirs / own
	}
}
