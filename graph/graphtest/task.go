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

// errCrashed is the error of tasks that [Crash] disabled.
var errCrashed = errors.New("the process crashed")

// Crash makes tasks of some kinds fail, as if the process crashed between the commit of a change
// and the task.
func Crash(r *graph.Resolver, kinds ...tasks.Kind) {
	for _, kind := range kinds {
		r.Tasks.Register(kind, func(context.Context, tasks.Task) error { return errCrashed })
	}
}

// Crashed reports whether err comes from a task that [Crash] disabled.
func Crashed(err error) bool { return errors.Is(err, errCrashed) }

// Recover returns a new core on the database of r after it ran the remaining tasks. There must be
// want of them; it also runs the tasks that these add.
func Recover(t testing.TB, r *graph.Resolver, want int) *graph.Resolver {
	t.Helper()
	again := NewCore(t, r.Store)
	c, all := storetest.AllStores(t, r.Store)
	left := c.Task.Query().AllX(all)
	if len(left) != want {
		t.Errorf("%d tasks are left, want %d", len(left), want)
	}
	for _, row := range left {
		inTx(t, t.Context(), r.Store, func(ctx context.Context) error {
			return r.Client(ctx).Task.Update().Where(task.Home(row.Home), task.ID(row.ID)).SetDueAt(0).Exec(ctx)
		})
	}
	for range 2 { // the second round has nothing to do
		if err := again.Tasks.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Task.Query().CountX(all); n != 0 {
		t.Errorf("%d tasks are left for good", n)
	}
	return again
}
