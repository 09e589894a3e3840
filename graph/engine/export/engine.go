// Package export writes the orders, products and customers of stores, and the attempts of their
// webhooks, to files (contract, section 9).
//
// A job is a row. The process that works on it holds a lease, fenced by a token. It reads the
// resources in key order, writes them to the blob store in parts, and records a checkpoint after
// each part. A process that takes over continues after the last checkpoint. Any number of processes
// may work at once.
package export

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

const (
	// Retention is how long the file of a completed job is kept (contract, section 9).
	Retention = 7 * 24 * time.Hour
	// keepRow is how long the row of an ended job is kept.
	keepRow = 90 * 24 * time.Hour
)

// Config holds the dependencies and settings of an [Engine].
type Config struct {
	Store *ent.Store
	// Process is the owner of this process's leases; a new id by default.
	Process xid.ID
	Blobs   *blob.Store
	// StoreOrigin returns the scheme and host of a store's images, by the store's handle.
	StoreOrigin func(handle string) string
	// Notifier announces exports that ended. A nil notifier writes to the dashboard only.
	Notifier *notify.Notifier
	// Limits holds how many jobs of a store run at once; others wait.
	Limits limit.Values
	// Workers is how many jobs run at once in this process; 4 by default.
	Workers int
	// Poll is how often work that other processes created is looked for; 500 ms by default.
	Poll   time.Duration
	Logger *slog.Logger
}

// Engine runs the exports of one process. Its operations may be used while it is stopped; it works
// between [Engine.Start] and [Engine.Stop].
type Engine struct {
	Config
	loop     *work.Loop
	life     work.Life
	guard    work.Guard
	repairer *lease.ClockRepair
	metrics  *metrics
	// slots is how many jobs of a store run at once.
	slots int
	// partSize is [partSize] except in tests.
	partSize int64
	working  context.Context // the context of the jobs, from a start to its stop
	jobs     sync.WaitGroup

	claiming sync.Mutex // held from the search for a free worker until it has a job
	mu       sync.Mutex
	running  map[key]*run
}

type key struct{ store, job xid.ID }

// New returns a stopped engine.
func New(c Config) (*Engine, error) {
	if c.Store == nil || c.Blobs == nil || c.StoreOrigin == nil {
		return nil, errors.New("export: a store, a blob store and StoreOrigin are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Workers = cmp.Or(c.Workers, 4)
	c.Poll = cmp.Or(c.Poll, 500*time.Millisecond)
	if c.Process.IsNil() {
		c.Process = xid.New()
	}
	e := &Engine{Config: c, slots: int(c.Limits.Of(limit.ExportsRunning)), partSize: partSize,
		running: map[key]*run{}, repairer: newRepairer(c.Store)}
	e.metrics = newMetrics(&e.guard)
	var err error
	e.loop, err = work.New(work.Config{
		Name: "exports", Interval: c.Poll, Timeout: time.Hour, Logger: c.Logger,
		Run: func(ctx context.Context) error { return c.Store.EachShard(ctx, e.look) },
	})
	return e, err
}

// Wake makes the engine look for work now.
func (e *Engine) Wake() { e.loop.Wake() }

// Start works on jobs until [Engine.Stop]. See [work.Service].
func (e *Engine) Start(ctx context.Context) { e.life.Start(ctx, e.begin) }

// Stop releases the jobs within limit. Other processes continue them after their last checkpoints.
func (e *Engine) Stop(limit context.Context) { e.life.Stop(limit) }

func (e *Engine) begin(ctx context.Context) (end func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	e.working = ctx
	e.loop.Start(ctx)
	e.Wake()
	return func(limit context.Context) {
		e.loop.Stop(limit)
		cancel()
		work.Wait(limit, &e.jobs)
		e.leave(limit)
	}
}
