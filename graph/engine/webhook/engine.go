// Package webhook delivers events to the endpoints that subscribed to them (contract, section 8):
// at least once, and in order for each resource.
//
// A relay moves events from the outbox into one queue for each endpoint. A dispatcher leases
// queues, sends the deliveries that [schedule.Machine] chooses, and saves their outcomes. Any
// number of processes may do so at once.
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
	// Veil redacts the body of an event at the time of an attempt; by default it changes nothing.
	Veil func(store xid.ID, kind event.Type, body []byte) ([]byte, error)
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
	// Window is how many attempts to one endpoint may be in flight; 32 by default.
	Window int
	// Poll is how often the database is polled for the work of other processes: 100 ms by default.
	Poll time.Duration
	// Linger is how long a queue with nothing to send is kept: 5 s by default.
	Linger time.Duration
	Logger *slog.Logger
}

// Engine delivers the webhooks of one process. It relays and sends between [Engine.Start] and
// [Engine.Stop]; its other operations work at any time.
type Engine struct {
	Config
	id         xid.ID // of this process as an owner of leases
	dispatcher *dispatcher
	metrics    *metrics
	grants     *lru.Cache[grantKey, grant] // cached for [grantTTL]
	guard      work.Guard
	sender     senderState
	wallTime   func() micros.Time // the wall clock
	sending    context.Context
	life       work.Life
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
	c.Window = cmp.Or(c.Window, defaultWindow)
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
	e := &Engine{Config: c, id: c.Process, wallTime: micros.Now}
	e.metrics = newMetrics(&e.guard)
	e.grants, _ = lru.New[grantKey, grant](maxGrants) // only a size below one is an error
	e.dispatcher = newDispatcher(e)
	return e, nil
}

// Start starts to relay and send, until [Engine.Stop]. It does nothing if the engine is running.
func (e *Engine) Start(ctx context.Context) { e.life.Start(ctx, e.begin) }

// Stop lets the attempts in flight end until limit, saves their outcomes and releases the queues.
func (e *Engine) Stop(limit context.Context) { e.life.Stop(limit) }

// begin starts the loops. They end in three stages: no new work, no more attempts, every outcome
// saved.
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
	keepers.Go(func() { e.Store.OnShards(keeping, d.watchLoop) })
	keepers.Go(func() { e.Store.OnShards(keeping, d.settleLoop) })
	keepers.Go(func() { d.countLoop(keeping) })
	d.open()
	return func(limit context.Context) {
		endWork()
		loops.Wait()
		d.drain(limit)
		endSending()
		d.awaitSettled(limit)
		// Attempts that the limit canceled are saved too, and other processes wait for the queues.
		grace, cancel := context.WithTimeout(context.WithoutCancel(limit), leaveTime)
		defer cancel()
		d.awaitSettled(grace)
		endKeeping()
		keepers.Wait()
		d.leave(grace)
		e.Client.Close()
	}
}

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
