package export

import (
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// column is a column of the rows of T, or all columns of an address.
type column[T any] struct {
	name string // for an address, the prefix of its columns
	cell func([]byte, T) []byte
	// address is used instead of cell if it is set.
	address func(T) document.Address
}

// addressColumns are the members of an address, in the order of its cells.
var addressColumns = [...]string{
	"name", "company", "line1", "line2", "city", "region", "postal_code", "country", "phone",
}

// Columns returns the columns of a kind's CSV file. Orders have one row for each line item, which
// repeats the columns of the order; tags and addresses are JSON.
func Columns(kind state.ExportKind) []string {
	switch kind {
	case state.ExportOrders:
		return slices.Concat(names(orderColumns), names(lineColumns), names(laterOrderColumns),
			names(laterLineColumns), names(newestOrderColumns))
	case state.ExportProducts:
		return names(productColumns)
	case state.ExportCustomers:
		return names(customerColumns)
	case state.ExportWebhookAttempts:
		return names(attemptColumns)
	}
	return nil
}

func names[T any](columns []column[T]) []string {
	var list []string
	for _, c := range columns {
		if c.address == nil {
			list = append(list, c.name)
			continue
		}
		for _, part := range addressColumns {
			list = append(list, c.name+part)
		}
	}
	return list
}

// cells appends the cells of the columns.
func cells[T any](b []byte, columns []column[T], row T) (_ []byte, err error) {
	for i := range columns {
		if c := &columns[i]; c.address == nil {
			b = c.cell(b, row)
		} else if b, err = address(b, c.address(row)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// orderHead appends the order's cells that precede the line's.
func orderHead(b []byte, o *db.Order) ([]byte, error) { return cells(b, orderColumns, o) }

// orderTail appends the order's cells that follow the line's.
func orderTail(b []byte, columns []column[*db.Order], o *db.Order) []byte {
	for i := range columns {
		b = columns[i].cell(b, o)
	}
	return b
}

// orderLine appends the cells of a line. None of its columns is an address.
func orderLine(b []byte, columns []column[*db.OrderLine], l *db.OrderLine) []byte {
	for i := range columns {
		b = columns[i].cell(b, l)
	}
	return b
}

// noLine appends empty cells instead of those of a line.
func noLine(b []byte, columns []column[*db.OrderLine]) []byte {
	for range columns {
		b = append(b, ',')
	}
	return b
}

// productRow appends a row. None of its columns is an address.
func productRow(b []byte, p *db.Product) []byte {
	for i := range productColumns {
		b = productColumns[i].cell(b, p)
	}
	return end(b)
}

// attemptRow appends a row. None of its columns is an address.
func attemptRow(b []byte, a *wire.WebhookAttempt) []byte {
	for i := range attemptColumns {
		b = attemptColumns[i].cell(b, a)
	}
	return end(b)
}

func customerRow(b []byte, c *db.Customer, currency string) ([]byte, error) {
	b, err := cells(b, customerColumns, customer{c, currency})
	if err != nil {
		return nil, err
	}
	return end(b), nil
}
