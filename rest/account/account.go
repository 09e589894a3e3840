// Package account signs people in and out in browsers, and reads the session behind a cookie.
package account

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/rest/page"
)

//go:embed templates
var templates embed.FS

// Paths of the pages.
const (
	SignInPath  = "/sign-in"
	SignOutPath = "/sign-out"
	// LobbyPath is the page of people who belong to no store.
	LobbyPath = "/account"
	// home is where people go after signing in without a page to return to.
	home = "/dashboard"
)

// storeHeader names the store in which a person works, by its id or handle.
const storeHeader = "Storefront-Store"

// personHeader holds the id of the person whose page sends a request; see [anotherThan].
const personHeader = "Storefront-Person"

// Config is the configuration of an [Account].
type Config struct {
	Sessions *session.Keeper
	// Core has the operations behind the pages of emailed links; only they need it.
	Core *graph.Resolver
	// APIHost is {api_host}; its scheme decides whether cookies are Secure.
	APIHost string
	// Allowed reports whether people may sign in here: not over plain http where others can listen
	// (contract, section 11).
	Allowed bool
	Logger  *slog.Logger
}

// Account signs people in and out.
type Account struct {
	Config
	origins *http.CrossOriginProtection
	pages   *page.Set
	// client returns the client's address, and spend takes one GraphQL request from a person's
	// allowance; see [Account.Attach].
	client func(*http.Request) netip.Addr
	spend  func(person xid.ID) error
}

// New creates an Account. Forms are accepted from the origin of {api_host} only.
func New(c Config) (*Account, error) {
	if c.Sessions == nil || c.APIHost == "" {
		return nil, errors.New("account: Sessions and APIHost are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	pages, err := page.New(templates, c.Logger)
	if err != nil {
		return nil, fmt.Errorf("account: %w", err)
	}
	origins := http.NewCrossOriginProtection()
	if err := origins.AddTrustedOrigin(c.APIHost); err != nil {
		return nil, fmt.Errorf("account: %w", err)
	}
	return &Account{Config: c, origins: origins, pages: pages, client: peer}, nil
}

// Attach sets what the public address provides: client returns the client's address behind the
// trusted proxies, and spend takes one GraphQL request from a person's allowance. Call it before
// requests arrive.
func (a *Account) Attach(client func(*http.Request) netip.Addr, spend func(person xid.ID) error) {
	a.client, a.spend = client, spend
}

func peer(r *http.Request) netip.Addr {
	p, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr().Unmap()
}

// Origins refuses cookies on requests from other sites than {api_host}.
func (a *Account) Origins() *http.CrossOriginProtection { return a.origins }

// Person returns the person signed in with the browser. It returns nil without a cookie, with two,
// with a malformed one and with one whose session has ended. An error is internal.
func (a *Account) Person(r *http.Request) (*session.Person, error) {
	token := a.get(r, sessionCookie)
	if token == "" {
		return nil, nil
	}
	return a.Sessions.Find(r.Context(), token)
}

// Viewer returns the signed-in person as a viewer of the store that the header Storefront-Store
// names by id or handle, or of their first store by name. It returns nil if nobody is signed in,
// NotFound for a store that does not exist or is not theirs, and Forbidden if they belong to no
// store.
func (a *Account) Viewer(r *http.Request) (*viewer.Viewer, error) {
	return a.at(r, r.Header.Values(storeHeader))
}

// ViewerIn is [Account.Viewer] for requests that cannot set a header, such as a followed link: they
// name the store themselves.
func (a *Account) ViewerIn(r *http.Request, store string) (*viewer.Viewer, error) {
	return a.at(r, []string{store})
}

func (a *Account) at(r *http.Request, names []string) (*viewer.Viewer, error) {
	p, err := a.Person(r)
	if p == nil || err != nil || anotherThan(r, p) {
		return nil, err
	}
	if a.spend != nil {
		if err := a.spend(p.User); err != nil {
			return nil, err
		}
	}
	switch len(names) {
	case 0:
		if len(p.Memberships) == 0 {
			return nil, fault.New(fault.Forbidden, "You do not belong to any store.")
		}
		return p.In(p.Memberships[0].Store), nil
	case 1:
		return in(p, names[0])
	}
	return nil, fault.New(fault.InvalidRequest, "Set the header "+storeHeader+" to the id of one store.")
}

// anotherThan reports whether the request comes from another person's page, opened before p signed
// in with the same browser. The input on that page is not p's to send.
func anotherThan(r *http.Request, p *session.Person) bool {
	expected := r.Header.Get(personHeader)
	return expected != "" && expected != xid.User.Format(p.User)
}

func in(p *session.Person, name string) (*viewer.Viewer, error) {
	id, err := xid.Store.Parse(name)
	for _, m := range p.Memberships {
		if err == nil && m.Store == id || m.Handle == name {
			return p.In(m.Store), nil
		}
	}
	return nil, fault.Missing("store")
}

// SignInAddress is the sign-in page that returns to a path.
func SignInAddress(returnTo string) string {
	return SignInPath + "?return_to=" + url.QueryEscape(returnTo)
}
