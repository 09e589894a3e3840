package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	stores "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Days begin by the store's local time, also when clocks change.
func TestLastDays(t *testing.T) {
	for _, tc := range []struct {
		zone, now string
		n         int
		want      []string // first instants in UTC, followed by the end
	}{
		{zone: "UTC", now: "2026-03-01T00:00:00Z", n: 2,
			want: []string{"2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"}},
		// 29 March has 23 hours and 25 October has 25.
		{zone: "Europe/Berlin", now: "2026-03-30T10:00:00+02:00", n: 3,
			want: []string{"2026-03-27T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z",
				"2026-03-30T22:00:00Z"}},
		{zone: "Europe/Berlin", now: "2026-10-25T23:59:59+01:00", n: 2,
			want: []string{"2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}},
		{zone: "Asia/Kolkata", now: "2026-01-01T00:10:00+05:30", n: 2,
			want: []string{"2025-12-30T18:30:00Z", "2025-12-31T18:30:00Z", "2026-01-01T18:30:00Z"}},
		// The clocks of Cairo go from 0:00 to 1:00, those of Havana from 1:00 back to 0:00, those
		// of Beirut from 0:00 back to 23:00; Apia skipped a day.
		{zone: "Africa/Cairo", now: "2026-04-24T12:00:00+03:00", n: 1,
			want: []string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"}},
		{zone: "America/Havana", now: "2026-11-01T12:00:00-05:00", n: 1,
			want: []string{"2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"}},
		{zone: "Asia/Beirut", now: "2026-10-25T12:00:00+02:00", n: 1,
			want: []string{"2026-10-24T22:00:00Z", "2026-10-25T22:00:00Z"}},
		{zone: "Pacific/Apia", now: "2011-12-31T12:00:00+14:00", n: 2,
			want: []string{"2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"}},
	} {
		t.Run(tc.zone+" "+tc.now, func(t *testing.T) {
			zone := graphtest.Must[*time.Location](t)(time.LoadLocation(tc.zone))
			now := graphtest.Must[time.Time](t)(time.Parse(time.RFC3339, tc.now)).In(zone)
			list := report.LastDays(now, tc.n)
			var got []string
			for i, d := range list {
				got = append(got, time.UnixMicro(int64(d.First())).UTC().Format(time.RFC3339))
				if i > 0 && list[i-1].End() != d.First() {
					t.Errorf("%s does not begin where the day before ends", d.Date())
				}
			}
			got = append(got, time.UnixMicro(int64(list[tc.n-1].End())).UTC().Format(time.RFC3339))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if want := now.Format(time.DateOnly); list[tc.n-1].Date() != want {
				t.Errorf("the last day is %s, want %s", list[tc.n-1].Date(), want)
			}
		})
	}
}

// sold inserts an order at a time plus some microseconds.
func sold(
	t testing.TB, ctx context.Context, r *graph.Resolver, at string, micro int, total int64, status state.OrderStatus,
) {
	t.Helper()
	when := graphtest.Must[micros.Time](t)(micros.Parse(at)) + micros.Time(micro)
	graphtest.Plant(t, ctx, r, 1, func(_ int, o *db.OrderCreate) xid.ID {
		o.SetTotalMinor(total).SetStatus(status)
		return xid.At(when)
	})
}

// inZone sets the time zone of the store of ctx.
func inZone(t testing.TB, ctx context.Context, r *graph.Resolver, zone string) {
	t.Helper()
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.Client(ctx).Store.Update().Where(stores.ID(viewer.From(ctx).Store)).SetTimezone(zone).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// reportAt returns the report of three days as of a time.
func reportAt(t testing.TB, ctx context.Context, r *graph.Resolver, now string) (*model.SalesReport, error) {
	t.Helper()
	at := graphtest.Must[time.Time](t)(time.Parse(time.RFC3339, now))
	return report.Query{Resolver: report.New(r.Core, report.Engines{})}.SalesUntil(ctx, at, 3)
}

// Orders count for the days of the store's local time, exact to the microsecond, also when clocks
// change. Canceled ones and those of other stores do not count.
func TestSalesReport(t *testing.T) {
	for _, tc := range []struct {
		zone, now string
		// from is when the three days begin, followed by their end.
		from [4]string
		days [3]string
	}{
		{zone: "Asia/Kolkata", now: "2026-07-01T20:00:00Z",
			from: [4]string{"2026-06-29T18:30:00Z", "2026-06-30T18:30:00Z", "2026-07-01T18:30:00Z",
				"2026-07-02T18:30:00Z"},
			days: [3]string{"2026-06-30", "2026-07-01", "2026-07-02"}},
		{zone: "Europe/Berlin", now: "2026-03-30T08:00:00Z",
			from: [4]string{"2026-03-27T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z",
				"2026-03-30T22:00:00Z"},
			days: [3]string{"2026-03-28", "2026-03-29", "2026-03-30"}},
		{zone: "Europe/Berlin", now: "2026-10-26T08:00:00Z",
			from: [4]string{"2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z",
				"2026-10-26T23:00:00Z"},
			days: [3]string{"2026-10-24", "2026-10-25", "2026-10-26"}},
	} {
		t.Run(tc.zone+" "+tc.now, func(t *testing.T) {
			graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
				inZone(t, ctx, r, tc.zone)
				want := &model.SalesReport{Currency: "EUR", Timezone: tc.zone}
				sold(t, ctx, r, tc.from[0], -1, 1_000_000, state.OrderOpen)
				for i, date := range tc.days {
					sold(t, ctx, r, tc.from[i], 0, 100, state.OrderOpen)
					sold(t, ctx, r, tc.from[i+1], -1, 20, state.OrderCompleted)
					sold(t, ctx, r, tc.from[i], 1, 5000, state.OrderCancelled)
					want.Days = append(want.Days, &model.SalesDay{Date: date, Orders: 2, TotalMinor: 120})
				}
				sold(t, ctx, r, tc.from[3], 0, 1_000_000, state.OrderOpen)
				other, _ := storetest.Merchant(t, r.Store)
				sold(t, graphtest.As(other, viewer.Owner), r, tc.from[1], 0, 900, state.OrderOpen)
				counted, n := ent.CountStatements(ctx)
				if d := cmp.Diff(want,
					graphtest.Must[*model.SalesReport](t)(reportAt(t, counted, r, tc.now))); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if n.N() != 3 {
					t.Errorf("%d statements, want the store, what the sums lack and one for all days", n.N())
				}
			})
		})
	}
}

func TestSalesReportDays(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		all := graphtest.Must[*model.SalesReport](t)(r.Query().SalesReport(ctx, report.MaxReport))
		if len(all.Days) != report.MaxReport {
			t.Errorf("%d days", len(all.Days))
		}
		for _, days := range []int{0, -1, 91} {
			if _, err := r.Query().SalesReport(ctx, days); graphtest.FaultOf(err) != "invalid_parameter" ||
				graphtest.FieldOf(err) != "days out_of_range" {
				t.Errorf("%d days: %v", days, err)
			}
		}
	})
}

// A day's total is exact up to the largest amount, and refused above it, also where 64 bits would
// overflow.
func TestSalesReportSums(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		const now = "2026-07-01T12:00:00Z"
		sold(t, ctx, r, now, 0, currency.MaxMinor-5, state.OrderOpen)
		sold(t, ctx, r, now, 0, 5, state.OrderOpen)
		got := graphtest.Must[*model.SalesReport](t)(reportAt(t, ctx, r, now))
		if day := got.Days[2]; day.TotalMinor != currency.MaxMinor || day.Orders != 2 {
			t.Errorf("got %+v, want a total of %d", day, int64(currency.MaxMinor))
		}
		sold(t, ctx, r, now, 0, 1, state.OrderOpen)
		if _, err := reportAt(t, ctx, r, now); graphtest.FaultOf(err) != "amount_too_large" {
			t.Errorf("one too much: %v", err)
		}
		at := graphtest.Must[micros.Time](t)(micros.Parse(now))
		graphtest.Plant(t, ctx, r, 1100, func(_ int, o *db.OrderCreate) xid.ID {
			o.SetTotalMinor(currency.MaxMinor)
			return xid.At(at)
		})
		if _, err := reportAt(t, ctx, r, now); graphtest.FaultOf(err) != "amount_too_large" {
			t.Errorf("more than 64 bits: %v", err)
		}
	})
}
