// Package paper composes invoices and credit notes, and writes them as XML for EN 16931.
//
// An invoice splits what an order costs into amounts without tax and taxes. Its sums are those of the
// order, to the smallest unit.
package paper

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Issuer is the store as its invoices show it.
type Issuer struct {
	document.SellerFields
	VATID, Email string
	// Now is the time of issue, in the store's time zone.
	Now time.Time
	// Language is used for orders without a language of their own.
	Language state.Language
}

// The categories of taxes (UNTDID 5305) that invoices use.
const (
	Standard      = "S"
	ZeroRated     = "Z"
	Exempt        = "E"
	ReverseCharge = "AE"
	Export        = "G"
	NotSubject    = "O"
)

// composer composes the invoice of one order.
type composer struct {
	Issuer
	o     *db.Order
	taxes []document.OrderTax
	// included is the tax in prices and shipping whose parts are not known.
	included int64
	f        *document.InvoiceFields
	keys     []string // of the groups
}

// Compose returns the invoice of an order.
func Compose(by Issuer, o *db.Order, lines []*db.OrderLine) (*document.InvoiceFields, error) {
	c := &composer{Issuer: by, o: o}
	var err error
	if c.taxes, err = o.Taxes.List(); err != nil {
		return nil, err
	}
	if c.f, err = c.head(); err != nil {
		return nil, err
	}
	if len(c.taxes) > 0 {
		c.f.Included = c.taxes[0].Included
	} else if o.IncludedTaxMinor != nil {
		_, _, shown := price.ShownTax(o.ShippingMinor, o.TaxMinor, *o.IncludedTaxMinor)
		c.f.Included, c.included = shown > 0, *o.IncludedTaxMinor
	}
	if err := c.lines(lines); err != nil {
		return nil, err
	}
	for _, g := range c.f.Groups {
		c.f.NetMinor += g.NetMinor
		c.f.TaxMinor += g.TaxMinor
	}
	c.f.TotalMinor = c.f.NetMinor + c.f.TaxMinor
	return c.f, nil
}

// Day writes a day as invoices store it.
func Day(t time.Time) string { return t.Format(time.DateOnly) }

// head returns the invoice without lines and sums.
func (c *composer) head() (*document.InvoiceFields, error) {
	o, zone := c.o, c.Now.Location()
	billing, err := o.BillingAddress.Fields()
	if err != nil {
		return nil, err
	}
	shipping, err := o.ShippingAddress.Fields()
	if err != nil {
		return nil, err
	}
	f := &document.InvoiceFields{Language: c.Language, OrderNumber: strconv.FormatInt(o.Number, 10),
		OrderDate: Day(o.PlacedAt.Time().In(zone)), Buyer: document.Party{Address: cmp.Or(billing, shipping)},
		PaidMinor: o.PaidMinor, Note: c.SellerFields.Note, Bank: c.SellerFields.Bank}
	c.sign(f)
	if o.Language != nil {
		f.Language = *o.Language
	}
	if o.PaidAt != nil {
		f.PaidOn = Day(o.PaidAt.Time().In(zone))
	}
	if o.FulfilledAt != nil {
		f.ShippedOn = Day(o.FulfilledAt.Time().In(zone))
	}
	if o.PaymentMethod != nil {
		f.PaymentMethod = *o.PaymentMethod
	}
	f.Buyer.Email, f.Buyer.VATID = deref(o.Email), deref(o.VatID)
	if a := f.Buyer.Address; a != nil {
		f.Buyer.Name = cmp.Or(deref(a.Company), deref(a.Name))
	}
	return f, nil
}

// sign sets the seller and the day of issue.
func (by *Issuer) sign(f *document.InvoiceFields) {
	s := by.SellerFields
	f.Date = Day(by.Now)
	f.Seller = document.Party{Name: s.Name, Address: &s.Address, VATID: by.VATID, TaxNumber: s.TaxNumber,
		Registration: s.Registration, Email: by.Email}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// lines adds the lines, shipping and the groups of their taxes.
func (c *composer) lines(rows []*db.OrderLine) error {
	items := c.items(rows)
	for i, l := range rows {
		line := document.InvoiceLine{LineID: xid.OrderLine.Format(l.ID), Title: l.Title, SKU: deref(l.Sku),
			Quantity: l.Quantity, UnitMinor: l.UnitPriceMinor, DiscountMinor: l.DiscountMinor,
			AmountMinor: l.UnitPriceMinor*l.Quantity - l.DiscountMinor}
		if l.Options != nil {
			var err error
			if line.Options, err = l.Options.List(); err != nil {
				return err
			}
		}
		c.f.Lines = append(c.f.Lines, c.taxed(line, items[i]))
	}
	if c.o.ShippingMinor > 0 {
		line := c.taxed(document.InvoiceLine{Title: deref(c.o.ShippingMethod)}, items[len(rows)])
		if line.AmountMinor = line.NetMinor; c.f.Included {
			line.AmountMinor += line.TaxMinor
		}
		c.f.Shipping = &line
	}
	if len(c.taxes) == 0 {
		exactRates(c.f.Groups)
	}
	return nil
}

// item is a line or shipping: its price with tax and, if the order does not name its taxes, their sum and
// rate.
type item struct {
	gross, tax, quantity int64
	rate                 string
}

// items returns the lines and, last, shipping.
func (c *composer) items(rows []*db.OrderLine) []item {
	items, amounts := make([]item, len(rows)+1), make([]int64, len(rows)+1)
	for i, l := range rows {
		amounts[i] = l.UnitPriceMinor*l.Quantity - l.DiscountMinor
		items[i] = item{gross: amounts[i], quantity: l.Quantity}
		if !c.f.Included {
			items[i].gross += l.TaxMinor
		}
	}
	amounts[len(rows)] = c.o.ShippingMinor
	items[len(rows)] = item{gross: c.o.ShippingMinor, quantity: 1}
	if len(c.taxes) > 0 {
		return items
	}
	for i, tax := range c.spread(amounts) {
		if items[i].tax = tax; i < len(rows) {
			items[i].tax += rows[i].TaxMinor
		}
	}
	nameRates(items)
	return items
}

// spread returns the parts that lines and, last, shipping have in the included tax whose parts are not
// known.
func (c *composer) spread(amounts []int64) []int64 {
	if c.f.Included {
		return price.Spread(c.included, amounts)
	}
	parts := make([]int64, len(amounts))
	parts[len(parts)-1] = c.included // prices are without tax, so it is all in shipping
	return parts
}

// taxed returns a line with its amount without tax and its tax, and adds these to their group.
func (c *composer) taxed(line document.InvoiceLine, of item) document.InvoiceLine {
	parts, tax := c.parts(line.LineID)
	if of.rate != "" {
		tax = of.tax
		parts = []document.InvoiceTax{{Name: phrase.In(c.f.Language).Say(phrase.Tax), Rate: of.rate,
			BaseMinor: of.gross - tax, AmountMinor: tax}}
	}
	line.TaxMinor, line.NetMinor = tax, of.gross-tax
	line.Group = c.group(parts)
	g := &c.f.Groups[line.Group]
	g.NetMinor += line.NetMinor
	g.TaxMinor += tax
	for i, p := range parts {
		g.Taxes[i].BaseMinor += p.BaseMinor
		g.Taxes[i].AmountMinor += p.AmountMinor
	}
	return line
}

// parts returns what each tax of the order takes of a line, or of shipping, and the sum.
func (c *composer) parts(line string) (list []document.InvoiceTax, sum int64) {
	for _, t := range c.taxes {
		for _, p := range t.Lines {
			if deref(p.LineID) == line {
				list = append(list, document.InvoiceTax{Name: t.Name, Rate: t.Rate, BaseMinor: p.BaseMinor,
					AmountMinor: p.AmountMinor})
				sum += p.AmountMinor
			}
		}
	}
	return list, sum
}

// group returns the index of the group of lines with such taxes, and adds it if it is new.
func (c *composer) group(parts []document.InvoiceTax) int {
	g := document.TaxGroup{Category: c.untaxed(), Rate: "0"}
	for _, p := range parts {
		g.Taxes = append(g.Taxes, document.InvoiceTax{Name: p.Name, Rate: p.Rate})
	}
	if len(parts) > 0 {
		g.Category, g.Rate = Standard, combined(parts)
		if g.Rate == "0" {
			g.Category = ZeroRated
		}
	}
	names := []string{g.Category}
	for _, t := range g.Taxes {
		names = append(names, t.Name, t.Rate)
	}
	key := strings.Join(names, "\n")
	at := slices.Index(c.keys, key)
	if at < 0 {
		at = len(c.keys)
		c.keys, c.f.Groups = append(c.keys, key), append(c.f.Groups, g)
	}
	return at
}

// untaxed returns the category of lines without any tax.
func (c *composer) untaxed() string {
	o := c.o
	switch {
	case o.TaxRelief != nil && *o.TaxRelief == state.TaxReverseCharge:
		return ReverseCharge
	case o.TaxRelief != nil:
		return Exempt
	case c.VATID == "" && o.TaxMinor == 0 && c.included == 0 && len(c.taxes) == 0:
		return NotSubject
	}
	to, err := o.ShippingAddress.Fields()
	if err == nil && to != nil && c.VATID != "" && country.InUnion(c.Address.Country) && !country.InUnion(to.Country) {
		return Export
	}
	return Exempt
}

// combined returns the sum of the rates of a line's taxes in percent. A tax upon others is a share of
// the price with them.
func combined(parts []document.InvoiceTax) string {
	net, whole, hundred := parts[0].BaseMinor, big.NewRat(1, 1), big.NewRat(100, 1)
	for _, p := range parts {
		net = min(net, p.BaseMinor)
	}
	for _, p := range parts {
		share, ok := new(big.Rat).SetString(p.Rate)
		if !ok {
			continue
		}
		if share.Quo(share, hundred); p.BaseMinor > net {
			share.Mul(share, whole)
		}
		whole.Add(whole, share)
	}
	whole.Sub(whole, big.NewRat(1, 1)).Mul(whole, hundred)
	return trim(whole.FloatString(10))
}

// trim removes the trailing zeros of a decimal.
func trim(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
