package graphtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
)

// NewCore returns the operations on s, with its own signing keys.
func NewCore(t testing.TB, s *ent.Store) *graph.Resolver {
	t.Helper()
	ring := Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
	return Must[*graph.Resolver](t)(graph.New(config(t, s, ring, samples(t))))
}

// As returns a context for a person with the role, in the store of ctx.
func As(ctx context.Context, role viewer.Role) context.Context {
	store := viewer.From(ctx).Store
	return viewer.With(ctx, &viewer.Viewer{Kind: viewer.Staff, Store: store, Actor: xid.New(), Principal: xid.New(),
		Name: "Test " + string(role), Role: role, Granted: role.Scopes(), Scopes: role.Scopes(), Currency: "EUR"})
}

// AsKey returns a context for an API key with the scopes.
func AsKey(ctx context.Context, scopes ...string) context.Context {
	store, set := viewer.From(ctx).Store, scope.Of(scopes...)
	return viewer.With(ctx, &viewer.Viewer{Kind: viewer.APIKey, Store: store, Actor: xid.New(), Principal: xid.New(),
		Name: "Test key", Granted: set, Scopes: set, Currency: "EUR"})
}

// EachCore runs f on every engine with the operations and the context of an owner, in an empty
// store with the currency EUR.
func EachCore(t *testing.T, f func(t *testing.T, ctx context.Context, r *graph.Resolver)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		f(t, As(ctx, viewer.Owner), NewCore(t, s))
	})
}

// EachPrevious is [EachCore] on databases that the previous release may read.
func EachPrevious(t *testing.T, f func(t *testing.T, ctx context.Context, r *graph.Resolver)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		storetest.LimitFormats(t, s)
		ctx, _ := storetest.Merchant(t, s)
		f(t, As(ctx, viewer.Owner), NewCore(t, s))
	})
}

// FaultOf returns the stable name of a fault, "" for no error, and the text of any other error.
func FaultOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Name()
	}
	if err != nil {
		return "not a fault: " + err.Error()
	}
	return ""
}

// FieldOf returns the first field of err's fault as "pointer code".
func FieldOf(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || len(f.Fields) == 0 {
		return ""
	}
	return f.Fields[0].Pointer + f.Fields[0].Parameter + " " + f.Fields[0].Code
}

func inTx(t testing.TB, ctx context.Context, s *ent.Store, f func(context.Context) error) {
	t.Helper()
	if err := s.InTx(ctx, f); err != nil {
		t.Fatal(err)
	}
}

// Must returns v, and fails the test on an error.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Given returns a member of an update input that is not omitted; v may be null.
func Given[T any](v T) graphql.Omittable[T] { return graphql.OmittableOf(v) }

// ExportOf returns an input for an export as plain CSV.
func ExportOf(kind state.ExportKind) model.ExportStartInput {
	return model.ExportStartInput{Kind: kind, Format: state.ExportCSV, Compression: state.ExportPlain}
}

// NewKey creates an API key with the scopes.
func (p *Shop) NewKey(t testing.TB, ctx context.Context, scopes ...string) *model.APIKeyPayload {
	t.Helper()
	return Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyCreate(ctx,
		model.APIKeyCreateInput{Name: "Sync", Scopes: scopes}))
}

// Bridge returns an input for an app that may read products.
func Bridge() model.AppCreateInput {
	return model.AppCreateInput{Name: "Bridge", RedirectUris: []string{"https://bridge.example/cb"},
		Scopes: []string{"products.read"}}
}

// NewApp registers an app with the scopes.
func (p *Shop) NewApp(t testing.TB, scopes ...string) *model.App {
	t.Helper()
	in := Bridge()
	in.Scopes = scopes
	return Must[*model.AppPayload](t)(p.Mutation().AppCreate(p.Ctx, in)).App
}
