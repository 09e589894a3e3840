package rest

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/dashboard"
	"github.com/storefront-go/storefront/rest/mcp"
	frontend "github.com/storefront-go/storefront/rest/oauth"
	"github.com/storefront-go/storefront/rest/web"
)

// Document is the OpenAPI document in YAML.
//
//go:embed openapi.yaml
var Document []byte

// Config is the configuration of the API.
type Config struct {
	Core *graph.Resolver
	Keys *apikey.Keeper
	Idem *idem.Keeper
	// APIHost is {api_host}, without a slash at the end.
	APIHost string
	// RatePerSecond and RateBurst bound each credential lineage; 0 is unlimited.
	RatePerSecond float64
	RateBurst     int
	// StoreRate bounds all credentials of a store together, VisitorRate the storefront pages of one
	// client. Both are per second; 0 is unlimited.
	StoreRate, VisitorRate float64
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Account signs people in and out; nil disables that.
	Account *account.Account
	// OAuth is the authorization server; nil disables it. It needs Account.
	OAuth *oauth.Server
	// GraphQL answers /graphql; nil disables it.
	GraphQL http.Handler
	// Exports reads the files of exports for downloads; nil disables them. It needs Links.
	Exports *export.Engine
	// Links verifies the addresses of downloads and previews.
	Links *link.Signer
	// Blobs holds theme assets and product images; nil disables them.
	Blobs *blob.Store
	// HandleOf returns the handle in a store_host; nil serves no storefronts, and the API on every
	// host. The core knows whether the store exists.
	HandleOf func(host string) (handle string, ok bool)
	// DomainOf returns the handle of the store that brought a host; nil if stores bring none.
	DomainOf func(ctx context.Context, host string) (handle string, ok bool, err error)
	// IsAPI reports whether a host is the API's. HandleOf needs it; it is asked first.
	IsAPI func(host string) bool
	// SecurityContact is the mailto: or https: address for reports of vulnerabilities; if empty,
	// security.txt is not served.
	SecurityContact string
	// Version is the program's version, which MCP clients see.
	Version string
	// Requests records the requests of keys and apps; nil records none.
	Requests *requestlog.Log
	// Servers returns how many servers share the rates of credentials and stores; nil means 1.
	Servers func() int64
	// Explorer serves the GraphQL explorer.
	Explorer bool
	Logger   *slog.Logger
	Metrics  prometheus.Registerer
}

// API is the public API.
type API struct {
	Config
	metrics *metrics
	rates   limiters
	images  *pictures // nil without Blobs
	policy  string    // RateLimit-Policy
	// forwarded says that a request from an unnamed proxy was logged.
	forwarded atomic.Bool
}

// New returns the handler of everything on the public address.
//
// The pipeline has the order of contract section 2: observe, preflight, route, authenticate, rate,
// version, scope, query parameters, idempotency and body, handler.
func New(c Config) (http.Handler, error) {
	if c.Core == nil || c.Keys == nil || c.Idem == nil || c.APIHost == "" {
		return nil, errors.New("rest: Core, Keys, Idem and APIHost are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Metrics == nil {
		c.Metrics = prometheus.NewRegistry()
	}
	a := &API{Config: c, metrics: newMetrics(c.Metrics, c.Idem)}
	if a.Blobs != nil {
		a.images = &pictures{newFiles(a)}
	}
	if err := a.newLimiters(); err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	for _, base := range []string{Base, legacyBase} {
		for _, e := range endpoints(base, a.metrics) {
			router.Handle(e.path, a.endpoint(e))
		}
	}
	if err := a.pages(router); err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	router.NotFoundHandler = a.handler(nil, a.notFound)
	return a.hosts(canonical(router))
}

// pages mounts what is not a row of the table: the documents, their pages and the core's GraphQL.
func (a *API) pages(router *mux.Router) error {
	problems := make([]web.Problem, 0, 40)
	for _, k := range wire.Problems() {
		problems = append(problems, web.Problem{Code: k.Code, Status: k.Status, Title: k.Title, Sentence: k.Sentence})
	}
	docs := later(func() (http.Handler, error) {
		return web.Docs(web.DocsConfig{OpenAPI: Document, Problems: problems, Limits: a.Core.Limits,
			APIHost: a.APIHost, Explorer: a.GraphQL != nil && a.Explorer,
			Missing: http.HandlerFunc(a.missing)})
	})
	written := sync.OnceValue(func() []byte {
		return bytes.ReplaceAll(Document, []byte(exampleHost), []byte(a.APIHost))
	})
	document := sync.OnceValues(func() ([]byte, error) { return web.JSON(written()) })
	router.Path("/docs").Handler(a.plain("/docs", docs))
	router.PathPrefix("/docs/").Handler(a.plain("/docs", docs))
	router.Path("/openapi.json").Handler(a.plain("/openapi.json", later(func() (http.Handler, error) {
		b, err := document()
		return a.static("application/json", b), err
	})))
	router.Path(iconPath).Handler(a.plain(iconPath, dashboard.Icon()))
	router.Path("/openapi.yaml").Handler(a.plain("/openapi.yaml", later(func() (http.Handler, error) {
		return a.static("application/yaml", written()), nil
	})))
	if a.SecurityContact != "" {
		router.Path(securityPath).Handler(a.plain(securityPath, a.security()))
	}
	a.people(router)
	if err := a.authorization(router); err != nil {
		return err
	}
	a.payments(router)
	a.agents(router, document)
	if a.Exports != nil {
		if a.Links == nil {
			return errors.New("downloads of exports need Links")
		}
		router.PathPrefix(downloadRoot).Handler(a.downloads(a.openExport))
	}
	if a.Links != nil {
		a.invoices(router)
	}
	if a.GraphQL == nil {
		return nil
	}
	router.Path("/graphql").Handler(a.plain("/graphql", a.limited(a.GraphQL)))
	if a.Explorer {
		router.PathPrefix("/graphql/explorer").Handler(a.plain("/graphql/explorer", later(web.Explorer)))
	}
	return nil
}

// later creates a handler on its first request. Reading the document, and rendering and compressing
// its pages, takes half of the start-up time, and most processes never serve them. Their source is
// embedded, so an error is a bug: it panics, and the tests request every page.
func later(handler func() (http.Handler, error)) http.Handler {
	made := sync.OnceValue(func() http.Handler {
		h, err := handler()
		if err != nil {
			panic(err)
		}
		return h
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { made().ServeHTTP(w, r) })
}

// exampleHost is the API host in the document's examples; the served document has the real host.
const exampleHost = "https://api.example.com"

// iconPath is where browsers look for the icon of a host.
const iconPath = "/favicon.ico"

// crossOrigin reports whether pages of any origin may call a path (contract, section 2).
func crossOrigin(path string) bool {
	return strings.HasPrefix(path, Base+"/") || strings.HasPrefix(path, legacyBase+"/") || path == "/openapi.json" ||
		path == mcp.Path || frontend.CrossOrigin(path)
}
