package export

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

const (
	// turn is how long a job runs before it yields to a store that has no running job.
	turn = 10 * time.Second
	// window bounds the jobs that are read at once.
	window = 2000
)

type candidate struct {
	key
	status state.ExportStatus
	token  int64
	dueAt  micros.Time
	due    bool
	leased bool
}

// look starts as many jobs of a shard as there are free workers, and cleans up after ended jobs.
func (e *Engine) look(ctx context.Context) error {
	if err := e.repairer.Run(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if more, err := e.round(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// round is one pass of [Engine.look]. It reports whether another pass may find more.
func (e *Engine) round(ctx context.Context) (more bool, err error) {
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
		case c.leased || !c.due || c.status == state.ExportQueued && slots[c.store] >= e.slots:
		case c.status == state.ExportQueued || c.status == state.ExportRunning:
			free = append(free, c)
		default:
			if err := e.tidy(ctx, c); err != nil {
				return false, err
			}
			more = true
		}
	}
	e.claiming.Lock()
	defer e.claiming.Unlock()
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
			e.jobs.Go(func() { e.work(e.working, r) })
		}
	}
	return more, nil
}

func (e *Engine) candidates(ctx context.Context) (all []candidate, err error) {
	clock := lease.Now(e.Store.Dialect())
	now := string(clock)
	query := "SELECT store_id, id, status, lease_token, due_at, CASE WHEN due_at <= " + now + " THEN 1 ELSE 0 END," +
		" CASE WHEN lease_until > " + now + " THEN 1 ELSE 0 END FROM exports WHERE " + bucket.Every +
		" AND due_at <= " + clock.In(terms.Length) + fmt.Sprintf(" ORDER BY due_at LIMIT %d", window)
	err = ent.Read(ctx, e.Store.Seek(ctx), func(rows *stdsql.Rows) error {
		var c candidate
		err := rows.Scan(&c.store, &c.job, &c.status, &c.token, &c.dueAt, &c.due, &c.leased)
		all = append(all, c)
		return err
	}, query)
	return all, err
}

// fairest takes a job of the store with the fewest leased jobs out of free, the earliest due first.
func fairest(free []candidate, leased map[xid.ID]int) (candidate, []candidate) {
	best := slices.MinFunc(free, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(leased[a.store], leased[b.store]), cmp.Compare(a.dueAt, b.dueAt),
			a.job.Compare(b.job))
	})
	return best, slices.DeleteFunc(slices.Clone(free), func(c candidate) bool { return c.key == best.key })
}

func (e *Engine) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.running) >= e.Workers
}

// makeRoom asks a job to yield at its next checkpoint to a store that has no leased job: a job of
// the store that has several, or else the one that has run the longest.
func (e *Engine) makeRoom(store xid.ID, leased map[xid.ID]int) {
	if leased[store] > 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var best *run
	for _, r := range e.running {
		if r.yields.Load() {
			return // one is about to yield
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

// claim takes a lease on a job by compare-and-set on its token. A queued job also takes a free slot
// of its store, and stays queued if there is none. It returns nil if another process was first.
func (e *Engine) claim(ctx context.Context, c candidate) (*run, error) {
	inside := viewer.Operator(ctx, c.store)
	for range e.slots + 1 {
		var job *db.Export
		var asked time.Time
		err := e.Store.InTx(inside, func(ctx context.Context) (err error) {
			asked = time.Now()
			job, err = e.take(ctx, c)
			return err
		})
		switch {
		case ent.IsDuplicate(err):
			continue // another job took the slot
		case err != nil:
			return nil, fmt.Errorf("claim export: %w", err)
		case job == nil:
			return nil, nil
		}
		r := newRun(inside, job, asked)
		e.mu.Lock()
		e.running[r.key] = r
		e.mu.Unlock()
		return r, nil
	}
	return nil, nil
}

func (e *Engine) take(ctx context.Context, c candidate) (*db.Export, error) {
	clock := lease.Now(e.Store.Dialect())
	set, args := "status = ?, `stored` = 1, "+terms.Claim(clock), []any{string(state.ExportRunning), e.Process}
	if c.status == state.ExportQueued {
		slot, ok, err := e.freeSlot(ctx)
		if err != nil || !ok {
			return nil, err
		}
		now := micros.Now()
		// Read before the rows: later changes have a time that is not below it.
		horizon, err := e.Store.Horizon(ctx)
		if err != nil {
			return nil, err
		}
		count, err := Redactions(ctx, e.Store.DB(ctx))
		if err != nil {
			return nil, err
		}
		columns, err := e.columns(ctx, c.job)
		if err != nil {
			return nil, err
		}
		set += ", slot = ?, started_at = ?, sync_from = ?, redactions = ?, custom_columns = ?, version = version + 1," +
			" updated_at = ?"
		args = append(args, slot, now, min(now, horizon), count, columns, now)
	}
	n, err := e.exec(ctx, "UPDATE exports SET "+set+
		" WHERE store_id = ? AND id = ? AND lease_token = ? AND status = ? AND lease_until <= "+string(clock),
		append(args, c.store, c.job, c.token, string(c.status))...)
	if err != nil || n == 0 {
		return nil, err
	}
	job, err := ent.Only(e.Store.DB(ctx).Export.Query().Where(dbexport.ID(c.job)).Load(ctx))
	return job, fault.Wrap("read export", err)
}

// columns returns the columns of custom fields of a job that begins, if it still exists.
func (e *Engine) columns(ctx context.Context, id xid.ID) ([]byte, error) {
	c := e.Store.DB(ctx)
	jobs, err := c.Export.Query().Where(dbexport.ID(id)).Load(ctx)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	return customColumns(ctx, c, jobs[0])
}

func (e *Engine) freeSlot(ctx context.Context) (slot int, ok bool, err error) {
	rows, err := e.Store.DB(ctx).Export.Query().Where(dbexport.SlotNotNil()).Order(db.Asc(dbexport.FieldSlot)).
		Limit(e.slots).Load(ctx)
	if err != nil {
		return 0, false, err
	}
	for _, r := range rows {
		if *r.Slot != slot {
			break
		}
		slot++
	}
	return slot, slot < e.slots, nil
}
