package stock

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
)

// Pause is the least time between two events of a variant. An event reports all changes of a pause.
const Pause = time.Second

// Reports says whether the transaction of ctx may lead to inventory.changed. A program of an earlier
// release would neither know the event nor mark what it changes. Custom fields came with the same
// release.
func Reports(ctx context.Context) bool { return ent.Writes(ctx, ent.CustomFields) }

// mark notes that an event has to report the stock of variants. A mark that waits already stays. The
// rows of the products are locked, so nobody deletes it meanwhile.
func (k Keeper) mark(ctx context.Context, s *db.Store, list []Move) error {
	if !s.StockEvents || len(list) == 0 || !Reports(ctx) {
		return nil
	}
	list = slices.SortedFunc(slices.Values(list), func(a, b Move) int {
		return cmp.Or(a.Product.Compare(b.Product), a.Variant.Compare(b.Variant))
	})
	list = slices.CompactFunc(list, func(a, b Move) bool { return a.Variant == b.Variant })
	tail := " ON CONFLICT DO NOTHING"
	if k.Store.Dialect() == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE due_at = due_at"
	}
	due := micros.Now().Add(Pause)
	for some := range slices.Chunk(list, markBatch) {
		args := make([]any, 0, 4*len(some))
		for _, m := range some {
			args = append(args, s.ID, m.Product, m.Variant, due)
		}
		_, err := k.Store.DB(ctx).ExecContext(ctx, "INSERT INTO inventory_marks (store_id, product_id, id, due_at) VALUES "+
			"(?, ?, ?, ?)"+strings.Repeat(", (?, ?, ?, ?)", len(some)-1)+tail, args...)
		if err != nil {
			return fault.Wrap("mark changed stock", err)
		}
	}
	return nil
}

const markBatch = 200
