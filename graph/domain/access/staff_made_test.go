package access_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// madeBy returns the ids of the active items that a person created.
func madeBy(t *testing.T, p *graphtest.Shop, person string) (ids []string) {
	t.Helper()
	made := graphtest.Must[*model.StaffMade](t)(p.Query().StaffMade(p.Ctx, person))
	for _, k := range made.APIKeys {
		ids = append(ids, k.PublicID())
	}
	for _, a := range made.Apps {
		ids = append(ids, a.PublicID())
	}
	for _, g := range made.Grants {
		ids = append(ids, g.PublicID())
	}
	return ids
}

// equip creates two keys, an app and a grant as a member; it returns their ids.
func equip(t *testing.T, p *graphtest.Shop, member xid.ID) []string {
	t.Helper()
	ctx := p.As(member, viewer.Developer)
	old, young := p.NewKey(t, ctx, scope.ProductsRead), p.NewKey(t, ctx, scope.ProductsRead)
	in := graphtest.Bridge()
	in.Name = "Bridge of " + member.String()
	app := graphtest.Must[*model.AppPayload](t)(p.Mutation().AppCreate(ctx, in)).App
	given := p.AddGrants(t, p.NewApp(t, scope.ProductsRead), 1, func(_ int, g *db.GrantCreate) { g.SetUserID(member) })
	return []string{young.APIKey.PublicID(), old.APIKey.PublicID(), app.PublicID(), given[0].PublicID()}
}

// The active items of a person are listed, without those of others and ended ones. Chosen items end
// with the membership, and the others remain active.
func TestStaffMade(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		p.NewKey(t, p.As(p.Owner.ID, viewer.Owner), scope.ProductsRead)
		p.AddGrants(t, p.NewApp(t, scope.OrdersRead), 1, nil)
		member, _ := p.Member(t, viewer.Developer)
		ids := equip(t, p, member.ID)
		if diff := cmp.Diff(ids, madeBy(t, p, member.PublicID())); diff != "" {
			t.Fatal(diff)
		}
		if got := madeBy(t, p.Other(t), member.PublicID()); got != nil {
			t.Errorf("in another store: %v", got)
		}
		before := p.Audited(t)
		graphtest.Must[*model.StaffRemovePayload](t)(p.Mutation().StaffRemove(p.Ctx, member.PublicID(), ids[1:]))
		if diff := cmp.Diff(ids[:1], madeBy(t, p, member.PublicID())); diff != "" {
			t.Error(diff)
		}
		if done := strings.TrimPrefix(p.Audited(t), before); done != " api_key.revoke app.disable grant.revoke staff.remove" {
			t.Errorf("the log: %q", done)
		}
	})
}

// A removal that cannot end all chosen items ends nothing.
func TestStaffRemoveWhole(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		member, ctx := p.Member(t, viewer.Developer)
		key, gone := p.NewKey(t, ctx, scope.ProductsRead).APIKey, p.NewKey(t, ctx, scope.ProductsRead).APIKey
		graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyRevoke(ctx, gone.PublicID()))
		other := p.Other(t)
		foreign := other.NewKey(t, other.Ctx, scope.ProductsRead).APIKey
		for name, tc := range map[string]struct{ id, want string }{
			"another store's": {foreign.PublicID(), "not_found"},
			"no key":          {xid.APIKey.Format(xid.New()), "not_found"},
			"no app":          {xid.App.Format(xid.New()), "not_found"},
			"no grant":        {xid.Grant.Format(xid.New()), "not_found"},
			"revoked before":  {gone.PublicID(), "already_revoked"},
			"of no kind":      {member.PublicID(), "#/revoke/1 invalid_format"},
		} {
			_, err := p.Mutation().StaffRemove(p.Ctx, member.PublicID(), []string{key.PublicID(), tc.id})
			if got := graphtest.FaultOf(err); got != tc.want && graphtest.FieldOf(err) != tc.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		many := make([]string, 301)
		if _, err := p.Mutation().StaffRemove(p.Ctx, member.PublicID(), many); graphtest.FieldOf(err) !=
			"#/revoke too_long" {
			t.Errorf("too many: %v", err)
		}
		if got := madeBy(t, p, member.PublicID()); len(got) != 1 || memberOf(t, p, member.Email) == nil {
			t.Errorf("something was ended: %v", got)
		}
	})
}

// Expired items are not listed.
func TestStaffMadeRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
		member, ctx := p.Member(t, viewer.Developer)
		graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyCreate(ctx, model.APIKeyCreateInput{Name: "Short",
			Scopes: []string{scope.ProductsRead}, ExpiresAt: new(micros.Now().Add(time.Minute))}))
		p.AddGrants(t, p.NewApp(t, scope.ProductsRead), 1, func(_ int, g *db.GrantCreate) { g.SetUserID(member.ID) })
		if got := madeBy(t, p, member.PublicID()); len(got) != 2 {
			t.Errorf("at first: %v", got)
		}
		<-time.After(3 * time.Hour)
		if got := madeBy(t, p, member.PublicID()); got != nil {
			t.Errorf("later: %v", got)
		}
	})
}
