// Package viewer says who is asking: the store, the principal and what it may
// do. The tenant policy of every store-owned table reads it from the context;
// without a viewer every query and mutation is denied.
package viewer

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/digest"
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
	// Grant is the consent behind an app's token, whose client is the Actor.
	Grant    xid.ID
	Granted  scope.Set // as granted
	Scopes   scope.Set // effective: with what the granted imply
	Role     Role      // of a person; empty for other kinds
	Currency string    // the store's currency
	Legacy   bool      // v0 is still served to it (contract, section 10)
}

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

// Everywhere returns a context for work across all stores.
func Everywhere(ctx context.Context) context.Context {
	return With(ctx, &Viewer{Kind: System, Everywhere: true, Name: "system"})
}

type requestKey struct{}

// WithRequest returns a context that carries the public id of the request.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Request returns the public id of the request, or "" outside of one.
func Request(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
