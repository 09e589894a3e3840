// Package webhook takes events to the endpoints that subscribed to them
// (contract, section 8): at least once, and in order for each resource.
//
// A relay moves events from the outbox into one queue for each endpoint. A
// dispatcher leases queues, keeps a lane for each resource in memory, sends the
// heads of the lanes and settles what came of it. Any number of processes may do
// so at once.
package webhook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/attempt"
	"github.com/storefront-go/storefront/graph/egress"
	"github.com/storefront-go/storefront/graph/notify"
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	// Vault opens the endpoints' secrets.
	Vault Vault
	// Egress says which addresses receivers may have.
	Egress egress.Policy
	// Client makes the attempts; one under Egress by default.
	Client *attempt.Client
	// AppScopes returns what an app may have in a store at present. Nothing by
	// default, so that an app's endpoints get nothing.
	AppScopes func(ctx context.Context, store, appStore, app xid.ID) (scope.Set, error)
	// Notifier tells people of endpoints that fail; a nil one tells the dashboard alone.
	Notifier *notify.Notifier
	// SuspendOnSilence suspends an endpoint only when nothing at all was delivered
	// to it for 24 h, and not when one delivery failed for as long.
	SuspendOnSilence bool
	// Slots is how many attempts to one endpoint may be in flight; 32 by default.
	Slots int
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
	grants     *lru.Cache[key, granted] // by store and app
	skewed     atomic.Bool              // the database's clock differs too much from ours
	sending    context.Context

	mu   sync.Mutex
	stop func(context.Context)
}

// New makes an engine that stands still.
func New(c Config) (*Engine, error) {
	if c.Store == nil {
		return nil, errors.New("webhook: a store is needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Slots = cmp.Or(c.Slots, slotsOf)
	c.Poll = cmp.Or(c.Poll, 100*time.Millisecond)
	c.Linger = cmp.Or(c.Linger, linger)
	if c.Client == nil {
		c.Client = attempt.New(attempt.Config{Egress: c.Egress, MaxIdle: maxInflight})
	}
	if c.AppScopes == nil {
		c.AppScopes = func(context.Context, xid.ID, xid.ID, xid.ID) (scope.Set, error) { return scope.Of(), nil }
	}
	e := &Engine{Config: c, id: xid.New(), metrics: newMetrics()}
	e.grants, _ = lru.New[key, granted](maxGrants) // only a size below one is an error
	e.dispatcher = newDispatcher(e)
	return e, nil
}

// Start relays and sends until [Engine.Stop]. It does nothing when it does so already.
func (e *Engine) Start(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop != nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	rung, silence := e.Store.Listen()
	d := e.dispatcher
	// Three stages end one after the other: no new work, no more attempts, nothing
	// left to write down.
	working, endWork := context.WithCancel(ctx)
	sending, endSending := context.WithCancel(ctx)
	keeping, endKeeping := context.WithCancel(ctx)
	e.sending = sending
	var work, keep sync.WaitGroup
	work.Go(func() { d.relaying(working, rung) })
	work.Go(func() { d.loading(working) })
	work.Go(func() { d.ringing(working) })
	work.Go(func() { d.watchClock(working) })
	keep.Go(func() { d.leasing(keeping) })
	keep.Go(func() { d.settling(keeping) })
	keep.Go(func() { d.countingUp(keeping) })
	e.stop = func(limit context.Context) {
		silence()
		endWork()
		work.Wait()
		d.drain(limit)
		endSending()
		d.written(limit)
		endKeeping()
		keep.Wait()
		d.leave(limit)
		e.Client.Close()
	}
	d.open()
}

// Stop lets the attempts in flight end, for as long as limit allows, writes down
// what came of them and gives the queues back.
func (e *Engine) Stop(limit context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop != nil {
		e.stop(limit)
		e.stop = nil
	}
}
