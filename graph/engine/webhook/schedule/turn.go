package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

const (
	// quantum is what a queue may send in its turn, in bytes. An attempt costs the size of its body
	// and overhead.
	quantum  = 2 << 10
	overhead = 512
	// maxSkipped is how many turns in a row the slow queues are skipped for the fast.
	maxSkipped = 8
	// 1/reserve of the slots is kept for queues whose receivers have just answered fast.
	reserve = 4
	// A queue may hold a quarter as many slots as are free, a store twice as many.
	queueShare = 4
	storeShare = 2
	// Each may hold at least an even part of three quarters of all slots, so that few queues can
	// use many slots.
	evenShare = 0.75
	// A queue may use half of the remaining room for unsaved outcomes, and always a few. Attempts
	// in flight count, since their outcomes follow soon.
	unsettledShare = 2
	unsettledFloor = 8
)

// Job is an attempt to make.
type Job struct {
	Queue *Queue
	Item  *Item
	lane  *lane
	began time.Time
	probe bool // the endpoint was failing when the job was taken
}

// store is what the queues of one store share, so that a store with a thousand endpoints has the
// turns and the slots of one.
type store struct {
	queues   int
	inflight int
	turns    [urgencies][]*Queue // queues that may have something to send, in turn
}

// urgency is the class of a turn.
type urgency uint8

// The urgencies, the most urgent first. A queue without attempts in flight goes before a busy one,
// so that a single event does not wait behind a backlog (as in RFC 8290, section 3.3). Where
// answers are slow, one turn more or less does not matter.
const (
	sparse urgency = iota
	busy
	slow
	parked // until another attempt has ended or was saved
	urgencies
)

func (q *Queue) urgency(at time.Time) urgency {
	switch {
	case q.class(at) >= Slow:
		return slow
	case q.inflight == 0:
		return sparse
	}
	return busy
}

// offer gives a queue a turn if it has something to send.
func (m *Machine) offer(q *Queue, at time.Time) {
	if q.inTurn || q.head(micros.Of(at)) == nil {
		return
	}
	q.deficit = quantum
	m.enqueue(q, q.urgency(at))
	m.effects.Workers++
}

// enqueue adds a queue to the turns of its store, and the store to its ring.
func (m *Machine) enqueue(q *Queue, u urgency) {
	q.inTurn = true
	s := q.store
	if s.turns[u] = append(s.turns[u], q); len(s.turns[u]) == 1 {
		m.rings[u] = append(m.rings[u], s)
	}
}

// dequeue removes the queue whose turn it is, and moves on to the next store.
func (m *Machine) dequeue(u urgency) *Queue {
	r := m.rings[u]
	s := r[0]
	q := s.turns[u][0]
	s.turns[u] = s.turns[u][1:]
	m.rings[u] = r[1:]
	if len(s.turns[u]) > 0 {
		m.rings[u] = append(m.rings[u], s)
	}
	q.inTurn = false
	return q
}

func (m *Machine) inTurn() (n int) {
	for u, r := range m.rings[:parked] {
		for _, s := range r {
			n += len(s.turns[u])
		}
	}
	return n
}

func (m *Machine) next() (urgency, bool) {
	if len(m.rings[slow]) > 0 && m.skipped >= maxSkipped {
		return slow, true
	}
	for u, r := range m.rings[:parked] {
		if len(r) > 0 {
			return urgency(u), true
		}
	}
	return 0, false
}

// Next takes the next job, by deficit round robin over the stores and the queues of each: in its
// turn a queue may send a quantum of bytes. The job is passed to [Machine.Complete].
func (m *Machine) Next(at time.Time) (Job, bool) {
	now := micros.Of(at)
	for m.inflight < m.limit && !m.paused {
		u, ok := m.next()
		if !ok {
			break
		}
		q := m.rings[u][0].turns[u][0]
		l := q.head(now)
		switch is := q.urgency(at); {
		case l == nil || at.Sub(q.renewed) >= m.SendWithin:
			m.dequeue(u)
		case !m.allows(q, at):
			m.enqueue(m.dequeue(u), parked)
		case is != u || q.deficit <= 0:
			if m.dequeue(u); is == u {
				q.deficit += quantum
			}
			m.enqueue(q, is)
		default:
			m.countSkips(u)
			return m.start(q, l, at), true
		}
	}
	return Job{}, false
}

// countSkips counts the turns for which slow queues have waited.
func (m *Machine) countSkips(u urgency) {
	if u == slow || len(m.rings[slow]) == 0 {
		m.skipped = 0
	} else {
		m.skipped++
	}
}

// allows reports whether a queue may have another slot. A queue or a store that holds more than its
// share of the free slots gets no more, so that all with much to send hold equally many and
// newcomers find free ones. The reserve is for receivers that have just answered fast, each of
// which always gets a first slot. Room for unsaved outcomes is shared the same way, so that a queue
// with an occasional event still sends at once beside a recovering backlog.
func (m *Machine) allows(q *Queue, at time.Time) bool {
	if q.unsettled >= max((maxUnsettledInAll-m.unsettled-m.inflight)/unsettledShare, unsettledFloor) {
		return false
	}
	all := m.limit
	trusted := q.class(at) == Fast
	if !trusted {
		all -= m.limit / reserve
	}
	free := all - m.inflight
	switch {
	case free <= 0:
		return false
	case q.inflight == 0 && (trusted || q.store.inflight == 0):
		return true
	}
	even := int(evenShare * float64(all))
	return q.inflight < max(free/queueShare, even/len(m.queues), 1) &&
		q.store.inflight < max(storeShare*free, even/len(m.stores))
}

func (m *Machine) start(q *Queue, l *lane, at time.Time) Job {
	if len(q.retries) > 0 && q.retries[0] == l {
		q.retries = q.retries[1:]
	} else {
		q.fresh = q.fresh[1:]
	}
	l.busy, q.idleSince = true, time.Time{}
	j := Job{Queue: q, Item: l.items[0], lane: l, began: at, probe: q.row.Streak > 0}
	q.deficit -= overhead + len(j.Item.Body)
	q.inflight++
	q.store.inflight++
	q.began = append(q.began, at)
	m.inflight++
	if q.row.Rate > 0 {
		q.spend(q.row.Rate, micros.Of(at))
		if until := q.blockedUntil(); until > micros.Of(at) {
			m.alarm(q, nil, until)
		}
	}
	if j.Item.Tries == 0 && q.row.Streak >= gateAt {
		q.row.Probe = micros.Max // until this one's outcome
	}
	m.effects.Workers++ // for the queue behind it in turn
	return j
}

// finish releases the slot of a job and resumes two parked queues.
func (m *Machine) finish(j Job, at time.Time) {
	q := j.Queue
	m.inflight--
	q.inflight--
	q.store.inflight--
	if i := slices.Index(q.began, j.began); i >= 0 {
		q.began = slices.Delete(q.began, i, i+1)
	}
	m.unpark(at)
}

// unpark resumes two queues that waited for a slot. Queues that have nothing to send any more do
// not count, so that others get the slots.
func (m *Machine) unpark(at time.Time) {
	for left := 2; left > 0 && len(m.rings[parked]) > 0; {
		q := m.dequeue(parked)
		if m.offer(q, at); q.inTurn {
			left--
		}
	}
}

// ReduceLimit reduces how many attempts may be in flight, since this process could not begin one. Each
// success raises the limit by one. Simultaneous failures count once.
func (m *Machine) ReduceLimit(at time.Time) {
	if at.Sub(m.limitedAt) >= slowAfter {
		m.limit, m.limitedAt = max(min(m.limit, m.inflight)*3/4, minSlots), at
	}
}

const minSlots = 4
