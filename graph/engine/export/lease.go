package export

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

var terms = lease.Terms{Length: 6 * time.Second, Every: 2 * time.Second, Margin: time.Second}

// newRepairer finds jobs that a changed clock delays: queued jobs, which are due, and running ones.
func newRepairer(s *ent.Store) *lease.ClockRepair {
	return &lease.ClockRepair{Terms: terms, Store: s, Table: dbexport.Table, Token: dbexport.FieldLeaseToken,
		New: fmt.Sprintf("status = '%s'", state.ExportQueued), Set: lease.Free, Ahead: func(now lease.Clock) string {
			return fmt.Sprintf("status = '%s' OR status = '%s' AND (lease_until > %s OR due_at > %s)",
				state.ExportQueued, state.ExportRunning, now.In(terms.Length+time.Second), now.In(2*lastPause))
		}}
}

var errLost = fmt.Errorf("another process owns the job, or it has ended: %w", lease.ErrLost)

// Plain SQL, because it spans the jobs of many stores, which the tenant policy does not allow.

const mine = " WHERE store_id = ? AND id = ? AND lease_token = ? AND lease_owner = ? AND status = 'running'"

func (r *run) mine(e *Engine) []any { return []any{r.store, r.key.job, r.token, e.Process} }

// change sets columns of a job that this process owns; otherwise it returns [errLost].
func (e *Engine) change(ctx context.Context, r *run, set string, args ...any) error {
	n, err := e.exec(ctx, "UPDATE exports SET "+set+mine, append(args, r.mine(e)...)...)
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

func (e *Engine) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := e.Store.DB(ctx).ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

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

func (e *Engine) leave(limit context.Context) {
	for _, r := range e.inWork() {
		if err := e.release(limit, r, 0); err != nil {
			e.log(r).WarnContext(limit, "exports: could not give a lease back", "error", err)
		}
		r.held.Lose(errLost)
	}
}

func (e *Engine) inWork() []*run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Values(e.running))
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
