package webhook

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/attempt"
)

const (
	// slotsOf is how many attempts to one endpoint may be in flight.
	slotsOf = 32
	// slowStart is with how many a newly leased queue begins; each success adds one.
	slowStart = 4
	// gateAt is the streak of failures from which on new deliveries are tried one
	// at a time, on the schedule of retries.
	gateAt = 3

	// windowRows is how many deliveries of a queue are read ahead, refillAt the
	// number below which more are read.
	windowRows = 256
	refillAt   = windowRows / 2
	// laneRows is how many of one resource's deliveries are kept in memory.
	laneRows = 64
	// inlineBody is the size in bytes up to which bodies are read with their rows,
	// keepBody the one up to which they are kept while a retry waits.
	inlineBody = 16 << 10
	keepBody   = 2 << 10
)

// item is a delivery in memory.
type item struct {
	sequence            int64
	id, event, resource xid.ID
	kind                event.Type // "" when the event has aged out
	attempts, tries     int
	first, due          micros.Time
	body                []byte // nil: read before it is sent
}

// lane is the deliveries of one resource to one endpoint, in order. Only its
// head is ever sent.
type lane struct {
	queue    *queue
	resource xid.ID
	items    []*item
	busy     bool        // the head is in flight, or its outcome decides first
	due      micros.Time // the head waits until then; 0: it does not wait
	more     int64       // the first sequence that was left in the database; 0: none
}

// queue is a leased queue in memory. The dispatcher's lock guards it.
type queue struct {
	key
	settings
	// token, wake and epoch are those of the row when it was last read.
	token, wake, epoch int64
	// renewed is when the last renewal was asked for, on the dispatcher's own clock.
	renewed atomic.Int64
	// ctx ends with the lease.
	ctx    context.Context
	cancel context.CancelFunc

	next, last int64 // the first sequence that was not looked at; the last there is
	lanes      map[xid.ID]*lane
	retries    []*lane // their heads may be tried again now
	fresh      []*lane // their heads were never tried
	dry        []*lane // nothing of theirs is left in memory, but more in the database
	held       int     // items in lanes that do not wait
	bytes      int     // of the bodies in memory
	total      *int    // the same of all queues
	failing    map[int64]micros.Time

	inflight, unsettled int
	window              int
	deficit             int
	ringed              bool // it stands in the dispatcher's ring
	loading             bool
	resetting           bool  // what is in memory is thrown away when nothing is in flight
	releasing           bool  // it is being given back: nothing starts
	emptyAt             int64 // the wake counter with which it was found empty
	lost                bool
	ended               bool          // by a person: what is in flight is still written down
	idleSince           time.Duration // on the dispatcher's clock; 0: it is not idle
}

// settings are what the rows of the queue and its endpoint say.
type settings struct {
	target        *attempt.Target
	promoted      bool // the target knows that the second secret took over by itself
	owner         *app
	types         map[event.Type]bool
	floor         int64
	resumed       micros.Time
	missed        *xid.ID
	replay        [2]*xid.ID
	failingSince  *micros.Time
	failedThrough int64
	warned        int
	streak        int
	probe         micros.Time
}

// head returns the lane whose head may be sent next, or nil. A retry that is due
// goes first; a new delivery waits while the endpoint fails.
func (q *queue) head(now micros.Time) *lane {
	switch {
	case q.lost || q.resetting || q.releasing || q.ended || q.inflight >= q.window:
		return nil
	case len(q.retries) > 0:
		return q.retries[0]
	case len(q.fresh) > 0 && (q.streak < gateAt || now >= q.probe && q.inflight == 0):
		return q.fresh[0]
	}
	return nil
}

// take takes the lane's head for an attempt.
func (q *queue) take(l *lane) *item {
	if len(q.retries) > 0 && q.retries[0] == l {
		q.retries = q.retries[1:]
	} else {
		q.fresh = q.fresh[1:]
	}
	l.busy, q.idleSince = true, 0
	q.inflight++
	return l.items[0]
}

// ready puts a lane where its head is found, unless it waits.
func (q *queue) ready(l *lane) {
	switch {
	case l.busy || len(l.items) == 0 || l.due != 0:
	case l.items[0].tries > 0 || l.items[0].due != 0: // tried before, or hurried by a person
		q.retries = append(q.retries, l)
	default:
		q.fresh = append(q.fresh, l)
	}
}

// admit takes a row that was read into its lane; false when there is no room,
// and the rows from this one on are read again later.
func (q *queue) admit(it *item, now micros.Time) bool {
	l := q.lanes[it.resource]
	if l == nil {
		if q.held >= windowRows {
			return false
		}
		l = &lane{queue: q, resource: it.resource}
		q.lanes[it.resource] = l
	}
	q.next = it.sequence + 1
	q.last = max(q.last, it.sequence)
	q.account(it)
	if l.more != 0 || l.due != 0 || len(l.items) >= laneRows {
		if l.more == 0 {
			l.more = it.sequence
		}
		return true
	}
	q.push(l, it, now)
	return true
}

// account judges a row that was read: attempts from before the endpoint was
// resumed do not count, later ones mean that the delivery fails.
func (q *queue) account(it *item) {
	if it.first != 0 && it.first < q.resumed {
		it.tries, it.first, it.due = 0, 0, 0
	}
	if it.tries > 0 {
		q.failing[it.sequence] = it.first
	}
}

// push adds an item at the end of its lane.
func (q *queue) push(l *lane, it *item, now micros.Time) {
	l.items = append(l.items, it)
	q.weigh(len(it.body))
	if l.due == 0 {
		q.held++
	}
	if len(l.items) > 1 || l.busy {
		return
	}
	if it.due > now {
		q.block(l, it.due)
		return
	}
	q.ready(l)
}

// weigh counts bytes of bodies that came into memory or went. A queue that is not
// this process's any more has been taken off the count.
func (q *queue) weigh(n int) {
	if q.lost || q.ended {
		return
	}
	q.bytes += n
	*q.total += n
}

// pop drops the head of a lane, and the lane when nothing is left of it.
func (q *queue) pop(l *lane) {
	it := l.items[0]
	q.weigh(-len(it.body))
	delete(q.failing, it.sequence)
	if l.due == 0 {
		q.held--
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

// block makes a lane wait. Its head alone stays in memory: what waits for long
// must not keep others out.
func (q *queue) block(l *lane, until micros.Time) {
	if l.due == 0 {
		q.held -= len(l.items)
	}
	if len(l.items) > 1 {
		l.more = l.items[1].sequence
		for _, it := range l.items[1:] {
			q.weigh(-len(it.body))
		}
		l.items = slices.Clone(l.items[:1])
	}
	l.due = until
}

// unblock lets a lane go on whose time has come.
func (q *queue) unblock(l *lane) {
	if l.due != 0 {
		l.due = 0
		q.held += len(l.items)
	}
	q.ready(l)
}

// clear forgets every delivery; the rows are read again from the beginning.
func (q *queue) clear() {
	for _, l := range q.lanes {
		l.due = -1 // no alarm finds it any more
	}
	q.lanes, q.retries, q.fresh, q.dry, q.held = map[xid.ID]*lane{}, nil, nil, nil, 0
	q.failing = map[int64]micros.Time{}
	q.weigh(-q.bytes)
	q.next = q.floor + 1
}

// hungry tells that rows should be read: the memory has room and the database
// has more, or events of the log are to be added.
func (q *queue) hungry() bool {
	if q.lost || q.resetting || q.loading || q.held >= refillAt {
		return false
	}
	if q.streak >= gateAt && len(q.fresh) > 0 {
		return false // new ones are not tried anyway
	}
	return q.next <= q.last || q.missed != nil || q.replay[0] != nil || len(q.dry) > 0
}

// empty tells that nothing of the queue is left but lanes that wait; until says
// for how long at least.
func (q *queue) empty() (until micros.Time, ok bool) {
	if q.inflight > 0 || q.unsettled > 0 || q.resetting || q.loading || len(q.retries) > 0 || len(q.dry) > 0 {
		return 0, false
	}
	until = micros.Never
	if len(q.fresh) > 0 {
		until = q.probe // new ones that wait for the endpoint to recover
	} else if q.next <= q.last || q.missed != nil || q.replay[0] != nil {
		return 0, false
	}
	for _, l := range q.lanes {
		if l.due != 0 {
			until = min(until, l.due)
		}
	}
	return until, true
}

// oldest returns the first attempt of the delivery that has failed longest, or
// nil when none fails and none that did is left in the database.
func (q *queue) oldest() *micros.Time {
	if len(q.failing) == 0 {
		if q.next <= q.failedThrough && q.next <= q.last {
			return q.failingSince
		}
		return nil
	}
	since := micros.Never
	for _, first := range q.failing {
		since = min(since, first)
	}
	return &since
}

// judge says what still fails, now that a delivery has ended.
func (q *queue) judge(o *outcome) {
	if since := q.oldest(); q.failingSince != nil && (since == nil || *since != *q.failingSince) {
		o.healed = true
		if since == nil {
			o.told, q.warned = q.warned > 0 && o.verdict == verdictDelivered, 0
		}
		q.failingSince = since
	}
	o.since, o.warned, o.streak, o.probe = q.failingSince, q.warned, q.streak, q.probe
}

// recovered tells that the endpoint is said to fail, while everything there is
// was read and none of it has failed.
func (q *queue) recovered() bool {
	return q.failingSince != nil && len(q.failing) == 0 && q.next > q.last && q.inflight == 0 && q.unsettled == 0 && !q.resetting && !q.loading
}
