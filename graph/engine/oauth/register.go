package oauth

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// RegistrationLife is how long a registered client can connect to stores. In a store that it is
// connected to, it can ask for more access at any time.
const RegistrationLife = 30 * 24 * time.Hour

const (
	// registeredPrefix begins the ids of registered clients. Ids of apps have no hyphen.
	registeredPrefix = "dynamic-"
	// registrationTag is the length of the MAC in an id, in bytes.
	registrationTag = 16
	// Registrations from one network, and from all networks together, per minute and at once.
	registrationsPerMinute, registrationsAtOnce       = 30, 60
	allRegistrationsPerMinute, allRegistrationsAtOnce = 1200, 600
	// unverified is the developer of registered clients, and unnamed the name of those that chose
	// none or one that could not be registered.
	unverified, unnamed = "an unverified developer", "Unnamed app"
)

// Registration is a client that registered itself (RFC 7591). Nothing about it is stored until a
// person consents: its id contains it, with a MAC. Registrations thus take no space, and none can be
// listed or guessed.
type Registration struct {
	// Name is the name that the client chose, perhaps empty.
	Name string `json:"n,omitempty"`
	// Redirects are its redirect URIs: https, or http on this device.
	Redirects []string `json:"r"`
	// Scope is the scopes that it may request, separated by spaces; empty for all.
	Scope  string      `json:"s,omitempty"`
	Issued micros.Time `json:"t"`
	// ID is its client id.
	ID string `json:"-"`
}

// Scopes returns the scopes that the client may request.
func (r *Registration) Scopes() scope.Set {
	if r.Scope == "" {
		return scope.Of(scope.Names()...)
	}
	return scope.Parse(r.Scope)
}

func (r *Registration) expired() bool { return r.Issued.Add(RegistrationLife) <= micros.Now() }

func isRegistration(id string) bool { return strings.HasPrefix(id, registeredPrefix) }

type registrar struct {
	keys     []keyring.MACKey
	networks *ratelimit.Limiter[netip.Prefix]
	all      *ratelimit.Limiter[struct{}]
}

func newRegistrar(ring *keyring.Ring) (*registrar, error) {
	networks, err := ratelimit.New[netip.Prefix](
		ratelimit.Config{Rate: registrationsPerMinute / 60.0, Burst: registrationsAtOnce})
	all, failed := ratelimit.New[struct{}](
		ratelimit.Config{Rate: allRegistrationsPerMinute / 60.0, Burst: allRegistrationsAtOnce})
	return &registrar{keys: ring.MACs(keyring.Cookies), networks: networks, all: all}, cmp.Or(err, failed)
}

// Register registers a public client by its metadata, a JSON object (RFC 7591, section 3.1). Its
// error is an [*Error].
func (s *Server) Register(ctx context.Context, body []byte) (*Registration, error) {
	if !s.Registration {
		return nil, refuse(InvalidRequest, "This server does not register clients.")
	}
	if err := admit(s.registrar.networks, s.registrar.all, viewer.OriginOf(ctx).Client); err != nil {
		return nil, err
	}
	r, err := parseRegistration(body)
	if err != nil {
		return nil, err
	}
	r.Issued = micros.Now()
	return r, s.registrar.sign(r)
}

// sign sets the id of a registration.
func (g *registrar) sign(r *Registration) error {
	b, err := json.Marshal(r)
	if err != nil {
		return failed("write a registration", err)
	}
	r.ID = registeredPrefix + base64.RawURLEncoding.EncodeToString(append(b, tagOf(g.keys[0], b)...))
	if len(r.ID) > limit.URL {
		return refuse(InvalidMetadata, "The name, the redirect URIs and the scopes are too long together.")
	}
	return nil
}

// open returns the registration in an id, or an error if this server did not issue it.
func (g *registrar) open(id string) (*Registration, error) {
	encoded, ok := strings.CutPrefix(id, registeredPrefix)
	b, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(id) > limit.URL || len(b) < registrationTag {
		return nil, errUnknown
	}
	b, tag := b[:len(b)-registrationTag], b[len(b)-registrationTag:]
	if !slices.ContainsFunc(g.keys, func(k keyring.MACKey) bool { return hmac.Equal(tag, tagOf(k, b)) }) {
		return nil, errUnknown
	}
	r := &Registration{ID: id}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, errUnknown
	}
	return r, nil
}

func tagOf(k keyring.MACKey, b []byte) []byte {
	mac := hmac.New(sha256.New, k.Key[:])
	mac.Write([]byte("client registration\x00"))
	mac.Write(b)
	return mac.Sum(nil)[:registrationTag]
}

// registeredApp returns the app of an authorization request by a registered client. The person who
// decides sees the name only if an app could have it.
func (s *Server) registeredApp(ctx context.Context, id string) (*db.App, *Registration, error) {
	if !s.Registration {
		return nil, nil, errUnknown
	}
	r, err := s.registrar.open(id)
	if err != nil {
		return nil, nil, err
	}
	a := &db.App{MetadataURL: &id, Name: unnamed, Developer: unverified, RedirectUris: strings.Join(r.Redirects, " "),
		Scopes: r.Scopes().String()}
	if r.Name == "" {
		return a, r, nil
	}
	free, err := s.MayName(ctx, r.Name)
	if free {
		a.Name = r.Name
	}
	return a, r, fault.Wrap("check the name of an app", err)
}

// checkRegistration refuses a registered client whose registration has expired, unless the store of
// the viewer is connected to it.
func (s *Server) checkRegistration(ctx context.Context, r *Request, app xid.ID) error {
	if r.Registration == nil || !r.Registration.expired() {
		return nil
	}
	if app != xid.Nil {
		if live, err := Installed(ctx, s.Store.DB(ctx), app); live || err != nil {
			return err
		}
	}
	err := refuse(InvalidClient, "The registration of this app has expired. Remove the connection in the app, then "+
		"connect again.")
	err.request = r
	return err
}

// presentable reports whether a registered client may use the token endpoint for its app in a
// store. Clients whose registration has expired unused get invalid_client, at which they register
// again. The row of the app proves an id whose key was removed.
func (s *Server) presentable(ctx context.Context, id string, app *db.App) (bool, error) {
	r, err := s.registrar.open(id)
	if errors.Is(err, errUnknown) {
		return app.ID != xid.Nil, nil
	}
	if !r.expired() || app.ID == xid.Nil {
		return !r.expired(), nil
	}
	ctx = viewer.With(ctx, viewerOf(app, app.StoreID))
	return Installed(ctx, s.Store.DB(ctx), app.ID)
}

// parseRegistration parses the metadata of a client. Members that this server does not use are
// ignored, as section 2 of RFC 7591 requires: logos and links, for instance, which nobody checked.
func parseRegistration(body []byte) (*Registration, error) {
	v, err := wire.Parse(body)
	if err != nil || v.Kind() != wire.ObjectKind {
		return nil, refuse(InvalidMetadata, "The body is not a JSON object with each member once.")
	}
	r := &Registration{Name: text(v, "client_name")}
	if len([]rune(r.Name)) > limit.Line {
		return nil, refuse(InvalidMetadata, "The client_name is too long.")
	}
	// Clients that can keep a secret become public ones: the answer says so (section 3.2.1).
	m, _ := v.Get("token_endpoint_auth_method")
	switch methods := []string{"none", "client_secret_basic", "client_secret_post"}; {
	case m.Kind() != wire.NullKind && !slices.Contains(methods, m.Text()):
		return nil, refuse(InvalidMetadata, "Clients of this server are public: the token_endpoint_auth_method is none.")
	case !holds(v, "grant_types", "authorization_code") || !holds(v, "response_types", "code"):
		return nil, refuse(InvalidMetadata, "The client does not use the authorization code grant.")
	}
	if r.Redirects, err = registeredRedirects(v); err != nil {
		return nil, err
	}
	return r, r.limit(v)
}

// limit sets the scopes that the client may request; unknown ones are left out.
func (r *Registration) limit(v wire.Value) error {
	asked := text(v, "scope")
	if asked == "" {
		return nil
	}
	set := scope.Parse(asked)
	if set == 0 {
		return refuse(InvalidMetadata, "This server has none of these scopes.")
	}
	if set != scope.Of(scope.Names()...) {
		r.Scope = set.String()
	}
	return nil
}

// registeredRedirects returns the redirect URIs of a registration. Private schemes are refused: any
// program on a device can claim one, and the page of the consent has no host to show.
func registeredRedirects(v wire.Value) (uris []string, err error) {
	list, _ := v.Get("redirect_uris")
	if list.Kind() != wire.ArrayKind || list.Len() == 0 || list.Len() > limit.RedirectURIs {
		return nil, refuse(InvalidRedirectURI, "The member redirect_uris is not a list of 1 to 20 addresses.")
	}
	for _, m := range list.Elements() {
		uri := m.Text()
		_, _, local := loopback(uri)
		if !checkDocumentRedirect(uri) || !local && !strings.HasPrefix(uri, "https://") {
			return nil, refuse(InvalidRedirectURI,
				"A redirect URI is https, or http on 127.0.0.1, [::1] or localhost, without a fragment.")
		}
		if !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	return uris, nil
}
