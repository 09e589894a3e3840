package storefront

import (
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// words are the service's own texts on a storefront.
type words struct {
	home, search, notFound, products string
	sorts                            [5]string // in the order of the variable sorts
}

// sorts are the sort orders of lists.
var sorts = [...]listings.Sort{listings.Newest, listings.PriceUp, listings.PriceDown, listings.Title, listings.Manual}

var wordsOf = map[state.Language]words{
	state.English: {home: "Home", search: "Search", notFound: "Page not found", products: "Products",
		sorts: [5]string{"Newest", "Price, low to high", "Price, high to low", "Title", "Recommended"}},
	state.German: {home: "Startseite", search: "Suche", notFound: "Seite nicht gefunden", products: "Produkte",
		sorts: [5]string{"Neueste", "Preis aufsteigend", "Preis absteigend", "Titel", "Empfohlen"}},
	state.French: {home: "Accueil", search: "Recherche", notFound: "Page introuvable", products: "Produits",
		sorts: [5]string{"Nouveautés", "Prix croissant", "Prix décroissant", "Titre", "Recommandé"}},
	state.Spanish: {home: "Inicio", search: "Buscar", notFound: "Página no encontrada", products: "Productos",
		sorts: [5]string{"Novedades", "Precio ascendente", "Precio descendente", "Título", "Recomendado"}},
	state.Japanese: {home: "ホーム", search: "検索", notFound: "ページが見つかりません", products: "商品一覧",
		sorts: [5]string{"新着順", "価格の安い順", "価格の高い順", "商品名順", "おすすめ順"}},
	state.Arabic: {home: "الرئيسية", search: "بحث", notFound: "الصفحة غير موجودة", products: "المنتجات",
		sorts: [5]string{"الأحدث", "السعر من الأدنى", "السعر من الأعلى", "العنوان", "موصى به"}},
}

// WordSearch returns the title of the search page.
func (st *State) WordSearch() string { return wordsOf[st.Language].search }

// WordNotFound returns the title of the page for an unknown address.
func (st *State) WordNotFound() string { return wordsOf[st.Language].notFound }

// WordProducts returns the title of the list of all products.
func (st *State) WordProducts() string { return wordsOf[st.Language].products }

// WordSort returns the name of a sort order.
func (st *State) WordSort(by listings.Sort) string {
	for i, s := range sorts {
		if s == by {
			return wordsOf[st.Language].sorts[i]
		}
	}
	return ""
}

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
	return phrase.In(st.Language).Say(key)
}
