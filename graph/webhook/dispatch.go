package webhook

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/attempt"
)

const (
	// maxInflight is how many attempts of the process may be in flight; endpoints
	// that fail get half of them at most.
	maxInflight = 512
	// quantum is what a queue may send in its turn, in bytes; every attempt costs
	// its body and something for itself.
	quantum  = 16 << 10
	overhead = 512

	// maxBytes is about how much the bodies that were read ahead may take, in bytes,
	// and maxLarge how many larger ones may be on their way.
	maxBytes = 32 << 20
	maxLarge = 128
)

// dispatcher sends what the leased queues hold. One lock guards everything that
// is in memory; nothing waits while it is held.
type dispatcher struct {
	*Engine
	began time.Time

	mu      sync.Mutex
	work    sync.Cond // workers without a job wait here
	queues  map[key]*queue
	ring    []*queue // those that may have something to send, in turn
	alarms  alarms
	settles []*outcome

	workers, waiting  int
	inflight, probing int
	bytes             int           // of the bodies that were read ahead
	large             chan struct{} // holds one for each larger body on its way
	unsettled         int           // outcomes that are not written down
	stopping          bool
	group             sync.WaitGroup

	reported sync.Map // what a loop did when it failed, to when that was logged

	// Each wakes its loop.
	toSettle, toLoad, toLease, toRelay, toAlarm chan struct{}
}

func newDispatcher(e *Engine) *dispatcher {
	d := &dispatcher{Engine: e, began: time.Now(), queues: map[key]*queue{}, large: make(chan struct{}, maxLarge)}
	d.work.L = &d.mu
	for _, c := range []*chan struct{}{&d.toSettle, &d.toLoad, &d.toLease, &d.toRelay, &d.toAlarm} {
		*c = make(chan struct{}, 1)
	}
	return d
}

// wake makes a loop go round; one that is awake already goes round once more.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// clockwork is the dispatcher's own clock, which no setting of the time moves.
func (d *dispatcher) clockwork() time.Duration { return time.Since(d.began) }

// sinceRenewal is how old the queue's lease is.
func (d *dispatcher) sinceRenewal(q *queue) time.Duration {
	return d.clockwork() - time.Duration(q.renewed.Load())
}

// job is one attempt to make.
type job struct {
	q    *queue
	lane *lane
	item *item
	// As they were when the job was taken.
	target *attempt.Target
	owner  *app
	probes bool // the endpoint fails
}

// offer puts a queue into the ring when it has something to send, and wakes a
// worker for it. The lock is held.
func (d *dispatcher) offer(q *queue) {
	if q.ringed || q.head(micros.Now()) == nil {
		return
	}
	q.ringed = true
	d.ring = append(d.ring, q)
	d.summon()
}

// summon makes one worker look for a job. The lock is held.
func (d *dispatcher) summon() {
	switch {
	case d.stopping:
	case d.waiting > 0:
		d.work.Signal()
	case d.workers < maxInflight:
		d.workers++
		d.group.Go(d.serve)
	}
}

// serve is a worker: it makes attempts until the dispatcher stops.
func (d *dispatcher) serve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { d.workers-- }()
	for {
		j, ok := d.next()
		if !ok {
			if d.stopping {
				return
			}
			d.waiting++
			d.work.Wait()
			d.waiting--
			continue
		}
		if len(d.ring) > 0 {
			d.summon()
		}
		d.mu.Unlock()
		result := d.attempt(j)
		d.mu.Lock()
		d.complete(j, result)
	}
}

// next takes the next job, by deficit round robin over the queues: each may send
// a quantum of bytes in its turn. The lock is held.
func (d *dispatcher) next() (j job, ok bool) {
	now := micros.Now()
	for len(d.ring) > 0 && d.inflight < maxInflight && !d.stopping && !d.skewed.Load() {
		q := d.ring[0]
		l := q.head(now)
		if l == nil || d.sinceRenewal(q) >= sendWithin || q.streak > 0 && d.probing >= maxInflight/2 {
			q.ringed, q.deficit = false, 0
			d.ring = d.ring[1:]
			continue
		}
		if q.deficit <= 0 {
			q.deficit += quantum
			d.ring = append(d.ring[1:], q)
			continue
		}
		it := q.take(l)
		q.deficit -= overhead + len(it.body)
		d.inflight++
		if q.streak > 0 {
			d.probing++
		}
		if it.tries == 0 && q.streak >= gateAt {
			q.probe = micros.Never // until this one's outcome
		}
		return job{q, l, it, q.target, q.owner, q.streak > 0}, true
	}
	return job{}, false
}

// attempt makes one attempt. Nothing is locked.
func (d *dispatcher) attempt(j job) attempt.Result {
	q, it := j.q, j.item
	ctx := q.ctx
	if it.kind == "" {
		return attempt.Result{Outcome: outcomeExpired}
	}
	if ok, err := d.permitted(ctx, q.store, j.owner, it.kind); err != nil {
		return d.unable(ctx, "look the owner up", err)
	} else if !ok {
		return attempt.Result{Outcome: outcomeForbidden}
	}
	body := it.body
	if body == nil {
		select {
		case d.large <- struct{}{}:
			defer func() { <-d.large }()
		case <-ctx.Done():
			return attempt.Result{Outcome: attempt.Cancelled}
		}
		var err error
		if body, err = d.body(ctx, q.store, it.event); errors.Is(err, errGone) {
			return attempt.Result{Outcome: outcomeExpired}
		} else if err != nil {
			return d.unable(ctx, "read the body", err)
		}
	}
	if ok, err := d.readable(ctx, q.store, j.owner, it.kind, body); err != nil {
		return d.unable(ctx, "look the owner up", err)
	} else if !ok {
		return attempt.Result{Outcome: outcomeForbidden}
	}
	// The last look at the lease comes right before the request.
	if d.sinceRenewal(q) >= sendWithin {
		return attempt.Result{Outcome: attempt.Cancelled}
	}
	return d.Client.Do(ctx, attempt.Request{
		Target: j.target, Body: body, Number: it.attempts + 1,
		EventID: xid.Event.Format(it.event), EventType: string(it.kind), DeliveryID: xid.Delivery.Format(it.id),
	})
}

// unable answers for an attempt that could not be made, which is no failure.
func (d *dispatcher) unable(ctx context.Context, doing string, err error) attempt.Result {
	if ctx.Err() == nil {
		d.Logger.WarnContext(ctx, "delivery waits: "+doing, "error", err)
	}
	return attempt.Result{Outcome: attempt.Cancelled}
}

// complete takes the result of a job: it decides what the lane does next at
// once, and leaves writing it down to the settler. The lock is held.
func (d *dispatcher) complete(j job, r attempt.Result) {
	q, l, it := j.q, j.lane, j.item
	d.inflight--
	q.inflight--
	if j.probes {
		d.probing--
	}
	if q.ended && q.inflight == 0 {
		defer q.cancel()
	}
	if q.lost || !q.ended && d.sinceRenewal(q) >= loseAfter {
		// Another one may have the queue, and sends this delivery again.
		d.lose(q)
		return
	}
	l.busy = false
	now := micros.Now()
	if it.tries == 0 && q.probe == micros.Never {
		q.probe = now // whatever came of it, it was the one
	}
	switch r.Outcome {
	case attempt.Cancelled:
		q.block(l, now.Add(time.Second))
		d.alarm(q, l, l.due)
	case attempt.Delivered:
		d.delivered(q, l, it, r)
	case outcomeExpired, outcomeForbidden:
		q.pop(l)
		q.ready(l)
		o := &outcome{q: q, item: it, result: r, at: now, verdict: verdictCancelled}
		q.judge(o)
		d.settle(o)
	default:
		d.failed(q, l, it, r, now)
	}
	if q.resetting {
		d.reset(q)
	}
	d.offer(q)
	if q.hungry() {
		wake(d.toLoad)
	}
}

// delivered frees the lane's next delivery, and the endpoint's pace.
func (d *dispatcher) delivered(q *queue, l *lane, it *item, r attempt.Result) {
	q.pop(l)
	q.ready(l)
	o := &outcome{q: q, item: it, result: r, at: micros.Now(), verdict: verdictDelivered, recovered: q.streak > 0}
	q.streak, q.probe = 0, 0
	q.window = min(q.window+1, d.Slots)
	q.judge(o)
	d.settle(o)
}

// failed decides when the delivery is tried again, or that it was the last time.
func (d *dispatcher) failed(q *queue, l *lane, it *item, r attempt.Result, now micros.Time) {
	if it.tries == 0 {
		it.first = micros.Of(r.Began)
		q.streak++
	}
	it.attempts++
	it.tries++
	q.window = 1
	q.failing[it.sequence] = it.first
	if q.failingSince == nil {
		q.failingSince = &it.first
	}
	q.failedThrough = max(q.failedThrough, it.sequence)
	o := &outcome{q: q, item: it, result: r, at: now, verdict: verdictRetry}
	due, again := after(it.tries, it.first, now, r.RetryAfter)
	if !again {
		o.verdict = verdictExhausted
		l.busy = true // nothing of the lane goes on before this is written down
	} else {
		if len(it.body) > keepBody {
			q.weigh(-len(it.body))
			it.body = nil
		}
		it.due = due
		q.block(l, due)
		d.alarm(q, l, due)
	}
	if q.streak >= gateAt && it.tries == 1 {
		q.probe = now.Add(wait(q.streak - gateAt + 1))
		d.alarm(q, nil, q.probe)
	}
	// The row's own counters, as they are now; the settler writes them.
	o.tries, o.attempts, o.first, o.due = it.tries, it.attempts, it.first, due
	o.streak, o.probe, o.since, o.through = q.streak, q.probe, q.failingSince, q.failedThrough
	d.settle(o)
}

// settle hands an outcome to the settler.
func (d *dispatcher) settle(o *outcome) {
	o.q.unsettled++
	d.unsettled++
	d.settles = append(d.settles, o)
	wake(d.toSettle)
}

// lose forgets a queue whose lease is gone: attempts in flight are cancelled,
// and what becomes of them is dropped. The lock is held.
func (d *dispatcher) lose(q *queue) {
	if !q.lost {
		d.metrics.lost.Inc()
	}
	d.forget(q)
}

// forget drops a queue that is not this process's any more. The lock is held.
func (d *dispatcher) forget(q *queue) {
	q.weigh(-q.bytes)
	q.lost = true
	q.cancel()
	if d.queues[q.key] == q {
		delete(d.queues, q.key)
		wake(d.toLease)
	}
}

// end lets nothing more be sent to an endpoint that a person took out of service.
// Attempts in flight end by themselves.
func (d *dispatcher) end(k key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q := d.queues[k]; q != nil {
		d.retire(q)
	}
}

// retire lets nothing more be sent of a queue. The lock is held.
func (d *dispatcher) retire(q *queue) {
	q.weigh(-q.bytes)
	q.ended = true
	delete(d.queues, q.key)
	if q.inflight == 0 {
		q.cancel()
	}
}

// reset throws away what is in memory of a queue once nothing of it is under
// way; its rows are read again. The lock is held.
func (d *dispatcher) reset(q *queue) {
	if !q.resetting || q.inflight > 0 || q.unsettled > 0 || q.loading {
		return
	}
	q.resetting = false
	q.clear()
	wake(d.toLoad)
}

// sorted returns the leased queues by key, the order of every statement.
func (d *dispatcher) sorted() []*queue {
	list := make([]*queue, 0, len(d.queues))
	for _, q := range d.queues {
		list = append(list, q)
	}
	slices.SortFunc(list, byKey)
	return list
}

func byKey(a, b *queue) int { return compareKeys(a.key, b.key) }

func compareKeys(a, b key) int {
	if c := a.store.Compare(b.store); c != 0 {
		return c
	}
	return a.endpoint.Compare(b.endpoint)
}
