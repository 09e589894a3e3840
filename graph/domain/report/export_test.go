package report

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// Exports for the tests in package report_test.
const (
	LinkLife  = linkLife
	MaxReport = maxReport
)

var LastDays = lastDays

func (d day) First() micros.Time { return d.first }
func (d day) End() micros.Time   { return d.end }
func (d day) Date() string       { return d.date }

// SalesUntil returns the report as of a time.
func (q Query) SalesUntil(ctx context.Context, now time.Time, days int) (*model.SalesReport, error) {
	return q.salesUntil(ctx, now, days)
}

// Sale is an order whose refunds are divided.
type Sale struct {
	sale
	taxBack int64
}

// RandomSale returns an order of one to three taxed lines and shipping.
func RandomSale(random *rand.Rand) *Sale {
	o := &db.Order{ID: xid.New(), ShippingMinor: random.Int64N(5000)}
	var lines []*db.OrderLine
	for range 1 + random.IntN(3) {
		l := &db.OrderLine{ID: xid.New(), Quantity: 1 + random.Int64N(5), UnitPriceMinor: 1 + random.Int64N(1000)}
		l.TaxMinor = random.Int64N(1 + l.UnitPriceMinor*l.Quantity/3)
		l.TotalMinor = l.UnitPriceMinor*l.Quantity + l.TaxMinor
		o.TotalMinor, o.TaxMinor = o.TotalMinor+l.TotalMinor, o.TaxMinor+l.TaxMinor
		lines = append(lines, l)
	}
	s, err := newSale(o, lines)
	if err != nil {
		panic(err)
	}
	return &Sale{sale: *s}
}

// Total returns the sum of the items.
func (s *Sale) Total() (sum int64) {
	for _, it := range s.items {
		sum += it.gross
	}
	return sum
}

// Worth returns what more units of a line are worth.
func (s *Sale) Worth(line int, units int64) int64 {
	it := s.items[line]
	return min(price.Refund(it.gross, it.line.Quantity, it.backQty, units), it.gross-it.back)
}

// Refund returns what a refund for units of a line takes of each item.
func (s *Sale) Refund(line int, units, amount int64) []int64 {
	named := []document.Line{{LineID: xid.OrderLine.Format(s.items[line].line.ID), Quantity: units}}
	minor := make([]int64, len(s.items))
	r := s.refund(amount, named)
	for _, p := range r.parts {
		for i := range s.items {
			if p.item == &s.items[i] {
				minor[i] = p.minor
			}
		}
	}
	for _, t := range r.taxes {
		s.taxBack += t.tax
	}
	return minor
}

// Tax returns the tax of the order, and what was refunded of it.
func (s *Sale) Tax() (all, back int64) {
	return s.bill.TaxMinor, s.taxBack
}
