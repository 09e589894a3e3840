package core

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// AppsIn reads apps with one statement; it returns an empty map for an empty store. The map store
// holds the store of each app id. Apps belong to the stores that registered them, so each is
// selected by store and id, and the tenant policy is lifted for this read.
func (c *Core) AppsIn(ctx context.Context, store map[xid.ID]xid.ID) (map[xid.ID]*model.AppSummary, error) {
	of := map[xid.ID]*model.AppSummary{}
	if len(store) == 0 {
		return of, nil
	}
	wanted := slices.SortedFunc(maps.Keys(store), xid.ID.Compare)
	// SQLite has no row values in an IN list, so the pairs are written out.
	ctx = c.Store.Aside(ctx)
	query := c.Client(ctx).App.Query()
	query.Modify(func(s *sql.Selector) {
		ent.ForceIndex(ent.Primary)(s)
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
			return nil, fmt.Errorf("app %s is referenced but missing", id)
		}
	}
	return of, nil
}
