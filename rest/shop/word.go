package shop

import (
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// wordKeys maps the names in templates to the texts of every page; never changed.
var wordKeys = map[string]phrase.Key{
	"account":        phrase.Account,
	"add_to_cart":    phrase.AddToCart,
	"ask":            phrase.Ask,
	"back":           phrase.ContinueShopping,
	"cart":           phrase.Cart,
	"coming_soon":    phrase.ComingSoon,
	"description":    phrase.Description,
	"in_stock":       phrase.InStock,
	"information":    phrase.Information,
	"item_number":    phrase.ItemNumber,
	"type":           phrase.Kind,
	"least_price":    phrase.LeastPrice,
	"maker":          phrase.Maker,
	"menu":           phrase.Menu,
	"most_price":     phrase.MostPrice,
	"next":           phrase.Next,
	"not_found":      phrase.PageNotFound,
	"not_found_text": phrase.NotFoundText,
	"nothing_found":  phrase.FoundNothing,
	"pages":          phrase.Pages,
	"previous":       phrase.Previous,
	"price":          phrase.Price,
	"products":       phrase.Products,
	"quantity":       phrase.Quantity,
	"related":        phrase.Related,
	"safety":         phrase.Safety,
	"search":         phrase.Search,
	"search_hint":    phrase.SearchHint,
	"search_more":    phrase.SearchMore,
	"see_all":        phrase.SeeAll,
	"show":           phrase.Show,
	"show_all":       phrase.ShowAll,
	"skip":           phrase.SkipToContent,
	"sold_out":       phrase.SoldOut,
	"sort":           phrase.SortedBy,
	"top":            phrase.BackToTop,
}

// productKeys are the texts of a product, where templates see nothing else.
var productKeys = map[string]phrase.Key{
	"before":   phrase.PriceBefore,
	"in_stock": phrase.InStock,
	"now":      phrase.PriceNow,
	"sale":     phrase.Sale,
	"sold_out": phrase.SoldOut,
}

func words(st *storefront.State) map[string]any {
	t := phrase.In(st.Language)
	all := said(t, wordKeys)
	all["newest"], all["prices_in"] = st.WordSort(listings.Newest), t.Say(phrase.PricesIn, st.Currency)
	return all
}

func said(t *phrase.Texts, keys map[string]phrase.Key) map[string]any {
	all := make(map[string]any, len(keys))
	for name, key := range keys {
		all[name] = t.Say(key)
	}
	return all
}

type productWords struct {
	*phrase.Texts
	beside map[string]any
}

func wordsOf(st *storefront.State) productWords {
	t := phrase.In(st.Language)
	return productWords{t, said(t, productKeys)}
}

// price adds a price to the data of a product. If it varies, price is the lowest.
func (w productWords) price(of map[string]any, minor, before, lowest int64, currency string, varies bool) {
	text := w.Money(minor, currency)
	of["words"], of["price"], of["price_text"], of["price_varies"] = w.beside, text, text, varies
	if varies {
		of["price_text"] = w.Say(phrase.PriceFrom, text)
	}
	of["on_sale"], of["compare_at_price"], of["lowest_price_text"] = before > 0, nil, nil
	if before > 0 {
		of["compare_at_price"] = w.Money(before, currency)
	}
	if lowest > 0 {
		of["lowest_price_text"] = w.Say(phrase.LowestPrice, w.Money(lowest, currency))
	}
}
