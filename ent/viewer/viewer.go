// Package viewer describes the caller: the store, the principal and its permissions. The tenant
// policy of every store-owned table reads it from the context; without a viewer every query and
// mutation is denied.
package viewer

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// Kind is the kind of a principal.
type Kind string

// The kinds of principals. The text is the `type` of a note's author and of an audit entry's actor.
const (
	APIKey   Kind = "api_key"
	OAuthApp Kind = "oauth_app"
	Staff    Kind = "staff"
	System   Kind = "system" // the operator's commands, the demo, background work
	// Guest is a visitor of a storefront. Guests change nothing, so no note or audit entry names
	// one.
	Guest Kind = "guest"
)

// Role is the role of a person in a store (contract, section 6).
type Role string

// The roles of the staff of a store.
const (
	Owner     Role = "owner"
	Admin     Role = "admin"
	Developer Role = "developer"
	Support   Role = "support"
)

// Scopes returns the scopes of the role.
func (r Role) Scopes() scope.Set {
	switch r {
	case Owner, Admin:
		return scope.Full()
	case Developer:
		return scope.Of(scope.ProductsRead, scope.ProductsWrite, scope.ThemesRead, scope.ThemesWrite,
			scope.WebhooksRead, scope.WebhooksWrite, scope.CollectionsRead, scope.InventoryRead, scope.InventoryWrite,
			scope.CustomFieldsRead, scope.CustomFieldsWrite, scope.LocationsRead)
	case Support:
		return scope.Of(scope.ProductsRead, scope.CustomersRead, scope.OrdersRead, scope.OrdersWrite,
			scope.FulfillmentsWrite, scope.CollectionsRead, scope.DiscountsRead, scope.InventoryRead,
			scope.CustomFieldsRead, scope.LocationsRead)
	}
	return 0
}

// Known reports whether k is a kind that can change data, and so can be named by notes and the
// audit log.
func (k Kind) Known() bool {
	return slices.Contains([]Kind{APIKey, OAuthApp, Staff, System}, k)
}

// Known reports whether r is one of the roles.
func (r Role) Known() bool { return r.Scopes() != 0 }

// Viewer is an authenticated principal in one store. It is shared by the requests of one credential
// and never changed.
type Viewer struct {
	Kind  Kind
	Store xid.ID
	// Everywhere disables the tenant filter: only for work without a store, such as looking up a
	// credential or walking all stores.
	Everywhere bool
	// Actor is the id that notes and audit rows name: a key, an app or a user.
	Actor xid.ID
	Name  string // the actor's name
	// Principal owns idempotency keys, rates, endpoints and exports: the rotation lineage of a key,
	// an OAuth client or a person (contract, section 3).
	Principal xid.ID
	// Credential is the id of the key or token; nil for a session.
	Credential xid.ID
	// Session is the hash of a browser session; zero for other credentials.
	Session digest.Sum
	// ProvedAt is when the person of the session last confirmed their identity.
	ProvedAt micros.Time
	// Grant is the consent behind an app's token. The Actor is its client.
	Grant xid.ID
	// AppStore is the store that registered the app.
	AppStore xid.ID
	// Resource is the path of the only resource that the token gives access to; empty for all.
	Resource string
	Granted  scope.Set // as granted
	Scopes   scope.Set // effective: with the implied scopes
	Role     Role      // of a person; empty for other kinds
	// Sensitive says that a staff token may perform sensitive actions.
	Sensitive bool
	// LacksFactor says that the store requires a second factor that this person has not set up.
	// Until then the store is closed to them.
	LacksFactor bool
	Currency    string // the store's currency
	Legacy      bool   // API v0 is still served to it (contract, section 10)
}

// ProofLife is how long a confirmation of the identity is valid.
const ProofLife = 10 * time.Minute

// Stale reports whether a person in a browser confirmed their identity longer than [ProofLife] ago:
// someone else may be there now, or have the cookie.
func (v *Viewer) Stale() bool {
	return v.Session != (digest.Sum{}) && Stale(v.ProvedAt)
}

// Stale reports whether a confirmation is older than [ProofLife].
func Stale(proved micros.Time) bool { return micros.Now() >= proved.Add(ProofLife) }

// IsPerson reports whether the viewer is a person.
func (v *Viewer) IsPerson() bool { return v.Kind == Staff }

type key struct{}

// With returns a context with the viewer v.
func With(ctx context.Context, v *Viewer) context.Context { return context.WithValue(ctx, key{}, v) }

// From returns the viewer of ctx, or nil.
func From(ctx context.Context) *Viewer {
	v, _ := ctx.Value(key{}).(*Viewer)
	return v
}

// Operator returns a context for the operator's work in one store.
func Operator(ctx context.Context, store xid.ID) context.Context {
	return With(ctx, &Viewer{Kind: System, Store: store, Name: "operator",
		Granted: scope.Full(), Scopes: scope.Full(), Role: Owner})
}

// Visitor returns a context for a visitor of a store's storefront, without scopes.
func Visitor(ctx context.Context, store xid.ID) context.Context {
	return With(ctx, &Viewer{Kind: Guest, Store: store, Name: "visitor"})
}

// ShopperName is the name of a shopper, for example as the author of a note.
const ShopperName = "shopper"

// Shopper returns a context for a shopper at a store's storefront, without scopes. The audit log
// attributes what they do to the system.
func Shopper(ctx context.Context, store xid.ID) context.Context {
	return With(ctx, &Viewer{Kind: System, Store: store, Name: ShopperName})
}

// Everywhere returns a context for work across all stores.
func Everywhere(ctx context.Context) context.Context {
	return With(ctx, &Viewer{Kind: System, Everywhere: true, Name: "system"})
}

type requestKey struct{}

// Origin describes the request that causes a change.
type Origin struct {
	Request string     // its public id
	Client  netip.Addr // the sender, behind the trusted proxies; may be invalid
	Agent   string     // the User-Agent as sent
}

// WithOrigin returns a context of a request.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, requestKey{}, o)
}

// OriginOf returns the origin of the request; outside a request it is zero.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(requestKey{}).(Origin)
	return o
}

// Request returns the public id of the request, or "" outside a request.
func Request(ctx context.Context) string { return OriginOf(ctx).Request }

// Address returns the client's address in stored form, without a zone; nil if unknown.
func (o Origin) Address() *string {
	if !o.Client.IsValid() {
		return nil
	}
	return new(o.Client.WithZone("").String())
}

// maxAgent limits the stored User-Agent, in code points.
const maxAgent = 255

// Program returns the User-Agent in displayable form; nil if that is empty.
func (o Origin) Program() *string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(o.Agent, ""))
	if clean == "" {
		return nil
	}
	if utf8.RuneCountInString(clean) > maxAgent {
		clean = string([]rune(clean)[:maxAgent])
	}
	return &clean
}
