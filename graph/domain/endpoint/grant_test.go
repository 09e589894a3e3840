package endpoint_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
)

// newCredential stores a credential of a grant.
func newCredential(p *graphtest.Shop, t testing.TB, kind apikey.Kind, g *db.Grant) apikey.Secret {
	t.Helper()
	secret := apikey.Mint(kind)
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(p.Model.ID).SetCredentialID(g.ID).
			SetKind(string(kind)).Exec(ctx)
	})
	return secret
}

// Every way to end the last grant also disables the endpoints, in the same transaction.
func TestEndingTheLastGrant(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
		server := graphtest.Must[*oauth.Server](t)(oauth.New(oauth.Config{Store: p.Resolver.Store, Keys: p.Keys,
			Ring: ring, Issuer: "https://api.test", OnLastGrant: p.LastGrantEnded, MayName: p.MayName}))
		send := func(call func(context.Context, oauth.Params) error, pairs ...string) {
			form := graphtest.Must[oauth.Params](t)(oauth.ParseForm(strings.Join(pairs, "&")))
			_ = call(t.Context(), form) // reusing a token is refused; its effect is checked below
		}
		token := func(ctx context.Context, form oauth.Params) error {
			_, err := server.Token(ctx, form, nil)
			return err
		}
		revoke := func(ctx context.Context, form oauth.Params) error { return server.Revoke(ctx, form, nil) }
		for why, end := range map[state.GrantEnd]func(a *model.App, g *db.Grant){
			state.GrantEndedByStore: func(_ *model.App, g *db.Grant) {
				graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.Ctx, g.PublicID()))
			},
			state.GrantEndedByApp: func(a *model.App, g *db.Grant) {
				secret := newCredential(p, t, apikey.Refresh, g)
				p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
					return c.Grant.Update().Where(grant.ID(g.ID)).SetRefreshHash(digest.Sum(secret.Hash())).Exec(ctx)
				})
				send(revoke, "token="+secret.Reveal(), "client_id="+a.ClientID)
			},
			state.GrantCodeReused: func(_ *model.App, g *db.Grant) {
				send(token, "code="+newCredential(p, t, apikey.Code, g).Reveal())
			},
			state.GrantTokenReused: func(_ *model.App, g *db.Grant) {
				send(token, "refresh_token="+newCredential(p, t, apikey.Refresh, g).Reveal())
			},
		} {
			l := newLastGrant(p, t)
			end(l.app, l.grants[0])
			if got := orphaned(p, t, l); got != living {
				t.Errorf("%s, the first of two: %s", why, got)
			}
			end(l.app, l.grants[1])
			if got := orphaned(p, t, l); got != buried {
				t.Errorf("%s, the last: %s", why, got)
			}
			for _, g := range l.grants {
				if row := p.Client(p.Ctx).Grant.Query().Where(grant.ID(g.ID)).OnlyX(p.Ctx); row.RevokedReason == nil ||
					*row.RevokedReason != why {
					t.Errorf("%s: %v", why, row)
				}
			}
		}
	})
}
