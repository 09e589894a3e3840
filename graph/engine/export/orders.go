package export

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// orders emits a batch of orders. Lines that are not in the orders' rows are read as a stream.
func (s *source) orders(ctx context.Context, after *xid.ID, b *builder) (last *xid.ID, n int, err error) {
	query := s.store.DB(ctx).Order.Query()
	query.Modify(s.next(after))
	rows, err := query.Load(ctx)
	if err != nil {
		return after, 0, fmt.Errorf("read orders: %w", err)
	}
	if len(rows) == 0 {
		return after, 0, nil
	}
	slices.SortFunc(rows, func(a, b *db.Order) int { return a.ID.Compare(b.ID) }) // rows of several ranges
	w := &orderWriter{source: s, builder: b, orders: rows}
	if rest := lineset.Lacking(rows); len(rest) > 0 {
		if err := w.lines(ctx, rest); err != nil {
			return after, 0, err
		}
	}
	for len(w.orders) > 0 {
		if err := w.flush(); err != nil {
			return after, 0, err
		}
	}
	return &rows[len(rows)-1].ID, len(rows), nil
}

// orderWriter joins orders with the stream of their lines, both in key order.
type orderWriter struct {
	*source
	*builder
	orders []*db.Order // not written yet
	gather []*db.OrderLine
	pool   []*db.OrderLine
	packed lineset.Unpacker
	// head and tail are the cells of an order before and after the first ones of its lines, and custom those
	// of its custom fields.
	head, tail, custom []byte
}

const lineColumnList = "order_id, id, product_id, title, sku, quantity, fulfilled_quantity, refunded_quantity," +
	" unit_price_minor, discount_minor, tax_minor, total_minor, variant_id, options, requires_shipping"

// lines reads the lines of the given orders and writes each order once its lines are complete.
func (w *orderWriter) lines(ctx context.Context, of []xid.ID) error {
	query, args := w.query(of)
	rows, err := w.store.DB(ctx).QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read lines: %w", err)
	}
	defer rows.Close()
	var l db.OrderLine
	into := scanner(&l)
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("read a line: %w", err)
		}
		if err := w.take(&l); err != nil {
			return err
		}
	}
	return fault.Wrap("read lines", rows.Err())
}

// query selects the lines by the range of the orders' ids, or by the ids if it has other orders.
func (w *orderWriter) query(of []xid.ID) (string, []any) {
	var q strings.Builder
	q.WriteString("SELECT " + lineColumnList + " FROM order_lines" +
		ent.IndexHint(w.store.Dialect(), "order_lines", ent.Primary))
	q.WriteString(" WHERE store_id = ? AND order_id ")
	args := []any{w.job.StoreID}
	if len(w.filters()) == 0 && len(w.ids) == 0 && len(of) == len(w.orders) {
		q.WriteString("BETWEEN ? AND ?")
		args = append(args, of[0], of[len(of)-1])
	} else {
		q.WriteString("IN (?" + strings.Repeat(", ?", len(of)-1) + ")")
		for _, id := range of {
			args = append(args, id)
		}
	}
	q.WriteString(" ORDER BY order_id, position")
	return q.String(), args
}

func scanner(l *db.OrderLine) []any {
	return []any{&l.OrderID, &l.ID, cell.PointerOf(&l.ProductID), (*cell.Text[string])(&l.Title), cell.TextOf(&l.Sku),
		(*cell.Int64)(&l.Quantity), (*cell.Int64)(&l.FulfilledQuantity), (*cell.Int64)(&l.RefundedQuantity),
		(*cell.Int64)(&l.UnitPriceMinor), (*cell.Int64)(&l.DiscountMinor), (*cell.Int64)(&l.TaxMinor),
		(*cell.Int64)(&l.TotalMinor), cell.PointerOf(&l.VariantID), (*cell.Bytes)(&l.Options),
		(*cell.Flag)(&l.RequiresShipping)}
}

// take adds a line to its order; earlier orders are complete then. It skips lines of orders that
// entered the range after the orders were read.
func (w *orderWriter) take(l *db.OrderLine) error {
	for len(w.orders) > 0 && w.orders[0].ID.Compare(l.OrderID) < 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.orders) == 0 || w.orders[0].ID != l.OrderID {
		return nil
	}
	if len(w.pool) == 0 {
		w.pool = append(w.pool, new(db.OrderLine))
	}
	kept := w.pool[len(w.pool)-1]
	w.pool = w.pool[:len(w.pool)-1]
	*kept = *l
	w.gather = append(w.gather, kept)
	return nil
}

// flush writes the first order with the gathered lines.
func (w *orderWriter) flush() error {
	o := w.orders[0]
	w.orders = w.orders[1:]
	lines := w.gather
	if lineset.Holds(o) {
		var err error
		if lines, err = w.packed.Unpack(o.StoreID, o.ID, o.LineSet); err != nil {
			return fmt.Errorf("write %s: %w", o.PublicID(), err)
		}
	}
	rows := 1
	if w.row == nil {
		w.body = append(wire.AppendOrder(w.body, o, len(lines), func(i int) *db.OrderLine { return lines[i] }),
			'\n')
	} else {
		rows = max(1, len(lines))
		w.cells(o, lines)
		if w.row.err != nil {
			return fmt.Errorf("write %s: %w", o.PublicID(), w.row.err)
		}
	}
	w.pool = append(w.pool, w.gather...)
	w.gather = w.gather[:0]
	return w.added(rows)
}

// cells writes the rows of an order: one for each line, or one without a line.
func (w *orderWriter) cells(o *db.Order, lines []*db.OrderLine) {
	r, first := w.row, columnsOf(w.row, lineColumns, sheetLines)
	later := columnsOf(r, laterLineColumns, nil)
	w.head = cells(r, w.head[:0], columnsOf(r, orderColumns, sheetOrders), o)
	w.tail = cells(r, w.tail[:0], columnsOf(r, laterOrderColumns, nil), o)
	w.custom = r.values(w.custom[:0], o.CustomFields)
	for i := range max(1, len(lines)) {
		var l line
		if len(lines) > 0 {
			l = line{lines[i], o.Currency}
		}
		w.body = append(w.line(append(w.body, w.head...), first, l), w.tail...)
		w.body = cells(r, w.line(w.body, later, l), columnsOf(r, newestOrderColumns, nil), o)
		w.body = end(append(w.body, w.custom...))
	}
}

// line appends the cells of a line, which are empty if there is none.
func (w *orderWriter) line(b []byte, columns []column[line], l line) []byte {
	if l.OrderLine == nil {
		return append(b, bytes.Repeat([]byte{w.row.separator}, len(columns))...)
	}
	return cells(w.row, b, columns, l)
}
