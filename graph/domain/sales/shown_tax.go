package sales

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// ShownTax is a tax as shoppers see it.
type ShownTax struct {
	Label string
	Minor int64
}

// ShownTaxes are the taxes of a cart or an order as shoppers see them.
type ShownTaxes struct {
	// ShippingMinor is the price of shipping as the store entered it.
	ShippingMinor int64
	// Added are part of the total beside the prices, Included are part of the prices. Neither has
	// taxes of 0, but Added has the reason why a buyer pays none.
	Added, Included []ShownTax
}

var reliefTexts = map[state.TaxRelief]phrase.Key{
	state.TaxReverseCharge: phrase.ReverseCharge,
	state.TaxExemptBuyer:   phrase.TaxExempt,
}

// Shown returns the taxes with names and rates. Where they are not known, it returns their sum,
// and for a relieved buyer the reason.
func Shown(
	texts *phrase.Texts, s price.Sums, taxes []document.OrderTax, relief *state.TaxRelief,
) (shown ShownTaxes) {
	if relief != nil {
		shown.ShippingMinor, shown.Added = s.ShippingMinor, []ShownTax{{texts.Say(reliefTexts[*relief]), 0}}
		return shown
	}
	if len(taxes) == 0 {
		shipping, added, included := price.ShownTax(s.ShippingMinor, s.TaxMinor, s.IncludedTaxMinor)
		shown.ShippingMinor = shipping
		shown.add(added, texts.Say(phrase.Tax), false)
		shown.add(included, texts.Say(phrase.TaxIncluded), true)
		return shown
	}
	shown.ShippingMinor = s.ShippingMinor
	if !taxes[0].Included {
		shown.ShippingMinor -= s.IncludedTaxMinor // the tax on shipping
	}
	for _, t := range taxes {
		label := t.Name + " " + texts.Percent(t.Rate)
		if t.Included {
			label = texts.Say(phrase.TaxIncluded) + " (" + label + ")"
		}
		shown.add(t.AmountMinor, label, t.Included)
	}
	return shown
}

func (s *ShownTaxes) add(minor int64, label string, included bool) {
	switch {
	case minor == 0:
	case included:
		s.Included = append(s.Included, ShownTax{label, minor})
	default:
		s.Added = append(s.Added, ShownTax{label, minor})
	}
}

// ShownOfOrder returns the taxes of an order.
func ShownOfOrder(texts *phrase.Texts, o *db.Order) (ShownTaxes, error) {
	sums := price.Sums{ShippingMinor: o.ShippingMinor, TaxMinor: o.TaxMinor}
	if o.IncludedTaxMinor != nil {
		sums.IncludedTaxMinor = *o.IncludedTaxMinor
	}
	taxes, err := o.Taxes.List()
	return Shown(texts, sums, taxes, o.TaxRelief), err
}
