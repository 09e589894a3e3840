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

// terms are those of the leases on jobs.
var terms = lease.Terms{Length: 6 * time.Second, Every: 2 * time.Second, Margin: time.Second}

// newMender makes what finds jobs that a clock holds up: those that wait for their
// turn, which are due at once, and those that are worked on.
func newMender(s *ent.Store) *lease.Mender {
	return &lease.Mender{Terms: terms, Store: s, Table: dbexport.Table, Token: dbexport.FieldLeaseToken,
		New: fmt.Sprintf("status = '%s'", state.ExportQueued), Set: lease.Free, Ahead: func(now lease.Clock) string {
			return fmt.Sprintf("status = '%s' OR status = '%s' AND (lease_until > %s OR due_at > %s)",
				state.ExportQueued, state.ExportRunning, now.In(terms.Length+time.Second), now.In(2*lastPause))
		}}
}

// errLost says that a job is somebody else's, or has ended.
var errLost = fmt.Errorf("the job is another one's, or has ended: %w", lease.ErrLost)

// The engine's own statements are texts, since they look at the jobs of many
// stores at once, which the tenant policy is not made for.

// mine is the condition under which a job is still its owner's.
const mine = " WHERE store_id = ? AND id = ? AND lease_token = ? AND lease_owner = ? AND status = 'running'"

// mine are the arguments of [mine].
func (r *run) mine(e *Engine) []any { return []any{r.store, r.key.job, r.token, e.id} }

// change sets columns of a job that is still its owner's, in the transaction of
// ctx: [errLost] if it is not.
func (e *Engine) change(ctx context.Context, r *run, set string, args ...any) error {
	n, err := e.exec(ctx, "UPDATE exports SET "+set+mine, append(args, r.mine(e)...)...)
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// exec runs a statement of the transaction in ctx and returns how many rows it changed.
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

// release gives a job back, which is due again after a pause.
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

// leave gives back what was not given back when the engine stopped.
func (e *Engine) leave(limit context.Context) {
	for _, r := range e.inWork() {
		if err := e.release(limit, r, 0); err != nil {
			e.log(r).WarnContext(limit, "exports: could not give a lease back", "error", err)
		}
		r.held.Lose(errLost)
	}
}

// inWork are the jobs that this process works on.
func (e *Engine) inWork() []*run {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]*run, 0, len(e.running))
	for _, r := range e.running {
		list = append(list, r)
	}
	return list
}

// Cancelled stops the work on a job of this process, whose row says that it has
// ended.
func (e *Engine) Cancelled(store, job xid.ID) {
	e.mu.Lock()
	r := e.running[key{store, job}]
	e.mu.Unlock()
	if r != nil {
		r.held.Lose(errLost)
	}
	e.Wake()
}
