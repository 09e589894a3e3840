package main

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Wrong totals are rebuilt from the orders.
func TestReportsRebuild(t *testing.T) {
	c := newCLI(t)
	c.run("migrate", "apply")
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	store, err := xid.Store.Parse(made.ID)
	if err != nil {
		t.Fatal(err)
	}
	s, err := app.OpenStore(t.Context(), app.Opening{Storage: app.Storage{Data: c.data()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := viewer.Operator(t.Context(), store)
	err = s.InTx(ctx, func(ctx context.Context) error {
		return s.DB(ctx).SalesInterval.Create().SetID(xid.First(900e6)).SetOrders(3).SetTotalHigh(0).SetTotalLow(7).
			Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	var done map[string]int
	if c.decode(&done, "reports", "rebuild"); done["intervals"] != 0 {
		t.Errorf("%+v of no orders", done)
	}
	if n, err := s.DB(ctx).SalesInterval.Query().Count(ctx); err != nil || n != 0 {
		t.Errorf("%d sums are left, %v", n, err)
	}
	if walk, err := s.DB(ctx).SalesWalk.Query().Only(ctx); err != nil || !walk.Done {
		t.Errorf("the walk is not done: %v", err)
	}
}
