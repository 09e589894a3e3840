package report

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/model"
)

// maxReport is how many days a report covers.
const maxReport = 90

// SalesReport counts and sums the orders of each of the last days, including today, in the store's
// time zone. Canceled orders are left out. It fails with LimitReached when the store's reports have
// read as many orders as allowed.
func (q Query) SalesReport(ctx context.Context, days int) (*model.SalesReport, error) {
	return q.salesUntil(ctx, time.Now(), days)
}

// salesUntil returns the report as of a time.
func (q Query) salesUntil(ctx context.Context, now time.Time, days int) (*model.SalesReport, error) {
	if days < 1 || days > maxReport {
		return nil, &fault.Error{Kind: fault.InvalidParameter, Detail: "The number of days is not between 1 and 90.",
			Fields: []fault.Field{{Parameter: "days", Code: fault.OutOfRange, Detail: "From 1 to 90."}}}
	}
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	s, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return nil, fmt.Errorf("sales report: %w", err)
	}
	list := lastDays(now.In(zone), days)
	report := &model.SalesReport{Currency: s.Currency, Timezone: s.Timezone}
	err = q.metered(ctx, s, func() (read int64, err error) {
		report.Days, read, err = q.sales(ctx, s.ID, list)
		return read, err
	})
	if err != nil {
		return nil, core.Explain("sales report", err)
	}
	return report, nil
}

// day is one calendar day, from its first microsecond to the last one before the next day.
type day struct {
	date       string
	first, end micros.Time
}

// lastDays returns n days, oldest first. The last one is the day of now.
func lastDays(now time.Time, n int) []day {
	list := make([]day, n)
	year, month, date := now.Date()
	for i := range list {
		d := date - n + 1 + i
		list[i] = day{time.Date(year, month, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
			midnight(year, month, d, now.Location()), midnight(year, month, d+1, now.Location())}
	}
	return list
}

// midnight returns the instant at which a calendar day begins. [time.Date] does not guarantee that
// for a zone that changes its clocks at midnight, where 0:00 exists twice or not at all. So it
// searches for the first second of the date.
func midnight(year int, month time.Month, date int, zone *time.Location) micros.Time {
	const reach = 30 * 60 * 60 // in seconds; no zone is further from UTC
	utc := time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	year, month, date = utc.Date()
	from := utc.Unix() - reach
	n := sort.Search(2*reach, func(i int) bool {
		y, m, d := time.Unix(from+int64(i), 0).In(zone).Date()
		return y > year || y == year && (m > month || m == month && d >= date)
	})
	return micros.Of(time.Unix(from+int64(n), 0))
}

// sales reads the sales of each day, and returns how many rows it read.
func (r *Resolver) sales(
	ctx context.Context, store xid.ID, list []day,
) (sold []*model.SalesDay, read int64, err error) {
	spans := make([]rollup.Span, len(list))
	for i, d := range list {
		spans[i] = rollup.Span{From: d.first, To: d.end}
	}
	sums, read, err := rollup.Sums(ctx, r.Store, store, spans)
	if err != nil {
		return nil, read, err
	}
	for i, sum := range sums {
		high := sum.High + sum.Rest>>rollup.Low
		if high > currency.MaxMinor>>rollup.Low {
			return nil, read, core.TooLarge("total of " + list[i].date)
		}
		sold = append(sold, &model.SalesDay{Date: list[i].date, Orders: sum.Orders,
			TotalMinor: high<<rollup.Low | sum.Rest&(1<<rollup.Low-1)})
	}
	return sold, read, nil
}
