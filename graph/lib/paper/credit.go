package paper

import (
	"slices"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Refund is what a credit note credits.
type Refund struct {
	AmountMinor int64
	// Lines are the units that it is for; none for a sum. Earlier are the units of each line that were
	// refunded before.
	Lines   []document.Line
	Earlier map[string]int64
	// Paid says that money is paid back. Otherwise it was never paid.
	Paid bool
}

// Credit returns the credit note of a refund on an invoice with a number, after earlier credit notes. It
// returns nil if nothing is left to credit. All credit notes together never exceed the invoice, nor the
// tax of a group, and when everything is credited they add up to it.
func Credit(by Issuer, number string, bill *document.InvoiceFields, before []*document.InvoiceFields, r Refund,
) *document.InvoiceFields {
	c := *bill
	by.sign(&c)
	c.Invoice, c.InvoiceDate, c.Note, c.Bank = number, bill.Date, by.SellerFields.CreditNote, ""
	rest, left := remaining(bill, before)
	r.AmountMinor = min(r.AmountMinor, left)
	if r.AmountMinor <= 0 {
		return nil
	}
	if c.PaidMinor, c.PaidOn = 0, ""; r.Paid {
		c.PaidMinor, c.PaidOn = r.AmountMinor, c.Date
	}
	c.TotalMinor = r.AmountMinor
	switch {
	case r.AmountMinor == bill.TotalMinor: // all of it at once
		c.Groups = slices.Clone(rest)
	case !units(&c, rest, r):
		sums(&c, rest, r)
	}
	c.TaxMinor = 0
	for _, g := range c.Groups {
		c.TaxMinor += g.TaxMinor
	}
	c.NetMinor = c.TotalMinor - c.TaxMinor
	return &c
}

// remaining returns what earlier credit notes left of the groups of an invoice, and its sum.
func remaining(bill *document.InvoiceFields, before []*document.InvoiceFields) (rest []document.TaxGroup, left int64) {
	left = bill.TotalMinor
	for i, g := range bill.Groups {
		g.Taxes = slices.Clone(g.Taxes)
		for _, b := range before {
			g.NetMinor -= b.Groups[i].NetMinor
			g.TaxMinor -= b.Groups[i].TaxMinor
			for j := range g.Taxes {
				g.Taxes[j].BaseMinor -= b.Groups[i].Taxes[j].BaseMinor
				g.Taxes[j].AmountMinor -= b.Groups[i].Taxes[j].AmountMinor
			}
		}
		rest = append(rest, g)
	}
	for _, b := range before {
		left -= b.TotalMinor
	}
	return rest, left
}

// gross returns the amount of a group with its tax.
func gross(g document.TaxGroup) int64 { return g.NetMinor + g.TaxMinor }

// units credits units of lines, if they are worth just what is refunded and are still to be credited.
func units(c *document.InvoiceFields, rest []document.TaxGroup, r Refund) bool {
	worth := make([]document.TaxGroup, len(rest))
	var lines []document.InvoiceLine
	for _, part := range r.Lines {
		at := slices.IndexFunc(c.Lines, func(l document.InvoiceLine) bool { return l.LineID == part.LineID })
		if at < 0 {
			return false
		}
		l := c.Lines[at]
		of := func(minor int64) int64 {
			return price.Refund(minor, l.Quantity, r.Earlier[part.LineID], part.Quantity)
		}
		whole := of(l.NetMinor + l.TaxMinor)
		l.TaxMinor, l.DiscountMinor = of(l.TaxMinor), of(l.DiscountMinor)
		l.NetMinor, l.Quantity = whole-l.TaxMinor, part.Quantity
		if l.AmountMinor = l.NetMinor; c.Included {
			l.AmountMinor = whole
		}
		worth[l.Group].NetMinor += l.NetMinor
		worth[l.Group].TaxMinor += l.TaxMinor
		lines = append(lines, l)
	}
	sum := int64(0)
	for i, g := range worth {
		if g.NetMinor < 0 || g.NetMinor > rest[i].NetMinor || g.TaxMinor > rest[i].TaxMinor {
			return false
		}
		sum += gross(g)
	}
	if sum != r.AmountMinor {
		return false
	}
	c.Lines, c.Shipping = lines, nil
	c.Groups = make([]document.TaxGroup, len(rest))
	for i, g := range worth {
		c.Groups[i] = portion(rest[i], g.NetMinor, g.TaxMinor)
	}
	return true
}

// sums credits a sum, in one line for each group: of the named lines if they are worth as much, or else
// of all that is left.
func sums(c *document.InvoiceFields, rest []document.TaxGroup, r Refund) {
	weights, named := make([]int64, len(rest)), int64(0)
	for _, part := range r.Lines {
		for _, l := range c.Lines {
			if l.LineID == part.LineID {
				weights[l.Group] += l.NetMinor + l.TaxMinor
			}
		}
	}
	for i, g := range rest {
		weights[i] = min(weights[i], gross(g))
		named += weights[i]
	}
	if named < r.AmountMinor {
		for i, g := range rest {
			weights[i] = gross(g)
		}
	}
	title := phrase.In(c.Language).Say(phrase.PartOfInvoice, c.Invoice)
	c.Lines, c.Shipping, c.Groups = nil, nil, make([]document.TaxGroup, len(rest))
	for i, amount := range price.Spread(r.AmountMinor, weights) {
		tax := price.Refund(rest[i].TaxMinor, gross(rest[i]), 0, amount)
		c.Groups[i] = portion(rest[i], amount-tax, tax)
		if amount == 0 {
			continue
		}
		l := document.InvoiceLine{Title: title, Quantity: 1, UnitMinor: amount - tax, NetMinor: amount - tax,
			TaxMinor: tax, Group: i}
		if c.Included {
			l.UnitMinor = amount
		}
		l.AmountMinor = l.UnitMinor
		c.Lines = append(c.Lines, l)
	}
}

// portion returns a part of a group, whose taxes have parts in the same proportion.
func portion(of document.TaxGroup, net, tax int64) document.TaxGroup {
	amounts, whole := make([]int64, len(of.Taxes)), gross(of)
	for i, t := range of.Taxes {
		amounts[i] = t.AmountMinor
	}
	parts := price.Spread(tax, amounts)
	list := slices.Clone(of.Taxes)
	for i := range list {
		list[i].BaseMinor = price.Refund(list[i].BaseMinor, whole, 0, net+tax)
		list[i].AmountMinor = parts[i]
	}
	of.NetMinor, of.TaxMinor, of.Taxes = net, tax, list
	return of
}
