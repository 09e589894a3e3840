package report_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// busy creates a store with n orders of today.
func busy(t *testing.T, r *graph.Resolver, n int) context.Context {
	t.Helper()
	store, _ := storetest.Merchant(t, r.Store)
	ctx := graphtest.As(store, viewer.Owner)
	now := micros.Now()
	graphtest.Plant(t, ctx, r, n, func(i int, _ *db.OrderCreate) xid.ID { return xid.At(now.Add(-time.Microsecond)) })
	return ctx
}

// atLimit reports whether a report failed because of its limit.
func atLimit(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Limit == "report_orders_per_minute"
}

// However many reports of a store are requested, they read what the store may read within a minute,
// and at most one report more.
func TestReportAllowance(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, _ context.Context, r *graph.Resolver) {
		const orders, most = 600, 1000
		r.Limits[limit.ReportOrders] = most
		ctx := busy(t, r, orders)
		const asked = 60
		counted, n := ent.CountStatements(ctx)
		errs := make(chan error, asked)
		var wg sync.WaitGroup
		for i := range asked {
			wg.Go(func() {
				_, err := r.Query().SalesReport(counted, 1+i)
				errs <- err
			})
		}
		wg.Wait()
		close(errs)
		read := 0
		for err := range errs {
			switch {
			case err == nil:
				read++
			case !atLimit(err):
				t.Error(err)
			}
		}
		if read < 2 || read > 3 { // a third if the others took 12 seconds
			t.Errorf("%d reports of %d orders were read, of %d that may be", read, orders, most)
		}
		if want := uint64(asked + 2*read); n.N() != want {
			t.Errorf("%d statements, want %d: those that are refused read the store alone", n.N(), want)
		}
		if _, err := r.Query().SalesReport(busy(t, r, 1), 90); err != nil {
			t.Errorf("another store: %v", err)
		}
	})
}

// A report is charged by the rows that it reads, whatever they contain.
func TestReportCountsWhatItReads(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		r := graphtest.NewCore(t, s)
		ctx := busy(t, r, 2000)
		if s.Dialect() == "mysql" {
			got := graphtest.Reads(t, ctx, r, func(ctx context.Context) {
				graphtest.Must[*model.SalesReport](t)(r.Query().SalesReport(ctx, 90))
			})
			if got < 2000 || got > 2000+5*90 {
				t.Errorf("%d rows were read, of 2000 orders in 90 days", got)
			}
		}
		for _, tc := range []struct{ most, reports int }{{400, 1}, {4000, 2}, {20_000, 10}} {
			t.Run(fmt.Sprint(tc.most), func(t *testing.T) {
				r := graphtest.NewCore(t, s)
				r.Limits[limit.ReportOrders] = int64(tc.most)
				n := 0
				for n < 50 {
					if _, err := r.Query().SalesReport(ctx, 1+n%2); err != nil {
						if !atLimit(err) {
							t.Error(err)
						}
						break
					}
					n++
				}
				if n < tc.reports || n > tc.reports+2 {
					t.Errorf("%d reports of 2000 orders, want %d", n, tc.reports)
				}
			})
		}
	})
}

// A caller that stops waiting takes no turn.
func TestReportTurn(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		for range 3 {
			if _, err := r.Query().SalesReport(gone, 1); err == nil {
				t.Error("a report without a store")
			}
		}
		if _, err := r.Query().SalesReport(ctx, 90); err != nil {
			t.Error(err)
		}
	})
}
