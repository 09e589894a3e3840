// Package export writes the orders, products and customers of stores, and the attempts of
// their webhooks, to files (contract, section 9).
//
// A job is a row that somebody has to work on: whoever does holds a lease on it,
// which a token fences. They read the resources in the order of their keys, write
// them to the blob store in parts, and note after each part how far they have come:
// a checkpoint. Who takes over begins behind the last one. Any number of
// processes may do so at once.
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
	// keepRow is how long the row of a job is kept that has ended.
	keepRow = 90 * 24 * time.Hour
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	// Process names this process among the owners of leases; a new id by default.
	Process xid.ID
	Blobs   *blob.Store
	// StoreOrigin is scheme and host of a store by its handle, where its pictures are served.
	StoreOrigin func(handle string) string
	// Notifier notifies people of exports that ended; a nil one writes on the dashboard alone.
	Notifier *notify.Notifier
	// Limits says how many jobs of a store run at once; others wait.
	Limits limit.Values
	// Workers is how many jobs run at once in this process; 4 by default.
	Workers int
	// Poll is how often the database is asked for work that others made: 500 ms by
	// default.
	Poll   time.Duration
	Logger *slog.Logger
}

// Engine is the exports of one process. Its operations may be used while it
// stands still; it works between [Engine.Start] and [Engine.Stop].
type Engine struct {
	Config
	id      xid.ID // of this process among the owners of leases
	loop    *work.Loop
	life    work.Life
	guard   work.Guard
	mender  *lease.Mender
	metrics *metrics
	// slots is how many jobs of a store run at once.
	slots int
	// partSize is [partSize] but in tests.
	partSize int64
	working  context.Context // of the jobs, from a start to its stop
	jobs     sync.WaitGroup

	claiming sync.Mutex // held from the look for a free worker until it has a job
	mu       sync.Mutex
	running  map[key]*run
}

// key names a job.
type key struct{ store, job xid.ID }

// New makes an engine that stands still.
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
	e := &Engine{Config: c, id: c.Process, slots: int(c.Limits.Of(limit.ExportsRunning)), partSize: partSize,
		running: map[key]*run{}, mender: newMender(c.Store)}
	e.metrics = newMetrics(&e.guard)
	var err error
	e.loop, err = work.New(work.Config{
		Name: "exports", Interval: c.Poll, Timeout: time.Hour, Run: e.rounds, Logger: c.Logger,
	})
	return e, err
}

// Wake lets the engine look for work now.
func (e *Engine) Wake() { e.loop.Wake() }

// Start works on jobs until [Engine.Stop]. See [work.Service].
func (e *Engine) Start(ctx context.Context) { e.life.Start(ctx, e.begin) }

// Stop lets go of the jobs, as long as limit allows: others go on with them
// behind their last checkpoints.
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
