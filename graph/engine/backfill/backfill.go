// Package backfill carries data of earlier releases over to what this release expects: once, store
// by store, in small transactions.
//
// Each store has a row with its progress, which one process at a time locks, so that a walk that was
// interrupted continues where it stopped. After the last store, a row that belongs to no store marks
// the whole job as completed. A later start reads that row and nothing else.
//
// While an upgrade is going on, a process of the previous release may write its form of the data
// behind the walk. A job whose data the previous release writes differently names a format: it runs
// once at first, and once more after `storefront migrate finalize` has declared that no such process
// is left.
package backfill

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/searchwalk"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Job is a walk over rows of every store. Any number of processes may run it at once, but each in one
// goroutine.
type Job struct {
	Store *ent.Store
	// Name identifies the job in the database. It is never renamed.
	Name string
	// Version is the version of the data. Raise it when all rows have to be processed again.
	Version int
	// Format is the format whose absence means that the previous release may still write an earlier
	// version; "" if the previous release writes this one.
	Format ent.Format
	// Stages is how many walks the job makes in each store, one after the other.
	Stages int
	// Step processes the rows after an id in the transaction of ctx. It returns the last of them, or
	// nil at the end of the stage. It locks the rows that it derives data from.
	Step func(ctx context.Context, stage int, after xid.ID) (last xid.ID, err error)

	reached int // the highest goal that is marked as reached
}

// Run completes the job, unless that is recorded.
func (j *Job) Run(ctx context.Context) error {
	if j.reached == j.last() {
		return nil
	}
	goal := j.last() - 1
	err := j.Store.InTx(ctx, func(ctx context.Context) error {
		if j.Format == "" || ent.Writes(ctx, j.Format) {
			goal = j.last()
		}
		return nil
	})
	if err == nil && j.reached < goal {
		err = j.reach(ctx, goal)
	}
	return fault.Wrap("backfill "+j.Name, err)
}

// last returns the goal when no earlier release can write any more; the one below comes first.
func (j *Job) last() int { return 2*j.Version + 1 }

func (j *Job) reach(ctx context.Context, goal int) error {
	nobody := viewer.Operator(ctx, ent.NoOwner)
	mark, err := j.row(nobody, ent.NoLock)
	if err == nil && (mark == nil || mark.Form < goal) {
		if err = j.Store.EachStore(ctx, func(ctx context.Context) error { return j.walk(ctx, goal) }); err == nil {
			err = j.Store.InTx(nobody, func(ctx context.Context) error { return j.mark(ctx, goal) })
		}
	}
	if err == nil {
		j.reached = goal
	}
	return err
}

func (j *Job) walk(ctx context.Context, goal int) error {
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := j.Store.InTx(ctx, func(ctx context.Context) (err error) {
			done, err = j.step(ctx, goal)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// step processes the next rows of the viewer's store and reports whether its walk is completed.
func (j *Job) step(ctx context.Context, goal int) (done bool, err error) {
	row, err := j.row(ctx, ent.ForUpdate)
	switch {
	case err != nil:
		return false, err
	case row == nil || row.Form < goal:
		return false, j.write(ctx, row, db.SearchWalk{Form: goal})
	case row.Done || row.Form > goal: // a newer program goes on
		return true, nil
	}
	next := *row
	if next.Behind, err = j.Step(ctx, row.Stage, row.Behind); err != nil {
		return false, err
	}
	if next.Behind.IsNil() {
		next.Stage++
		next.Done = next.Stage >= j.Stages
	}
	return next.Done, j.write(ctx, row, next)
}

// mark records that every store has reached the goal.
func (j *Job) mark(ctx context.Context, goal int) error {
	row, err := j.row(ctx, ent.ForUpdate)
	if err != nil || row != nil && row.Form >= goal {
		return err
	}
	return j.write(ctx, row, db.SearchWalk{Form: goal, Done: true})
}

func (j *Job) row(ctx context.Context, lock func(*sql.Selector)) (*db.SearchWalk, error) {
	query := j.Store.DB(ctx).SearchWalk.Query().Where(searchwalk.ID(j.id()))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// write replaces the job's row. Of two processes that create it, the second one finds the row.
func (j *Job) write(ctx context.Context, old *db.SearchWalk, row db.SearchWalk) error {
	c, now := j.Store.DB(ctx).SearchWalk, micros.Now()
	if old == nil {
		return c.Create().SetID(j.id()).SetForm(row.Form).SetStage(row.Stage).SetBehind(row.Behind).
			SetDone(row.Done).SetUpdatedAt(now).Exec(ctx)
	}
	return c.Update().Where(searchwalk.ID(j.id())).SetForm(row.Form).SetStage(row.Stage).SetBehind(row.Behind).
		SetDone(row.Done).SetUpdatedAt(now).Exec(ctx)
}

func (j *Job) id() xid.ID {
	sum := digest.Of([]byte("backfill " + j.Name))
	return xid.ID(sum[:len(xid.ID{})])
}
