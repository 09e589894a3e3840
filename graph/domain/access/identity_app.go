package access

import (
	"context"

	"github.com/storefront-go/storefront/ent/db/accesstoken"
	"github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// identifyAccess describes an app's access token, with the app and the grant. The app's row belongs
// to the store that registered it.
func (q Query) identifyAccess(ctx context.Context, v *viewer.Viewer, id *model.Identity) error {
	t, err := core.Only(q.Client(ctx).AccessToken.Query().Where(accesstoken.ID(v.Credential)).Load(ctx))
	if err != nil {
		return err
	}
	g, err := core.Only(q.Client(ctx).Grant.Query().Where(grant.ID(v.Grant)).Load(ctx))
	if err != nil {
		return err
	}
	a, err := core.Only(q.Client(ctx).App.Query().Where(app.StoreID(g.AppStoreID), app.ID(g.AppID)).
		Load(viewer.Everywhere(ctx)))
	if err != nil {
		return err
	}
	id.Type, id.CredentialID = model.CredentialTypeOauthToken, xid.Token.Format(t.ID)
	id.Hint, id.CreatedAt, id.ExpiresAt = t.Hint, t.CreatedAt(), &t.ExpiresAt
	id.App, id.Grant = &model.AppSummary{App: a}, g
	return nil
}
