package rest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/checkout"
	"github.com/storefront-go/storefront/rest/shop"
	"github.com/storefront-go/storefront/rest/ucp"
)

// hosts answers by the host of a request: {api_host} gets the API, the host of an open store its
// storefront, and any other host a page that says so, without a form or a cookie (contract, section
// 13). The API comes first, so no store's handle can take its host. Theme assets are the same on
// all hosts.
func (a *API) hosts(api http.Handler) (http.Handler, error) {
	next := api
	if a.HandleOf != nil {
		if a.IsAPI == nil {
			return nil, errors.New("rest: HandleOf needs IsAPI")
		}
		shops, err := shop.New(shop.Config{
			Core: a.Core.Storefront(), Links: a.Links, HandleOf: a.HandleOf, DomainOf: a.DomainOf,
			Logger: a.Logger, Accounts: a.Core.Shoppers().Available(),
		})
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		buying, err := checkout.New(checkout.Config{
			Carts: a.Core.Carts(), Shoppers: a.Core.Shoppers(), Core: a.Core.Storefront(), Links: a.Links,
			ClientOf: a.clientOf, Logger: a.Logger,
		})
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		programs, err := ucp.New(ucp.Config{
			Carts: a.Core.Carts(), Core: a.Core.Storefront(), Links: a.Links, Idem: a.Idem, Codes: buying,
			Logger: a.Logger,
		})
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		next = a.storefronts(shops, buying, programs, api)
	}
	var files http.Handler
	if a.Blobs != nil {
		assets := newFiles(a)
		files = a.plain(assetRoot, assets.handler(assets.asset))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard(w.Header(), r)
		if files != nil && strings.HasPrefix(r.URL.Path, assetRoot) {
			files.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// storefronts handles the requests to all hosts but the API's. No page of another origin may read
// the answers, whatever the path.
func (a *API) storefronts(
	shops *shop.Shop, buying *checkout.Checkout, programs *ucp.API, api http.Handler,
) http.Handler {
	crowded := a.observed("storefront", unanswered, http.HandlerFunc(shops.Crowded))
	pages := a.observed("storefront", unanswered, shops)
	carts := a.observed("checkout", unanswered, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		store, _ := shop.StoreOf(r)
		state, _ := shop.StateOf(r)
		buying.Serve(w, r, store, state, shops.Brand(r.Context(), state))
	}))
	locked := func(r *http.Request, state *storefront.State) bool {
		store, _ := shop.StoreOf(r)
		return !shop.IsUnlocked(r) && buying.Locked(r, store, state)
	}
	moves := a.observed("storefront", unanswered, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Not for good: the store may arrive elsewhere again, or lose its domain.
		w.Header().Set("Cache-Control", "private, max-age=600")
		http.Redirect(w, r, shops.Elsewhere(r), http.StatusMovedPermanently) //nolint:gosec // the store's own host
	}))
	programmed := a.observed("ucp", unanswered, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		store, _ := shop.StoreOf(r)
		state, ok := shop.StateOf(r)
		programs.Serve(w, r, store, state, ok && locked(r, state))
	}))
	crowdedPrograms := a.observed("ucp", unanswered, http.HandlerFunc(programs.Crowded))
	images := pages
	if a.images != nil {
		images = a.observed(storefront.ExternalImageRoot, unanswered, a.images.handler(a.images.ofStore))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.IsAPI(r.Host) {
			api.ServeHTTP(w, r)
			return
		}
		if d := a.visit(r, shop.Cost(r)*max(checkout.Weight(r), ucp.Weight(r))); !d.OK {
			w.Header().Set("Retry-After", ratelimit.Seconds(d.RetryAfter))
			if ucp.Owns(r) {
				crowdedPrograms.ServeHTTP(w, r)
				return
			}
			crowded.ServeHTTP(w, r)
			return
		}
		r = shops.Take(r)
		if ucp.Owns(r) {
			programmed.ServeHTTP(w, r)
			return
		}
		if _, ok := shop.StoreOf(r); ok && strings.HasPrefix(r.URL.Path, storefront.ExternalImageRoot) {
			images.ServeHTTP(w, r)
			return
		}
		// A cart's cookie is of one host, so who has a cart stays where it is.
		if shops.Elsewhere(r) != "" && !checkout.HasCart(r) {
			moves.ServeHTTP(w, r)
			return
		}
		if state, ok := shop.StateOf(r); ok && (checkout.Owns(r.URL.Path) || locked(r, state)) {
			carts.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

func unanswered(*call) bool { return false }

// noSniff and strictTransport are the values that [guard] sets; never changed.
var (
	noSniff         = []string{"nosniff"}
	strictTransport = []string{"max-age=31536000"}
)

// guard sets the headers of every public answer that instruct browsers: no MIME sniffing and, if
// this process terminates TLS, HTTPS only for a year (RFC 6797, section 6.1). Behind a proxy the
// latter is up to the proxy.
func guard(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniff
	if r.TLS != nil {
		h["Strict-Transport-Security"] = strictTransport
	}
}
