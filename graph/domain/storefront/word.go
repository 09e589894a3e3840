package storefront

import (
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

var sortKeys = map[listings.Sort]phrase.Key{
	listings.Newest: phrase.SortNewest, listings.PriceUp: phrase.SortPriceUp, listings.PriceDown: phrase.SortPriceDown,
	listings.Title: phrase.SortTitle, listings.Manual: phrase.SortManual,
}

// Say returns a text in the language of the store.
func (st *State) Say(k phrase.Key) string { return phrase.In(st.Language).Say(k) }

// WordSort returns the name of a sort order.
func (st *State) WordSort(by listings.Sort) string { return st.Say(sortKeys[by]) }

// PriceNote says, in the store's language, whether prices include tax and, for items that are
// shipped, that shipping is extra. It returns "" if there is nothing to say.
func (st *State) PriceNote(ships bool) string {
	var key phrase.Key
	switch {
	case st.Taxed && st.TaxIncluded && ships:
		key = phrase.PricesWithTax
	case st.Taxed && st.TaxIncluded:
		key = phrase.PricesWithTaxAlone
	case st.Taxed && ships:
		key = phrase.PricesPlusTax
	case st.Taxed:
		key = phrase.PricesPlusTaxAlone
	case ships:
		key = phrase.PricesPlusShipping
	default:
		return ""
	}
	return st.Say(key)
}
