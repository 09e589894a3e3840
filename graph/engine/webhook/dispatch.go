package webhook

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

const (
	// windowOf is how many attempts to one endpoint may be in flight.
	windowOf = 32
	// idleWorkers is how many workers wait for a job; others end.
	idleWorkers = 256
	// fewInflight are so many attempts that it does not matter what each holds while it waits.
	fewInflight = 512
	// maxLarge is how many bodies that are not read ahead may be on their way.
	maxLarge = 128
)

// dispatcher does what the schedule decides: it leases queues, reads what they
// hold, makes the attempts and writes down what came of them. One lock guards
// everything that is in memory; nothing waits while it is held.
type dispatcher struct {
	*Engine

	began   time.Time    // by which [dispatcher.now] counts
	stepped atomic.Int64 // how far the time of day was set since, in microseconds

	mu       sync.Mutex
	jobs     sync.Cond // workers without a job wait here
	schedule *schedule.Machine
	leased   map[*schedule.Queue]*leased
	settles  []*outcome
	seized   time.Time // when it was last seen that a person took a queue out of service

	claiming sync.Mutex // held from the claim of queues until they are in memory

	workers, waiting int
	stopping, saving bool
	large            chan struct{} // holds one for each larger body on its way
	group            sync.WaitGroup

	live     atomic.Pointer[time.Time] // when the relay last found events that were no backlog
	reported sync.Map                  // what a loop did when it failed, to when that was logged

	// Each wakes its loop, or its loops, one for each shard.
	toLoad, toCatchUp, toAlarm         chan struct{}
	toSettle, toLease, toRelay, toHeed bell
}

// leased is what a leased queue needs outside of the schedule.
type leased struct {
	settings
	held *lease.Held
	// ctx is that of the attempts. Those of a queue that a person ended outlive the lease.
	ctx     context.Context
	cancel  context.CancelFunc
	forsake func() bool // lets the end of the lease be
}

// settings are what the row of the endpoint says.
type settings struct {
	target   *attempt.Target
	headers  []Header // the endpoint's own
	promoted bool     // the target knows that the second secret took over by itself
	owner    *app
	types    map[event.Type]bool
	filters  filter.Set
}

func newDispatcher(e *Engine) *dispatcher {
	d := &dispatcher{Engine: e, began: time.Now(), leased: map[*schedule.Queue]*leased{},
		large: make(chan struct{}, maxLarge)}
	d.schedule = schedule.New(schedule.Config{Slots: e.Slots, Window: e.Window, Linger: e.Linger,
		SendWithin: terms.Begin, LoseAfter: terms.Lasts()})
	d.jobs.L = &d.mu
	for _, c := range []*chan struct{}{
		&d.toLoad, &d.toCatchUp, &d.toAlarm,
	} {
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

// unlock does what the schedule wants done, and frees the lock.
func (d *dispatcher) unlock() {
	d.apply()
	d.mu.Unlock()
}

// apply does what the schedule wants done. The lock is held.
func (d *dispatcher) apply() {
	d.save()
	e := d.schedule.Effects()
	for _, q := range e.Dropped {
		d.leased[q].end()
		delete(d.leased, q)
	}
	for range e.Workers {
		d.summon()
	}
	if e.Lost > 0 {
		d.metrics.lost.Add(float64(e.Lost))
	}
	if e.Load {
		wake(d.toLoad)
		wake(d.toCatchUp)
	}
	if e.Lease {
		d.toLease.ring()
	}
	if e.Alarm {
		wake(d.toAlarm)
	}
}

// end ends the attempts in flight.
func (l *leased) end() {
	l.forsake()
	l.cancel()
	l.held.End()
}

// summon makes one worker look for a job. The lock is held.
func (d *dispatcher) summon() {
	switch {
	case d.stopping:
	case d.waiting > 0:
		d.jobs.Signal()
	case d.workers < d.Slots:
		d.workers++
		d.group.Go(d.serve)
	}
}

// serve is a worker.
func (d *dispatcher) serve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work()
}

// work sends what is next until the dispatcher stops, or workers enough wait for more.
// The lock is held.
func (d *dispatcher) work() {
	for {
		j, ok := d.schedule.Next(d.now())
		if !ok {
			if d.stopping || d.waiting >= idleWorkers {
				d.workers--
				return
			}
			d.waiting++
			d.jobs.Wait()
			d.waiting--
			continue
		}
		s, many := d.shipment(j), d.schedule.Inflight() > fewInflight
		d.unlock()
		switch p, r := d.send(s); {
		case p == nil:
			d.conclude(j, s, r)
		case many:
			d.group.Go(func() { d.attend(j, s, p) })
			d.mu.Lock()
		default:
			p.Await()
			d.conclude(j, s, d.end(s, p))
		}
	}
}

// attend waits for an answer, and is a worker then. What a goroutine once grew of its
// stack it keeps for long, so where many wait, one that did nothing before waits in place
// of the sender.
func (d *dispatcher) attend(j schedule.Job, s *shipment, p *attempt.Pending) {
	p.Await()
	d.answered(j, s, p)
}

func (d *dispatcher) answered(j schedule.Job, s *shipment, p *attempt.Pending) {
	d.conclude(j, s, d.end(s, p))
	defer d.mu.Unlock()
	d.workers++
	d.work()
}

// conclude hands the result of a job on, and takes the lock.
func (d *dispatcher) conclude(j schedule.Job, s *shipment, r attempt.Result) {
	d.feel(s.ctx, r)
	d.mu.Lock()
	o := d.complete(j, r)
	if d.logs(r) {
		d.mu.Unlock()
		d.logAttempt(s, r, o)
		d.mu.Lock()
	}
}

// shipment takes what an attempt needs, as it is now. The lock is held.
func (d *dispatcher) shipment(j schedule.Job) *shipment {
	l := d.leased[j.Queue]
	return &shipment{queue: j.Queue, key: j.Queue.Key, item: *j.Item, target: l.target, headers: l.headers,
		owner: l.owner, ctx: l.ctx, held: l.held}
}

// complete takes the result of a job, and hands what is to be written down to the
// settler: nil is nothing. The lock is held.
func (d *dispatcher) complete(j schedule.Job, r attempt.Result) *outcome {
	defer d.apply()
	end := resultOf(r)
	end.Began = d.own(end.Began)
	o, ok := d.schedule.Complete(j, end, d.now())
	if !ok {
		return nil
	}
	whole := &outcome{Outcome: d.dated(o), result: r, id: xid.At(micros.Of(r.Began)), number: o.Attempts}
	d.settles = append(d.settles, whole)
	d.toSettle.ring()
	return whole
}

// retire lets nothing more be sent to an endpoint that a person took out of service.
func (d *dispatcher) retire(store, endpoint xid.ID) {
	d.mu.Lock()
	defer d.unlock()
	d.retireQueue(d.schedule.Find(schedule.Key{Store: store, Endpoint: endpoint}))
}

// retireQueue sends nothing more of a queue that a person took out of service; nil is one
// that is not in memory. Its row may name this process still: a look for changes gives it
// free, at once and not when its lease ends. The lock is held.
func (d *dispatcher) retireQueue(q *schedule.Queue) {
	if q != nil {
		d.schedule.Retire(q)
	}
	d.seized = time.Now()
	d.toHeed.ring()
}

// alarmLoop lets go on what has waited long enough, until ctx ends.
func (d *dispatcher) alarmLoop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(d.tick())
		select {
		case <-ctx.Done():
			return
		case <-d.toAlarm:
		case <-timer.C:
		}
	}
}

func (d *dispatcher) tick() time.Duration {
	d.mu.Lock()
	defer d.unlock()
	return d.schedule.Tick(d.now())
}

// try does a piece of a loop's work. An error, or a panic, is logged, and the loop
// goes on.
func (d *dispatcher) try(ctx context.Context, doing string, f func(context.Context) error) error {
	err := d.guard.Do(ctx, d.Logger, func() error { return f(ctx) })
	d.report(ctx, doing, err)
	return err
}

// reportEvery is the least time between two lines of the log about one thing.
const reportEvery = 10 * time.Second

// report logs an error of a loop, which goes on; the same work at most now and
// then, since it fails ten times a second while the database is away.
func (d *dispatcher) report(ctx context.Context, doing string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	if d.seldom(doing) {
		d.Logger.WarnContext(ctx, "webhooks: could not "+doing, "error", err)
	}
}

// seldom reports whether a thing has not been logged just now, and notes that it is.
func (d *dispatcher) seldom(thing string) bool {
	now := time.Now()
	if last, ok := d.reported.Swap(thing, now); ok && now.Sub(last.(time.Time)) < reportEvery {
		d.reported.Store(thing, last)
		return false
	}
	return true
}
