package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// slowStart is the window of a newly leased queue; each success adds one.
	slowStart = 2
	// gateAt is the streak of failures from which on new deliveries are tried one at a time, on the
	// retry schedule.
	gateAt = 3

	// WindowRows is how many deliveries of a queue are read ahead; below refillAt, more are read.
	WindowRows = 256
	refillAt   = WindowRows / 2
)

// Row is the row of a queue.
type Row struct {
	Token, Wake, Epoch int64
	Last, Floor        int64 // the last sequence; the last that was given up
	Resumed            micros.Time
	Paused             micros.Time // nothing is sent until then
	Rate               int         // how many attempts may begin in a second; 0: any number
	Log
	Health
}

// Log is what a queue reads from the event log: events that it missed, from Missed on, and a
// replayed range. Nil means none.
type Log struct {
	Missed *xid.ID
	Replay [2]*xid.ID
}

// Queue is a leased queue.
type Queue struct {
	Key
	// Token is the lease's fencing token.
	Token int64

	state   State
	store   *store
	row     Row // as last read, or as known since
	renewed time.Time

	next    int64 // the first sequence that was not read
	lanes   map[xid.ID]*lane
	retries []*lane // their heads may be retried now
	fresh   []*lane // their heads were never tried
	dry     []*lane // all of their items are in the database
	ready   int     // items in lanes that do not wait
	bytes   int     // of the bodies in memory
	total   *int    // bytes of all queues
	failing map[int64]micros.Time

	inflight, unsettled int
	pace
	deficit   int
	reading   bool      // a [Read] is under way
	inTurn    bool      // or parked
	idleSince time.Time // zero: it is not idle
}

// State returns the state of the queue.
func (q *Queue) State() State { return q.state }

// Epoch returns the counter of changes by people, as last read.
func (q *Queue) Epoch() int64 { return q.row.Epoch }

// Wake returns the counter that is raised with every addition to the queue and every change of it.
func (q *Queue) Wake() int64 { return q.row.Wake }

// head returns the lane whose head may be sent next, or nil. A due retry goes first; new deliveries
// wait while the endpoint fails.
func (q *Queue) head(now micros.Time) *lane {
	switch {
	case q.state != Active || q.inflight >= q.window || q.unsettled >= maxUnsettled || q.blockedUntil() > now:
		return nil
	case len(q.retries) > 0:
		return q.retries[0]
	case len(q.fresh) > 0 && (q.row.Streak < gateAt || now >= q.row.Probe && q.inflight == 0):
		return q.fresh[0]
	}
	return nil
}

// addBytes adds to the bytes of bodies in memory. A queue that is not this process's any more has
// been subtracted already.
func (q *Queue) addBytes(n int) {
	if q.held() {
		q.bytes += n
		*q.total += n
	}
}

// clear forgets every delivery; the rows are read again from the beginning.
func (q *Queue) clear() {
	for _, l := range q.lanes {
		l.due = -1 // no alarm matches it any more
	}
	q.lanes, q.retries, q.fresh, q.dry, q.ready = map[xid.ID]*lane{}, nil, nil, nil, 0
	q.failing = map[int64]micros.Time{}
	q.addBytes(-q.bytes)
	q.next = q.row.Floor + 1
}

// more reports whether the database has deliveries or events that were not read.
func (q *Queue) more() bool {
	return q.next <= q.row.Last || q.row.Missed != nil || q.row.Replay[0] != nil
}

// needsRows reports whether rows should be read: memory has room and the database has more, or
// events of the log must be added.
func (q *Queue) needsRows(now micros.Time) bool {
	if q.state != Active || q.reading || q.ready >= refillAt || q.row.Paused > now {
		return false
	}
	if q.row.Streak >= gateAt && len(q.fresh) > 0 {
		return false // new ones are not tried anyway
	}
	return q.more() || len(q.dry) > 0
}

// empty reports whether nothing of the queue is left but lanes that wait, and the earliest end of
// their waits.
func (q *Queue) empty(now micros.Time) (until micros.Time, ok bool) {
	switch {
	case q.state != Active || q.busy():
		return 0, false
	case q.row.Paused > now:
		return q.row.Paused, true
	case len(q.retries) > 0 || len(q.dry) > 0:
		return 0, false
	}
	until = micros.Max
	if len(q.fresh) > 0 {
		until = q.row.Probe // new ones wait for the endpoint to recover
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

// busy reports whether work on the queue is under way.
func (q *Queue) busy() bool { return q.inflight > 0 || q.unsettled > 0 || q.reading }
