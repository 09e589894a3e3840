package baseline

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/export"
)

// cell is a column of the orders' CSV: where its value comes from and how it is
// written.
type cell struct {
	column string
	write  func(b, v []byte) []byte
}

// exported are the columns of the file; an address takes nine of its.
var exported = []cell{
	{"o.id", public(xid.Order)}, {"o.number", bare}, {"o.status", bare}, {"o.financial_status", bare},
	{"o.fulfillment_status", bare}, {"o.currency", bare}, {"o.subtotal_minor", bare}, {"o.discount_minor", bare},
	{"o.shipping_minor", bare}, {"o.tax_minor", bare}, {"o.total_minor", bare}, {"o.paid_minor", bare},
	{"o.refunded_minor", bare}, {"o.customer_id", public(xid.Customer)}, {"o.email", quoted},
	{"o.billing_address", address}, {"o.shipping_address", address}, {"o.tags", quoted}, {"o.source", quoted},
	{"o.notes_count", bare}, {"o.placed_at", moment}, {"o.paid_at", moment}, {"o.fulfilled_at", moment},
	{"o.cancelled_at", moment}, {"o.completed_at", moment}, {"o.version", bare}, {"o.id", created},
	{"o.updated_at", moment}, {"l.id", public(xid.OrderLine)}, {"l.product_id", public(xid.Product)},
	{"l.title", quoted}, {"l.sku", quoted}, {"l.quantity", bare},
	{"l.fulfilled_quantity", bare}, {"l.refunded_quantity", bare}, {"l.unit_price_minor", bare},
	{"l.discount_minor", bare}, {"l.tax_minor", bare}, {"l.total_minor", bare},
	{"COALESCE(l.variant_id, l.product_id)", public(xid.Variant)}, {"l.options", listed},
	{"o.included_tax_minor", bare}, {"o.discount_code", quoted}, {"o.shipping_method", quoted},
	{"o.payment_method", bare}, {"l.requires_shipping", truth},
}

// Export writes a store's orders up to a time as the service's CSV does, the same
// bytes: one streaming query, read without copies, and nothing else. Every order
// has lines.
func Export(ctx context.Context, s *ent.Store, store xid.ID, through micros.Time, w io.Writer) (rows int64, err error) {
	columns := make([]string, len(exported))
	for i, c := range exported {
		columns[i] = c.column
	}
	force, join := "", "JOIN"
	if s.Dialect() == dialect.MySQL {
		force, join = " FORCE INDEX (PRIMARY)", "STRAIGHT_JOIN"
	}
	rs, err := s.Raw().QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM orders o"+force+" "+join+
		" order_lines l"+force+
		" ON l.store_id = o.store_id AND l.order_id = o.id WHERE o.store_id = ? AND o.id < ? ORDER BY o.id, l.position",
		store, xid.First(through+1))
	if err != nil {
		return 0, err
	}
	defer rs.Close()
	out := bufio.NewWriterSize(w, 256<<10)
	if _, err := out.WriteString(strings.Join(export.Columns("orders"), ",") + "\r\n"); err != nil {
		return 0, err
	}
	values := make([]sql.RawBytes, len(exported))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	var b []byte
	for ; rs.Next(); rows++ {
		if err := rs.Scan(into...); err != nil {
			return rows, err
		}
		b = b[:0]
		for i, c := range exported {
			if b = append(b, ','); i == 0 {
				b = b[:0]
			}
			b = c.write(b, values[i])
		}
		if _, err := out.Write(append(b, '\r', '\n')); err != nil {
			return rows, err
		}
	}
	if err := rs.Err(); err != nil {
		return rows, fmt.Errorf("read orders: %w", err)
	}
	return rows, out.Flush()
}

func bare(b, v []byte) []byte { return append(b, v...) }

// truth writes a flag, which SQLite's driver gives as a word and MySQL as a digit.
func truth(b, v []byte) []byte { return strconv.AppendBool(b, string(v) == "1" || string(v) == "true") }

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
	for _, c := range v {
		if c != '\'' {
			return strings.IndexByte("=+-@\t\r", c) >= 0
		}
	}
	return false
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
