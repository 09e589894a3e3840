package report_test

import (
	"flag"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/graphtest"
)

var benchOrders = flag.Int("orders", 2000, "how many orders the benchmark has")

// BenchmarkSalesReport reads ninety days of a store with all its orders in them, before and after
// they are summed up.
func BenchmarkSalesReport(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r, ctx := graphtest.NewCore(b, s), graphtest.As(ctx, viewer.Owner)
		r.Limits[limit.ReportOrders] = 1 << 50
		began, now := time.Now(), micros.Now()
		pause := 89 * 24 * time.Hour / time.Duration(*benchOrders)
		graphtest.Plant(b, ctx, r, *benchOrders, func(i int, o *db.OrderCreate) xid.ID {
			o.SetTotalMinor(int64(i))
			return xid.At(now.Add(-time.Duration(*benchOrders-i) * pause))
		})
		b.Logf("%d orders in %s", *benchOrders, time.Since(began).Round(time.Second))
		read := func(b *testing.B) {
			before := storetest.CPUTime()
			for b.Loop() {
				if _, err := r.Query().SalesReport(ctx, 90); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((storetest.CPUTime()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
		}
		b.Run("orders", read)
		began = time.Now()
		if err := rollup.NewKeeper(s).Round(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.Logf("summed up in %s", time.Since(began).Round(time.Millisecond))
		b.Run("sums", read)
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}
