// Package webhook delivers events to the endpoints that subscribed to them (contract, section 8):
// at least once, and in order for each resource.
//
// A [relay] moves events from the outbox into one queue for each endpoint. A [leaser] leases queues,
// a [sender] sends the deliveries that [schedule.Machine] chooses, and a [settler] saves their
// outcomes. Any number of processes may do so at once.
package webhook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// Config configures an [Engine].
type Config struct {
	Store *ent.Store
	// Process identifies this process as an owner of leases; a new id by default.
	Process xid.ID
	// Vault opens the endpoints' secrets.
	Vault Vault
	// Egress decides which addresses receivers may have.
	Egress egress.Policy
	// Client makes the attempts; by default a client under Egress.
	Client *attempt.Client
	// AppScopes returns the scopes that an app has in a store at present. The default returns none,
	// so that endpoints of apps receive nothing.
	AppScopes func(ctx context.Context, store, appStore, app xid.ID) (scope.Set, error)
	// RedactEvent redacts the body of an event at the time of an attempt; by default it changes nothing.
	RedactEvent func(store xid.ID, kind event.Type, body []byte) ([]byte, error)
	// Notifier emails people about failing endpoints; if nil, only the dashboard shows them.
	Notifier *notify.Notifier
	// SuspendOnSilence suspends an endpoint only when nothing at all was delivered to it for 24 h,
	// instead of when one delivery has failed for that long.
	SuspendOnSilence bool
	// Slots is how many attempts may be in flight in this process; 0 means to use
	// [MeasureCapacity].
	Slots int
	// Serves says that this process also answers requests and needs files for them.
	Serves bool
	// Poll is how often the database is polled for the work of other processes: 100 ms by default.
	Poll time.Duration
	// Linger is how long a queue with nothing to send is kept: 5 s by default.
	Linger time.Duration
	Logger *slog.Logger
}

// Engine delivers the webhooks of one process. It relays and sends between [Engine.Start] and
// [Engine.Stop]; its other operations work at any time.
type Engine struct {
	*base
	leaser  *leaser
	sender  *sender
	settler *settler
	life    work.Life
}

// New returns an engine that is not started.
func New(c Config) (*Engine, error) {
	if c.Store == nil {
		return nil, errors.New("webhook: a store is needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Slots == 0 {
		c.Slots = MeasureCapacity(c.Serves).Attempts
	}
	c.Poll = cmp.Or(c.Poll, 100*time.Millisecond)
	c.Linger = cmp.Or(c.Linger, linger)
	if c.Client == nil {
		c.Client = attempt.New(attempt.Config{Egress: c.Egress, MaxConns: c.Slots})
	}
	if c.AppScopes == nil {
		c.AppScopes = func(context.Context, xid.ID, xid.ID, xid.ID) (scope.Set, error) { return scope.Of(), nil }
	}
	if c.RedactEvent == nil {
		c.RedactEvent = func(_ xid.ID, _ event.Type, body []byte) ([]byte, error) { return body, nil }
	}
	if c.Process.IsNil() {
		c.Process = xid.New()
	}
	b := &base{Config: c, clocks: clocks{began: time.Now(), wallTime: micros.Now}, traffic: traffic{store: c.Store}}
	b.metrics = newMetrics(&b.guard)
	e := &Engine{base: b, settler: &settler{base: b}}
	e.leaser = &leaser{base: b, warn: e.settler.warn, leased: map[*schedule.Queue]*leased{}}
	e.sender = newSender(e.leaser, e.settler)
	b.machine.apply = e.apply
	b.machine.schedule = schedule.New(schedule.Config{Slots: c.Slots, Window: window, Linger: c.Linger,
		SendWithin: terms.Begin, LoseAfter: terms.Lasts()})
	return e, nil
}

// newRelay returns a relay at the start of the outbox.
func (e *Engine) newRelay() *relay { return &relay{base: e.base, most: relayBatch} }

// apply applies the effects of the schedule.
func (e *Engine) apply(m *schedule.Machine) {
	f := m.Effects()
	for _, q := range f.Dropped {
		e.leaser.leased[q].end()
		delete(e.leaser.leased, q)
	}
	for range f.Workers {
		e.sender.startWorker(m.Paused())
	}
	if f.Lost > 0 {
		e.metrics.lost.Add(float64(f.Lost))
	}
	if f.Load {
		wake(e.sender.toLoad)
		wake(e.sender.toCatchUp)
	}
	if f.Lease {
		e.toLease.fire()
	}
	if f.Alarm {
		wake(e.sender.toAlarm)
	}
}

// Start starts to relay and send, until [Engine.Stop]. It does nothing if the engine is running.
func (e *Engine) Start(ctx context.Context) { e.life.Start(ctx, e.begin) }

// Stop lets the attempts in flight end until limit, saves their outcomes and releases the queues.
func (e *Engine) Stop(limit context.Context) { e.life.Stop(limit) }

// begin starts the loops. They end in three stages: no new work, no more attempts, every outcome
// saved.
func (e *Engine) begin(ctx context.Context) (end func(limit context.Context)) {
	working, endWork := context.WithCancel(ctx)
	sending, endSending := context.WithCancel(ctx)
	keeping, endKeeping := context.WithCancel(ctx)
	e.leaser.sending = sending
	e.Logger.InfoContext(ctx, "delivering webhooks", "attempts_at_once", e.Slots)
	var loops, keepers sync.WaitGroup
	loops.Go(func() { e.Store.OnShards(working, func(ctx context.Context) { e.newRelay().loop(ctx) }) })
	loops.Go(func() { e.sender.loadLoop(working, e.sender.toLoad, false) })
	loops.Go(func() { e.sender.loadLoop(working, e.sender.toCatchUp, true) })
	loops.Go(func() { e.sender.alarmLoop(working) })
	loops.Go(func() { e.Store.OnShards(working, e.leaser.clockLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, e.leaser.leaseLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, e.leaser.watchLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, e.settler.settleLoop) })
	keepers.Go(func() { e.settler.countLoop(keeping) })
	e.open()
	return func(limit context.Context) {
		endWork()
		loops.Wait()
		e.drain(limit)
		endSending()
		e.awaitSettled(limit)
		// Attempts that the limit canceled are saved too, and other processes wait for the queues.
		grace, cancel := context.WithTimeout(context.WithoutCancel(limit), leaveTime)
		defer cancel()
		e.awaitSettled(grace)
		endKeeping()
		keepers.Wait()
		e.leave(grace)
		e.Client.Close()
	}
}

// leaveTime bounds how long a stopping process takes, once its attempts have ended, to save their
// outcomes and to release its queues.
const leaveTime = 3 * time.Second

// open lets workers start.
func (e *Engine) open() {
	m := e.machine.lock()
	defer e.machine.unlock()
	m.Pause(false)
	e.toLease.fire()
}

// drain lets no attempt start and waits for those in flight. Each queue is released as soon as it
// has no work under way, so one attempt that hangs delays no other queue.
func (e *Engine) drain(limit context.Context) {
	m := e.machine.lock()
	m.Pause(true)
	e.sender.jobs.Broadcast()
	e.machine.unlock()
	await(limit, func() bool {
		e.leaser.giveBack(limit, true)
		m := e.machine.lock()
		defer e.machine.unlock()
		return m.Inflight() == 0
	})
}

// awaitSettled waits until every outcome is saved.
func (e *Engine) awaitSettled(limit context.Context) {
	await(limit, func() bool {
		m := e.machine.lock()
		defer e.machine.unlock()
		return m.Idle()
	})
}

// await polls until done returns true or limit ends.
func await(limit context.Context, done func() bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		if !wait(limit, nil, tick.C) {
			return
		}
	}
}

// leave releases every queue, so that no other process waits for leases to end.
func (e *Engine) leave(ctx context.Context) {
	e.sender.group.Wait()
	await(ctx, func() bool {
		e.leaser.giveBack(ctx, false)
		m := e.machine.lock()
		defer e.machine.unlock()
		return m.Len() == 0
	})
	m := e.machine.lock()
	defer e.machine.unlock()
	m.Forget()
	e.settler.settles = nil
}

// wait returns true when a signal or the timer fires, either of which may be nil, and false when ctx
// ends.
func wait(ctx context.Context, called <-chan struct{}, timer <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-called:
	case <-timer:
	}
	return true
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) { wait(ctx, nil, time.After(d)) }

// signal wakes all loops that subscribed to it, one for each shard. A loop that is running already
// runs one more round.
type signal struct {
	mu    sync.Mutex
	chans map[chan struct{}]struct{}
}

func (b *signal) fire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.chans {
		wake(ch)
	}
}

// subscribe returns a channel that receives a value when the signal fires, until unsubscribe is
// called.
func (b *signal) subscribe() (ch <-chan struct{}, unsubscribe func()) {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chans == nil {
		b.chans = map[chan struct{}]struct{}{}
	}
	b.chans[c] = struct{}{}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.chans, c)
	}
}

// wake makes a loop run a round. A loop that is running already runs one more.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
