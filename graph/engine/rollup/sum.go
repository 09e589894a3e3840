package rollup

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Sum is the number and the total of orders. Amounts are summed in two parts, so that no 64-bit sum
// of a database can overflow, whatever the amounts are.
type Sum struct {
	// Orders is the number of orders without canceled ones.
	Orders int64
	// High is the sum of their totals without the lowest [Low] bits, Rest the sum of these bits.
	High, Rest int64
}

// Low is the number of low bits that are summed apart.
const Low = 20

// Span is a range of times, without its end.
type Span struct{ From, To micros.Time }

const (
	// maxRelay is how many events of a store may wait for the relay, and maxLive how many intervals
	// may be pending. Beyond that, reports read orders only.
	maxRelay, maxLive = 1000, 150
	// maxParts is how many ranges one statement reads; SQLite allows 500.
	maxParts = 400
)

// Sums returns the sums of a store's orders in consecutive spans of time, including orders written
// a moment ago, and the number of rows read.
func Sums(ctx context.Context, s *ent.Store, store xid.ID, spans []Span) (all []Sum, read int64, err error) {
	// The stale intervals are read before the sums: those summed up meanwhile are right in both.
	live, ok, err := stale(ctx, s, store, Span{spans[0].From, spans[len(spans)-1].To})
	if err != nil {
		return nil, 0, fmt.Errorf("read stale sales sums: %w", err)
	}
	var list []part
	for i, span := range spans {
		if !ok {
			list = append(list, part{i, span, true})
			continue
		}
		list = span.split(list, i, live)
	}
	return sums(ctx, s, store, len(spans), list)
}

// stale returns the beginnings of the intervals within a span whose rows are not up to date. It
// returns false if they are unknown or too many. It is one statement, which sees one state of the
// database.
func stale(ctx context.Context, s *ent.Store, store xid.ID, span Span) (live []micros.Time, ok bool, err error) {
	const waits, pending, walked = 0, 1, 2
	text := fmt.Sprintf("SELECT %d, e.type, e.resource_id FROM (SELECT id FROM outbox WHERE bucket = ? AND store_id = ? "+
		"LIMIT %d) o LEFT JOIN events e ON e.store_id = ? AND e.id = o.id "+
		"UNION ALL SELECT %d, NULL, p.id FROM (SELECT id FROM sales_pendings WHERE store_id = ? AND id >= ? AND id < ? "+
		"LIMIT %d) p UNION ALL SELECT %d, NULL, id FROM sales_walks WHERE store_id = ? AND id = ? AND done = ?",
		waits, maxRelay+1, pending, maxLive+1, walked)
	relay, known := 0, true
	err = ent.Read(ctx, s.DB(ctx), func(rows *stdsql.Rows) error {
		var what int
		var kind *string
		var id *xid.ID
		if err := rows.Scan(&what, &kind, &id); err != nil {
			return err
		}
		switch {
		case what == walked:
			ok = true
		case id == nil: // the event is gone
			known = false
		case what == pending || Counts(event.Type(*kind)):
			live = append(live, beginOf(id.Time()))
		}
		if what == waits {
			relay++
		}
		return nil
	}, text, bucket.Of(store), store, store, store, xid.First(beginOf(span.From)), xid.First(span.To),
		store, store, true)
	slices.Sort(live)
	live = slices.Compact(live)
	return live, ok && known && relay <= maxRelay && len(live) <= maxLive, err
}

type part struct {
	of int // the index of the span
	Span
	orders bool // read orders, not sums of intervals
}

// split appends the parts of a span: orders where an interval is live or partial, sums in between.
func (s Span) split(list []part, of int, live []micros.Time) []part {
	add := func(from, to micros.Time, orders bool) {
		if from = max(from, s.From); from >= min(to, s.To) {
			return
		}
		to = min(to, s.To)
		if last := len(list) - 1; last >= 0 && list[last].of == of && list[last].orders == orders {
			list[last].To = to
			return
		}
		list = append(list, part{of, Span{from, to}, orders})
	}
	at := beginOf(s.From)
	if at < s.From {
		add(at, at+width, true)
		at += width
	}
	whole := beginOf(s.To)
	for _, begin := range live {
		if begin >= at && begin < whole {
			add(at, begin, false)
			add(begin, begin+width, true)
			at = begin + width
		}
	}
	add(at, whole, false)
	add(max(at, whole), s.To, true)
	return list
}

// sums adds up the parts of n spans, and returns the number of rows read.
func sums(ctx context.Context, s *ent.Store, store xid.ID, n int, list []part) (all []Sum, read int64, err error) {
	of := func(table string) string {
		return " FROM " + table + ent.IndexHint(s.Dialect(), table, ent.Primary) + " WHERE store_id = ? AND id >= ? AND id < ?"
	}
	orders := fmt.Sprintf("SELECT ?, COUNT(*), COALESCE(SUM(status <> ?), 0), "+
		"COALESCE(SUM((status <> ?) * (total_minor >> %d)), 0), COALESCE(SUM((status <> ?) * (total_minor & %d)), 0)",
		Low, 1<<Low-1) + of("orders")
	kept := "SELECT ?, COUNT(*), COALESCE(SUM(orders), 0), COALESCE(SUM(total_high), 0), COALESCE(SUM(total_low), 0)" +
		of("sales_intervals")
	canceled := string(state.OrderCancelled)
	all = make([]Sum, n)
	for some := range slices.Chunk(list, maxParts) {
		texts, args := make([]string, len(some)), make([]any, 0, 7*len(some))
		for i, p := range some {
			texts[i], args = kept, append(args, p.of)
			if p.orders {
				texts[i], args = orders, append(args, canceled, canceled, canceled)
			}
			args = append(args, store, xid.First(p.From), xid.First(p.To))
		}
		err = ent.Read(ctx, s.DB(ctx), func(rows *stdsql.Rows) error {
			var of int
			var count int64
			var sum Sum
			err := rows.Scan(&of, &count, &sum.Orders, &sum.High, &sum.Rest)
			read += count
			all[of] = Sum{all[of].Orders + sum.Orders, all[of].High + sum.High, all[of].Rest + sum.Rest}
			return err
		}, strings.Join(texts, " UNION ALL "), args...)
		if err != nil {
			return nil, read, fmt.Errorf("sum up sales: %w", err)
		}
	}
	return all, read, nil
}
