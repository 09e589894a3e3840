package rest

import (
	"bytes"
	"cmp"
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

// Document is the OpenAPI document as it is written: YAML.
//
//go:embed openapi.yaml
var Document []byte

// Config is what the facade needs.
type Config struct {
	Core *graph.Resolver
	Keys *apikey.Keeper
	Idem *idem.Keeper
	// APIHost is {api_host}, without a slash at its end.
	APIHost string
	// RatePerSecond and RateBurst bound each credential lineage; 0 is no bound.
	RatePerSecond float64
	RateBurst     int
	// StoreRate bounds all credentials of a store together, VisitorRate the pages of
	// storefronts that one client asks for; both a second, 0 is no bound.
	StoreRate, VisitorRate float64
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Account signs people in and out; nil leaves that out.
	Account *account.Account
	// OAuth is the authorisation server; nil leaves it out. It needs Account.
	OAuth *oauth.Server
	// GraphQL answers /graphql; nil leaves it out.
	GraphQL http.Handler
	// Exports reads the files of exports for downloads; nil leaves them out. It
	// needs Links.
	Exports *export.Engine
	// Links judges the addresses of downloads and previews.
	Links *link.Signer
	// Blobs holds the assets of themes and the pictures of products; nil leaves them
	// out.
	Blobs *blob.Store
	// HandleOf returns the handle in a store_host; nil serves no storefronts, and the
	// API on every host. Whether there is such a store is asked of the core.
	HandleOf func(host string) (handle string, ok bool)
	// IsAPI reports whether a host is the API's, and is asked before HandleOf, which
	// needs it.
	IsAPI func(host string) bool
	// SecurityContact is the address, a mailto: or https: one, to which weaknesses are
	// reported; empty serves no security.txt.
	SecurityContact string
	// Version is the program's, which agents are told.
	Version string
	// Requests is told what keys and apps ask; nil keeps no log of it.
	Requests *requestlog.Log
	// Rates counts together with other processes; nil counts alone.
	Rates *Rates
	// Explorer serves the page that tries GraphQL.
	Explorer bool
	Logger   *slog.Logger
	Metrics  prometheus.Registerer
}

// API is the facade.
type API struct {
	Config
	metrics *metrics
	rates   limiters
	images  *pictures // nil without Blobs
	policy  string    // RateLimit-Policy
	// forwarded says that a request of a proxy was logged that nobody named.
	forwarded atomic.Bool
}

// New makes the handler of everything that is served on the public address.
//
// The order of the pipeline is that of contract section 2: observe, preflight,
// route, authenticate, rate, version, scope, query parameters, idempotency and
// body, handler.
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
	if a.Rates != nil && !a.rates.credentials.Off() {
		a.Rates.limiters = &a.rates
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
	router.NotFoundHandler = http.HandlerFunc(a.notFound)
	return a.hosts(canonical(router))
}

// pages mounts what is not a row of the table: the documents, their pages and
// the core's GraphQL.
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
	if a.GraphQL == nil {
		return nil
	}
	router.Path("/graphql").Handler(a.plain("/graphql", a.limited(a.GraphQL)))
	if a.Explorer {
		router.PathPrefix("/graphql/explorer").Handler(a.plain("/graphql/explorer", later(web.Explorer)))
	}
	return nil
}

// later makes a handler when it is first asked. Reading the document, and rendering and
// compressing its pages, takes half of the time of a start, and most processes are never
// asked for them. They are made of what is embedded, so an error is one of the program:
// it panics, and the tests ask for all.
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

// exampleHost stands in the document's examples for where the API is: what is served names
// this host.
const exampleHost = "https://api.example.com"

// iconPath is where browsers look for the picture of a host by themselves.
const iconPath = "/favicon.ico"

// crossOrigin reports whether any web page may call a path (contract, section 2).
func crossOrigin(path string) bool {
	return strings.HasPrefix(path, Base+"/") || strings.HasPrefix(path, legacyBase+"/") || path == "/openapi.json" ||
		path == mcp.Path || frontend.CrossOrigin(path)
}
