package ratelimit

import (
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

// Processes that count the same keys tell each other, about once a second, how much they
// let through of those that are busy. Each goes on to decide by itself, by its own
// allowance of the key, and charges to it what the others let through as soon as it hears
// of it. So the allowances of all show the same sum, late by the time that word takes, and
// the sum is held to the rate whoever is asked: what was too much for that time is waited
// for after it.
//
// Were that all, processes of which each wants the whole rate would let it through at the
// same time and then all wait. So each charges beforehand what the others will let through
// beside a request of its own, which is as much as they are asked more often than it, while
// all together are asked for more than the rate. What they do not use of that is given back.
const (
	// busy is which part of the rate a key may use in one process unseen: a quarter.
	busy = 4
	// busyFor is how long a key stays busy after its last use beyond that.
	busyFor = int64(10 * time.Second)
	// patience is how much a key may use at once without being busy: what a second allows.
	patience = int64(time.Second)
	// maxDebt is how long a key may have to wait for what others let through too much.
	maxDebt = int64(10 * time.Second)
	// silence is after how long without news a process is taken to be asked no more.
	silence = int64(2500 * time.Millisecond)
)

// Use is what a process has let through of a key since it began to count.
type Use[K comparable] struct {
	Key K
	// Since tells one count of a key by a process from its next, which begins at 0.
	Since int64
	// Taken is what was let through, and Asked what was asked for.
	Taken, Asked int64
	// Short is how many requests the allowance is short of a full one, as this process
	// knows it. It stands for Taken where somebody hears of a count that is older than theirs.
	Short int64
	// Busy says that this process alone lets through more than a quarter of the rate.
	Busy bool
}

// Report is what a process told last.
type Report[K comparable] struct {
	Process xid.ID
	// At is when, in µs of a clock that all reports have in common.
	At   int64
	Uses []Use[K]
}

// share is a process's part of a key that is counted together.
type share struct {
	since        int64
	taken, asked int64
	// ahead is what was charged for others before they said that they let it through, in ns.
	ahead int64
	// factor is what one request costs, in requests: itself and those of others beside it.
	factor float64
	// own is how often this process was asked lately, and others what is known of those.
	own    pace
	others map[xid.ID]*other
	// The key is counted together until this process and the others find it calm.
	busyUntil, toldUntil int64
}

// other is what another process said.
type other struct {
	since, taken int64
	pace         pace
	heardAt      int64 // ns since the limiter's start
}

// pace is how often something is asked for.
type pace struct {
	asked  int64
	at     int64 // ns
	second float64
	known  bool
}

// shortest is the time in which a pace can be seen.
const shortest = int64(200 * time.Millisecond)

// see takes how much was asked for until a time. What is newer counts as much as all
// that is older, or alone where it is far less: who was left begins like somebody new.
func (p *pace) see(asked, at int64) {
	passed := at - p.at
	switch {
	case p.at == 0 || passed < 0:
		*p = pace{asked: asked, at: at}
	case passed >= shortest:
		now := float64(max(asked-p.asked, 0)) / time.Duration(passed).Seconds()
		if p.known && now > p.second/4 {
			now = (now + p.second) / 2
		}
		*p = pace{asked: asked, at: at, second: now, known: true}
	}
}

// Servers sets how many processes count together. With more than four a key is busy in one
// of them from its even part of the rate on, so that all together cannot miss it.
func (l *Limiter[K]) Servers(n int64) { l.apart.Store(l.interval * max(n, busy)) }

// unseen counts n against what a key may use unseen. It returns how much it has used of
// that, and whether it is more.
func (l *Limiter[K]) unseen(a *balance, now, n int64) (used int64, busy bool) {
	apart := l.apart.Load()
	most := max(patience, apart)
	a.calmAt = max(a.calmAt, now) + apart*n
	used = a.unseen(now, apart)
	if a.calmAt-now <= most {
		return used, false
	}
	a.calmAt = now + most
	return used, true
}

// unseen returns how much of what a key may use unseen is used up, rounded up.
func (a balance) unseen(now, apart int64) int64 {
	return (max(a.calmAt-now, 0) + apart - 1) / apart
}

// join begins to count a key together, of which so much was used lately.
func (s *shard[K]) join(key K, used int64) *share {
	sh := &share{since: time.Now().UnixMicro(), taken: used, factor: 1, others: map[xid.ID]*other{}}
	if s.shares == nil {
		s.shares = map[K]*share{}
	}
	s.shares[key] = sh
	return sh
}

// cost is that of one request.
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

// give undoes a take of one.
func (sh *share) give(interval int64) (cost int64) {
	back := min(sh.cost(interval)-interval, sh.ahead)
	sh.taken--
	sh.asked--
	sh.ahead -= back
	return interval + back
}

// Tell returns what the other processes are to know: the uses of the keys that are busy
// here or elsewhere, at most so many. It is to be called about once a second, like
// [Limiter.Hear].
func (l *Limiter[K]) Tell(most int) (uses []Use[K]) {
	if l.Off() {
		return nil
	}
	now := l.now()
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for key, sh := range s.shares {
			if sh.busyUntil <= now && sh.toldUntil <= now {
				delete(s.shares, key)
				continue
			}
			sh.own.see(sh.asked, now)
			if sh.taken != 0 && len(uses) < most {
				uses = append(uses, Use[K]{Key: key, Since: sh.since, Taken: sh.taken, Asked: sh.asked,
					Short: max(s.keys[key].fullAt-now, 0) / l.interval, Busy: sh.busyUntil > now})
			}
		}
		s.mu.Unlock()
	}
	return uses
}

// Hear takes what the other processes told last, all of them, also where it is nothing new.
func (l *Limiter[K]) Hear(reports []Report[K]) {
	if l.Off() {
		return
	}
	now := l.now()
	heard := map[*share]int64{}
	for _, r := range reports {
		for _, u := range r.Uses {
			s := l.of(u.Key)
			sh := s.shares[u.Key]
			if sh == nil && u.Busy {
				sh = s.join(u.Key, s.keys[u.Key].unseen(now, l.apart.Load()))
			}
			if sh != nil {
				heard[sh] += hear(sh, r.Process, r.At, now, u)
			}
			s.mu.Unlock()
		}
	}
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		for key, sh := range s.shares {
			l.settle(s, key, sh, now, heard[sh])
		}
		s.mu.Unlock()
	}
}

// hear takes what a process told of a key and returns how much of it is new.
func hear[K comparable](sh *share, process xid.ID, at, now int64, u Use[K]) (fresh int64) {
	o := sh.others[process]
	if o == nil || o.since != u.Since {
		o = &other{since: u.Since, taken: u.Taken - min(u.Taken, u.Short)}
		sh.others[process] = o
	}
	fresh = u.Taken - o.taken
	o.taken = u.Taken
	if at := at * int64(time.Microsecond); at != o.pace.at {
		o.pace.see(u.Asked, at)
		o.heardAt = now
		if u.Busy {
			sh.toldUntil = now + busyFor/2
		}
	}
	return fresh
}

// settle charges what the others let through, less what was charged for them beforehand,
// and gives back half of what is left of that: the rest may still be under way.
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
		if now-o.heardAt <= silence {
			theirs += o.pace.second
		}
	}
	sh.factor = 1
	if own := sh.own.second; own >= l.rate/100 && own+theirs > l.rate {
		sh.factor += theirs / own
	}
}
