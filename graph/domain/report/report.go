package report

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/model"
)

const maxReport = 90

// SalesReport counts and sums the orders of each of the last days, including today, in the store's
// time zone. Canceled orders are left out. It fails with LimitReached when the store's reports have
// read as many orders as allowed.
func (q Query) SalesReport(ctx context.Context, days int) (*model.SalesReport, error) {
	return q.salesUntil(ctx, time.Now(), days)
}

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

func (r *Resolver) sales(
	ctx context.Context, store xid.ID, list []day,
) (sold []*model.SalesDay, read int64, err error) {
	spans := core.Map(list, func(d day) rollup.Span { return rollup.Span{From: d.first, To: d.end} })
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

const (
	// countedCarts is how many carts a conversion covers at most, and countedFor their maximum age:
	// carts are kept no longer.
	countedCarts = 1000
	countedFor   = 30 * 24 * time.Hour
)

// Conversion returns how many of the store's newest carts reached the checkout and became orders.
func (q Query) Conversion(ctx context.Context) (*model.Conversion, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	query := q.Client(ctx).Cart.Query().Where(cart.IDGTE(xid.First(micros.Now().Add(-countedFor))))
	var rows []struct {
		Reached bool `sql:"reached"`
		Ordered bool `sql:"ordered"`
	}
	err := query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) {
		s.OrderBy(sql.Desc(s.C(cart.FieldID))).Limit(countedCarts)
		s.SelectExpr(sql.Expr(s.C(cart.FieldReachedAt)+" IS NOT NULL AS reached"),
			sql.Expr(s.C(cart.FieldOrderID)+" IS NOT NULL AS ordered"))
	}).Scan(ctx, &rows)
	if err != nil {
		return nil, core.Explain("carts", err)
	}
	c := &model.Conversion{Carts: len(rows)}
	for _, row := range rows {
		if row.Reached || row.Ordered {
			c.Checkouts++
		}
		if row.Ordered {
			c.Orders++
		}
	}
	return c, nil
}

// minute is the allowance of a store's reports per minute, in units of 1/60,000 of it.
const minute = 60_000

// meter bounds what the reports of each store read in this process. The cost of a report is known
// only afterwards, so the reports of a store run one at a time, and each may run if any of the
// minute's allowance is left.
type meter struct {
	spent *ratelimit.Limiter[xid.ID]
	mu    sync.Mutex
	turns map[xid.ID]chan struct{} // closed when the store's current report has ended
}

func newMeter() *meter {
	// These constants are valid.
	spent, _ := ratelimit.New[xid.ID](ratelimit.Config{Rate: minute / time.Minute.Seconds(), Burst: minute})
	return &meter{spent: spent, turns: map[xid.ID]chan struct{}{}}
}

// turn waits until no other report of the store is running. Calling end lets the next one begin.
func (m *meter) turn(ctx context.Context, store xid.ID) (end func(), err error) {
	for {
		m.mu.Lock()
		other := m.turns[store]
		if other == nil {
			own := make(chan struct{})
			m.turns[store] = own
			m.mu.Unlock()
			return func() {
				m.mu.Lock()
				delete(m.turns, store)
				m.mu.Unlock()
				close(own)
			}, nil
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// metered runs a report of a store, which returns how many orders it has read. A failed one is
// charged the most that it can have read: all orders that were numbered.
func (r *Resolver) metered(ctx context.Context, s *db.Store, report func() (read int64, err error)) error {
	limits, err := r.LimitsOf(s)
	if err != nil {
		return err
	}
	end, err := r.meter.turn(ctx, s.ID)
	if err != nil {
		return err
	}
	defer end()
	most := limits.Of(limit.ReportOrders)
	if !r.meter.spent.Take(s.ID).OK {
		return core.Reached(limit.ReportOrders, most)
	}
	read, err := report()
	if err != nil {
		read = s.NextNumber
	}
	r.meter.spent.Charge(s.ID, int(minute*min(read, most)/most))
	return err
}
