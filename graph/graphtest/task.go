package graphtest

import (
	"context"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent/db/task"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	tasks "github.com/storefront-go/storefront/graph/engine/task"
)

// errCrashed is behind every task that Crash keeps from its effect.
var errCrashed = errors.New("the process crashed")

// Crash lets a core do nothing of what tasks of some kinds say, as if it ended between the
// commit of a change and the effect in the rows of another owner.
func Crash(r *graph.Resolver, kinds ...tasks.Kind) {
	for _, kind := range kinds {
		r.Tasks.Use(kind, func(context.Context, tasks.Task) error { return errCrashed })
	}
}

// Crashed reports whether an error says that a task was left for later.
func Crashed(err error) bool { return errors.Is(err, errCrashed) }

// Recover returns the core of another process on the database of r, which has carried out
// what was left behind: want tasks, and what these left.
func Recover(t testing.TB, r *graph.Resolver, want int) *graph.Resolver {
	t.Helper()
	again := NewCore(t, r.Store)
	c, all := storetest.Everything(t, r.Store)
	left := c.Task.Query().AllX(all)
	if len(left) != want {
		t.Errorf("%d tasks are left, want %d", len(left), want)
	}
	for _, row := range left {
		err := r.Store.InTx(t.Context(), func(ctx context.Context) error {
			return r.Client(ctx).Task.Update().Where(task.Home(row.Home), task.ID(row.ID)).SetDueAt(0).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second one has nothing to do
		if err := again.Tasks.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Task.Query().CountX(all); n != 0 {
		t.Errorf("%d tasks are left for good", n)
	}
	return again
}
