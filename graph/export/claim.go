package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// A lease is a promise to the others: nobody else writes the job before it ends.
// Its owner keeps away from that end by his own clock.
const (
	leaseTime  = 6 * time.Second
	renewEvery = 2 * time.Second
	loseAfter  = leaseTime - time.Second
	// turn is how long a job runs before it makes room for one of a store of which
	// none runs.
	turn = 10 * time.Second
	// window bounds the jobs that are looked at once.
	window = 2000
)

// The engine's own statements are texts, since they look at the jobs of many
// stores at once, which the tenant policy is not made for.

// clock is the time of leases: the database's on MySQL, on SQLite ours.
func (e *Engine) clock() string {
	if e.Store.Dialect() == dialect.SQLite {
		return fmt.Sprint(int64(micros.Now()))
	}
	return "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"
}

// candidate is a job that is due, or that somebody works on, as it was seen
// without a lock.
type candidate struct {
	key
	status state.ExportStatus
	token  int64
	dueAt  micros.Time
	due    bool
	leased bool
}

// round begins as many jobs as there is room for. It tells whether there may be
// more to do at once.
func (e *Engine) round(ctx context.Context, jobs *sync.WaitGroup) (more bool, err error) {
	all, err := e.candidates(ctx)
	if err != nil {
		return false, err
	}
	leased, slots := map[xid.ID]int{}, map[xid.ID]int{}
	for _, c := range all {
		if c.status == state.ExportRunning {
			slots[c.store]++
		}
		if c.leased {
			leased[c.store]++
		}
	}
	var free []candidate
	for _, c := range all {
		switch {
		case c.leased || !c.due || c.status == state.ExportQueued && slots[c.store] >= StoreSlots:
		case c.status == state.ExportQueued || c.status == state.ExportRunning:
			free = append(free, c)
		default:
			if err := e.tidy(ctx, c); err != nil {
				return false, err
			}
			more = true
		}
	}
	for len(free) > 0 {
		c, rest := fairest(free, leased)
		if e.full() {
			e.makeRoom(c.store, leased)
			return false, nil
		}
		free = rest
		r, err := e.claim(ctx, c)
		if err != nil {
			return false, err
		}
		if r != nil {
			leased[c.store]++
			jobs.Go(func() { e.work(ctx, r) })
		}
	}
	return more, nil
}

// candidates reads the jobs that are due or leased, the one due first first.
func (e *Engine) candidates(ctx context.Context) (all []candidate, err error) {
	now := e.clock()
	query := "SELECT store_id, id, status, lease_token, due_at, CASE WHEN due_at <= " + now + " THEN 1 ELSE 0 END," +
		" CASE WHEN lease_until > " + now + " THEN 1 ELSE 0 END FROM exports WHERE " + bucket.Every +
		" AND due_at <= " + now + fmt.Sprintf(" + %d ORDER BY due_at LIMIT %d", leaseTime.Microseconds(), window)
	rows, err := e.Store.DB(ctx).QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c candidate
		if err := rows.Scan(&c.store, &c.job, &c.status, &c.token, &c.dueAt, &c.due, &c.leased); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// fairest picks the job of the store that has the fewest in work, the one due
// first among those of one store.
func fairest(free []candidate, leased map[xid.ID]int) (candidate, []candidate) {
	best := slices.MinFunc(free, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(leased[a.store], leased[b.store]), cmp.Compare(a.dueAt, b.dueAt), a.job.Compare(b.job))
	})
	return best, slices.DeleteFunc(slices.Clone(free), func(c candidate) bool { return c.key == best.key })
}

// full tells whether every worker has a job.
func (e *Engine) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.running) >= e.Workers
}

// makeRoom lets a job end its turn at its next checkpoint, for one of a store of
// which none is in work: one of a store that has several, or else the one that
// has run the longest.
func (e *Engine) makeRoom(store xid.ID, leased map[xid.ID]int) {
	if leased[store] > 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var best *run
	for _, r := range e.running {
		if r.yields.Load() {
			return // one is on its way
		}
		if leased[r.store] < 2 && time.Since(r.begun) < turn {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(leased[r.store], leased[best.store]), best.begun.Compare(r.begun)) > 0 {
			best = r
		}
	}
	if best != nil {
		best.yields.Store(true)
	}
}

// claim takes a lease on a job by compare-and-set on its token. A job that was
// queued takes a free slot of its store too; without one it stays queued. It
// returns nil where somebody else was first.
func (e *Engine) claim(ctx context.Context, c candidate) (*run, error) {
	inside := viewer.Operator(ctx, c.store)
	for range StoreSlots + 1 {
		var r *run
		asked := time.Now()
		err := e.Store.InTx(inside, func(ctx context.Context) (err error) {
			r, err = e.take(ctx, c, asked)
			return err
		})
		if ent.IsDuplicate(err) {
			continue // another one took the slot
		}
		if err != nil {
			return nil, fmt.Errorf("claim export: %w", err)
		}
		if r == nil {
			return nil, nil
		}
		e.mu.Lock()
		e.running[r.key] = r
		e.mu.Unlock()
		return r, nil
	}
	return nil, nil
}

// take is [Engine.claim] inside of its transaction.
func (e *Engine) take(ctx context.Context, c candidate, asked time.Time) (*run, error) {
	set := "status = ?, lease_token = lease_token + 1, lease_owner = ?, stored = 1"
	args := []any{string(state.ExportRunning), e.id}
	if c.status == state.ExportQueued {
		slot, ok, err := e.freeSlot(ctx)
		if err != nil || !ok {
			return nil, err
		}
		now := micros.Now()
		set += ", slot = ?, started_at = ?, version = version + 1, updated_at = ?"
		args = append(args, slot, now, now)
	}
	now := e.clock()
	until := fmt.Sprintf("%s + %d", now, leaseTime.Microseconds())
	set += ", lease_until = " + until + ", due_at = " + until
	n, err := e.exec(ctx, "UPDATE exports SET "+set+" WHERE store_id = ? AND id = ? AND lease_token = ? AND status = ? AND lease_until <= "+now,
		append(args, c.store, c.job, c.token, string(c.status))...)
	if err != nil || n == 0 {
		return nil, err
	}
	rows, err := e.Store.DB(ctx).Export.Query().Where(dbexport.ID(c.job)).Load(ctx)
	if err != nil || len(rows) != 1 {
		return nil, fmt.Errorf("read export: %d rows: %w", len(rows), err)
	}
	return e.newRun(rows[0], asked), nil
}

// freeSlot is the first slot that no job of the viewer's store has.
func (e *Engine) freeSlot(ctx context.Context) (slot int, ok bool, err error) {
	rows, err := e.Store.DB(ctx).Export.Query().Where(dbexport.SlotNotNil()).Order(db.Asc(dbexport.FieldSlot)).Limit(StoreSlots).Load(ctx)
	if err != nil {
		return 0, false, err
	}
	for _, r := range rows {
		if *r.Slot != slot {
			break
		}
		slot++
	}
	return slot, slot < StoreSlots, nil
}

// exec runs a statement of the transaction in ctx and returns how many rows it changed.
func (e *Engine) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := e.Store.DB(ctx).ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// renewing keeps the leases of the jobs in work.
func (e *Engine) renewing(ctx context.Context) {
	timer := time.NewTicker(renewEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		for _, r := range e.inWork() {
			if err := e.renew(ctx, r); err != nil && ctx.Err() == nil {
				e.Logger.WarnContext(ctx, "exports: could not renew a lease", "export", xid.Export.Format(r.job.ID), "error", err)
			}
			if r.sinceRenewal() >= loseAfter {
				r.lose()
			}
		}
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

// renew renews one lease; one that was taken by another, or whose job has ended,
// is lost.
func (e *Engine) renew(ctx context.Context, r *run) error {
	asked := time.Now()
	var n int64
	err := e.Store.InTx(ctx, func(ctx context.Context) (err error) {
		until := fmt.Sprintf("%s + %d", e.clock(), leaseTime.Microseconds())
		n, err = e.exec(ctx, "UPDATE exports SET lease_until = "+until+", due_at = "+until+mine, r.mine(e)...)
		return err
	})
	switch {
	case err != nil:
		return err
	case n == 0:
		r.lose()
	default:
		r.renewed.Store(asked.UnixNano())
	}
	return nil
}

// mine is the condition under which a job is still its owner's.
const mine = " WHERE store_id = ? AND id = ? AND lease_token = ? AND lease_owner = ? AND status = 'running'"

// leave gives back what was not given back when the engine stopped.
func (e *Engine) leave(limit context.Context) {
	var errs []error
	for _, r := range e.inWork() {
		errs = append(errs, e.release(limit, r, 0))
	}
	if err := errors.Join(errs...); err != nil {
		e.Logger.WarnContext(limit, "exports: could not give leases back", "error", err)
	}
}

// release gives a job back, which is due again after a pause.
func (e *Engine) release(ctx context.Context, r *run, pause time.Duration) error {
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		failed := 0
		if pause > 0 {
			failed = 1
		}
		_, err := e.exec(ctx, fmt.Sprintf("UPDATE exports SET lease_owner = NULL, lease_until = 0, failures = failures + %d, due_at = %s + %d",
			failed, e.clock(), pause.Microseconds())+mine, r.mine(e)...)
		return err
	})
}
