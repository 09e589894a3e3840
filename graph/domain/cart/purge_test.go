package cart_test

import (
	"context"
	"testing"

	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/viewer"
)

func TestPurge(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell := m.sell("Bell", 1490, 5)
		kept, old := m.add("", bell, 1), m.add("", bell, 1)
		id := m.view(old).ID
		ctx := viewer.Operator(t.Context(), m.Model.ID)
		if err := m.Store.InTx(ctx, func(ctx context.Context) error {
			return m.Store.DB(ctx).Cart.Update().Where(dbcart.ID(id)).SetExpiresAt(1).Exec(ctx)
		}); err != nil {
			t.Fatal(err)
		}
		if v := m.view(old); v != nil {
			t.Error("an expired cart is returned")
		}
		if n, err := m.Purge(t.Context()); n != 1 || err != nil {
			t.Errorf("purged %d (%v)", n, err)
		}
		if v := m.view(kept); v == nil || len(v.Lines) != 1 {
			t.Errorf("kept %+v", v)
		}
		if n, err := m.Store.DB(ctx).CartLine.Query().Count(ctx); n != 1 || err != nil {
			t.Errorf("%d lines are left (%v)", n, err)
		}
	})
}
