package access

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Apps lists the apps that the store registered, including disabled ones, newest first.
func (q Query) Apps(ctx context.Context, first *int, after *string) (*model.AppConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.App]{
		Name: "apps",
		At:   func(a *model.App) page.Position { return core.ByID(a.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.App, error) {
			query := q.Client(ctx).App.Query().Where(apps.MetadataURLIsNil())
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			rows, err := query.Load(ctx)
			shown := make([]*model.App, len(rows))
			for i, row := range rows {
				shown[i] = &model.App{App: row}
			}
			return shown, err
		},
	}, first, after)
}

// App returns one app that the viewer's store registered.
func (q Query) App(ctx context.Context, id string) (*model.App, error) {
	uid, err := core.ParseID(xid.App, id)
	if err != nil {
		return nil, err
	}
	row, err := q.registeredApp(ctx, uid)
	if err != nil {
		return nil, core.Explain("app", err)
	}
	return &model.App{App: row}, nil
}

// registeredApp reads an app that the store registered. It excludes apps known by a metadata
// document, which are defined by their documents.
func (r *Resolver) registeredApp(ctx context.Context, id xid.ID) (*db.App, error) {
	return core.Only(r.Client(ctx).App.Query().Where(apps.ID(id), apps.MetadataURLIsNil()).Load(ctx))
}

// appsOf reads the apps of the grants with one statement.
func (r *Resolver) appsOf(ctx context.Context, grants []*db.Grant) (map[xid.ID]*model.AppSummary, error) {
	store := map[xid.ID]xid.ID{}
	for _, g := range grants {
		store[g.AppID] = g.AppStoreID
	}
	return r.AppsIn(ctx, store)
}
