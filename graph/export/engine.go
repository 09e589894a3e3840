// Package export writes the orders, products and customers of stores to files
// (contract, section 9).
//
// A job is a row that somebody has to work on: whoever does holds a lease on it,
// which a token fences. He reads the resources in the order of their keys, writes
// them to the blob store in parts, and notes after each part how far he has come:
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
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/blob"
	"github.com/storefront-go/storefront/graph/notify"
)

const (
	// Retention is how long the file of a completed job is kept (contract, section 9).
	Retention = 7 * 24 * time.Hour
	// keepRow is how long the row of a job is kept that has ended.
	keepRow = 90 * 24 * time.Hour
	// StoreSlots is how many jobs of a store run at once; others wait.
	StoreSlots = 5
	// MaxUnfinished is how many jobs of a store may be queued or running.
	MaxUnfinished = 50
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	Blobs *blob.Store
	// Notifier tells people of exports that ended; a nil one tells the dashboard alone.
	Notifier *notify.Notifier
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
	wake    chan struct{}
	metrics *metrics
	// partSize is [partSize] but in tests.
	partSize int64

	mu      sync.Mutex
	running map[key]*run
	stop    func(context.Context)
}

// key names a job.
type key struct{ store, job xid.ID }

// New makes an engine that stands still.
func New(c Config) (*Engine, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("export: a store and a blob store are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Workers = cmp.Or(c.Workers, 4)
	c.Poll = cmp.Or(c.Poll, 500*time.Millisecond)
	return &Engine{Config: c, id: xid.New(), wake: make(chan struct{}, 1), metrics: newMetrics(), partSize: partSize, running: map[key]*run{}}, nil
}

// Wake lets the engine look for work now.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Start works on jobs until [Engine.Stop]. It does nothing when it does so already.
func (e *Engine) Start(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var loops, jobs sync.WaitGroup
	loops.Go(func() { e.looking(ctx, &jobs) })
	loops.Go(func() { e.renewing(ctx) })
	e.stop = func(limit context.Context) {
		cancel()
		loops.Wait()
		ended := make(chan struct{})
		go func() { jobs.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-limit.Done():
		}
		e.leave(limit)
	}
}

// Stop lets go of the jobs, as long as limit allows: others go on with them
// behind their last checkpoints.
func (e *Engine) Stop(limit context.Context) {
	e.mu.Lock()
	stop := e.stop
	e.stop = nil
	e.mu.Unlock()
	if stop != nil {
		stop(limit)
	}
}

// looking takes jobs that are due, and does what ended ones leave to do.
func (e *Engine) looking(ctx context.Context, jobs *sync.WaitGroup) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-e.wake:
		}
		more, err := e.round(ctx, jobs)
		if err != nil && ctx.Err() == nil {
			e.Logger.WarnContext(ctx, "exports: could not look for work", "error", err)
		}
		pause := e.Poll
		if more && err == nil {
			pause = time.Millisecond
		}
		timer.Reset(pause)
	}
}

// Cancelled stops the work on a job of this process, whose row says that it has
// ended.
func (e *Engine) Cancelled(store, job xid.ID) {
	e.mu.Lock()
	r := e.running[key{store, job}]
	e.mu.Unlock()
	if r != nil {
		r.lose()
	}
	e.Wake()
}
