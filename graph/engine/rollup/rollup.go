// Package rollup keeps what the orders of every store come to, so that a report need not
// read them.
//
// The orders of a quarter of an hour have a row with their sums: any time zone of today is
// a number of quarters away from UTC, so the days of each are made of whole ones. Three
// things say what the rows lack, and a report reads the orders of those quarters instead:
//
//   - The transaction of an order writes its event and a place in the outbox.
//   - The transaction that takes the event out of the outbox notes the order's quarter as
//     pending ([Mark]). In whatever order transactions commit, none is missed: there is no
//     position in the log that a late one could lie behind.
//   - The [Keeper] reads what is pending, then the orders, and then writes their sums where
//     nothing was noted since. Done twice it comes to the same.
//
// So a quarter that is neither pending nor has an event in the outbox has a row that is
// right. That holds for a store once all it had before was noted, too, which is a walk over
// its orders.
package rollup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// width is how long an interval is.
const width = micros.Time(15 * time.Minute / time.Microsecond)

// beginOf is when the interval of a time begins.
func beginOf(t micros.Time) micros.Time { return t - t%width }

// interval is the id of the row that an order belongs to.
func interval(order xid.ID) xid.ID { return xid.First(beginOf(order.Time())) }

// Counts reports whether an event of an order changes what its interval comes to. The total
// of an order never changes, and what is refunded is not taken off.
func Counts(kind event.Type) bool { return kind == event.OrderCreated || kind == event.OrderCancelled }

// Sale names an order of a store.
type Sale struct{ Store, Order xid.ID }

// marked is of how many intervals one statement takes note.
const marked = 200

// Mark notes, in the transaction of ctx, that the intervals of some orders are to be summed
// up again.
func Mark(ctx context.Context, s *ent.Store, sales ...Sale) error {
	sales = slices.Clone(sales) // a transaction may run again
	for i, sale := range sales {
		sales[i].Order = interval(sale.Order)
	}
	// In the order of the key, as everybody who writes several of them.
	slices.SortFunc(sales, func(a, b Sale) int {
		if c := a.Store.Compare(b.Store); c != 0 {
			return c
		}
		return a.Order.Compare(b.Order)
	})
	tail := " ON CONFLICT (store_id, id) DO UPDATE SET token = ?"
	if s.Dialect() == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE token = ?"
	}
	token := xid.New()
	for some := range slices.Chunk(slices.Compact(sales), marked) {
		args := make([]any, 0, 3*len(some)+1)
		for _, sale := range some {
			args = append(args, sale.Store, sale.Order, token)
		}
		_, err := s.DB(ctx).ExecContext(ctx, "INSERT INTO sales_pendings (store_id, id, token) VALUES (?, ?, ?)"+
			strings.Repeat(", (?, ?, ?)", len(some)-1)+tail, append(args, token)...)
		if err != nil {
			return fmt.Errorf("note for the sums of sales: %w", err)
		}
	}
	return nil
}

// Restart lets the walk over a store's orders begin again, in the transaction of ctx: for an
// event whose order is not known. Until its end reports read orders.
func Restart(ctx context.Context, s *ent.Store, store xid.ID) error {
	_, err := s.DB(ctx).ExecContext(ctx, "UPDATE sales_walks SET done = ?, behind = ?, token = ? "+
		"WHERE store_id = ? AND id = ?", false, xid.Nil, xid.New(), store, store)
	if err != nil {
		return fmt.Errorf("begin the sums of sales again: %w", err)
	}
	return nil
}
