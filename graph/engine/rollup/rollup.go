// Package rollup keeps sums of the orders of every store, so that reports need not read the orders.
//
// There is a row of sums for every quarter of an hour with orders: every current time zone is a
// multiple of a quarter from UTC, so its days consist of whole quarters. A report reads the orders
// of those quarters whose row may be out of date, which follows from:
//
//   - The transaction of an order writes its event and an outbox row.
//   - The transaction that takes the event out of the outbox marks the order's quarter as pending
//     ([Mark]). No event is missed in whatever order transactions commit, since there is no
//     position in the log that a late one could be behind.
//   - The [Keeper] reads the pending quarters, then their orders, and then writes the sums of those
//     that were not marked since. It is idempotent.
//
// So the row of a quarter is right if the quarter is neither pending nor has an event in the
// outbox. For a store, this holds once all its older orders were marked by a walk over them.
package rollup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const width = micros.Time(15 * time.Minute / time.Microsecond)

func beginOf(t micros.Time) micros.Time { return t - t%width }

// Counts reports whether an event of an order changes the sums of its interval. The total of an
// order never changes, and refunds are not subtracted.
func Counts(kind event.Type) bool { return kind == event.OrderCreated || kind == event.OrderCancelled }

// Sale identifies an order of a store.
type Sale struct{ Store, Order xid.ID }

const markBatch = 200

// Mark marks the intervals of some orders as pending, in the transaction of ctx.
func Mark(ctx context.Context, s *ent.Store, sales ...Sale) error {
	sales = slices.Clone(sales) // a transaction may run again
	for i, sale := range sales {
		sales[i].Order = xid.First(beginOf(sale.Order.Time()))
	}
	// In the order of the key, like every statement that writes several of them.
	slices.SortFunc(sales, func(a, b Sale) int {
		return cmp.Or(a.Store.Compare(b.Store), a.Order.Compare(b.Order))
	})
	tail := " ON CONFLICT (store_id, id) DO UPDATE SET token = ?"
	if s.Dialect() == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE token = ?"
	}
	token := xid.New()
	for some := range slices.Chunk(slices.Compact(sales), markBatch) {
		args := make([]any, 0, 3*len(some)+1)
		for _, sale := range some {
			args = append(args, sale.Store, sale.Order, token)
		}
		_, err := s.DB(ctx).ExecContext(ctx, "INSERT INTO sales_pendings (store_id, id, token) VALUES (?, ?, ?)"+
			strings.Repeat(", (?, ?, ?)", len(some)-1)+tail, append(args, token)...)
		if err != nil {
			return fmt.Errorf("mark sales intervals: %w", err)
		}
	}
	return nil
}

// Restart restarts the walk over a store's orders, in the transaction of ctx, after an event whose
// order is unknown. Until the walk ends, reports read orders.
func Restart(ctx context.Context, s *ent.Store, store xid.ID) error {
	_, err := s.DB(ctx).ExecContext(ctx, "UPDATE sales_walks SET done = ?, behind = ?, token = ? "+
		"WHERE store_id = ? AND id = ?", false, xid.Nil, xid.New(), store, store)
	return fault.Wrap("restart the walk of sales sums", err)
}
