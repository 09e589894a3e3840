package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// slowStart is with how many a newly leased queue begins; each success adds one.
	slowStart = 2
	// gateAt is the streak of failures from which on new deliveries are tried one
	// at a time, on the schedule of retries.
	gateAt = 3

	// WindowRows is how many deliveries of a queue are read ahead, refillAt the
	// number below which more are read.
	WindowRows = 256
	refillAt   = WindowRows / 2
)

// Row is what the row of a queue says.
type Row struct {
	Token, Wake, Epoch int64
	Last, Floor        int64 // the last sequence there is; the last that was given up
	Resumed            micros.Time
	Paused             micros.Time // a person wants nothing sent until then
	Rate               int         // how many attempts may begin in a second; 0: any number
	Log
	Health
}

// Log is what a queue takes out of the log of events: what it missed from an event
// on, and what is replayed of a time. A nil one is nothing.
type Log struct {
	Missed *xid.ID
	Replay [2]*xid.ID
}

// Queue is a leased queue.
type Queue struct {
	Key
	// Token is that of the lease.
	Token int64

	state   State
	store   *store
	row     Row // as it was last read, or is known to be
	renewed time.Time

	next    int64 // the first sequence that was not looked at
	lanes   map[xid.ID]*lane
	retries []*lane // their heads may be tried again now
	fresh   []*lane // their heads were never tried
	dry     []*lane // nothing of theirs is left in memory, but more in the database
	ready   int     // items in lanes that do not wait
	bytes   int     // of the bodies in memory
	total   *int    // the same of all queues
	failing map[int64]micros.Time

	inflight, unsettled int
	pace
	deficit   int
	reading   bool      // a [Read] of it is under way
	inTurn    bool      // or parked
	idleSince time.Time // zero: it is not idle
}

// State returns where the queue stands.
func (q *Queue) State() State { return q.state }

// Epoch returns the counter of the changes that people make, as it was last read.
func (q *Queue) Epoch() int64 { return q.row.Epoch }

// Wake returns the counter that everybody raises who adds to the queue or changes it.
func (q *Queue) Wake() int64 { return q.row.Wake }

// head returns the lane whose head may be sent next, or nil. A retry that is due
// goes first; a new delivery waits while the endpoint fails.
func (q *Queue) head(now micros.Time) *lane {
	switch {
	case q.state != Active || q.inflight >= q.window || q.unsettled >= maxUnsettled || q.rests() > now:
		return nil
	case len(q.retries) > 0:
		return q.retries[0]
	case len(q.fresh) > 0 && (q.row.Streak < gateAt || now >= q.row.Probe && q.inflight == 0):
		return q.fresh[0]
	}
	return nil
}

// take takes the lane's head for an attempt.
func (q *Queue) take(l *lane) *Item {
	if len(q.retries) > 0 && q.retries[0] == l {
		q.retries = q.retries[1:]
	} else {
		q.fresh = q.fresh[1:]
	}
	l.busy, q.idleSince = true, time.Time{}
	return l.items[0]
}

// weigh counts bytes of bodies that came into memory or went. A queue that is not
// this process's any more has been taken off the count.
func (q *Queue) weigh(n int) {
	if q.held() {
		q.bytes += n
		*q.total += n
	}
}

// clear forgets every delivery; the rows are read again from the beginning.
func (q *Queue) clear() {
	for _, l := range q.lanes {
		l.due = -1 // no alarm finds it any more
	}
	q.lanes, q.retries, q.fresh, q.dry, q.ready = map[xid.ID]*lane{}, nil, nil, nil, 0
	q.failing = map[int64]micros.Time{}
	q.weigh(-q.bytes)
	q.next = q.row.Floor + 1
}

// more reports whether the database has deliveries or events that were not read.
func (q *Queue) more() bool {
	return q.next <= q.row.Last || q.row.Missed != nil || q.row.Replay[0] != nil
}

// hungry reports whether rows should be read: the memory has room and the database
// has more, or events of the log are to be added.
func (q *Queue) hungry(now micros.Time) bool {
	if q.state != Active || q.reading || q.ready >= refillAt || q.row.Paused > now {
		return false
	}
	if q.row.Streak >= gateAt && len(q.fresh) > 0 {
		return false // new ones are not tried anyway
	}
	return q.more() || len(q.dry) > 0
}

// empty reports whether nothing of the queue is left but lanes that wait, and for
// how long they do at least.
func (q *Queue) empty(now micros.Time) (until micros.Time, ok bool) {
	switch {
	case q.state != Active || q.busy():
		return 0, false
	case q.row.Paused > now:
		return q.row.Paused, true
	case len(q.retries) > 0 || len(q.dry) > 0:
		return 0, false
	}
	until = micros.Never
	if len(q.fresh) > 0 {
		until = q.row.Probe // new ones that wait for the endpoint to recover
	} else if q.more() {
		return 0, false
	}
	for _, l := range q.lanes {
		if l.due != 0 {
			until = min(until, l.due)
		}
	}
	return until, true
}

// busy reports whether something of the queue is under way.
func (q *Queue) busy() bool { return q.inflight > 0 || q.unsettled > 0 || q.reading }
