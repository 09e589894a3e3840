package oauth

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Lifetimes (contract, section 7).
const (
	CodeLife    = 60 * time.Second
	AccessLife  = time.Hour
	RefreshLife = 30 * 24 * time.Hour // without use
	GrantLife   = 180 * 24 * time.Hour
)

// Config configures a [Server].
type Config struct {
	Store *ent.Store
	// Keys forgets access tokens whose grant has ended.
	Keys *apikey.Keeper
	Ring *keyring.Ring
	// Issuer is {api_host}, without a trailing slash (RFC 9207).
	Issuer string
	// OnLastGrant is called when the last grant of an app in a store ends.
	OnLastGrant LastGrant
	// Documents configures the fetches of unregistered apps' metadata documents, and MayName
	// reports whether such an app may show a name.
	Documents Documents
	MayName   func(ctx context.Context, name string) (bool, error)
	// Registration allows clients to register themselves (RFC 7591).
	Registration bool
	// Resources are the paths below Issuer of the resources that tokens are for.
	Resources []string
	Logger    *slog.Logger
}

// Server is the authorization server.
type Server struct {
	Config
	tickets []keyring.MACKey
	answers *keyring.Sealer

	documents *reader
	registrar *registrar
}

// New returns a server, or an error if a required setting is missing.
func New(c Config) (*Server, error) {
	if c.Store == nil || c.Keys == nil || c.Ring == nil || c.Issuer == "" || c.OnLastGrant == nil ||
		c.MayName == nil {
		return nil, errors.New("oauth: Store, Keys, Ring, Issuer, OnLastGrant and MayName are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	documents, err := newReader(c.Documents)
	if err != nil {
		return nil, err
	}
	registrar, err := newRegistrar(c.Ring)
	if err != nil {
		return nil, err
	}
	return &Server{Config: c, tickets: c.Ring.MACs(keyring.Cookies), answers: c.Ring.Sealer("refresh answers"),
		documents: documents, registrar: registrar}, nil
}

// errUnknown means that a client, a code or a token does not exist.
var errUnknown = errors.New("unknown")

func (s *Server) appOf(ctx context.Context, g *db.Grant) (*db.App, error) {
	row, err := s.Store.DB(ctx).App.Query().Where(app.StoreID(g.AppStoreID), app.ID(g.AppID)).
		Only(viewer.Everywhere(ctx))
	return row, fault.Wrap("read the app of a grant", err)
}

// identify returns the client of a request to the token or revocation endpoint. Clients are public:
// they name themselves in the body, or with Basic and an empty secret, as common libraries do (RFC
// 6749, sections 2.3.1 and 3.2.1).
func (s *Server) identify(ctx context.Context, p Params, authorization []string) (*db.App, error) {
	id, err := clientID(p, authorization)
	if err != nil {
		return nil, err
	}
	row, lookup := s.presentingApp(ctx, id, p)
	switch {
	case errors.Is(lookup, errUnknown):
		return nil, refuse(InvalidClient, "Unknown client.")
	case lookup != nil:
		return nil, failed("look up client", lookup)
	case row.DisabledAt != nil:
		return nil, refuse(InvalidClient, "The client is disabled.")
	}
	return row, nil
}

func clientID(p Params, authorization []string) (string, error) {
	id := p.Get("client_id")
	if p.Get("client_secret") != "" {
		return "", refuse(InvalidClient, "Clients of this server are public and have no secret.")
	}
	if len(authorization) == 0 {
		if id == "" {
			return "", refuse(InvalidClient, "The client_id is missing.")
		}
		return id, nil
	}
	named, ok := basic(authorization)
	if !ok {
		return "", refuse(InvalidClient, "The Authorization header is not Basic with a client id and an empty secret.")
	}
	if id != "" && id != named {
		return "", refuse(InvalidRequest, "The header and the body name different clients.")
	}
	return named, nil
}

// basic returns the client id of a Basic header, which is form-encoded (RFC 6749, section 2.3.1).
func basic(headers []string) (id string, ok bool) {
	scheme, encoded, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Basic") {
		return "", false
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimLeft(encoded, " "))
	if err != nil {
		return "", false
	}
	name, secret, found := strings.Cut(string(plain), ":")
	if id, err = url.QueryUnescape(name); err != nil || !found || secret != "" {
		return "", false
	}
	return id, id != ""
}
