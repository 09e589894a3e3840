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

// AppsIn reads apps with one statement, none where there are none to read. They
// lie in the stores that registered them, so each is named by its store too, and
// the tenant policy, which would keep to the viewer's store, is lifted for this
// read.
func (c *Core) AppsIn(ctx context.Context, store map[xid.ID]xid.ID) (map[xid.ID]*model.AppSummary, error) {
	of := map[xid.ID]*model.AppSummary{}
	if len(store) == 0 {
		return of, nil
	}
	wanted := slices.SortedFunc(maps.Keys(store), xid.ID.Compare)
	// SQLite has no tuples in a list, so the pairs are written out.
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
			return nil, fmt.Errorf("the app %s is named, but it is not there", id)
		}
	}
	return of, nil
}
