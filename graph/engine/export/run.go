package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

// run is this process's work on one job, from the claim to the end of its turn.
type run struct {
	key
	job    *db.Export // as claimed, and then as of the last checkpoint
	token  int64
	begun  time.Time
	held   *lease.Held
	yields atomic.Bool  // ends at the next checkpoint, for another job
	total  atomic.Int64 // all resources of the job; -1 until they are counted
	out    *output
	// since the last checkpoint
	rows, resources int64
}

var errYields = errors.New("the job makes room for another")

// newRun begins work on a job. The lease outlives ctx, so that the outcome can be recorded.
func newRun(ctx context.Context, job *db.Export, asked time.Time) *run {
	r := &run{key: key{job.StoreID, job.ID}, job: job, token: job.LeaseToken, begun: asked}
	r.total.Store(-1)
	r.held = terms.Take(context.WithoutCancel(ctx), asked)
	return r
}

func (e *Engine) log(r *run) *slog.Logger {
	return e.Logger.With("export", xid.Export.Format(r.key.job))
}

func (e *Engine) work(ctx context.Context, r *run) {
	defer e.finished(r)
	e.keep(r)
	held := r.held.Context()
	working, stop := context.WithCancel(held)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	err := e.guard.Do(held, e.log(r), func() error {
		if err := e.write(working, r); err != nil {
			return err
		}
		return e.complete(held, r)
	})
	err = e.guard.Do(held, e.log(r), func() error { return e.settle(held, r, err) })
	if err != nil {
		e.log(r).WarnContext(ctx, "exports: could not record the end of a job's turn", "error", err)
	}
}

func (e *Engine) finished(r *run) {
	r.held.End()
	_ = e.guard.Do(r.held.Context(), e.log(r), func() error {
		if r.out != nil {
			r.out.abort() // an incomplete part
		}
		return nil
	})
	e.mu.Lock()
	delete(e.running, r.key)
	e.mu.Unlock()
	e.Wake()
}

// write reads and writes a job concurrently, part by part, to its end.
func (e *Engine) write(ctx context.Context, r *run) (err error) {
	if r.out, err = e.newOutput(r.job); err != nil {
		return err
	}
	shop, err := ent.Only(e.Store.DB(ctx).Store.Query().Where(dbstore.ID(r.store)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read the store of an export: %w", err)
	}
	src := newSource(e.Store, r.job, shop.Currency, e.StoreOrigin(shop.Handle))
	if src.row, err = newRow(r.job); err != nil {
		return err
	}
	if r.job.Parts == 0 {
		if err := e.first(ctx, r, src.row); err != nil {
			return err
		}
	}
	reading, stop := context.WithCancel(ctx)
	pieces, failed := make(chan piece, 2), make(chan error, 1)
	go func() {
		defer close(pieces)
		failed <- e.guard.Do(reading, e.log(r), func() error { return src.read(reading, r.job.Position, pieces) })
	}()
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		// Without the count, only progress lacks its total.
		_ = e.guard.Do(reading, e.log(r), func() error { return e.count(reading, r, src) })
	}()
	defer func() {
		stop()
		for range pieces { // until the reader has ended
		}
		<-counted
	}()
	for p := range pieces {
		if err := e.add(ctx, r, src, p); err != nil {
			return err
		}
	}
	return <-failed
}

// first begins the file, with a header if it is CSV. What an earlier owner wrote belongs to no part
// and may contain customers who were redacted since, so it is removed.
func (e *Engine) first(ctx context.Context, r *run, w *row) error {
	if r.token > 1 {
		if err := e.Blobs.DeleteAll(ctx, folder(r.store, r.key.job)); err != nil {
			return fmt.Errorf("remove what an earlier owner wrote: %w", err)
		}
	}
	if w != nil {
		return r.out.write(ctx, w.header(r.job.Kind))
	}
	if r.out.zip != nil { // a file without rows must still be valid gzip
		return r.out.write(ctx, nil)
	}
	return nil
}

func (e *Engine) count(ctx context.Context, r *run, src *source) error {
	if r.job.ResourcesTotal != nil {
		r.total.Store(*r.job.ResourcesTotal)
		return nil
	}
	n, err := src.total(ctx)
	if err == nil {
		r.total.Store(n)
	}
	return err
}

func (e *Engine) add(ctx context.Context, r *run, src *source, p piece) error {
	if err := r.out.write(ctx, p.body); err != nil {
		return err
	}
	r.rows, r.resources = r.rows+p.rows, r.resources+p.resources
	select {
	case src.spare <- p.body:
	default:
	}
	if p.last.IsNil() || r.out.plain < r.out.least {
		return nil
	}
	if err := r.out.finish(); err != nil {
		return err
	}
	if err := e.checkpoint(ctx, r, p.last); err != nil {
		return err
	}
	if r.yields.Load() {
		return errYields
	}
	return nil
}
