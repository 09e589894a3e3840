// Package webhook takes events to the endpoints that subscribed to them
// (contract, section 8): at least once, and in order for each resource.
//
// A relay moves events from the outbox into one queue for each endpoint. A
// dispatcher leases queues, sends what [schedule.Machine] says is next, and settles
// what came of it. Any number of processes may do so at once.
package webhook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	// Process names this process among the owners of leases; a new id by default.
	Process xid.ID
	// Vault opens the endpoints' secrets.
	Vault Vault
	// Egress says which addresses receivers may have.
	Egress egress.Policy
	// Client makes the attempts; one under Egress by default.
	Client *attempt.Client
	// AppScopes returns what an app may have in a store at present. Nothing by
	// default, so that an app's endpoints get nothing.
	AppScopes func(ctx context.Context, store, appStore, app xid.ID) (scope.Set, error)
	// Veil returns a body as it may leave the store at the time of an attempt; by default
	// as it is.
	Veil func(store xid.ID, kind event.Type, body []byte) ([]byte, error)
	// Notifier mails people about endpoints that fail; with a nil one only the
	// dashboard shows it.
	Notifier *notify.Notifier
	// SuspendOnSilence suspends an endpoint only when nothing at all was delivered
	// to it for 24 h, and not when one delivery failed for as long.
	SuspendOnSilence bool
	// Slots is how many attempts may be in flight in this process; 0 measures what fits
	// ([MeasureCapacity]).
	Slots int
	// Serves says that this process also answers requests, for which it keeps files.
	Serves bool
	// Window is how many of them may be to one endpoint; 32 by default.
	Window int
	// Poll is how often the database is asked for work that others made: 100 ms by
	// default.
	Poll time.Duration
	// Linger is how long a queue is kept that has nothing to send: 5 s by default.
	Linger time.Duration
	Logger *slog.Logger
}

// Engine is the webhooks of one process. Its operations may be used while it
// stands still; it relays and sends between [Engine.Start] and [Engine.Stop].
type Engine struct {
	Config
	id         xid.ID // of this process among the owners of leases
	dispatcher *dispatcher
	metrics    *metrics
	grants     *lru.Cache[grantKey, grant] // lately asked for
	guard      work.Guard
	strain     strain
	day        func() micros.Time // the time of day
	sending    context.Context
	life       work.Life
}

// New makes an engine that stands still.
func New(c Config) (*Engine, error) {
	if c.Store == nil {
		return nil, errors.New("webhook: a store is needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Slots == 0 {
		c.Slots = MeasureCapacity(c.Serves).Attempts
	}
	c.Window = cmp.Or(c.Window, windowOf)
	c.Poll = cmp.Or(c.Poll, 100*time.Millisecond)
	c.Linger = cmp.Or(c.Linger, linger)
	if c.Client == nil {
		c.Client = attempt.New(attempt.Config{Egress: c.Egress, MaxConns: c.Slots})
	}
	if c.AppScopes == nil {
		c.AppScopes = func(context.Context, xid.ID, xid.ID, xid.ID) (scope.Set, error) { return scope.Of(), nil }
	}
	if c.Veil == nil {
		c.Veil = func(_ xid.ID, _ event.Type, body []byte) ([]byte, error) { return body, nil }
	}
	if c.Process.IsNil() {
		c.Process = xid.New()
	}
	e := &Engine{Config: c, id: c.Process, day: micros.Now}
	e.metrics = newMetrics(&e.guard)
	e.grants, _ = lru.New[grantKey, grant](maxGrants) // only a size below one is an error
	e.dispatcher = newDispatcher(e)
	return e, nil
}

// Start relays and sends until [Engine.Stop]. It does nothing when it does so already.
func (e *Engine) Start(ctx context.Context) { e.life.Start(ctx, e.begin) }

// Stop lets the attempts in flight end, for as long as limit allows, writes down
// what came of them and gives the queues back.
func (e *Engine) Stop(limit context.Context) { e.life.Stop(limit) }

// begin starts the loops. They end in three stages, one after the other: no new
// work, no more attempts, nothing left to write down.
func (e *Engine) begin(ctx context.Context) (end func(limit context.Context)) {
	d := e.dispatcher
	working, endWork := context.WithCancel(ctx)
	sending, endSending := context.WithCancel(ctx)
	keeping, endKeeping := context.WithCancel(ctx)
	e.sending = sending
	e.Logger.InfoContext(ctx, "delivering webhooks", "attempts_at_once", e.Slots)
	var loops, keepers sync.WaitGroup
	loops.Go(func() { e.Store.OnShards(working, d.relayLoop) })
	loops.Go(func() { d.loadLoop(working, d.toLoad, false) })
	loops.Go(func() { d.loadLoop(working, d.toCatchUp, true) })
	loops.Go(func() { d.alarmLoop(working) })
	loops.Go(func() { e.Store.OnShards(working, d.clockLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, d.leaseLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, d.heedLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, d.settleLoop) })
	keepers.Go(func() { d.countLoop(keeping) })
	d.open()
	return func(limit context.Context) {
		endWork()
		loops.Wait()
		d.drain(limit)
		endSending()
		d.written(limit)
		// What was cut off at the limit is written down too, and others wait for the queues.
		grace, cancel := context.WithTimeout(context.WithoutCancel(limit), leaveTime)
		defer cancel()
		d.written(grace)
		endKeeping()
		keepers.Wait()
		d.leave(grace)
		e.Client.Close()
	}
}

// bell wakes every loop that listens to it, of which there is one for each shard. One
// that is awake already goes round once more.
type bell struct {
	mu   sync.Mutex
	ears map[chan struct{}]struct{}
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ear := range b.ears {
		wake(ear)
	}
}

// listen returns a channel that gets a value when the bell rings, until deaf is called.
func (b *bell) listen() (ear <-chan struct{}, deaf func()) {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ears == nil {
		b.ears = map[chan struct{}]struct{}{}
	}
	b.ears[c] = struct{}{}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.ears, c)
	}
}
