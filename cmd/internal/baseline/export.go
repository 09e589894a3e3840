package baseline

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
)

// cell is a column of the orders' CSV: of the order's row, or of a line in it, and how it
// is written.
type cell struct {
	column string
	write  func(b, v []byte) []byte
	line   func(b []byte, l *db.OrderLine) []byte
}

// number is a column of a line.
func number(of func(l *db.OrderLine) int64) func(b []byte, l *db.OrderLine) []byte {
	return func(b []byte, l *db.OrderLine) []byte { return strconv.AppendInt(b, of(l), 10) }
}

func productOf(b []byte, l *db.OrderLine) []byte {
	if l.ProductID == nil {
		return b
	}
	return xid.Product.Append(b, *l.ProductID)
}

func variantOf(b []byte, l *db.OrderLine) []byte {
	if id := cmp.Or(l.VariantID, l.ProductID); id != nil {
		return xid.Variant.Append(b, *id)
	}
	return b
}

func skuOf(b []byte, l *db.OrderLine) []byte {
	if l.Sku == nil {
		return b
	}
	return quoted(b, []byte(*l.Sku))
}

// exported are the columns of the file; an address takes nine of its.
var exported = []cell{
	{column: "o.id", write: public(xid.Order)}, {column: "o.number", write: bare},
	{column: "o.status", write: bare}, {column: "o.financial_status", write: bare},
	{column: "o.fulfillment_status", write: bare}, {column: "o.currency", write: bare},
	{column: "o.subtotal_minor", write: bare}, {column: "o.discount_minor", write: bare},
	{column: "o.shipping_minor", write: bare}, {column: "o.tax_minor", write: bare},
	{column: "o.total_minor", write: bare}, {column: "o.paid_minor", write: bare},
	{column: "o.refunded_minor", write: bare}, {column: "o.customer_id", write: public(xid.Customer)},
	{column: "o.email", write: quoted}, {column: "o.billing_address", write: address},
	{column: "o.shipping_address", write: address}, {column: "o.tags", write: quoted},
	{column: "o.source", write: quoted}, {column: "o.notes_count", write: bare},
	{column: "o.placed_at", write: moment}, {column: "o.paid_at", write: moment},
	{column: "o.fulfilled_at", write: moment}, {column: "o.cancelled_at", write: moment},
	{column: "o.completed_at", write: moment}, {column: "o.version", write: bare},
	{column: "o.id", write: created}, {column: "o.updated_at", write: moment},
	{line: func(b []byte, l *db.OrderLine) []byte { return xid.OrderLine.Append(b, l.ID) }},
	{line: productOf}, {line: func(b []byte, l *db.OrderLine) []byte { return quoted(b, []byte(l.Title)) }},
	{line: skuOf}, {line: number(func(l *db.OrderLine) int64 { return l.Quantity })},
	{line: number(func(l *db.OrderLine) int64 { return l.FulfilledQuantity })},
	{line: number(func(l *db.OrderLine) int64 { return l.RefundedQuantity })},
	{line: number(func(l *db.OrderLine) int64 { return l.UnitPriceMinor })},
	{line: number(func(l *db.OrderLine) int64 { return l.DiscountMinor })},
	{line: number(func(l *db.OrderLine) int64 { return l.TaxMinor })},
	{line: number(func(l *db.OrderLine) int64 { return l.TotalMinor })}, {line: variantOf},
	{line: func(b []byte, l *db.OrderLine) []byte { return listed(b, l.Options) }},
	{column: "o.included_tax_minor", write: bare}, {column: "o.discount_code", write: quoted},
	{column: "o.shipping_method", write: quoted}, {column: "o.payment_method", write: bare},
	{line: func(b []byte, l *db.OrderLine) []byte { return strconv.AppendBool(b, l.RequiresShipping) }},
	{column: "o.external_number", write: quoted},
}

// Export writes a store's orders up to a time as the service's CSV does, the same
// bytes: one streaming query, read without copies, and nothing else. Every order
// has lines.
func Export(ctx context.Context, s *ent.Store, store xid.ID, through micros.Time, w io.Writer) (rows int64, err error) {
	columns := []string{"o.line_set"}
	for _, c := range exported {
		if c.line == nil {
			columns = append(columns, c.column)
		}
	}
	rs, err := s.Raw().QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM orders o"+
		ent.IndexHint(s.Dialect(), "orders", ent.Primary)+
		" WHERE o.store_id = ? AND o.id < ? ORDER BY o.id", store, xid.First(through+1))
	if err != nil {
		return 0, err
	}
	defer rs.Close()
	out := bufio.NewWriterSize(w, 256<<10)
	if _, err := out.WriteString(strings.Join(export.Columns("orders"), ",") + "\r\n"); err != nil {
		return 0, err
	}
	values := make([]sql.RawBytes, len(columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	var b []byte
	for rs.Next() {
		if err := rs.Scan(into...); err != nil {
			return rows, err
		}
		lines, err := lineset.Unpack(store, xid.ID(values[1]), values[0])
		if err != nil {
			return rows, err
		}
		for _, l := range lines {
			b = appendRow(b[:0], values[1:], l)
			if _, err := out.Write(append(b, '\r', '\n')); err != nil {
				return rows, err
			}
			rows++
		}
	}
	if err := rs.Err(); err != nil {
		return rows, fmt.Errorf("read orders: %w", err)
	}
	return rows, out.Flush()
}

// appendRow writes a row of the file: what an order has in its columns, and a line of it.
func appendRow(b []byte, values []sql.RawBytes, l *db.OrderLine) []byte {
	for i, c := range exported {
		if i > 0 {
			b = append(b, ',')
		}
		if c.line != nil {
			b = c.line(b, l)
			continue
		}
		b = c.write(b, values[0])
		values = values[1:]
	}
	return b
}

func bare(b, v []byte) []byte { return append(b, v...) }

func public(k xid.Kind) func(b, v []byte) []byte {
	return func(b, v []byte) []byte {
		if len(v) == 0 {
			return b
		}
		return k.Append(b, xid.ID(v))
	}
}

func created(b, v []byte) []byte { return xid.ID(v).Time().Append(b) }

func moment(b, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	n, _ := strconv.ParseInt(string(v), 10, 64) // a number by the column's type
	return micros.Time(n).Append(b)
}

// listed is [quoted] of a list that is absent where it has no elements.
func listed(b, v []byte) []byte { return quoted(b, appendList(nil, v)) }

// quoted writes a text with the quotes and the apostrophe that it needs.
func quoted(b, v []byte) []byte {
	start, quotes := len(b), false
	if formula(v) {
		b = append(b, '\'')
	}
	for _, c := range v {
		switch c {
		case '"':
			b = append(b, '"')
			quotes = true
		case ',', '\n', '\r':
			quotes = true
		}
		b = append(b, c)
	}
	if !quotes {
		return b
	}
	b = append(b, '"', '"')
	copy(b[start+1:], b[start:len(b)-2])
	b[start] = '"'
	return b
}

func formula(v []byte) bool {
	rest := bytes.TrimLeft(v, "'")
	if len(rest) == 0 || strings.IndexByte("=+-@\t\r", rest[0]) < 0 {
		return false
	}
	sign := rest[0] == '+' || rest[0] == '-'
	return len(rest) < len(v) || !sign || len(bytes.Trim(rest[1:], "0123456789 ()./-")) > 0
}

func address(b, v []byte) []byte {
	if len(v) == 0 {
		return append(b, ",,,,,,,,"...)
	}
	first := true
	_ = document.Address(v).Members(func(value []byte) { // written by the service: it parses
		if !first {
			b = append(b, ',')
		}
		first = false
		b = quoted(b, value)
	})
	return b
}
