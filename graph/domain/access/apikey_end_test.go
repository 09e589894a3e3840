package access_test

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	keys "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// With an end for the old key, no revocation is needed: the key does not block another rotation,
// and the new key does not inherit the end.
func TestAPIKeyRotateWithEnd(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, soon := p.Mutation(), micros.Now().Add(time.Hour)
		first := p.NewKey(t, p.Ctx, "orders.read")
		id := first.APIKey.PublicID()
		if _, err := m.APIKeyRotate(p.Ctx, id, new(micros.Now())); graphtest.FieldOf(err) !=
			"#/old_key_ends_at out_of_range" {
			t.Errorf("an end in the past: %v", err)
		}
		second := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, id, &soon)).APIKey
		old := graphtest.Must[*model.APIKey](t)(p.Query().APIKey(p.Ctx, id))
		if old.ExpiresAt() == nil || *old.ExpiresAt() != soon || second.ExpiresAt() != nil {
			t.Errorf("the old key ends at %v, the new one at %v", old.ExpiresAt(), second.ExpiresAt())
		}
		v := graphtest.Must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(), *first.Secret, apikey.Key))
		me := graphtest.Must[*model.Identity](t)(p.Query().Me(viewer.With(t.Context(), v)))
		if me.ExpiresAt == nil || *me.ExpiresAt != soon {
			t.Errorf("me: %v", me.ExpiresAt)
		}
		if _, err := m.APIKeyRotate(p.Ctx, second.PublicID(), nil); graphtest.FaultOf(err) != "rotation_pending" {
			t.Errorf("before the end: %v", err)
		}
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error { // as if the hour had passed
			return p.Client(ctx).APIKey.Update().Where(keys.ID(first.APIKey.ID)).SetRetiresAt(micros.Now()).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Keys.Forget(first.APIKey.StoreID)
		if p.Authenticates(t, first.Secret) {
			t.Error("the old key is valid after its end")
		}
		graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, second.PublicID(), nil))
		if _, err := m.APIKeyRotate(p.Ctx, id, nil); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("of the expired key: %v", err)
		}
		log := graphtest.Must[*model.AuditEntryConnection](t)(p.Query().AuditLog(p.Ctx, new(100), nil, nil)).Nodes
		if want := "orders.read, the former key ends at " + soon.String(); *log[1].Detail != want {
			t.Errorf("audit log: %q, want %q", *log[1].Detail, want)
		}
	})
}

// After the newer key is revoked, the older one is the newest again, and keeps its end.
func TestAPIKeyRotateAgain(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, soon := p.Mutation(), micros.Now().Add(time.Hour)
		first := p.NewKey(t, p.Ctx, "orders.read").APIKey
		second := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, first.PublicID(), &soon)).APIKey
		graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRevoke(p.Ctx, second.PublicID()))
		old := graphtest.Must[*model.APIKey](t)(p.Query().APIKey(p.Ctx, first.PublicID()))
		if old.Superseded() || *old.ExpiresAt() != soon {
			t.Errorf("superseded %t, ends at %v", old.Superseded(), old.ExpiresAt())
		}
		third := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, first.PublicID(), nil)).APIKey
		if third.ExpiresAt() != nil || third.LineageID != first.LineageID {
			t.Errorf("then %v", third)
		}
	})
}

// An allow-list is normalized, takes effect at once, and is inherited by the next key.
func TestAPIKeyAllow(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		made := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyCreate(p.Ctx, model.APIKeyCreateInput{Name: "Sync",
			Scopes: []string{"orders.read"}, AllowedNetworks: []string{" 2001:db8::/32", "192.0.2.7", "192.0.2.7/32"}}))
		want := []string{"192.0.2.7/32", "2001:db8::/32"}
		if got := made.APIKey.AllowedNetworks(); !slices.Equal(got, want) {
			t.Errorf("allowed from %v", got)
		}
		open := func(secret *string, from string) bool {
			_, err := p.Keys.AuthenticateFrom(t.Context(), netip.MustParseAddr(from), *secret, apikey.Key)
			return err == nil
		}
		if !open(made.Secret, "192.0.2.7") || open(made.Secret, "192.0.2.8") {
			t.Error("the list has no effect")
		}
		id := made.APIKey.PublicID()
		next := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRotate(p.Ctx, id, nil))
		if got := next.APIKey.AllowedNetworks(); !slices.Equal(got, want) {
			t.Errorf("the next key: %v", got)
		}
		graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyAllow(p.Ctx, id, []string{"192.0.2.8"}))
		if open(made.Secret, "192.0.2.7") || !open(made.Secret, "192.0.2.8") || !open(next.Secret, "192.0.2.7") {
			t.Error("the new list has no effect, or affects another key")
		}
		graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyAllow(p.Ctx, id, nil))
		if !open(made.Secret, "203.0.113.1") {
			t.Error("without a list the key is not valid everywhere")
		}
		other := graphtest.NewShop(t, p.Resolver)
		for _, tc := range []struct {
			ctx      context.Context
			networks []string
			want     string
		}{
			{p.Ctx, []string{"192.0.2.0/24", "192.0.2.1/24"}, "#/allowed_networks/1 invalid_format"},
			{p.Ctx, slices.Repeat([]string{"192.0.2.1"}, 21), "#/allowed_networks too_long"},
			{other.Ctx, nil, "not_found"},
		} {
			_, err := m.APIKeyAllow(tc.ctx, id, tc.networks)
			if got := graphtest.FieldOf(err); got != tc.want && graphtest.FaultOf(err) != tc.want {
				t.Errorf("%v: %v, want %s", tc.networks, err, tc.want)
			}
		}
		graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyRevoke(p.Ctx, id))
		if _, err := m.APIKeyAllow(p.Ctx, id, nil); graphtest.FaultOf(err) != "already_revoked" {
			t.Errorf("of a revoked key: %v", err)
		}
	})
}
