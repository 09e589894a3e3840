package storefront

import (
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// words are what the service itself says on a storefront.
type words struct {
	home, search, notFound, products string
	sorts                            [5]string // in the order of sorts
}

// sorts are the orders of lists.
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

// WordSearch is what the storefront calls its search.
func (st *State) WordSearch() string { return wordsOf[st.Language].search }

// WordNotFound is what the storefront says where there is nothing.
func (st *State) WordNotFound() string { return wordsOf[st.Language].notFound }

// WordProducts is what the storefront calls the list of all its products.
func (st *State) WordProducts() string { return wordsOf[st.Language].products }

// WordSort is what the storefront calls an order of lists.
func (st *State) WordSort(by listings.Sort) string {
	for i, s := range sorts {
		if s == by {
			return wordsOf[st.Language].sorts[i]
		}
	}
	return ""
}

// PriceNote says in the language of the store whether its prices include tax and, where something
// is shipped, that shipping comes on top; "" where there is nothing to say.
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
