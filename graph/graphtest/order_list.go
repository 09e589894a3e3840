package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
)

// Plant inserts n plain orders directly, which is fast; edit changes each and returns its id.
func Plant(
	t testing.TB, ctx context.Context, r *graph.Resolver, n int, edit func(i int, o *db.OrderCreate) xid.ID,
) (ids []xid.ID) {
	t.Helper()
	for from := 0; from < n; from += 500 {
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			rows := make([]*db.OrderCreate, min(500, n-from))
			err := r.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).AddNextNumber(int64(len(rows))).
				Exec(ctx)
			if err != nil {
				return err
			}
			s, err := r.CurrentStore(ctx)
			if err != nil {
				return err
			}
			first := s.NextNumber - int64(len(rows))
			for i := range rows {
				rows[i] = r.Client(ctx).Order.Create().SetNumber(first + int64(i)).SetStatus(state.OrderOpen).
					SetFinancialStatus(state.FinancialPaid).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
					SetCurrency("EUR").SetSubtotalMinor(1).SetDiscountMinor(0).SetShippingMinor(0).SetTaxMinor(0).
					SetTotalMinor(1).SetPaidMinor(1).SetRefundedMinor(0).SetTags(document.NewTags(nil)).
					SetSource("test").SetPlacedAt(1).SetUpdatedAt(1)
				id := edit(from+i, rows[i])
				rows[i].SetID(id)
				ids = append(ids, id)
			}
			return r.Client(ctx).Order.CreateBulk(rows...).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}
