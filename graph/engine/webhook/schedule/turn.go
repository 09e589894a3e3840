package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// quantum is what a queue may send in its turn, in bytes; every attempt costs
	// its body and something for itself.
	quantum  = 2 << 10
	overhead = 512
	// maxWaived is how many turns in a row the slow wait for the fast.
	maxWaived = 8
	// One of so many slots is kept for queues whose receivers have just answered fast.
	reserve = 4
	// A queue may hold a quarter as many slots as are free, a store twice as many.
	queueShare = 4
	storeShare = 2
	// At least they may hold an equal part of three quarters of all slots, so that few
	// queues use few slots.
	evenShare = 0.75
	// Of what may yet wait to be written down, a queue may have half as much, and always
	// a few. What is in flight takes of the room too, since it waits soon.
	unsettledShare = 2
	unsettledFloor = 8
)

// Job is one attempt to make.
type Job struct {
	Queue *Queue
	Item  *Item
	lane  *lane
	began time.Time
	probe bool // the endpoint failed when the job was taken
}

// store is what the queues of one store share: a store with a thousand endpoints
// has the turns and the slots of one.
type store struct {
	queues   int
	inflight int
	turns    [urgencies][]*Queue // those that may have something to send, in turn
}

// storeOf returns the store of a queue, which is entered next.
func (m *Machine) storeOf(id xid.ID) *store {
	s := m.stores[id]
	if s == nil {
		s = new(store)
		m.stores[id] = s
	}
	return s
}

// urgency parts the queues that are in turn.
type urgency uint8

// The urgencies. What has nothing in flight goes before what is busy already, so
// that a single event does not wait behind a backlog (as in RFC 8290, section 3.3);
// where answers are slow, a turn more or less changes nothing.
const (
	sparse urgency = iota
	busy
	slow
	parked // until an attempt of another has ended, or was written down
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

// ring holds the stores of which some queue is in turn.
type ring []*store

// offer gives a queue a turn when it has something to send.
func (m *Machine) offer(q *Queue, at time.Time) {
	if q.inTurn || q.head(micros.Of(at)) == nil {
		return
	}
	q.deficit = quantum
	m.line(q, q.urgency(at))
	m.effects.Workers++
}

// line puts a queue at the end of the turns of its store, and the store at the end of
// its ring.
func (m *Machine) line(q *Queue, u urgency) {
	q.inTurn = true
	s := q.store
	if s.turns[u] = append(s.turns[u], q); len(s.turns[u]) == 1 {
		m.rings[u] = append(m.rings[u], s)
	}
}

// pass takes the queue out whose turn it is, and lets the next store have its own.
func (m *Machine) pass(u urgency) *Queue {
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

// inTurn returns how many queues are.
func (m *Machine) inTurn() (n int) {
	for u, r := range m.rings[:parked] {
		for _, s := range r {
			n += len(s.turns[u])
		}
	}
	return n
}

// next returns the urgency whose turn it is.
func (m *Machine) next() (urgency, bool) {
	if len(m.rings[slow]) > 0 && m.waived >= maxWaived {
		return slow, true
	}
	for u, r := range m.rings[:parked] {
		if len(r) > 0 {
			return urgency(u), true
		}
	}
	return 0, false
}

// Next takes the next job, by deficit round robin over the stores and the queues of
// each: one after the other may send a quantum of bytes. What is taken is handed to
// [Machine.Complete].
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
			m.pass(u)
		case !m.allows(q, at):
			m.line(m.pass(u), parked)
		case is != u || q.deficit <= 0:
			if m.pass(u); is == u {
				q.deficit += quantum
			}
			m.line(q, is)
		default:
			m.waive(u)
			return m.start(q, l, at), true
		}
	}
	return Job{}, false
}

// waive counts the turns that the slow have waited.
func (m *Machine) waive(u urgency) {
	if u == slow || len(m.rings[slow]) == 0 {
		m.waived = 0
	} else {
		m.waived++
	}
}

// allows reports whether a queue may have another slot. Slots are shared by what is
// free: who holds more than a part of it, be it a queue or a store, gets no more, so that
// all who want many hold as many, and whoever comes later finds some free. The reserve
// is for receivers that have just answered fast, and the first slot of each of them is
// its own. What waits to be written down is shared likewise: behind a backlog that
// recovers, a queue with an event now and then still sends it at once.
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

// start takes the head of a lane.
func (m *Machine) start(q *Queue, l *lane, at time.Time) Job {
	j := Job{Queue: q, Item: q.take(l), lane: l, began: at, probe: q.row.Streak > 0}
	q.deficit -= overhead + len(j.Item.Body)
	q.inflight++
	q.store.inflight++
	q.began = append(q.began, at)
	m.inflight++
	if q.row.Rate > 0 {
		q.spend(q.row.Rate, micros.Of(at))
		if until := q.rests(); until > micros.Of(at) {
			m.alarm(q, nil, until)
		}
	}
	if j.Item.Tries == 0 && q.row.Streak >= gateAt {
		q.row.Probe = micros.Never // until this one's outcome
	}
	m.effects.Workers++ // whoever is behind it in turn
	return j
}

// land gives back the slot of a job, and lets two go on that waited for one.
func (m *Machine) land(j Job, at time.Time) {
	q := j.Queue
	m.inflight--
	q.inflight--
	q.store.inflight--
	if i := slices.Index(q.began, j.began); i >= 0 {
		q.began = slices.Delete(q.began, i, i+1)
	}
	m.unpark(at)
}

// unpark lets two queues go on that waited for what has become free. Those that have
// nothing to send any more do not count: somebody has to come after them.
func (m *Machine) unpark(at time.Time) {
	for left := 2; left > 0 && len(m.rings[parked]) > 0; {
		q := m.pass(parked)
		if m.offer(q, at); q.inTurn {
			left--
		}
	}
}

// Strain has fewer attempts in flight from now on, since the process could not begin
// one; each that is delivered allows one more again. What fails together counts once.
func (m *Machine) Strain(at time.Time) {
	if at.Sub(m.strained) >= slowAfter {
		m.limit, m.strained = max(min(m.limit, m.inflight)*3/4, minSlots), at
	}
}

// minSlots is how few slots a process under strain has.
const minSlots = 4
