package schedule

import (
	"slices"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// LaneRows is how many of one resource's deliveries are kept in memory.
	LaneRows = 64
	// keepBody is the size in bytes up to which bodies are kept while a retry waits.
	keepBody = 2 << 10
)

// Item is a delivery in memory.
type Item struct {
	Sequence            int64
	ID, Event, Resource xid.ID
	Kind                event.Type // "" when the event has aged out
	Attempts, Tries     int        // in all, and in this window
	First, Due          micros.Time
	Body                []byte // nil: read before it is sent
}

// lane is the deliveries of one resource to one endpoint, in order. Only its head is sent.
type lane struct {
	queue    *Queue
	resource xid.ID
	items    []*Item
	busy     bool        // the head is in flight, or waits for its outcome
	due      micros.Time // the head waits until then; 0: it does not wait
	more     int64       // the first sequence that was left in the database; 0: none
}

// enqueue adds a lane to the queue's retries or fresh lanes, unless it waits.
func (q *Queue) enqueue(l *lane) {
	switch {
	case l.busy || len(l.items) == 0 || l.due != 0:
	case l.items[0].Tries > 0 || l.items[0].Due != 0: // tried before, or made due by a person
		q.retries = append(q.retries, l)
	default:
		q.fresh = append(q.fresh, l)
	}
}

// admit adds a row to its lane. It returns false if there is no room; the rows from this one on are
// read again later.
func (q *Queue) admit(it *Item, now micros.Time) bool {
	l := q.lanes[it.Resource]
	if l == nil {
		if q.ready >= WindowRows {
			return false
		}
		l = &lane{queue: q, resource: it.Resource}
		q.lanes[it.Resource] = l
	}
	q.next = it.Sequence + 1
	q.row.Last = max(q.row.Last, it.Sequence)
	q.adoptTries(it)
	if l.more != 0 || l.due != 0 || len(l.items) >= LaneRows {
		if l.more == 0 {
			l.more = it.Sequence
		}
		return true
	}
	q.push(l, it, now)
	return true
}

// adoptTries resets attempts from before the endpoint was resumed, and records later ones as
// failing.
func (q *Queue) adoptTries(it *Item) {
	if it.First != 0 && it.First < q.row.Resumed {
		it.Tries, it.First, it.Due = 0, 0, 0
	}
	if it.Tries > 0 {
		q.failing[it.Sequence] = it.First
	}
}

func (q *Queue) push(l *lane, it *Item, now micros.Time) {
	l.items = append(l.items, it)
	q.addBytes(len(it.Body))
	if l.due == 0 {
		q.ready++
	}
	if len(l.items) > 1 || l.busy {
		return
	}
	if it.Due > now {
		q.block(l, it.Due)
		return
	}
	q.enqueue(l)
}

// pop removes the head of a lane, and an empty lane.
func (q *Queue) pop(l *lane) {
	it := l.items[0]
	q.addBytes(-len(it.Body))
	delete(q.failing, it.Sequence)
	if l.due == 0 {
		q.ready--
	}
	l.items[0] = nil
	l.items = l.items[1:]
	switch {
	case len(l.items) > 0:
	case l.more == 0:
		delete(q.lanes, l.resource)
	default:
		q.dry = append(q.dry, l)
	}
}

// block makes a lane wait. Only its head stays in memory, so that long waits do not keep others
// out.
func (q *Queue) block(l *lane, until micros.Time) {
	if l.due == 0 {
		q.ready -= len(l.items)
	}
	if len(l.items) > 1 {
		l.more = l.items[1].Sequence
		for _, it := range l.items[1:] {
			q.addBytes(-len(it.Body))
		}
		l.items = slices.Clone(l.items[:1])
	}
	l.due = until
}

func (q *Queue) unblock(l *lane) {
	if l.due != 0 {
		l.due = 0
		q.ready += len(l.items)
	}
	q.enqueue(l)
}
