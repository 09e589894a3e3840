// Package viewer says who is asking: the store, the principal and what it may
// do. The tenant policy of every store-owned table reads it from the context;
// without a viewer every query and mutation is denied.
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

// Kind is what sort of principal a viewer is.
type Kind string

// The kinds of principals. The text is the `type` of a note's author and of an
// audit entry's actor.
const (
	APIKey   Kind = "api_key"
	OAuthApp Kind = "oauth_app"
	Staff    Kind = "staff"
	System   Kind = "system" // the operator's commands, the demo, background work
	// Guest is whoever looks at a storefront. They change nothing, so no note and
	// no audit entry ever names one.
	Guest Kind = "guest"
)

// Role is what a person may do in a store (contract, section 6).
type Role string

// The roles of the staff of a store.
const (
	Owner     Role = "owner"
	Admin     Role = "admin"
	Developer Role = "developer"
	Support   Role = "support"
)

// Scopes returns what the role reaches of the fields that scopes guard.
func (r Role) Scopes() scope.Set {
	switch r {
	case Owner, Admin:
		return scope.Full()
	case Developer:
		return scope.Of(scope.ProductsRead, scope.ProductsWrite, scope.ThemesRead, scope.ThemesWrite,
			scope.WebhooksRead, scope.WebhooksWrite)
	case Support:
		return scope.Of(scope.ProductsRead, scope.CustomersRead, scope.OrdersRead, scope.OrdersWrite)
	}
	return 0
}

// Known reports whether k is one of those who change things: what notes and the
// audit log can name.
func (k Kind) Known() bool {
	return slices.Contains([]Kind{APIKey, OAuthApp, Staff, System}, k)
}

// Known reports whether r is one of the roles.
func (r Role) Known() bool { return r.Scopes() != 0 }

// Viewer is an authenticated principal in one store. It is shared by the
// requests of one credential and never changed.
type Viewer struct {
	Kind  Kind
	Store xid.ID
	// Everywhere lifts the tenant filter: only for work that has no store, such
	// as looking up a credential or walking all stores.
	Everywhere bool
	// Actor is the id of the credential, app or person that notes and audit
	// rows name: a key, an app or a user.
	Actor xid.ID
	Name  string // the actor's name
	// Principal owns idempotency keys, rates, endpoints and exports: a key's
	// rotation lineage, an OAuth client or a person (contract, section 3).
	Principal xid.ID
	// Credential is the key or token row itself; nil for a session.
	Credential xid.ID
	// Session is the hash of a browser's session; zero for other credentials.
	Session digest.Sum
	// ProvedAt is when the person of that session last proved who they are.
	ProvedAt micros.Time
	// Grant is the consent behind an app's token, whose client is the Actor.
	Grant xid.ID
	// AppStore is the store that registered that app.
	AppStore xid.ID
	// Resource is the path of the only resource that the token opens; empty for every one.
	Resource string
	Granted  scope.Set // as granted
	Scopes   scope.Set // effective: with what the granted imply
	Role     Role      // of a person; empty for other kinds
	// Sensitive says that a staff token was created for sensitive actions too.
	Sensitive bool
	// LacksFactor says that the store requires a second factor of this person, who has
	// none: until they have set one up, the store shows them nothing.
	LacksFactor bool
	Currency    string // the store's currency
	Legacy      bool   // v0 is still served to it (contract, section 10)
}

// ProofLife is how long somebody who has proved who they are need not do so again.
const ProofLife = 10 * time.Minute

// Stale reports whether a person acts in a browser who proved longer than [ProofLife] ago
// who they are: somebody else may sit there now, or have the cookie.
func (v *Viewer) Stale() bool {
	return v.Session != (digest.Sum{}) && Stale(v.ProvedAt)
}

// Stale reports whether a proof was given longer than [ProofLife] ago.
func Stale(proved micros.Time) bool { return micros.Now() >= proved.Add(ProofLife) }

// IsPerson reports whether a human being acts.
func (v *Viewer) IsPerson() bool { return v.Kind == Staff }

type key struct{}

// With returns a context in which v asks.
func With(ctx context.Context, v *Viewer) context.Context { return context.WithValue(ctx, key{}, v) }

// From returns the viewer, or nil when nobody asks.
func From(ctx context.Context) *Viewer {
	v, _ := ctx.Value(key{}).(*Viewer)
	return v
}

// Operator returns a context for the operator's work in one store.
func Operator(ctx context.Context, store xid.ID) context.Context {
	return With(ctx, &Viewer{Kind: System, Store: store, Name: "operator",
		Granted: scope.Full(), Scopes: scope.Full(), Role: Owner})
}

// Visitor returns a context in which somebody looks at the storefront of a store.
// They hold no scope.
func Visitor(ctx context.Context, store xid.ID) context.Context {
	return With(ctx, &Viewer{Kind: Guest, Store: store, Name: "visitor"})
}

// ShopperName is the name of whoever buys, for example as the author of a note.
const ShopperName = "shopper"

// Shopper returns a context in which somebody buys at the storefront of a store. They hold
// no scope; what they do, the audit log shows as the system's.
func Shopper(ctx context.Context, store xid.ID) context.Context {
	return With(ctx, &Viewer{Kind: System, Store: store, Name: ShopperName})
}

// Everywhere returns a context for work across all stores.
func Everywhere(ctx context.Context) context.Context {
	return With(ctx, &Viewer{Kind: System, Everywhere: true, Name: "system"})
}

type requestKey struct{}

// Origin says which request a change comes from.
type Origin struct {
	Request string     // its public id
	Client  netip.Addr // who sent it, behind the trusted proxies; may be invalid
	Agent   string     // the User-Agent as it was sent
}

// WithOrigin returns a context of a request.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, requestKey{}, o)
}

// OriginOf returns where the request came from; the zero Origin outside of one.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(requestKey{}).(Origin)
	return o
}

// Request returns the public id of the request, or "" outside of one.
func Request(ctx context.Context) string { return OriginOf(ctx).Request }

// Address is the client's address as it is kept, without a zone; nil when it is not
// known.
func (o Origin) Address() *string {
	if !o.Client.IsValid() {
		return nil
	}
	return new(o.Client.WithZone("").String())
}

// maxAgent bounds what is kept of a User-Agent, in code points.
const maxAgent = 255

// Program is what the client calls itself, as far as it can be shown; nil for nothing.
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
