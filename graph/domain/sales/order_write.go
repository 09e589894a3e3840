package sales

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// The statements that every order runs are written as SQL: other orders wait for its transaction,
// and a statement builder costs more time than the database. Each statement names the viewer's
// store.
const (
	insertLines = "INSERT INTO order_lines (store_id, id, order_id, position, product_id, variant_id, options, title, " +
		"sku, quantity, fulfilled_quantity, refunded_quantity, unit_price_minor, discount_minor, tax_minor, " +
		"total_minor, requires_shipping) VALUES "
	insertedLine = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?)"
	lineArgs     = 15

	// touched raises updated_at as core.Touched does.
	touched = "version = version + 1, updated_at = CASE WHEN updated_at > ? THEN updated_at + ? ELSE ? END"

	// moveStock adds to the stock of a product. A null sum stays null.
	moveStock = "UPDATE products SET " + touched + ", inventory_quantity = inventory_quantity + ? " +
		"WHERE store_id = ? AND id = ? AND "
	orderCounted = "UPDATE customers SET " + touched + ", orders_count = orders_count + 1, last_order_at = CASE WHEN " +
		"last_order_at >= ? THEN last_order_at ELSE ? END WHERE store_id = ? AND id = ? AND status <> ?"
)

// place gives the lines of a new order their ids and positions.
func place(ctx context.Context, order xid.ID, lines []*db.OrderLine) error {
	store, err := rule.Stamp(ctx)
	for i, l := range lines {
		l.ID, l.StoreID, l.OrderID, l.Position = xid.New(), store, order, i
	}
	return err
}

// insertLines writes the lines of an order, which have ids and positions.
func (m Mutation) insertLines(ctx context.Context, lines []*db.OrderLine) error {
	args := make([]any, 0, lineArgs*len(lines))
	for _, l := range lines {
		var options any
		if l.Options != nil {
			options = []byte(l.Options)
		}
		args = append(args, l.StoreID, l.ID, l.OrderID, l.Position, l.ProductID, l.VariantID, options, l.Title, l.Sku,
			l.Quantity, l.UnitPriceMinor, l.DiscountMinor, l.TaxMinor, l.TotalMinor, l.RequiresShipping)
	}
	text := insertLines + insertedLine + strings.Repeat(", "+insertedLine, len(lines)-1)
	_, err := m.Client(ctx).ExecContext(ctx, text, args...)
	return err
}

// touch returns the arguments of [touched].
func touch(now micros.Time) []any {
	const later = micros.Time(outbox.Spread)
	return []any{now - later, later, now}
}

// run executes a statement of the viewer's store, whose id precedes the last arguments, and returns
// the number of changed rows.
func (m Mutation) run(ctx context.Context, text string, args []any, last ...any) (int, error) {
	store, err := rule.Stamp(ctx)
	if err != nil {
		return 0, err
	}
	done, err := m.Client(ctx).ExecContext(ctx, text, append(append(args, store), last...)...)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}
