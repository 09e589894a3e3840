package rest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/rest/shop"
)

// hosts answers by the host of a request: that of an open store gets its
// storefront, any other the API (contract, section 11). The assets of themes are
// the same on all of them.
func (a *API) hosts(api http.Handler) (http.Handler, error) {
	next := api
	if a.HandleOf != nil {
		shops, err := shop.New(shop.Config{
			Core: a.Core.Storefront(), Links: a.Links, HandleOf: a.HandleOf, Logger: a.Logger,
		})
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		next = a.storefronts(shops, api)
	}
	if a.Blobs == nil {
		return next, nil
	}
	files := a.plain(assetRoot, newAssets(a))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, assetRoot) {
			files.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// storefronts takes the requests to hosts of stores. No page of another origin may
// read what they answer, whatever the path.
func (a *API) storefronts(shops *shop.Shop, api http.Handler) http.Handler {
	pages := a.observed("storefront", func(*call) bool { return false }, shops)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if taken, ok := shops.Take(r); ok {
			pages.ServeHTTP(w, taken)
			return
		}
		api.ServeHTTP(w, r)
	})
}
