package graphtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/model"
)

// Shop is a store that was created like the command line creates one.
type Shop struct {
	*graph.Resolver
	Model *model.Store
	Owner *db.User
	// Ctx is the operator's context.
	Ctx context.Context
}

// NewShop creates a store and its owner.
func NewShop(t testing.TB, r *graph.Resolver) *Shop {
	t.Helper()
	email := "owner-" + xid.New().String() + "@example.com"
	s, owner, err := r.NewStore(t.Context(),
		model.StoreCreateInput{Name: "Corner shop", Currency: "eur", Timezone: "Europe/Berlin"},
		access.Person{Email: email, Name: "Olive"})
	if err != nil {
		t.Fatal(err)
	}
	return &Shop{r, s, owner, viewer.Operator(t.Context(), s.ID)}
}

// EachShop runs f on every engine with a new shop.
func EachShop(t *testing.T, f func(t *testing.T, p *Shop)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, NewShop(t, NewCore(t, s))) })
}

// As returns a context for a member of the store.
func (p *Shop) As(id xid.ID, role viewer.Role) context.Context {
	return viewer.With(p.Ctx,
		&viewer.Viewer{Kind: viewer.Staff, Store: p.Model.ID, Actor: id, Principal: id, Name: string(role),
			Role: role, Granted: role.Scopes(), Scopes: role.Scopes().Effective(), Currency: "EUR"})
}

// Member adds a person to the store and returns the membership and its context.
func (p *Shop) Member(t testing.TB, role viewer.Role) (*model.Staff, context.Context) {
	t.Helper()
	s := Must[*model.Staff](t)(p.Hire(p.Ctx,
		access.Person{Email: "m-" + xid.New().String() + "@example.com", Name: "Max"}, role))
	return s, p.As(s.ID, role)
}

// Authenticates reports whether the credential authenticates.
func (p *Shop) Authenticates(t testing.TB, secret *string) bool {
	t.Helper()
	v, err := p.Keys.Authenticate(t.Context(), *secret, apikey.Key, apikey.Staff)
	if err != nil && FaultOf(err) != "invalid_token" {
		t.Fatal(err)
	}
	return v != nil
}

// Audited returns the actions of the audit log, oldest first.
func (p *Shop) Audited(t testing.TB) string {
	t.Helper()
	log := Must[*model.AuditEntryConnection](t)(p.Query().AuditLog(p.Ctx, new(100), nil, nil))
	var actions []string
	for _, entry := range slices.Backward(log.Nodes) {
		actions = append(actions, entry.Action)
	}
	return strings.Join(actions, " ")
}
