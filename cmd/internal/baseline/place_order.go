package baseline

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/price"
	"github.com/storefront-go/storefront/graph/selling"
)

// compute makes the rows of the order. A sum other than the one that the shopper agreed to
// is an error.
func (p *placement) compute(number int64) error {
	address, err := document.Address(p.cart.address).Fields()
	if err != nil {
		return err
	}
	in := price.Cart{Tax: p.tax, To: price.Place{Country: address.Country}, Shipping: selling.CartRate(p.rate)}
	for i := range p.lines {
		l := &p.lines[i]
		in.Lines = append(in.Lines, price.Line{UnitMinor: l.unit, Quantity: l.quantity, Product: l.product,
			WeightGrams: l.weight.Int64})
	}
	sums, err := price.Compute(in)
	if err != nil {
		return err
	}
	if sums.TotalMinor != p.total {
		return errors.New("the prices have changed")
	}
	id := xid.New()
	at := int64(id.Time())
	p.order = orderRow{id: id, storeID: p.store, version: 1, sequence: 1, updatedAt: at, number: number,
		status: "open", financial: "pending", goods: "unfulfilled", currency: p.currency,
		subtotal: sums.SubtotalMinor, discount: sums.DiscountMinor, shipping: sums.ShippingMinor, tax: sums.TaxMinor,
		total: sums.TotalMinor, customer: p.customer[:], email: text(p.cart.email), billing: p.cart.address,
		shippingAddress: p.cart.address, tags: []byte("[]"), source: "storefront", placedAt: at,
		includedTax: sql.NullInt64{Int64: sums.IncludedTaxMinor, Valid: true}, cart: p.cart.id[:],
		rate: text(p.rate.Name), method: text(p.cart.payment), lang: text(p.language)}
	for i, l := range p.lines {
		a := sums.Lines[i]
		p.order.lines = append(p.order.lines, lineRow{id: xid.New(), storeID: p.store, orderID: id, position: int64(i),
			product: p.lines[i].product[:], title: l.title, sku: l.sku, ships: l.ships, quantity: l.quantity,
			unit:     l.unit,
			discount: a.DiscountMinor, tax: a.TaxMinor, total: a.TotalMinor})
	}
	return nil
}

func text(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }

// byKey is the lines in the order of their products' keys, in which stock is taken.
func (p *placement) byKey() []placedLine {
	return slices.SortedFunc(slices.Values(p.lines), func(a, b placedLine) int { return a.product.Compare(b.product) })
}

// placedArgs are the arguments with which a new order is inserted.
func (o *orderRow) placedArgs() []any {
	return []any{o.storeID[:], o.version, o.sequence, o.updatedAt, o.number, o.status, o.financial, o.goods, o.currency,
		o.subtotal, o.discount, o.shipping, o.tax, o.total, o.paid, o.refunded, o.customer, o.email, o.billing,
		o.shippingAddress, o.notes, o.tags, o.source, o.placedAt, o.includedTax, o.cart, o.rate, o.method, o.lang,
		o.id[:]}
}

// placedArgs are the arguments with which a new line is inserted.
func (l *lineRow) placedArgs() []any {
	return []any{l.storeID[:], l.id[:], l.orderID[:], l.position, l.product, l.variant, l.options, l.title, l.sku,
		l.quantity, l.unit, l.discount, l.tax, l.total, l.ships}
}
