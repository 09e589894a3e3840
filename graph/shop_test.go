package graph

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/model"
)

// shop is a store that was made as the command line makes one.
type shop struct {
	*Resolver
	store *model.Store
	owner *db.User
	// ctx is the operator's.
	ctx context.Context
}

// newShop makes a store and its owner.
func newShop(t testing.TB, r *Resolver) *shop {
	t.Helper()
	email := "owner-" + xid.New().String() + "@example.com"
	s, owner, err := r.NewStore(t.Context(), model.StoreCreateInput{Name: "Corner shop", Currency: "eur", Timezone: "Europe/Berlin"},
		Person{Email: email, Name: "Olive"})
	if err != nil {
		t.Fatal(err)
	}
	return &shop{r, s, owner, viewer.Operator(t.Context(), s.ID)}
}

// eachShop runs f on every engine with a store that has an owner.
func eachShop(t *testing.T, f func(t *testing.T, p *shop)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, newShop(t, newCore(t, s))) })
}

// as returns a context in which a member asks.
func (p *shop) as(id xid.ID, role viewer.Role) context.Context {
	return viewer.With(p.ctx, &viewer.Viewer{Kind: viewer.Staff, Store: p.store.ID, Actor: id, Principal: id, Name: string(role),
		Role: role, Granted: role.Scopes(), Scopes: role.Scopes().Effective(), Currency: "EUR"})
}

// member adds a person and returns his membership and context.
func (p *shop) member(t testing.TB, role viewer.Role) (*model.Staff, context.Context) {
	t.Helper()
	s, err := p.Mutation().StaffAdd(p.ctx, model.StaffAddInput{Email: "m-" + xid.New().String() + "@example.com", Name: "Max", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return s.Staff, p.as(s.Staff.ID, role)
}

// live tells whether the credential opens anything.
func (p *shop) live(t testing.TB, secret *string) bool {
	t.Helper()
	v, err := p.Keys.Authenticate(t.Context(), *secret, apikey.Key, apikey.Staff)
	if err != nil && faultOf(err) != "invalid_token" {
		t.Fatal(err)
	}
	return v != nil
}

// audited returns the actions of the audit log, oldest first.
func (p *shop) audited(t testing.TB) string {
	t.Helper()
	log := must[*model.AuditEntryConnection](t)(p.Query().AuditLog(p.ctx, new(100), nil))
	var actions []string
	for i := len(log.Nodes) - 1; i >= 0; i-- {
		actions = append(actions, log.Nodes[i].Action)
	}
	return strings.Join(actions, " ")
}
