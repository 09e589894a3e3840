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
	// defaultWindow is how many attempts to one endpoint may be in flight.
	defaultWindow = 32
	// idleWorkers is how many workers wait for a job; others end.
	idleWorkers = 256
	// Up to fewInflight attempts, it does not matter how much memory each holds while it waits.
	fewInflight = 512
	// maxLarge is how many bodies that were not read ahead may be in memory for sending.
	maxLarge = 128
)

// dispatcher carries out what the schedule decides: it leases queues, reads their deliveries, makes
// the attempts and saves the outcomes. One lock guards everything in memory; nothing waits while it
// is held.
type dispatcher struct {
	*Engine

	began   time.Time    // the origin of [dispatcher.now]
	stepped atomic.Int64 // how far the wall clock was set since, in microseconds

	machine  lockedMachine
	jobs     sync.Cond // workers without a job wait here
	leased   map[*schedule.Queue]*leased
	settles  []*outcome
	fencedAt time.Time // when a queue was last found to be taken out of service by a person

	claiming sync.Mutex // held from the claim of queues until they are in memory

	workers, waiting int
	gcLowered        bool
	large            chan struct{} // holds one token for each large body being sent
	group            sync.WaitGroup

	live     atomic.Pointer[time.Time] // when the relay last found events that were no backlog
	reported sync.Map                  // from a failed task of a loop to the time when its error was logged

	// Each wakes its loop, or all loops of its kind: one runs for each shard.
	toLoad, toCatchUp, toAlarm          chan struct{}
	toSettle, toLease, toRelay, toWatch signal
}

// leased is the part of a leased queue outside of the schedule.
type leased struct {
	settings
	held *lease.Held
	// ctx is the context of the attempts. Attempts of a queue that a person stopped outlive the
	// lease.
	ctx       context.Context
	cancel    context.CancelFunc
	stopWatch func() bool // stops watching the end of the lease
}

// settings are the settings in the endpoint's row.
type settings struct {
	target   *attempt.Target
	headers  []Header // the endpoint's custom headers
	promoted bool     // the target signs with the promoted second secret
	owner    *app
	types    map[event.Type]bool
	filters  filter.Set
}

func newDispatcher(e *Engine) *dispatcher {
	d := &dispatcher{Engine: e, began: time.Now(), leased: map[*schedule.Queue]*leased{},
		large: make(chan struct{}, maxLarge)}
	d.machine.apply = d.apply
	d.machine.schedule = schedule.New(schedule.Config{Slots: e.Slots, Window: e.Window, Linger: e.Linger,
		SendWithin: terms.Begin, LoseAfter: terms.Lasts()})
	d.jobs.L = &d.machine.mu
	for _, c := range []*chan struct{}{
		&d.toLoad, &d.toCatchUp, &d.toAlarm,
	} {
		*c = make(chan struct{}, 1)
	}
	return d
}

// wake makes a loop run a round. A loop that is running already runs one more.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// apply applies the effects of the schedule.
func (d *dispatcher) apply(m *schedule.Machine) {
	d.adjustGC(m.Inflight())
	e := m.Effects()
	for _, q := range e.Dropped {
		d.leased[q].end()
		delete(d.leased, q)
	}
	for range e.Workers {
		d.startWorker(m.Paused())
	}
	if e.Lost > 0 {
		d.metrics.lost.Add(float64(e.Lost))
	}
	if e.Load {
		wake(d.toLoad)
		wake(d.toCatchUp)
	}
	if e.Lease {
		d.toLease.fire()
	}
	if e.Alarm {
		wake(d.toAlarm)
	}
}

// end ends the attempts in flight.
func (l *leased) end() {
	l.stopWatch()
	l.cancel()
	l.held.End()
}

// startWorker makes one worker look for a job. The lock is held.
func (d *dispatcher) startWorker(paused bool) {
	switch {
	case paused:
	case d.waiting > 0:
		d.jobs.Signal()
	case d.workers < d.Slots:
		d.workers++
		d.group.Go(d.serve)
	}
}

// serve runs a worker.
func (d *dispatcher) serve() {
	m := d.machine.lock()
	defer d.machine.mu.Unlock()
	d.work(m)
}

// work sends the next deliveries until the dispatcher stops, or until enough other workers are
// idle.
func (d *dispatcher) work(m *schedule.Machine) {
	for {
		j, ok := m.Next(d.now())
		if !ok {
			if m.Paused() || d.waiting >= idleWorkers {
				d.workers--
				return
			}
			d.waiting++
			d.jobs.Wait()
			d.waiting--
			continue
		}
		s, many := d.sendJob(j), m.Inflight() > fewInflight
		d.machine.unlock()
		switch p, r := d.send(s); {
		case p == nil:
			d.conclude(j, s, r)
		case many:
			d.group.Go(func() { d.awaitAnswer(j, s, p) })
			d.machine.lock()
		default:
			p.Await()
			d.conclude(j, s, d.end(s, p))
		}
	}
}

// awaitAnswer waits for an answer, then goes on as a worker. A goroutine keeps its stack once it
// has grown, so where many attempts wait, a new goroutine waits in place of the sender.
func (d *dispatcher) awaitAnswer(j schedule.Job, s *sendJob, p *attempt.Pending) {
	p.Await()
	d.answered(j, s, p)
}

func (d *dispatcher) answered(j schedule.Job, s *sendJob, p *attempt.Pending) {
	m := d.conclude(j, s, d.end(s, p))
	defer d.machine.mu.Unlock()
	d.workers++
	d.work(m)
}

// conclude passes on the result of a job. It returns with the lock held.
func (d *dispatcher) conclude(j schedule.Job, s *sendJob, r attempt.Result) *schedule.Machine {
	d.noteResult(s.ctx, r)
	m := d.machine.lock()
	o := d.complete(m, j, r)
	if d.logs(r) {
		d.machine.mu.Unlock()
		d.logAttempt(s, r, o)
		d.machine.lock()
	}
	return m
}

// sendJob collects what an attempt needs, with the present settings. The lock is held.
func (d *dispatcher) sendJob(j schedule.Job) *sendJob {
	l := d.leased[j.Queue]
	return &sendJob{queue: j.Queue, key: j.Queue.Key, item: *j.Item, target: l.target, headers: l.headers,
		owner: l.owner, ctx: l.ctx, held: l.held}
}

// complete takes the result of a job and passes its outcome to the settler; it returns nil if there
// is nothing to save.
func (d *dispatcher) complete(m *schedule.Machine, j schedule.Job, r attempt.Result) *outcome {
	defer d.machine.apply(m)
	end := resultOf(r)
	end.Began = d.toMonotonic(end.Began)
	o, ok := m.Complete(j, end, d.now())
	if !ok {
		return nil
	}
	whole := &outcome{Outcome: d.toWallTimes(o), result: r, id: xid.At(micros.Of(r.Began)), number: o.Attempts}
	d.settles = append(d.settles, whole)
	d.toSettle.fire()
	return whole
}

// retire stops sending to an endpoint that a person took out of service.
func (d *dispatcher) retire(store, endpoint xid.ID) {
	m := d.machine.lock()
	defer d.machine.unlock()
	d.retireQueue(m, m.Find(schedule.Key{Store: store, Endpoint: endpoint}))
}

// retireQueue stops sending from a queue that a person took out of service; q is nil if it is not
// in memory. Its row may still name this process as the owner, so the watch loop is woken to
// release it at once instead of when the lease ends.
func (d *dispatcher) retireQueue(m *schedule.Machine, q *schedule.Queue) {
	if q != nil {
		m.Retire(q)
	}
	d.fencedAt = time.Now()
	d.toWatch.fire()
}

// alarmLoop resumes lanes and queues whose wait is over, until ctx ends.
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
	m := d.machine.lock()
	defer d.machine.unlock()
	return m.Tick(d.now())
}

// try runs one task of a loop. It logs and returns an error or a panic.
func (d *dispatcher) try(ctx context.Context, doing string, f func(context.Context) error) error {
	err := d.guard.Do(ctx, d.Logger, func() error { return f(ctx) })
	d.report(ctx, doing, err)
	return err
}

// reportEvery is the least time between two log lines about the same task.
const reportEvery = 10 * time.Second

// report logs an error of a loop. Errors of the same task are logged at intervals only, since a
// loop fails ten times a second while the database is down.
func (d *dispatcher) report(ctx context.Context, doing string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	if d.shouldLog(doing) {
		d.Logger.WarnContext(ctx, "webhooks: could not "+doing, "error", err)
	}
}

// shouldLog reports whether a thing was not logged recently, and records that it is now.
func (d *dispatcher) shouldLog(thing string) bool {
	now := time.Now()
	if last, ok := d.reported.Swap(thing, now); ok && now.Sub(last.(time.Time)) < reportEvery {
		d.reported.Store(thing, last)
		return false
	}
	return true
}
