package oauth

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppScopes returns the present scopes of an app in the viewer's store: those of its live grants
// that the app is also registered for, each with implied read scopes, and none if the app is
// disabled. The app's row is in the store that registered it. only narrows the grants.
func AppScopes(
	ctx context.Context, c *db.Client, registered, app xid.ID, only ...predicate.Grant,
) (scope.Set, error) {
	a, err := c.App.Query().Where(apps.StoreID(registered), apps.ID(app)).Load(viewer.Everywhere(ctx))
	if err != nil || len(a) == 0 || a[0].DisabledAt != nil {
		return scope.Of(), fault.Wrap("read app", err)
	}
	query := c.Grant.Query().Where(grant.AppID(app)).Where(only...)
	query.Modify(func(s *sql.Selector) { s.Where(LiveGrant(micros.Now())).Limit(100) })
	grants, err := query.Load(ctx)
	if err != nil {
		return scope.Of(), fault.Wrap("read grants", err)
	}
	given := scope.Of()
	for _, g := range grants {
		given |= scope.Parse(g.Scopes)
	}
	return given.Effective() & scope.Parse(a[0].Scopes).Effective(), nil
}
