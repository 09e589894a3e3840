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
	s := &Sale{}
	for i := range 2 + random.IntN(3) {
		it := item{gross: random.Int64N(5000), line: &db.OrderLine{ID: xid.New(), Quantity: 1 + random.Int64N(5)}}
		for range random.IntN(3) {
			tax := random.Int64N(1 + it.gross/3)
			it.taxes = append(it.taxes, itemTax{base: it.gross - tax, amount: tax})
		}
		if i == 0 {
			it.gross++
		}
		s.items = append(s.items, it)
	}
	s.items[len(s.items)-1].line = nil
	return s
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
	for _, p := range s.refund(amount, named) {
		for i := range s.items {
			if p.item == &s.items[i] {
				minor[i] = p.minor
			}
		}
		for _, t := range p.taxes {
			s.taxBack += t.amount
		}
	}
	return minor
}

// Tax returns the tax of the order, and what was refunded of it.
func (s *Sale) Tax() (all, back int64) {
	for _, it := range s.items {
		for _, t := range it.taxes {
			all += t.amount
		}
	}
	return all, s.taxBack
}
