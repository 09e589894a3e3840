package export

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// run is the work of this process on one job, from a claim to its end.
type run struct {
	key
	job     *db.Export // as it was claimed, and then as of the last checkpoint
	token   int64
	begun   time.Time
	renewed atomic.Int64 // when the lease was last asked for, in nanoseconds
	yields  atomic.Bool  // ends at the next checkpoint, for another job
	total   atomic.Int64 // the resources there are, once that is known; -1 before
	ended   context.Context
	lose    context.CancelFunc
	out     *output
	// since the last checkpoint
	rows, resources int64
}

var (
	errLost   = errors.New("the job is somebody else's, or has ended")
	errYields = errors.New("the job makes room for another")
)

func (e *Engine) newRun(job *db.Export, asked time.Time) *run {
	r := &run{key: key{job.StoreID, job.ID}, job: job, token: job.LeaseToken, begun: asked}
	r.renewed.Store(asked.UnixNano())
	r.total.Store(-1)
	r.ended, r.lose = context.WithCancel(context.Background())
	return r
}

// mine are the arguments of [mine].
func (r *run) mine(e *Engine) []any { return []any{r.store, r.key.job, r.token, e.id} }

func (r *run) sinceRenewal() time.Duration { return time.Since(time.Unix(0, r.renewed.Load())) }

// work writes a job as far as it may, and notes what came of it.
func (e *Engine) work(ctx context.Context, r *run) {
	ctx, cancel := context.WithCancel(viewer.Operator(ctx, r.store))
	defer cancel()
	stop := context.AfterFunc(r.ended, cancel)
	defer stop()
	err := e.write(ctx, r)
	// What is left to do must be done though the job was stopped.
	last, done := context.WithTimeout(context.WithoutCancel(ctx), loseAfter)
	defer done()
	if err = e.settle(last, r, err); err != nil {
		e.Logger.WarnContext(ctx, "exports: could not note the end of a job's turn", "export", xid.Export.Format(r.key.job), "error", err)
	}
	if r.out != nil {
		r.out.abort() // what is not complete
	}
	e.mu.Lock()
	delete(e.running, r.key)
	e.mu.Unlock()
	r.lose()
	e.Wake()
}

// write reads and writes a job side by side, part by part, to its end.
func (e *Engine) write(ctx context.Context, r *run) (err error) {
	if r.out, err = e.newOutput(r.job); err != nil {
		return err
	}
	if r.job.Parts == 0 {
		if err := e.head(ctx, r); err != nil {
			return err
		}
	}
	shop, err := e.Store.DB(ctx).Store.Query().Where(dbstore.ID(r.store)).Load(ctx)
	if err != nil || len(shop) != 1 {
		return fmt.Errorf("read the store of an export: %d rows: %w", len(shop), err)
	}
	src := newSource(e.Store, r.job, shop[0].Currency)
	reading, stop := context.WithCancel(ctx)
	pieces, failed := make(chan piece, 2), make(chan error, 1)
	go func() {
		defer close(pieces)
		failed <- src.read(reading, r.job.Position, func(p piece) error {
			select {
			case pieces <- p:
				return nil
			case <-reading.Done():
				return context.Cause(reading)
			}
		})
	}()
	counted := make(chan struct{})
	go func() { defer close(counted); e.count(reading, r, src) }()
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

// head begins the file: a CSV's with its columns, and a compressed one's at all
// events, since a file without rows is still a file of its kind.
func (e *Engine) head(ctx context.Context, r *run) error {
	var b []byte
	if r.job.Format == "csv" {
		b = header(Columns(r.job.Kind))
	}
	if len(b) == 0 && r.out.zip == nil {
		return nil
	}
	return r.out.write(ctx, b)
}

// count counts what there is to export, beside the writing: a file does not wait
// for its progress to be told.
func (e *Engine) count(ctx context.Context, r *run, src *source) {
	if r.job.ResourcesTotal != nil {
		r.total.Store(*r.job.ResourcesTotal)
		return
	}
	n, err := src.total(ctx)
	if err != nil {
		return // progress is told without it
	}
	r.total.Store(n)
}

// add writes a piece, and ends the part with the batch that fills it.
func (e *Engine) add(ctx context.Context, r *run, src *source, p piece) error {
	if err := r.out.write(ctx, p.body); err != nil {
		return err
	}
	r.rows, r.resources = r.rows+p.rows, r.resources+p.resources
	select {
	case src.spare <- p.body:
	default:
	}
	if p.last.IsNil() || !r.out.full() {
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
