package access_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestAPIKeyCreate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, developer := p.Member(t, viewer.Developer)
		end := micros.Now().Add(time.Hour)
		made := graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyCreate(developer, model.APIKeyCreateInput{
			Name: "Sync", Scopes: []string{"themes.read", "products.write", "products.write"}, ExpiresAt: &end}))
		k := made.APIKey
		if k.LineageID != k.ID || *k.Slot != 1 || k.Superseded() || *k.ExpiresAt() != end ||
			*k.CreatedBy != viewer.From(developer).Actor || k.Hint != "sfk_..."+(*made.Secret)[32:36] {
			t.Errorf("created %v", k)
		}
		if d := cmp.Diff([]string{"products.write", "themes.read"}, k.Scopes()); d != "" {
			t.Error(d)
		}
		v, err := p.Keys.Authenticate(t.Context(), *made.Secret, "sfk_")
		if err != nil || v.Scopes != scope.Of("products.write", "products.read", "themes.read") {
			t.Errorf("%v, %v", v, err)
		}
		read := graphtest.Must[*model.APIKey](t)(p.Query().APIKey(developer, k.PublicID()))
		if read.APIKey.String() != k.APIKey.String() {
			t.Errorf("stored %v, returned %v", read, k)
		}
		for _, tc := range []struct {
			in   model.APIKeyCreateInput
			want string
		}{
			{model.APIKeyCreateInput{Name: "", Scopes: []string{"products.read"}}, "#/name too_short"},
			{model.APIKeyCreateInput{Name: strings.Repeat("x", 256), Scopes: []string{"products.read"}},
				"#/name too_long"},
			{model.APIKeyCreateInput{Name: "X"}, "#/scopes too_short"},
			{model.APIKeyCreateInput{Name: "X", Scopes: []string{"products.read", "all"}}, "#/scopes/1 unknown_value"},
			{model.APIKeyCreateInput{Name: "X", Scopes: []string{"products.read"}, ExpiresAt: new(micros.Now())},
				"#/expires_at out_of_range"},
		} {
			if _, err := p.Mutation().APIKeyCreate(p.Ctx, tc.in); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%+v: %v, want %s", tc.in, err, tc.want)
			}
		}
	})
}

// Callers cannot get a scope that they lack, neither with a new key nor by rotating one.
func TestAPIKeyScopesOfTheCaller(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, developer := p.Member(t, viewer.Developer)
		_, err := p.Mutation().APIKeyCreate(developer,
			model.APIKeyCreateInput{Name: "X", Scopes: []string{"products.read", "customers.read"}})
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.InsufficientScope ||
			f.Scope != "customers.read" {
			t.Errorf("create: %v", err)
		}
		all := p.NewKey(t, p.Ctx, scope.Names()...)
		if _, err := p.Mutation().APIKeyRotate(developer,
			all.APIKey.PublicID(), nil); graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("rotate: %v", err)
		}
		if n := p.Client(p.Ctx).APIKey.Query().CountX(p.Ctx); n != 1 {
			t.Errorf("%d keys", n)
		}
	})
}

func TestAPIKeyRotate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		first := p.NewKey(t, p.Ctx, "orders.write")
		id := first.APIKey.PublicID()
		second := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, id, nil))
		k := second.APIKey
		if k.LineageID != first.APIKey.ID || k.Name != "Sync" || k.APIKey.Scopes != "orders.write" || k.Superseded() ||
			*second.Secret == *first.Secret {
			t.Errorf("rotated to %v", k)
		}
		if !p.Authenticates(t, first.Secret) || !p.Authenticates(t, second.Secret) {
			t.Error("both keys must be valid after a rotation")
		}
		if old := graphtest.Must[*model.APIKey](t)(p.Query().APIKey(p.Ctx, id)); !old.Superseded() {
			t.Error("the older key is not superseded")
		}
		a, _ := p.Keys.Authenticate(t.Context(), *first.Secret, "sfk_")
		b, _ := p.Keys.Authenticate(t.Context(), *second.Secret, "sfk_")
		if a.Principal != b.Principal || a.Actor == b.Actor {
			t.Errorf("principals %v and %v", a.Principal, b.Principal)
		}
		for _, of := range []string{id, k.PublicID()} {
			if _, err := m.APIKeyRotate(p.Ctx, of, nil); graphtest.FaultOf(err) != "rotation_pending" {
				t.Errorf("a third: %v", err)
			}
		}
		graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRevoke(p.Ctx, id))
		if _, err := m.APIKeyRotate(p.Ctx, id, nil); graphtest.FaultOf(err) != "already_revoked" {
			t.Errorf("of a revoked one: %v", err)
		}
		third := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, k.PublicID(), nil))
		if third.APIKey.LineageID != first.APIKey.ID || p.Authenticates(t, first.Secret) || !p.Authenticates(t,
			second.Secret) ||
			!p.Authenticates(t, third.Secret) {
			t.Errorf("then %v", third.APIKey)
		}
		if got, want := p.Audited(t),
			"store.create api_key.create api_key.rotate api_key.revoke api_key.rotate"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// An expired key cannot be rotated.
func TestAPIKeyRotateExpired(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		k := p.NewKey(t, p.Ctx, "orders.read").APIKey
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			return p.Client(ctx).APIKey.Update().Where(keys.ID(k.ID)).SetExpiresAt(micros.Now()).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Mutation().APIKeyRotate(p.Ctx, k.PublicID(), nil)
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Error(err)
		}
	})
}

// Of concurrent rotations exactly one creates a key, and the others leave nothing behind.
func TestAPIKeyRotateRace(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		k := p.NewKey(t, p.Ctx, "orders.read").APIKey
		errs := make([]error, 20)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = p.Mutation().APIKeyRotate(p.Ctx, k.PublicID(), nil) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if graphtest.FaultOf(err) != "rotation_pending" {
				t.Error(err)
			}
		}
		live := p.Client(p.Ctx).APIKey.Query().Where(keys.SlotNotNil()).CountX(p.Ctx)
		c, all := storetest.AllStores(t, p.Store)
		if n := c.Credential.Query().CountX(all); made != 1 || live != 2 || n != 2 {
			t.Errorf("%d made, %d live, %d credentials, want 1, 2, 2", made, live, n)
		}
	})
}

func TestAPIKeyRevoke(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		made := p.NewKey(t, p.Ctx, "orders.read")
		id := made.APIKey.PublicID()
		if !p.Authenticates(t, made.Secret) {
			t.Fatal("invalid from the start")
		}
		// A revocation that is rolled back has no effect.
		undone := errors.New("undone")
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			_, err := m.APIKeyRevoke(ctx, id)
			return errors.Join(err, ent.Final(undone))
		})
		if !errors.Is(err, undone) || !p.Authenticates(t, made.Secret) {
			t.Errorf("rolled back: %v", err)
		}
		got := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRevoke(p.Ctx, id))
		if got.APIKey.RevokedAt == nil || got.APIKey.Slot != nil || got.Secret != nil || p.Authenticates(t,
			made.Secret) {
			t.Errorf("revoked to %v", got.APIKey)
		}
		other := graphtest.NewShop(t, p.Resolver)
		for name, tc := range map[string]struct {
			ctx  context.Context
			id   string
			want string
		}{
			"again": {p.Ctx, id, "already_revoked"}, "unknown": {p.Ctx, xid.APIKey.Format(xid.New()), "not_found"},
			"malformed": {p.Ctx, "key_x", "not_found"}, "another store's": {other.Ctx, id, "not_found"},
		} {
			if _, err := m.APIKeyRevoke(tc.ctx, tc.id); graphtest.FaultOf(err) != tc.want {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := m.APIKeyRotate(tc.ctx, tc.id, nil); graphtest.FaultOf(err) != tc.want {
				t.Errorf("rotate %s: %v", name, err)
			}
		}
		list := graphtest.Must[*model.APIKeyConnection](t)(p.Query().APIKeys(p.Ctx, nil, nil)).Nodes
		if len(list) != 1 || list[0].RevokedAt == nil {
			t.Errorf("list %v", list)
		}
	})
}

func TestMe(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		key := p.NewKey(t, p.Ctx, "orders.write")
		graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyRotate(p.Ctx, key.APIKey.PublicID(), nil))
		token := graphtest.Must[*model.StaffTokenPayload](t)(p.NewStaffToken(p.Ctx, p.Owner.ID, "Laptop", nil, false))
		for _, tc := range []struct {
			secret *string
			want   model.Identity
			scopes []string
		}{
			{key.Secret, model.Identity{Type: model.CredentialTypeAPIKey, CredentialID: key.APIKey.PublicID(),
				Name: new("Sync"), Hint: key.APIKey.Hint, CreatedAt: key.APIKey.CreatedAt(), Superseded: true},
				[]string{"orders.read", "orders.write"}},
			{token.Token, model.Identity{Type: model.CredentialTypeStaffToken,
				CredentialID: token.StaffToken.PublicID(), Name: new("Laptop"),
				Hint: token.StaffToken.Hint, CreatedAt: token.StaffToken.CreatedAt()}, scope.Full().Names()},
		} {
			v, err := p.Keys.Authenticate(t.Context(), *tc.secret, "sfk_", "sft_")
			if err != nil {
				t.Fatal(err)
			}
			before := p.Resolver.Store.Statements()
			me := graphtest.Must[*model.Identity](t)(p.Query().Me(viewer.With(t.Context(), v)))
			if n := p.Resolver.Store.Statements() - before; n > 2 {
				t.Errorf("%d statements, want at most 2", n)
			}
			if me.Store.ID != p.Model.ID || me.Store.StoreHost != p.Model.StoreHost || me.ServerTime == 0 {
				t.Errorf("store %v at %v", me.Store, me.ServerTime)
			}
			if d := cmp.Diff(tc.scopes, me.Scopes()); d != "" {
				t.Error(d)
			}
			got := model.Identity{Type: me.Type, CredentialID: me.CredentialID, Name: me.Name, Hint: me.Hint,
				CreatedAt: me.CreatedAt, Superseded: me.Superseded}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		}
		for name, ctx := range map[string]context.Context{"operator": p.Ctx, "nobody": t.Context()} {
			if _, err := p.Query().Me(ctx); graphtest.FaultOf(err) != "authentication_required" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestScopes(t *testing.T) {
	got := graphtest.Must[[]*scope.Scope](t)(graph.Query{}.Scopes(t.Context()))
	var names []string
	for _, s := range got {
		names = append(names, s.Name)
	}
	if d := cmp.Diff(scope.Names(), names); d != "" {
		t.Error(d)
	}
}
