package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

// terms are the terms of the leases on jobs.
var terms = lease.Terms{Length: 6 * time.Second, Every: 2 * time.Second, Margin: time.Second}

// newRepairer returns what finds jobs that a changed clock delays: queued jobs, which are due at
// once, and running ones.
func newRepairer(s *ent.Store) *lease.ClockRepair {
	return &lease.ClockRepair{Terms: terms, Store: s, Table: dbexport.Table, Token: dbexport.FieldLeaseToken,
		New: fmt.Sprintf("status = '%s'", state.ExportQueued), Set: lease.Free, Ahead: func(now lease.Clock) string {
			return fmt.Sprintf("status = '%s' OR status = '%s' AND (lease_until > %s OR due_at > %s)",
				state.ExportQueued, state.ExportRunning, now.In(terms.Length+time.Second), now.In(2*lastPause))
		}}
}

// errLost reports that another process owns the job or that it has ended.
var errLost = fmt.Errorf("another process owns the job, or it has ended: %w", lease.ErrLost)

// The engine's own statements are plain SQL, because they span the jobs of many stores, which the
// tenant policy does not allow for.

// mine is the condition that this process still owns a job.
const mine = " WHERE store_id = ? AND id = ? AND lease_token = ? AND lease_owner = ? AND status = 'running'"

// mine returns the arguments of [mine].
func (r *run) mine(e *Engine) []any { return []any{r.store, r.key.job, r.token, e.id} }

// change sets columns of a job that this process owns, in the transaction of ctx. It returns
// [errLost] if another process owns it.
func (e *Engine) change(ctx context.Context, r *run, set string, args ...any) error {
	n, err := e.exec(ctx, "UPDATE exports SET "+set+mine, append(args, r.mine(e)...)...)
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// exec runs a statement in the transaction of ctx and returns how many rows it changed.
func (e *Engine) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := e.Store.DB(ctx).ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// keep renews the lease on a job while it is worked on.
func (e *Engine) keep(r *run) {
	r.held.Keep(func(ctx context.Context) error {
		return e.Store.InTx(ctx, func(ctx context.Context) error {
			return e.change(ctx, r, terms.Renewal(lease.Now(e.Store.Dialect())))
		})
	}, func(err error) {
		e.log(r).Warn("exports: could not renew a lease", "error", err)
	})
}

// release gives a job back. It is due again after a pause.
func (e *Engine) release(ctx context.Context, r *run, pause time.Duration) error {
	failed := 0
	if pause > 0 {
		failed = 1
	}
	err := e.Store.InTx(ctx, func(ctx context.Context) error {
		due := lease.Now(e.Store.Dialect()).In(pause)
		return e.change(ctx, r, lease.Free+", failures = failures + ?, due_at = "+due, failed)
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// leave releases the jobs that are still held when the engine stops.
func (e *Engine) leave(limit context.Context) {
	for _, r := range e.inWork() {
		if err := e.release(limit, r, 0); err != nil {
			e.log(r).WarnContext(limit, "exports: could not give a lease back", "error", err)
		}
		r.held.Lose(errLost)
	}
}

// inWork returns the jobs that this process works on.
func (e *Engine) inWork() []*run {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]*run, 0, len(e.running))
	for _, r := range e.running {
		list = append(list, r)
	}
	return list
}

// Cancelled stops this process's work on a job whose row has ended, if any.
func (e *Engine) Cancelled(store, job xid.ID) {
	e.mu.Lock()
	r := e.running[key{store, job}]
	e.mu.Unlock()
	if r != nil {
		r.held.Lose(errLost)
	}
	e.Wake()
}
