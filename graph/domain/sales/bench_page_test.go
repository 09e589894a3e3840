package sales_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// BenchmarkOrderPage reads orders of two lines as REST returns them: orders with their lines in the
// row, and orders that the previous release changed, whose lines are read separately.
func BenchmarkOrderPage(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r, ctx := graphtest.NewCore(b, s), graphtest.As(ctx, viewer.Owner)
		var one string
		for range 300 {
			o := graphtest.NewOrder(b, ctx, r, graphtest.CustomLine("Enamel mug", 1, 500), graphtest.CustomLine("Cup",
				2, 700))
			one = o.PublicID()
		}
		show := func(ctx context.Context, n int) error {
			if n == 1 {
				o, err := r.Query().Order(ctx, one)
				if err == nil {
					shown(nil, o)
				}
				return err
			}
			c, err := r.Query().Orders(ctx, &n, nil, nil, nil, nil)
			if err != nil {
				return err
			}
			var buf []byte
			for _, o := range c.Nodes {
				buf = shown(buf, o)
			}
			return nil
		}
		for _, where := range []string{"in the row", "in rows of their own"} {
			for _, size := range []struct {
				name string
				n    int
			}{{"one", 1}, {"20", 20}, {"100", 100}} {
				b.Run(where+"/"+size.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := show(ctx, size.n); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			err := s.InTx(ctx, func(ctx context.Context) error {
				return s.DB(ctx).Order.Update().AddVersion(1).Exec(ctx)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}

func shown(b []byte, o *model.Order) []byte {
	return wire.AppendOrder(b, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
}
