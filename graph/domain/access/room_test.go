package access_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// The limits of unrevoked keys and of people hold; a revocation or removal makes room.
func TestRoom(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		p.Limits = limit.Values{limit.APIKeys: 3, limit.People: 3, limit.Invitations: 3}
		create := func() (*model.APIKeyPayload, error) {
			return p.Mutation().APIKeyCreate(p.Ctx, model.APIKeyCreateInput{Name: "x", Scopes: []string{"orders.read"}})
		}
		p.Plant(t, 2, func(ctx context.Context, i int) error {
			id := xid.New()
			return p.Client(ctx).APIKey.Create().SetID(id).SetLineageID(id).SetSlot(1).SetName("Planted").SetHint("x").
				SetScopes("orders.read").Exec(ctx)
		})
		last := graphtest.Must[*model.APIKeyPayload](t)(create()).APIKey
		if _, err := create(); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("one key more: %v", err)
		}
		graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyRotate(p.Ctx, last.PublicID(), nil))
		graphtest.Must[*model.APIKeyPayload](t)(p.Mutation().APIKeyRevoke(p.Ctx, last.PublicID()))
		if _, err := create(); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("beside the one that was rotated: %v", err)
		}
		p.Plant(t, 2, func(ctx context.Context, i int) error {
			return p.Client(ctx).Staff.Create().SetID(xid.New()).SetRole(viewer.Support).
				SetUpdatedAt(micros.Now()).Exec(ctx)
		})
		_, err := p.Hire(p.Ctx, access.Person{Email: "late@example.com", Name: "Late"}, viewer.Support)
		if graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("one person more: %v", err)
		}
		invite := func(i int) error {
			_, err := p.Mutation().StaffInvite(p.Ctx,
				model.StaffInviteInput{Email: fmt.Sprintf("p%d@example.com", i), Role: viewer.Support})
			return err
		}
		p.Plant(t, 2, func(ctx context.Context, i int) error {
			email := fmt.Sprintf("planted%d@example.com", i)
			return p.Client(ctx).Invitation.Create().SetEmail(email).SetPending(email).SetRole(viewer.Support).
				SetInviterName("x").SetExpiresAt(micros.Now().Add(time.Hour)).Exec(ctx)
		})
		if err := invite(0); err != nil {
			t.Errorf("the last invitation: %v", err)
		}
		if err := invite(1); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("one invitation more: %v", err)
		}
	})
}
