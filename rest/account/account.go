// Package account signs people in and out with their browsers, and finds out whom a
// cookie stands for.
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
	// LobbyPath is where people are who belong to no store.
	LobbyPath = "/account"
	// home is where people go who came from nowhere.
	home = "/dashboard"
)

// storeHeader names the store in which a person works, by its id or handle.
const storeHeader = "Storefront-Store"

// personHeader names the person whose page sends a request, by id: a page of somebody else is refused.
const personHeader = "Storefront-Person"

// Config is what an [Account] needs.
type Config struct {
	Sessions *session.Keeper
	// Core has the operations behind the pages of mailed links, and only they need it.
	Core *graph.Resolver
	// APIHost is {api_host}; its scheme decides about the cookie.
	APIHost string
	// Allowed reports whether people may sign in here at all: not over plain http
	// where others can listen (contract, section 11).
	Allowed bool
	Logger  *slog.Logger
}

// Account signs people in and out.
type Account struct {
	Config
	origins *http.CrossOriginProtection
	pages   *page.Set
	hooks   Hooks
}

// Hooks is what the pages know of the rest of the public address.
type Hooks struct {
	// Client is who sends a request, behind the trusted proxies.
	Client func(*http.Request) netip.Addr
	// Spend takes one GraphQL request from a person's allowance; nil for no bound.
	Spend func(person xid.ID) error
}

// New makes an account. Its origin is that of {api_host} and no other.
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
	return &Account{Config: c, origins: origins, pages: pages, hooks: Hooks{Client: peer}}, nil
}

// Attach sets what the public address knows. Call it before requests come.
func (a *Account) Attach(h Hooks) {
	if h.Client == nil {
		h.Client = peer
	}
	a.hooks = h
}

// peer is the client where no proxy stands before us.
func peer(r *http.Request) netip.Addr {
	p, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr().Unmap()
}

// Origins keeps other sites from using a cookie: only {api_host} itself may.
func (a *Account) Origins() *http.CrossOriginProtection { return a.origins }

// Person returns who is signed in with the browser, or nil: for no cookie, two of
// them, a malformed one and one whose session is over. An error is ours.
func (a *Account) Person(r *http.Request) (*session.Person, error) {
	token := a.token(r)
	if token == "" {
		return nil, nil
	}
	return a.Sessions.Find(r.Context(), token)
}

// Viewer returns who is signed in, at work in the store that the header
// Storefront-Store names by id or handle, or in the first of theirs by name; nil
// when nobody is. A store that is not theirs and one that does not exist are the same
// NotFound; who belongs to no store is Forbidden.
func (a *Account) Viewer(r *http.Request) (*viewer.Viewer, error) {
	return a.at(r, r.Header.Values(storeHeader))
}

// ViewerIn is [Account.Viewer] for requests that cannot have a header, such as a link
// that is followed: they name the store themselves.
func (a *Account) ViewerIn(r *http.Request, store string) (*viewer.Viewer, error) {
	return a.at(r, []string{store})
}

func (a *Account) at(r *http.Request, names []string) (*viewer.Viewer, error) {
	p, err := a.Person(r)
	if p == nil || err != nil || anotherThan(r, p) {
		return nil, err
	}
	if a.hooks.Spend != nil {
		if err := a.hooks.Spend(p.User); err != nil {
			return nil, err
		}
	}
	switch len(names) {
	case 0:
		if len(p.Memberships) == 0 {
			return nil, fault.New(fault.Forbidden, "You belong to no store.")
		}
		return p.In(p.Memberships[0].Store), nil
	case 1:
		return in(p, names[0])
	}
	return nil, fault.New(fault.InvalidRequest, "Name one store in the header "+storeHeader+".")
}

// anotherThan reports whether a page of somebody else asks: one that was opened before this person signed in with the
// same browser. What was typed there is not theirs to send.
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

// SignInAddress is where a person signs in who wants to come back to a path.
func SignInAddress(returnTo string) string {
	return SignInPath + "?return_to=" + url.QueryEscape(returnTo)
}
