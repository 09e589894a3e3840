// Package ucp serves the API of a shop to programs, at the host of the store and without a credential:
// the REST and MCP bindings of the Universal Commerce Protocol (contract, section 16).
//
// A checkout session is a cart. Its prices, refusals and order come from the functions that the pages
// of the shop call. Its id is a secret: it has the form of the token in a shopper's cookie, and the
// database keeps its digest alone.
package ucp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Version is the version of the protocol.
const Version = "2026-01-11"

// catalogVersion is the first version of the protocol that has the catalog.
const catalogVersion = "2026-04-08"

// Paths at the host of a store.
const (
	discoveryPath = "/.well-known/ucp"
	root          = "/ucp"
	sessionsPath  = "/checkout-sessions"
	ordersPath    = "/orders/"
	catalogPath   = "/catalog/"
)

// agentHeader names the profile of a program.
const agentHeader = "Ucp-Agent"

// Codes counts tries of discount codes.
type Codes interface {
	TryCode(r *http.Request, store xid.ID, token string) (d ratelimit.Decision, giveBack func())
}

// Config is the configuration of the API.
type Config struct {
	Carts *cart.Carts
	Core  storefront.Storefront
	Links *link.Signer
	Idem  *idem.Keeper
	Codes Codes
	// Logger logs failures; nil discards them.
	Logger *slog.Logger
}

// API serves all stores.
type API struct {
	Config

	agents http.Handler // the MCP binding
}

// New creates the API.
func New(c Config) (*API, error) {
	if c.Carts == nil || c.Core.Core == nil || c.Links == nil || c.Idem == nil || c.Codes == nil {
		return nil, errors.New("ucp: Carts, Core, Links, Idem and Codes are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	agents, err := newAgents(c.Logger)
	return &API{c, agents}, err
}

// Owns reports whether a request is for this API. The page of an order has the path of the order, so
// the header distinguishes programs from browsers.
func Owns(r *http.Request) bool {
	path := r.URL.Path
	return path == discoveryPath || path == mcpPath || path == root || strings.HasPrefix(path, root+"/") ||
		strings.HasPrefix(path, ordersPath) && r.Header.Get(agentHeader) != ""
}

// writeWeight is how many pages a change counts as in the visitor rate, as a form does.
const writeWeight = 5

// Weight returns how many pages a request counts as.
func Weight(r *http.Request) int {
	if Owns(r) && (r.Method == http.MethodPost || r.Method == http.MethodPut) {
		return writeWeight
	}
	return 1
}

// call is a request to an open shop.
type call struct {
	*API
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context // acts for the shopper
	store xid.ID
	shop  *storefront.State
	body  []byte
}

// Serve answers a request to the store of its host; shop is nil if there is none. Locked says that the
// shop needs a password.
func (a *API) Serve(w http.ResponseWriter, r *http.Request, store xid.ID, shop *storefront.State, locked bool) {
	allow(w.Header())
	c := &call{API: a, w: w, r: r, ctx: viewer.Shopper(r.Context(), store), store: store, shop: shop}
	switch {
	case r.Method == http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case shop == nil:
		c.refuse(http.StatusNotFound, "not_found", "There is no shop at this address.")
	case locked:
		c.refuse(http.StatusForbidden, "password_required", "This shop needs a password.")
	case r.URL.Path == mcpPath:
		c.agent()
	default:
		c.answer(c.route())
	}
}

// Crowded answers a visitor who sends too many requests.
func (a *API) Crowded(w http.ResponseWriter, r *http.Request) {
	allow(w.Header())
	(&call{API: a, w: w, r: r}).refuse(http.StatusTooManyRequests, "rate_limited",
		"Too many requests from your address. Wait, then try again.")
}

// allow lets pages of all origins call this API. It takes no cookies.
func allow(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Idempotency-Key, Request-Id, Request-Signature, UCP-Agent, "+
		"Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id")
	h.Set("Access-Control-Expose-Headers", "Retry-After")
	h.Set("Access-Control-Max-Age", "600")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
}

// route runs the operation of a request.
func (c *call) route() (answer, error) {
	path, method := c.r.URL.Path, c.r.Method
	if path == discoveryPath {
		return c.on(http.MethodGet, c.discover)
	}
	if err := c.negotiate(); err != nil {
		return answer{}, err
	}
	path = strings.TrimPrefix(path, root)
	switch path {
	case sessionsPath:
		return c.on(http.MethodPost, c.create)
	case catalogPath + "search":
		return c.on(http.MethodPost, c.search)
	case catalogPath + "lookup":
		return c.on(http.MethodPost, c.lookup)
	case catalogPath + "product":
		return c.on(http.MethodPost, c.product)
	}
	if token, ok := strings.CutPrefix(path, ordersPath); ok {
		return c.on(http.MethodGet, func() (answer, error) { return c.order(token) })
	}
	id, ok := strings.CutPrefix(path, sessionsPath+"/")
	if !ok {
		return answer{}, unknown("There is no such resource.")
	}
	if id, ok := strings.CutSuffix(id, "/complete"); ok {
		return c.on(http.MethodPost, func() (answer, error) { return c.complete(id) })
	}
	if id, ok := strings.CutSuffix(id, "/cancel"); ok {
		return c.on(http.MethodPost, func() (answer, error) { return c.cancel(id) })
	}
	if method == http.MethodGet {
		return c.session(id)
	}
	return c.on(http.MethodPut, func() (answer, error) { return c.update(id) })
}

// on runs an operation of one method.
func (c *call) on(method string, f func() (answer, error)) (answer, error) {
	if c.r.Method != method {
		c.w.Header().Set("Allow", method)
		return answer{}, &refusal{http.StatusMethodNotAllowed, "method_not_allowed",
			"This resource accepts " + method + "."}
	}
	return f()
}

// negotiate refuses a program that needs a later version of the protocol than this one.
func (c *call) negotiate() error {
	for part := range strings.SplitSeq(c.r.Header.Get(agentHeader), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if version := strings.Trim(value, `"`); strings.EqualFold(name, "version") && version > Version {
			return &refusal{http.StatusBadRequest, "version_unsupported",
				"This shop supports version " + Version + " of the protocol."}
		}
	}
	return nil
}

// sells refuses a change of a shop that does not sell at present.
func (c *call) sells() error {
	if p := c.shop.Front.Paused(micros.Now()); p != nil {
		return &refusal{http.StatusConflict, "shop_paused", "This shop takes no orders at present. " + p.Message}
	}
	return nil
}

// origin returns the scheme and host at which shoppers visit the shop.
func (c *call) origin() string { return c.Core.ShopOrigin(c.shop.Handle, c.shop.Domain) }
