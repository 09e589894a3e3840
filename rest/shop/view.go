package shop

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// Kinds of pages, as themes name their templates.
const (
	homePage     = "home"
	productPage  = "product"
	searchPage   = "search"
	notFoundPage = "not_found"
	textPage     = "page"
	// productsPage is the list of all products, or a collection.
	productsPage = "products"
	// mapPage, robotsPage and guidePage are for robots; themes have no such templates.
	mapPage    = "sitemap"
	robotsPage = "robots"
	guidePage  = "llms"
)

const (
	productRoot = storefront.ProductRoot
	pageRoot    = storefront.PageRoot
	listRoot    = storefront.CollectionRoot
	searchPath  = storefront.SearchPath
	robotsPath  = "/robots.txt"
	guidePath   = "/llms.txt"
	// These are the paths of rest/checkout.
	cartPath    = "/cart"
	accountPath = "/account"
	findPath    = "/orders/find"
	addPath     = cartPath + "/add"
	// variantParam chooses a variant on the page of a product.
	variantParam = "variant"
	// maxQuestion bounds the search term, in code points, and maxPath the address that a page
	// shows, in bytes.
	maxQuestion = 100
	maxPath     = 256
)

// view is what a request wants to see, in one spelling: equal views are one page.
type view struct {
	kind string
	// arg is the handle of a product or page, the search term, the parameters of a list (for a
	// collection, after its handle and a "?"), a part of the sitemap, or a wrong path. For a chosen
	// variant, its id follows the handle of the product and a "?".
	arg string
}

// viewOf parses an address. Unknown parameters, such as those that track campaigns, are ignored.
func viewOf(u *url.URL) view {
	handle, isProduct := strings.CutPrefix(u.Path, productRoot)
	name, isText := strings.CutPrefix(u.Path, pageRoot)
	list, isList := strings.CutPrefix(u.Path, listRoot)
	part, isMap := partOf(u.Path)
	switch {
	case isMap:
		return view{mapPage, part}
	case u.Path == robotsPath:
		return view{kind: robotsPage}
	case u.Path == guidePath:
		return view{kind: guidePage}
	case isText && isHandle(name):
		return view{textPage, name}
	case u.Path == "/":
		return view{kind: homePage}
	case u.Path == storefront.ProductsPath:
		return view{productsPage, askedOf(u.Query()).query()}
	case isList && isHandle(list):
		return view{productsPage, list + "?" + askedOf(u.Query()).query()}
	case u.Path == searchPath:
		return view{searchPage, question(u.Query().Get("q"))}
	case isProduct && isHandle(handle):
		if id, err := xid.Variant.Parse(u.Query().Get(variantParam)); err == nil {
			handle += "?" + xid.Variant.Format(id)
		}
		return view{productPage, handle}
	}
	return view{notFoundPage, strings.ToValidUTF8(u.Path[:min(len(u.Path), maxPath)], string(utf8.RuneError))}
}

// question normalizes a search term: no control characters, single spaces, limited length.
func question(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), maxQuestion)]))
}

func isHandle(s string) bool {
	return s != "" && len(s) <= limit.Handle && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// forRobots reports whether the view is not a theme's.
func (v view) forRobots() bool {
	return v.kind == mapPage || v.kind == robotsPage || v.kind == guidePage
}

// loose reports whether anyone can request any number of such views.
func (v view) loose() bool {
	_, query := v.list()
	return v.kind == searchPage || v.forRobots() || v.kind == productsPage && query != "" || v.variant() != ""
}

// list returns the handle of the collection, "" for all products, and the parameters of the list.
func (v view) list() (handle, query string) {
	if handle, query, ok := strings.Cut(v.arg, "?"); ok {
		return handle, query
	}
	return "", v.arg
}

// variant returns the id of the chosen variant, or "".
func (v view) variant() string {
	if v.kind != productPage {
		return ""
	}
	_, id, _ := strings.Cut(v.arg, "?")
	return id
}

func (v view) asked() asked {
	_, query := v.list()
	q, _ := url.ParseQuery(query) // we wrote it ourselves
	return askedOf(q)
}

func (v view) status() int {
	if v.kind == notFoundPage {
		return http.StatusNotFound
	}
	return http.StatusOK
}

func (v view) path() string {
	switch v.kind {
	case homePage:
		return "/"
	case productPage:
		handle, _, _ := strings.Cut(v.arg, "?")
		return productRoot + handle
	case textPage:
		return pageRoot + v.arg
	case searchPage:
		return searchPath
	case productsPage:
		if handle, _ := v.list(); handle != "" {
			return listRoot + handle
		}
		return storefront.ProductsPath
	}
	return v.arg
}
