package catalog

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/collectionproduct"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Collections lists the collections of the viewer's store, newest first.
func (q Query) Collections(ctx context.Context, first *int, after *string) (*model.CollectionConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*db.Collection]{
		Name: "collections", At: func(c *db.Collection) page.Position { return core.ByID(c.ID) },
		Read: core.ReadNewest(ent.Primary, func() *db.CollectionQuery {
			return q.Client(ctx).Collection.Query().Where(collection.Gone(false))
		}, core.Self[*db.Collection]),
	}, first, after)
}

// Collection returns one collection of the viewer's store.
func (q Query) Collection(ctx context.Context, id string) (*db.Collection, error) {
	return core.Get(ctx, xid.Collection, id, q.collection)
}

func (r *Resolver) collection(ctx context.Context, id xid.ID) (*db.Collection, error) {
	return core.Only(r.Client(ctx).Collection.Query().Where(collection.ID(id), collection.Gone(false)).Load(ctx))
}

// CollectionFields resolves the fields of a collection that need queries.
type CollectionFields struct{ *Resolver }

// Rule returns the rule that selects the products; nil for a manual collection.
func (CollectionFields) Rule(_ context.Context, c *db.Collection) (*model.CollectionRule, error) {
	if c.Rule == nil {
		return nil, nil
	}
	rule, err := c.Rule.Fields()
	if err != nil {
		return nil, fmt.Errorf("rule of %s: %w", c.PublicID(), err)
	}
	shown := &model.CollectionRule{Any: rule.Any, InStock: rule.InStock}
	for i := range rule.Conditions {
		shown.Conditions = append(shown.Conditions, &rule.Conditions[i])
	}
	return shown, nil
}

// Products returns the products of a manual collection, in order.
func (f CollectionFields) Products(ctx context.Context, c *db.Collection) ([]*db.Product, error) {
	ids, err := f.members(ctx, c.ID)
	if err != nil || len(ids) == 0 {
		return []*db.Product{}, core.Explain("collection", err)
	}
	list, err := f.Client(ctx).Product.Query().Where(product.IDIn(ids...)).Load(ctx)
	if err == nil {
		err = f.complete(ctx, list)
	}
	place := make(map[xid.ID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(list, func(a, b *db.Product) int { return place[a.ID] - place[b.ID] })
	return list, core.Explain("collection", err)
}

func (r *Resolver) members(ctx context.Context, id xid.ID) ([]xid.ID, error) {
	query := r.Client(ctx).CollectionProduct.Query().Where(collectionproduct.CollectionID(id))
	query.Modify(ent.ForceIndex("collectionproduct_store_id_collection_id_position_id"), func(s *sql.Selector) {
		s.OrderBy(s.C(collectionproduct.FieldPosition))
	})
	rows, err := query.Load(ctx)
	return core.Map(rows, func(row *db.CollectionProduct) xid.ID { return row.ID }), err
}

func (m Mutation) leaveCollections(ctx context.Context, product xid.ID) error {
	_, err := m.Client(ctx).CollectionProduct.Delete().Where(collectionproduct.ID(product)).Exec(ctx)
	return fault.Wrap("leave collections", err)
}
