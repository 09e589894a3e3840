package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// Apps lists the apps that the store registered, newest first, disabled ones
// included.
func (q Query) Apps(ctx context.Context, first *int, after *string) (*model.AppConnection, error) {
	return connect(ctx, q.Resolver, list[*model.App]{
		name: "apps",
		at:   func(a *model.App) page.Position { return byID(a.ID) },
		read: func(ctx context.Context, after *page.Position, limit int) ([]*model.App, error) {
			query := q.client(ctx).App.Query()
			query.Modify(window{after: after, limit: limit, index: primary}.apply)
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
	uid, err := parseID(xid.App, id)
	if err != nil {
		return nil, err
	}
	row, err := q.registeredApp(ctx, uid)
	if err != nil {
		return nil, explain("app", err)
	}
	return &model.App{App: row}, nil
}

func (r *Resolver) registeredApp(ctx context.Context, id xid.ID) (*db.App, error) {
	return only(r.client(ctx).App.Query().Where(apps.ID(id)).Load(ctx))
}

// appsOf reads the apps of the grants with one statement.
func (r *Resolver) appsOf(ctx context.Context, grants []*db.Grant) (map[xid.ID]*model.AppSummary, error) {
	store := map[xid.ID]xid.ID{}
	for _, g := range grants {
		store[g.AppID] = g.AppStoreID
	}
	return r.appsIn(ctx, store)
}

// appsIn reads apps with one statement, none where there are none to read. They
// lie in the stores that registered them, so each is named by its store too, and
// the tenant policy, which would keep to the viewer's store, is lifted for this
// read.
func (r *Resolver) appsIn(ctx context.Context, store map[xid.ID]xid.ID) (map[xid.ID]*model.AppSummary, error) {
	of := map[xid.ID]*model.AppSummary{}
	if len(store) == 0 {
		return of, nil
	}
	wanted := slices.SortedFunc(maps.Keys(store), xid.ID.Compare)
	// SQLite has no tuples in a list, so the pairs are written out.
	query := r.client(ctx).App.Query()
	query.Modify(func(s *sql.Selector) {
		force(s, primary)
		pairs := make([]*sql.Predicate, len(wanted))
		for i, id := range wanted {
			pairs[i] = sql.And(sql.EQ(s.C(apps.FieldStoreID), store[id]), sql.EQ(s.C(apps.FieldID), id))
		}
		s.Where(sql.Or(pairs...))
	})
	rows, err := query.Load(viewer.Everywhere(ctx))
	if err != nil {
		return nil, fmt.Errorf("read apps: %w", err)
	}
	for _, row := range rows {
		of[row.ID] = &model.AppSummary{App: row}
	}
	for _, id := range wanted {
		if of[id] == nil {
			return nil, fmt.Errorf("the app %s is named, but it is not there", id)
		}
	}
	return of, nil
}
