// Package shop serves the storefronts: the pages that the customers of a store see at its own host
// (contract, section 9).
//
// A page is rendered from the active theme's templates and the published products, and cached. Once
// a second, and only while there are visitors, the store is checked for changes; a cached page
// costs no query.
package shop

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Memory that all storefronts share, in bytes.
const (
	// pageMemory holds pages with an address of their own.
	pageMemory = 48 << 20
	// looseMemory holds search results and pages of wrong addresses. Anyone can request any number
	// of them, so they evict only each other.
	looseMemory = 16 << 20
	// themeMemory holds compiled themes.
	themeMemory = 64 << 20
)

// How many hosts are cached, with and without a store, and how many stores' menus, which take a few
// kilobytes each.
const (
	maxHosts = 10_000
	maxMenus = 2_000
)

// maxMaking bounds the pages rendered at once, so that storefronts leave connections to the API;
// the other constant bounds them per store.
const (
	maxMaking = 6
	maxOfOne  = 3
)

// Config is the configuration of the storefronts.
type Config struct {
	Core storefront.Storefront
	// Links verifies the addresses of previews.
	Links *link.Signer
	// HandleOf returns the handle in a store_host.
	HandleOf func(host string) (handle string, ok bool)
	// DomainOf returns the handle of the store that brought a host; nil if stores bring none.
	DomainOf func(ctx context.Context, host string) (handle string, ok bool, err error)
	// Accounts says that shoppers can sign in.
	Accounts bool
	Logger   *slog.Logger
	// Now is the clock for the age of cached pages; by default [time.Now].
	Now func() time.Time
}

// Shop serves the storefronts of all stores.
type Shop struct {
	Config
	fronts *lru.Cache[string, *front]  // by handle
	absent *lru.Cache[string, absence] // by handle
	found  cache.Group[string, *front]
	states cache.Group[xid.ID, *storefront.State]

	pages, loose *cache.Cache[pageKey, *page]
	made         cache.Group[makeKey, *page]
	themes       *cache.Cache[digest.Sum, *look]
	compiled     cache.Group[digest.Sum, *look]
	bars         *lru.Cache[xid.ID, *bars]
	readBars     cache.Group[makeKey, *storefront.Menus]
	slots        chan struct{}
}

// New creates the storefronts.
func New(c Config) (*Shop, error) {
	if c.Core.Core == nil || c.Links == nil || c.HandleOf == nil {
		return nil, errors.New("shop: Core, Links and HandleOf are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Shop{
		Config: c,
		pages:  cache.NewCache[pageKey, *page](pageMemory), loose: cache.NewCache[pageKey, *page](looseMemory),
		themes: cache.NewCache[digest.Sum, *look](themeMemory),
		slots:  make(chan struct{}, maxMaking),
	}
	s.fronts, _ = lru.New[string, *front](maxHosts) // only a size below one is an error
	s.bars, _ = lru.New[xid.ID, *bars](maxMenus)
	s.absent, _ = lru.New[string, absence](maxHosts)
	return s, nil
}

type visit struct {
	front *front
	state *storefront.State
	err   error // why the store could not be looked up
	// brought says that the host is a domain of the store, not its store_host.
	brought bool
	// closed says that the store exists and its shop is closed: robots get their own answer,
	// everyone else sees what any host without a shop shows.
	closed bool
}

type visitKey struct{}

// Take prepares a request for [Shop.ServeHTTP]: it looks up the open store of the host. Any other
// host has no shop.
func (s *Shop) Take(r *http.Request) *http.Request {
	v, ctx := &visit{}, ent.Request(r.Context())
	handle, ok := s.HandleOf(r.Host)
	if !ok && s.DomainOf != nil {
		handle, ok, v.err = s.DomainOf(ctx, r.Host)
		v.brought = true
	}
	switch {
	case v.err != nil:
		return r.WithContext(context.WithValue(ctx, visitKey{}, v))
	case !ok || !isLabel(handle):
		return r
	}
	v.front, v.state, v.err = s.enter(ctx, handle)
	if v.err == nil && v.front == nil && stays(r.URL.Path) && s.isClosed(handle) {
		v.front, v.state, v.err = s.afterwards(ctx, handle)
	}
	if v.err == nil && v.front == nil {
		if v.closed = r.URL.Path == robotsPath && s.isClosed(handle); !v.closed {
			return r
		}
	}
	return r.WithContext(context.WithValue(ctx, visitKey{}, v))
}

// stays reports whether a page remains after a store has closed: order pages and their stylesheet.
func stays(path string) bool {
	return strings.HasPrefix(path, link.OrderRoot) || strings.HasPrefix(path, "/_checkout/")
}

// afterwards finds a closed store, whose customers can still see their orders.
func (s *Shop) afterwards(ctx context.Context, handle string) (*front, *storefront.State, error) {
	id, ok, err := s.Core.Find(viewer.Everywhere(ctx), handle)
	if err != nil || !ok {
		return nil, nil, err
	}
	st, err := s.Core.State(viewer.Visitor(ctx, id))
	return &front{id: id, handle: handle}, st, err
}

// StoreOf returns the open store of a request that [Shop.Take] prepared; ok is false if there is
// none or the lookup failed.
func StoreOf(r *http.Request) (xid.ID, bool) {
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok || v.front == nil {
		return xid.Nil, false
	}
	return v.front.id, true
}

// StateOf returns the state of the open store of a request, like [StoreOf].
func StateOf(r *http.Request) (*storefront.State, bool) {
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok || v.front == nil || v.err != nil {
		return nil, false
	}
	return v.state, true
}

// Costs of requests in the visitor rate.
const (
	pictureCost = 1
	PageCost    = 20           // a page shows many images
	searchCost  = 5 * PageCost // its answer serves one visitor only
)

// Cost returns the cost of a request in twentieths of a page.
func Cost(r *http.Request) int {
	switch {
	case strings.TrimSuffix(r.URL.Path, twinSuffix) == searchPath, strings.HasPrefix(r.URL.Path, mapRoot):
		return searchCost
	case strings.HasPrefix(r.URL.Path, storefront.ExternalImageRoot):
		return pictureCost
	}
	return PageCost
}

// Crowded answers a visitor who sends too many requests.
func (s *Shop) Crowded(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	s.message(w, r, http.StatusTooManyRequests, "One moment, please",
		"Too many requests from your address. Wait a moment, then try again.")
}

// ServeHTTP answers a request that [Shop.Take] prepared.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	v, ok := r.Context().Value(visitKey{}).(*visit)
	switch {
	case ok && v.closed:
		send(w, r, keepOut)
	case !ok:
		s.message(w, r, http.StatusNotFound, "Shop not found", "Check the address for typos.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		s.message(w, r, http.StatusMethodNotAllowed, "Method not allowed", "This page accepts GET and HEAD.")
	case r.URL.Path == colorPath:
		s.colors(w, r)
	case strings.HasPrefix(r.URL.Path, staticRoot):
		s.static(w, r)
	case v.err != nil:
		s.refuse(w, r, v.err)
	case signed(r.URL.RawQuery) && !viewOf(r.URL).forRobots():
		s.preview(w, r, v)
	default:
		asked, twin := wanted(r)
		p, err := s.page(r.Context(), v, asked, twin)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		send(w, r, p)
	}
}

// isLabel reports whether a text may be the handle of a store: a label of a host name. Nothing else
// is looked up.
func isLabel(s string) bool {
	const most = 63
	return s != "" && len(s) <= most && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		s[0] != '-' && s[len(s)-1] != '-'
}
