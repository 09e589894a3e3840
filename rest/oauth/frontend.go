package oauth

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/page"
)

// The paths of the endpoints.
const (
	AuthorizePath = "/api/public/oauth/authorize"
	TokenPath     = "/api/public/oauth/token" //nolint:gosec // a path, not a token
	RevokePath    = "/api/public/oauth/revoke"
	// RegisterPath is where clients register (RFC 7591, section 3).
	RegisterPath = "/api/public/oauth/register"
	// MetadataPath is the address of the server's metadata (RFC 8414, section 3).
	MetadataPath = "/.well-known/oauth-authorization-server"
	// ResourcePath precedes the path of the resource (RFC 9728, section 3).
	ResourcePath = "/.well-known/oauth-protected-resource"
)

//go:embed templates
var templates embed.FS

// Config is the configuration of the frontend.
type Config struct {
	Server *oauth.Server
	// Account finds the person signed in. If it does not allow signing in, everything here is
	// refused (contract, section 11).
	Account *account.Account
	// Resources are the paths of protected resources, {base_url} among them.
	Resources []string
	// RatePerSecond and RateBurst bound how often one client address may call the token and
	// revocation endpoints; 0 is unlimited.
	RatePerSecond float64
	RateBurst     int
	// ClientOf returns the address of a request's client.
	ClientOf func(*http.Request) netip.Addr
	Logger   *slog.Logger
}

// Frontend answers the requests.
type Frontend struct {
	Config
	clients *ratelimit.Limiter[netip.Prefix]
	pages   *page.Set
}

// New creates the frontend. It fails if the configuration is incomplete.
func New(c Config) (*Frontend, error) {
	if c.Server == nil || c.Account == nil || c.ClientOf == nil || len(c.Resources) == 0 {
		return nil, errors.New("oauth: Server, Account, ClientOf and Resources are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	f := &Frontend{Config: c}
	var err error
	rate := ratelimit.Config{Rate: c.RatePerSecond, Burst: c.RateBurst}
	if f.clients, err = ratelimit.New[netip.Prefix](rate); err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	if f.pages, err = page.New(templates, c.Logger); err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	return f, nil
}

// CrossOrigin reports whether pages of any origin may call a path (contract, section 2): endpoints
// for programs, never the consent page.
func CrossOrigin(path string) bool {
	switch path {
	case TokenPath, RevokePath, RegisterPath, MetadataPath:
		return true
	}
	return strings.HasPrefix(path, ResourcePath+"/")
}

// Routes returns the handlers of the frontend by path.
func (f *Frontend) Routes() (map[string]http.Handler, error) {
	server, err := f.serverDocument()
	if err != nil {
		return nil, err
	}
	routes := map[string]http.Handler{
		AuthorizePath: http.HandlerFunc(f.authorize), TokenPath: f.called(f.token),
		RevokePath: f.called(f.revoke), MetadataPath: server,
	}
	if f.Server.Registration {
		routes[RegisterPath] = f.posted(f.register)
	}
	for _, path := range f.Resources {
		if routes[ResourcePath+path], err = f.resourceDocument(path); err != nil {
			return nil, err
		}
	}
	return routes, nil
}
