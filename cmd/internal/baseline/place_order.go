package baseline

import (
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
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
		line := &db.OrderLine{ID: xid.New(), StoreID: p.store, OrderID: id, Position: i, ProductID: &p.lines[i].product,
			Title: l.title, Quantity: l.quantity, UnitPriceMinor: l.unit, DiscountMinor: a.DiscountMinor,
			TaxMinor: a.TaxMinor, TotalMinor: a.TotalMinor, RequiresShipping: l.ships}
		if l.sku.Valid {
			line.Sku = &l.sku.String
		}
		p.order.lines = append(p.order.lines, line)
	}
	p.order.set = lineset.Pack(id, p.order.lines)
	return nil
}

// summary is the text of the notice: what was ordered, as in the service.
func (o *orderRow) summary() string {
	var b strings.Builder
	for _, l := range o.lines {
		b.WriteString(strconv.FormatInt(l.Quantity, 10) + " × " + l.Title + "\n")
	}
	b.WriteString("\nTotal: " + phrase.In(state.English).Money(o.total, o.currency) + ", not paid yet")
	return b.String()
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
		o.set, o.version, o.id[:]}
}
