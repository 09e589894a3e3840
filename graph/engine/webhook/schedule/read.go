package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Source is where a [Read] reads.
type Source uint8

// The sources.
const (
	Rows    Source = iota // the next deliveries of the queue: [Machine.Admit]
	OneLane               // those of one resource that were left: [Machine.Refill]
	Events                // the log of events, to make deliveries of: [Machine.Extended]
)

// Read is something to read for a queue. [Machine.ReadDone] ends it.
type Read struct {
	Queue    *Queue
	Source   Source
	From     int64  // the first sequence to read
	Before   int64  // of one lane: the first one not to read
	Last     int64  // the last sequence there is
	Resource xid.ID // of one lane
	// Of events: the counter that is compared, and what is read.
	Wake int64
	Log  Log
	lane *lane
}

// Reads returns what is to be read, of some queues at most: a lane that ran dry, or
// the next rows of the sequence; or, with events, the log of events for those whose
// sequence is at its end. Queues that have nothing to send come first.
func (m *Machine) Reads(most int, events bool, at time.Time) []Read {
	var first, later []*Queue
	for _, q := range m.queues {
		// What is full in all still lets every queue go on.
		switch {
		case !q.hungry(micros.Of(at)) || m.bytes >= maxBytes && q.ready > 0 || (q.source() == Events) != events:
		case q.ready == 0 && q.inflight == 0:
			first = append(first, q)
		default:
			later = append(later, q)
		}
		if len(first) == most {
			break
		}
	}
	var list []Read
	for _, q := range append(first, later[:min(len(later), most-len(first))]...) {
		list = append(list, q.read())
	}
	return list
}

// source returns what is read next of a queue that is hungry.
func (q *Queue) source() Source {
	switch {
	case len(q.dry) > 0:
		return OneLane
	case q.next > q.row.Last:
		return Events
	}
	return Rows
}

// read begins to read.
func (q *Queue) read() Read {
	q.reading = true
	r := Read{Queue: q, Source: q.source(), From: q.next, Last: q.row.Last, Wake: q.row.Wake, Log: q.row.Log}
	if r.Source == OneLane {
		r.lane = q.dry[0]
		r.From, r.Before, r.Resource = r.lane.more, q.next, r.lane.resource
	}
	return r
}

// ReadDone ends reads, whatever came of them.
func (m *Machine) ReadDone(list []Read, at time.Time) {
	for _, r := range list {
		r.Queue.reading = false
		m.refresh(r.Queue, at)
		m.offer(r.Queue, at)
	}
}

// Admit takes the deliveries that were read, in order. All reports whether there were
// no more.
func (m *Machine) Admit(r Read, items []*Item, all bool, at time.Time) {
	q := r.Queue
	if q.state != Active || q.next != r.From {
		return
	}
	m.admit(q, items, at)
	if all && q.next == max(r.From, beyond(items)) {
		q.next = max(q.next, r.Last+1) // all there was when it was read
	}
}

// beyond returns the sequence after the last item, or 0.
func beyond(items []*Item) int64 {
	if len(items) == 0 {
		return 0
	}
	return items[len(items)-1].Sequence + 1
}

// admit takes deliveries that continue what is known of a queue.
func (m *Machine) admit(q *Queue, items []*Item, at time.Time) {
	now := micros.Of(at)
	for _, it := range items {
		if !q.admit(it, now) {
			break
		}
		if l := q.lanes[it.Resource]; l.due > 0 && l.items[0] == it {
			m.alarm(q, l, l.due)
		}
	}
	m.offer(q, at)
}

// Refill takes what was read of one lane: all there is before Before, or
// [LaneRows].
func (m *Machine) Refill(r Read, items []*Item, at time.Time) {
	q, l, now := r.Queue, r.lane, micros.Of(at)
	if q.state != Active || q.lanes[l.resource] != l {
		return
	}
	q.dry = slices.DeleteFunc(q.dry, func(other *lane) bool { return other == l })
	l.more = 0
	if len(items) == LaneRows {
		l.more = beyond(items)
	} else if q.next > r.Before {
		l.more = r.Before // the sequence was read on meanwhile
	}
	for _, it := range items {
		q.account(it)
		q.push(l, it, now)
	}
	switch {
	case len(l.items) > 0:
	case l.more != 0:
		q.dry = append(q.dry, l)
	default:
		delete(q.lanes, l.resource)
	}
	m.offer(q, at)
}

// Extended notes that n deliveries were made of events at the end of the queue, and
// with which event the next step begins; nil at the end.
func (m *Machine) Extended(r Read, n int, next *xid.ID) {
	row := &r.Queue.row
	if row.Wake == r.Wake {
		row.Wake++
		if r.Log.Missed != nil {
			row.Missed = next
		} else if row.Replay[0] = next; next == nil {
			row.Replay[1] = nil
		}
	}
	row.Last = max(row.Last, r.Last+int64(n))
}

// Raised notes that n deliveries were added after the last sequence of a queue whose
// counter was wake. It reports whether what is in memory ends right before them, and
// has room: then [Machine.Append] takes them, and they need not be read back.
func (m *Machine) Raised(q *Queue, wake, last int64, n int) bool {
	if q.row.Wake == wake {
		q.row.Wake++
	}
	continues := q.next == last+1 && q.row.Last == last && !q.reading
	q.row.Last = max(q.row.Last, last+int64(n))
	m.effects.Load = true
	return continues && q.row.Missed == nil && q.state != Stale && m.bytes < maxBytes
}

// Append takes deliveries that were just added to the end of a queue.
func (m *Machine) Append(q *Queue, items []*Item, at time.Time) {
	m.admit(q, items, at)
}
