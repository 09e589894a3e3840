package baseline

import (
	"cmp"
	"database/sql"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/paymentsettings"
	"github.com/storefront-go/storefront/ent/db/shippingcountry"
	"github.com/storefront-go/storefront/ent/db/shippingzone"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/taxsettings"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// placedCart is what is read of a cart.
type placedCart struct {
	id      xid.ID
	version int64
	email   string
	address []byte
	rate    string
	payment string
}

// placedLine is what is read of a line and of its product.
type placedLine struct {
	id, product xid.ID
	quantity    int64
	added       int64
	title       string
	sku         sql.NullString
	unit        int64
	weight      sql.NullInt64
	ships       bool
}

// unread stands for a column that nobody needs here.
type unread struct{}

// Scan implements [sql.Scanner].
func (unread) Scan(any) error { return nil }

// pick puts the destinations of some columns at their places.
func pick(columns []string, into map[string]any) []any {
	list := make([]any, len(columns))
	for i, c := range columns {
		if list[i] = into[c]; list[i] == nil {
			list[i] = unread{}
		}
	}
	return list
}

func storeFields(into map[string]any) []any { return pick(store.Columns, into) }

// one reads one row.
func (p *placement) one(text string, args []any, fields []any) error {
	return p.Store.Raw().QueryRowContext(p.ctx, text, args...).Scan(fields...)
}

// many reads rows; got hears of each.
func (p *placement) many(text string, args []any, fields []any, got func() error) error {
	rows, err := p.Store.Raw().QueryContext(p.ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		if err := got(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// look reads what the order is made of, before the transaction and in the service's order.
func (p *placement) look() error {
	t, of := &p.sql.place, p.store[:]
	c := &p.cart
	if err := p.one(t.cart, []any{p.token[:], p.now, of}, pick(cart.Columns, map[string]any{"id": &c.id,
		"version": &c.version, "email": &c.email, "address": &c.address, "rate_id": &c.rate,
		"payment": &c.payment})); err != nil {
		return err
	}
	if err := p.one(t.store, []any{of, of}, storeFields(map[string]any{"currency": &p.currency,
		"language": &p.language})); err != nil {
		return err
	}
	return errors.Join(p.readLines(), p.readTerms(), p.countNews(), p.one(t.customer, []any{c.email, of},
		pick(customer.Columns, map[string]any{"id": &p.customer})))
}

// readLines reads the lines, in the order in which they were added, and their products.
func (p *placement) readLines() error {
	var l placedLine
	err := p.many(p.sql.place.lines, []any{p.cart.id[:], p.store[:]}, pick(cartline.Columns, map[string]any{"id": &l.id,
		"product_id": &l.product, "quantity": &l.quantity, "added_at": &l.added}), func() error {
		p.lines = append(p.lines, l)
		return nil
	})
	if err != nil {
		return err
	}
	if len(p.lines) != placedLines {
		return errors.New("the baseline places carts of three lines")
	}
	slices.SortFunc(p.lines, func(a, b placedLine) int {
		return cmp.Or(cmp.Compare(a.added, b.added), a.id.Compare(b.id))
	})
	args := make([]any, 0, placedLines+1)
	for i := range p.lines {
		args = append(args, p.lines[i].product[:])
	}
	var r productRow
	return p.many(p.sql.place.products, append(args, p.store[:]), r.fields(), func() error {
		if r.status != "active" || r.currency != p.currency || r.options != nil {
			return errors.New("the baseline sells active products without options")
		}
		for i := range p.lines {
			if l := &p.lines[i]; l.product == r.id {
				l.title, l.sku, l.unit, l.weight, l.ships = r.title, r.sku, r.price, r.weight, r.ships
			}
		}
		return nil
	})
}

// readTerms reads the tax, the shipping rate that was chosen, and whether the way to pay is
// offered.
func (p *placement) readTerms() error {
	t, of := &p.sql.place, p.store[:]
	var doc []byte
	if err := p.one(t.taxes, []any{of, of}, pick(taxsettings.Columns, map[string]any{
		"prices_include_tax": &p.tax.Included, "rates": &doc})); err != nil {
		return err
	}
	taxes, err := document.TaxRates(doc).List()
	if err != nil {
		return err
	}
	for _, r := range taxes {
		p.tax.Rates = append(p.tax.Rates, price.TaxRate{Country: r.Country, Name: r.Name, BasisPoints: r.BasisPoints,
			Shipping: r.Shipping})
	}
	address, err := document.Address(p.cart.address).Fields()
	if err != nil {
		return err
	}
	var zone xid.ID
	if err := p.one(t.countries, []any{address.Country, "*", of},
		pick(shippingcountry.Columns, map[string]any{"zone_id": &zone})); err != nil {
		return err
	}
	if err := p.one(t.zone, []any{zone[:], of}, pick(shippingzone.Columns, map[string]any{"rates": &doc})); err != nil {
		return err
	}
	rates, err := document.ShippingRates(doc).List()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(rates, func(r document.ShippingRate) bool { return r.ID == p.cart.rate })
	if i < 0 {
		return errors.New("the shipping rate of the cart is gone")
	}
	p.rate = rates[i]
	return p.readMethods()
}

func (p *placement) readMethods() error {
	t, of := &p.sql.place, p.store[:]
	var doc []byte
	if err := p.one(t.methods, []any{of, of}, pick(paymentsettings.Columns, map[string]any{
		"methods": &doc})); err != nil {
		return err
	}
	methods, err := document.PaymentMethods(doc).List()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(methods, func(m document.PaymentMethod) bool {
		return m.Active && string(m.Kind) == p.cart.payment
	}) {
		return errors.New("the way to pay is not offered")
	}
	return nil
}
