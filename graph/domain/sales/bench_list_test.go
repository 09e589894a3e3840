package sales_test

import (
	"context"
	"flag"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

var benchOrders = flag.Int("bench.orders", 20_000, "how many orders the store of BenchmarkOrderList has")

// BenchmarkOrderList reads pages of 50 with each filter. The store's orders are distributed over
// the states as in real shops, with hardly any canceled and fulfilled ones.
func BenchmarkOrderList(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r, ctx := graphtest.NewCore(b, s), graphtest.As(ctx, viewer.Owner)
		const began = micros.Time(1_650_000_000_000_000)
		graphtest.Plant(b, ctx, r, *benchOrders, func(i int, o *db.OrderCreate) xid.ID {
			o.SetUpdatedAt(began + micros.Time(i))
			switch {
			case i%20 == 0:
				o.SetStatus(state.OrderCancelled).SetFinancialStatus(state.FinancialVoided)
			case i%10 < 7:
				o.SetStatus(state.OrderCompleted).SetFulfillmentStatus(state.FulfillmentFulfilled)
			case i%10 == 8:
				o.SetFinancialStatus(state.FinancialPending)
			}
			return xid.At(began + micros.Time(i))
		})
		since := new(began)
		for _, tc := range []struct {
			name   string
			filter *model.OrderFilter
		}{
			{"all", nil},
			{"status", &model.OrderFilter{Status: new(state.OrderOpen)}},
			{"financial", &model.OrderFilter{FinancialStatus: new(state.FinancialPaid)}},
			{"fulfillment", &model.OrderFilter{FulfillmentStatus: new(state.FulfillmentUnfulfilled)}},
			{"two that nothing has", &model.OrderFilter{Status: new(state.OrderCancelled),
				FulfillmentStatus: new(state.FulfillmentFulfilled)}},
			{"changed, of a status", &model.OrderFilter{UpdatedFrom: since, Status: new(state.OrderOpen)}},
		} {
			b.Run(tc.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := r.Query().Orders(withoutLines(ctx), new(50), nil, tc.filter, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
				if s.Dialect() == dialect.MySQL {
					n := storetest.Reads(b, ctx, s, func(ctx context.Context) {
						_, _ = r.Query().Orders(withoutLines(ctx), new(50), nil, tc.filter, nil, nil)
					})
					b.ReportMetric(float64(n), "rows")
				}
			})
		}
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}
