package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Source is what a [Read] reads.
type Source uint8

// The sources.
const (
	Rows    Source = iota // the next deliveries of the queue: [Machine.Admit]
	OneLane               // the remaining deliveries of one resource: [Machine.Refill]
	Events                // the event log, to create deliveries: [Machine.Extended]
)

// Read is a pending read for a queue. [Machine.ReadDone] ends it.
type Read struct {
	Queue    *Queue
	Source   Source
	From     int64  // the first sequence to read
	Before   int64  // of one lane: the first sequence not to read
	Last     int64  // the queue's last sequence
	Resource xid.ID // of one lane
	// For Events: the counter to compare, and what to read.
	Wake int64
	Log  Log
	lane *lane
}

// Reads returns the next reads, of up to most queues: a lane that ran dry, or the next rows of the
// sequence; with events, the event log for queues that are read to their end. Queues with nothing
// to send come first.
func (m *Machine) Reads(most int, events bool, at time.Time) []Read {
	var first, later []*Queue
	for _, q := range m.queues {
		// When memory is full, a queue without ready items still reads.
		switch {
		case !q.needsRows(micros.Of(at)) || m.bytes >= maxBytes && q.ready > 0 || (q.source() == Events) != events:
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

// source returns what a queue that needs rows reads next.
func (q *Queue) source() Source {
	switch {
	case len(q.dry) > 0:
		return OneLane
	case q.next > q.row.Last:
		return Events
	}
	return Rows
}

func (q *Queue) read() Read {
	q.reading = true
	r := Read{Queue: q, Source: q.source(), From: q.next, Last: q.row.Last, Wake: q.row.Wake, Log: q.row.Log}
	if r.Source == OneLane {
		r.lane = q.dry[0]
		r.From, r.Before, r.Resource = r.lane.more, q.next, r.lane.resource
	}
	return r
}

// ReadDone ends reads, successful or not.
func (m *Machine) ReadDone(list []Read, at time.Time) {
	for _, r := range list {
		r.Queue.reading = false
		m.refresh(r.Queue, at)
		m.offer(r.Queue, at)
	}
}

// Admit takes deliveries in order. all says that there were no more.
func (m *Machine) Admit(r Read, items []*Item, all bool, at time.Time) {
	q := r.Queue
	if q.state != Active || q.next != r.From {
		return
	}
	m.Append(q, items, at)
	if all && q.next == max(r.From, nextSequence(items)) {
		q.next = max(q.next, r.Last+1) // all that existed at the time of the read
	}
}

func nextSequence(items []*Item) int64 {
	if len(items) == 0 {
		return 0
	}
	return items[len(items)-1].Sequence + 1
}

// Append takes deliveries that directly follow those known.
func (m *Machine) Append(q *Queue, items []*Item, at time.Time) {
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

// Refill takes the deliveries of one lane: all before r.Before, or [LaneRows] of them.
func (m *Machine) Refill(r Read, items []*Item, at time.Time) {
	q, l, now := r.Queue, r.lane, micros.Of(at)
	if q.state != Active || q.lanes[l.resource] != l {
		return
	}
	q.dry = slices.DeleteFunc(q.dry, func(other *lane) bool { return other == l })
	l.more = 0
	if len(items) == LaneRows {
		l.more = nextSequence(items)
	} else if q.next > r.Before {
		l.more = r.Before // the queue was read further meanwhile
	}
	for _, it := range items {
		q.adoptTries(it)
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

// Extended records that n deliveries were created from events at the end of the queue, and the
// event with which the next step begins; nil at the end.
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

// Raised records that n deliveries were added after the last sequence of a queue whose counter was
// wake. It returns true if memory ends right before them and has room: [Machine.Append] then takes
// them, and they need not be read back.
func (m *Machine) Raised(q *Queue, wake, last int64, n int) bool {
	if q.row.Wake == wake {
		q.row.Wake++
	}
	continues := q.next == last+1 && q.row.Last == last && !q.reading
	q.row.Last = max(q.row.Last, last+int64(n))
	m.effects.Load = true
	return continues && q.row.Missed == nil && q.state != Stale && m.bytes < maxBytes
}
