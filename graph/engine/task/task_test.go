package task_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/accountevent"
	dbtask "github.com/storefront-go/storefront/ent/db/task"
	"github.com/storefront-go/storefront/ent/db/taskreceipt"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/task"
)

const kind task.Kind = "note"

var errAway = errors.New("the other shard is away")

// fixture is a store whose change has an effect on a person.
type fixture struct {
	*ent.Store
	home, person xid.ID
}

// keeper returns the keeper of another process, whose effect fails with broken.
func (f *fixture) keeper(broken error) *task.Keeper {
	k := task.NewKeeper(f.Store, nil)
	k.Register(kind, func(ctx context.Context, t task.Task) error {
		var text string
		if err := t.Read(&text); err != nil {
			return err
		}
		row := f.DB(ctx).AccountEvent.Create().SetUserID(t.Target).SetAction(state.AccountJoined).SetDetail(text)
		if err := row.Exec(ctx); err != nil {
			return err
		}
		return broken
	})
	return k
}

// put puts a task in a transaction that returns end.
func (f *fixture) put(t *testing.T, k *task.Keeper, end error) error {
	t.Helper()
	var done *task.Result
	err := f.InTx(t.Context(), func(ctx context.Context) (err error) {
		if done, err = k.Put(ctx, kind, f.home, f.person, "a store"); err != nil {
			return err
		}
		return end
	})
	if !errors.Is(err, end) {
		t.Fatalf("put: %v", err)
	}
	return done.Err()
}

// left returns the remaining tasks, and makes them due.
func (f *fixture) left(t *testing.T) []*db.Task {
	t.Helper()
	err := f.InTx(t.Context(), func(ctx context.Context) error {
		return f.DB(ctx).Task.Update().Where(dbtask.Home(f.home)).SetDueAt(0).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.DB(t.Context()).Task.Query().Where(dbtask.Home(f.home)).AllX(t.Context())
}

// is checks the numbers of effects and of remaining tasks.
func (f *fixture) is(t *testing.T, effects, left int) {
	t.Helper()
	n := f.DB(t.Context()).AccountEvent.Query().Where(accountevent.UserID(f.person)).CountX(t.Context())
	if rows := f.left(t); n != effects || len(rows) != left {
		t.Errorf("%d effects and %d tasks left, want %d and %d", n, len(rows), effects, left)
	}
}

func round(t *testing.T, k *task.Keeper) {
	t.Helper()
	if err := k.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func each(t *testing.T, f func(t *testing.T, f *fixture)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		f(t, &fixture{Store: s, home: xid.New(), person: xid.New()})
	})
}

// The effect has happened when the change returns; a change that is rolled back has none.
func TestAfterCommit(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := f.keeper(nil)
		if err := f.put(t, k, nil); err != nil {
			t.Fatal(err)
		}
		f.is(t, 1, 0)
		if err := f.put(t, k, errAway); err != nil {
			t.Fatal(err)
		}
		f.is(t, 1, 0)
		round(t, k)
		f.is(t, 1, 0)
	})
}

// A task that fails or whose process dies between the two steps is carried out by another process.
func TestCrashBeforeEffect(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		away := f.keeper(errAway)
		if err := f.put(t, away, nil); !errors.Is(err, errAway) {
			t.Fatalf("put = %v", err)
		}
		f.is(t, 0, 1)
		round(t, away)
		f.is(t, 0, 1)
		round(t, f.keeper(nil))
		f.is(t, 1, 0)
		round(t, f.keeper(nil))
		f.is(t, 1, 0)
	})
}

// A process that dies after the effect leaves the task, whose receipt shows that it is done.
func TestCrashAfterEffect(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		if err := f.put(t, f.keeper(errAway), nil); err == nil {
			t.Fatal("the effect did not fail")
		}
		row := f.left(t)[0]
		round(t, f.keeper(nil))
		f.is(t, 1, 0)
		err := f.InTx(t.Context(), func(ctx context.Context) error { // as it was before it was deleted
			return f.DB(ctx).Task.Create().SetHome(row.Home).SetID(row.ID).SetKind(row.Kind).SetTarget(row.Target).
				SetPayload(row.Payload).SetDueAt(0).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		f.is(t, 1, 1)
		round(t, f.keeper(nil))
		f.is(t, 1, 0)
	})
}

// Of many concurrent tries, beside the process that wrote the task, one has the effect.
func TestRace(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		if err := f.put(t, f.keeper(errAway), nil); err == nil {
			t.Fatal("the effect did not fail")
		}
		f.left(t)
		k := f.keeper(nil)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if err := k.Round(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		f.is(t, 1, 0)
	})
}

// A refusal is final; an unknown kind of a newer release, and an internal error, wait.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		err := f.put(t, f.keeper(fault.Missing("invitation")), nil)
		if got, ok := errors.AsType[*fault.Error](err); !ok || got.Kind != fault.NotFound {
			t.Errorf("put = %v", err)
		}
		f.is(t, 0, 0)
		if err := f.put(t, task.NewKeeper(f.Store, nil), nil); err == nil {
			t.Error("an unknown kind had an effect")
		}
		f.is(t, 0, 1)
		round(t, f.keeper(&fault.Error{Kind: fault.Unavailable, Err: errAway}))
		f.is(t, 0, 1)
		round(t, f.keeper(nil))
		f.is(t, 1, 0)
	})
}

// A failing task waits longer each time, and does not delay others.
func TestWait(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for range 3 {
			if err := f.put(t, f.keeper(errAway), nil); err == nil {
				t.Fatal("the effect did not fail")
			}
		}
		f.left(t)
		round(t, f.keeper(errAway))
		for _, row := range f.DB(t.Context()).Task.Query().Where(dbtask.Home(f.home)).AllX(t.Context()) {
			if row.Attempts != 1 || row.DueAt <= micros.Now() {
				t.Errorf("%d attempts, due at %d", row.Attempts, row.DueAt)
			}
		}
		round(t, f.keeper(nil)) // none is due
		f.is(t, 0, 3)
	})
}

// Receipts are kept for a day, and for as long as an older task remains.
func TestPurge(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const day = 24 * time.Hour
		k, old := f.keeper(nil), micros.Now().Add(-3*day)
		write := func(write func(ctx context.Context, c *db.Client) error) {
			t.Helper()
			err := f.InTx(t.Context(), func(ctx context.Context) error { return write(ctx, f.DB(ctx)) })
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range 100 {
			write(func(ctx context.Context, c *db.Client) error {
				at := old.Add(time.Duration(i) * time.Second)
				return c.TaskReceipt.Create().SetHome(f.person).SetID(xid.At(at)).Exec(ctx)
			})
		}
		write(func(ctx context.Context, c *db.Client) error {
			return c.TaskReceipt.Create().SetHome(f.person).SetID(xid.At(micros.Now().Add(-day / 2))).Exec(ctx)
		})
		write(func(ctx context.Context, c *db.Client) error {
			return c.Task.Create().SetHome(f.home).SetID(xid.At(old.Add(9500 * time.Millisecond))).SetKind("unknown").
				SetTarget(f.person).SetPayload([]byte("0")).SetDueAt(0).Exec(ctx)
		})
		for _, want := range []int{10, 90, 0} {
			if n, err := k.Purge(t.Context()); n != want || err != nil {
				t.Errorf("Purge = %d, %v, want %d", n, err, want)
			}
			write(func(ctx context.Context, c *db.Client) error {
				_, err := c.Task.Delete().Where(dbtask.Home(f.home)).Exec(ctx)
				return err
			})
		}
		n := f.DB(t.Context()).TaskReceipt.Query().Where(taskreceipt.Home(f.person)).CountX(t.Context())
		if n != 1 {
			t.Errorf("%d receipts are left", n)
		}
	})
}

func TestPutOutsideOfATransaction(t *testing.T) {
	f := &fixture{Store: storetest.Open(t), home: xid.New(), person: xid.New()}
	if _, err := f.keeper(nil).Put(t.Context(), kind, f.home, f.person, ""); !errors.Is(err, ent.ErrNoTx) {
		t.Errorf("got %v", err)
	}
}

// An effect may wait for an earlier task with the same home and target.
func TestBefore(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		later := func(broken error) *task.Keeper {
			k := f.keeper(broken)
			k.Register("later", func(ctx context.Context, t task.Task) error { return k.Before(ctx, t, kind) })
			return k
		}
		k := later(errAway)
		if err := f.put(t, k, nil); !errors.Is(err, errAway) {
			t.Fatal(err)
		}
		var waits, free *task.Result
		err := f.InTx(t.Context(), func(ctx context.Context) (err error) {
			if waits, err = k.Put(ctx, "later", f.home, f.person, 0); err == nil {
				free, err = k.Put(ctx, "later", f.home, xid.New(), 0)
			}
			return err
		})
		if err != nil || waits.Err() == nil || free.Err() != nil {
			t.Errorf("%v, %v, %v", err, waits.Err(), free.Err())
		}
		f.is(t, 0, 2)
		round(t, later(nil))
		f.left(t)
		round(t, later(nil))
		f.is(t, 1, 0)
	})
}
