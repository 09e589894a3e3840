package graphtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// AddGrants adds n grants of the store to an app and returns them, the oldest first. They are redeemed
// and live unless edit changes them.
func (p *Shop) AddGrants(t testing.TB, a *model.App, n int, edit func(i int, g *db.GrantCreate)) []*db.Grant {
	t.Helper()
	var rows []*db.Grant
	p.WriteRows(t, func(ctx context.Context, c *db.Client) (err error) {
		made := make([]*db.GrantCreate, n)
		for i := range made {
			now := micros.Now()
			made[i] = c.Grant.Create().SetID(xid.At(now)).SetAppStoreID(a.StoreID).SetAppID(a.ID).
				SetUserID(p.Owner.ID).SetUserName(p.Owner.Name).SetScopes("orders.read products.read").
				SetRedirectURI("https://bridge.example/cb").SetCodeChallenge(strings.Repeat("c", 43)).
				SetCodeExpiresAt(now.Add(time.Minute)).SetCodeUsedAt(now).SetRefreshExpiresAt(now.Add(time.Hour)).
				SetExpiresAt(now.Add(2 * time.Hour)).SetUpdatedAt(now)
			if edit != nil {
				edit(i, made[i])
			}
		}
		rows, err = c.Grant.CreateBulk(made...).Save(ctx)
		return err
	})
	return rows
}

// EndedGrants holds an edit for each way in which a grant can end.
var EndedGrants = map[string]func(int, *db.GrantCreate){
	"revoked": func(_ int, g *db.GrantCreate) {
		g.SetRevokedAt(micros.Now()).SetRevokedReason(state.GrantEndedByApp)
	},
	"expired":   func(_ int, g *db.GrantCreate) { g.SetExpiresAt(micros.Now()) },
	"idle":      func(_ int, g *db.GrantCreate) { g.SetRefreshExpiresAt(micros.Now()) },
	"abandoned": func(_ int, g *db.GrantCreate) { Unredeemed(0, g); g.Mutation().SetCodeExpiresAt(micros.Now()) },
}

// Unredeemed makes a grant whose code has not been redeemed yet.
func Unredeemed(_ int, g *db.GrantCreate) {
	g.Mutation().ResetCodeUsedAt()
	g.Mutation().ResetRefreshExpiresAt()
}

// ErrOf returns the error of a call.
func ErrOf[T any](_ T, err error) error { return err }
