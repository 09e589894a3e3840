package access_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// An app known by its metadata document is installed like any other but registered by no store: the
// store lists its access and can end it, but does not manage the app.
func TestAppOfDocument(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const url = "https://client.example/oauth.json"
		id, now := xid.New(), micros.Now()
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			c := p.Client(ctx)
			err := c.App.Create().SetID(id).SetClientID("document-1").SetMetadataURL(url).SetName("Helper").
				SetDeveloper("client.example").SetRedirectUris("https://client.example/cb").SetScopes("orders.read").
				SetUpdatedAt(now).Exec(ctx)
			if err != nil {
				return err
			}
			return c.Grant.Create().SetAppStoreID(p.Model.ID).SetAppID(id).SetUserID(xid.New()).SetUserName("Ada").
				SetScopes("orders.read").SetRedirectURI("https://client.example/cb").SetCodeChallenge("x").
				SetCodeExpiresAt(now.Add(time.Hour)).SetExpiresAt(now.Add(time.Hour)).SetUpdatedAt(now).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		installed := graphtest.Must[*model.InstalledAppConnection](t)(p.Query().InstalledApps(p.Ctx, nil, nil)).Nodes
		if len(installed) != 1 || installed[0].App.ClientID() != url || installed[0].App.Name != "Helper" {
			t.Fatalf("installed: %v", installed)
		}
		if list := graphtest.Must[*model.AppConnection](t)(p.Query().Apps(p.Ctx, nil, nil)).Nodes; len(list) != 0 {
			t.Errorf("registered: %v", list)
		}
		app := xid.App.Format(id)
		if _, err := p.Query().App(p.Ctx, app); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("read as registered: %v", err)
		}
		if _, err := p.Mutation().AppUpdate(p.Ctx, app, 1, model.AppUpdateInput{
			RedirectUris: model.Given([]string{"https://evil.example/"})}); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("changed: %v", err)
		}
		graphtest.Must[*model.InstalledAppRevokePayload](t)(p.Mutation().InstalledAppRevoke(p.Ctx, app))
		p.Limits = limit.Values{limit.Apps: 1}
		if _, err := p.Mutation().AppCreate(p.Ctx, model.AppCreateInput{Name: "Bridge", Scopes: []string{"orders.read"},
			RedirectUris: []string{"https://b.example/"}}); err != nil {
			t.Errorf("it counts toward the limit: %v", err)
		}
	})
}
