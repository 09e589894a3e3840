package catalog

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/inventorychange"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/stocklevel"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/stock"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// maxOfSKU bounds the products, and the variants, that are read for an SKU.
const maxOfSKU = 100

// Inventory lists the stock of products: newest product first, or with UpdatedFrom by their
// changes, oldest first.
func (q Query) Inventory(
	ctx context.Context, first *int, after *string, filter *model.InventoryFilter,
) (*model.InventoryConnection, error) {
	f := core.Deref(filter)
	if f.Sku != nil && f.UpdatedFrom != nil {
		return nil, &fault.Error{Kind: fault.InvalidParameter, Detail: "A list of changes cannot be filtered by SKU.",
			Fields: []fault.Field{{Parameter: "sku", Code: fault.UnknownValue,
				Detail: "Leave out the SKU or the time."}}}
	}
	if f.ProductID != nil && (f.Sku != nil || f.UpdatedFrom != nil) {
		return nil, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter by product stands alone.",
			Fields: []fault.Field{{Parameter: "product_id", Code: fault.UnknownValue,
				Detail: "Leave out the other filters."}}}
	}
	of := model.ProductFilter{Sku: f.Sku, UpdatedFrom: f.UpdatedFrom}
	a, err := core.Arrange(nil, nil, nil, f.UpdatedFrom, f.Sku != nil)
	if err != nil {
		return nil, err
	}
	return core.Connect(ctx, q.Core, core.List[*db.Product]{
		Name: "inventory", Filters: productFilters(of), At: productList{of, a}.at, Until: a.Until,
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*db.Product, err error) {
			switch {
			case f.ProductID != nil:
				rows, err = q.onlyProduct(ctx, *f.ProductID, after)
			case f.Sku != nil:
				rows, err = q.productsBySKU(ctx, *f.Sku, a.Window(after, limit, ent.Primary))
			default:
				rows, _, err = q.readProducts(ctx, of, a, after, limit)
			}
			if err != nil {
				return nil, err
			}
			if err := variants.Load(ctx, q.Client(ctx), rows...); err != nil {
				return nil, err
			}
			return rows, variants.LoadLevels(ctx, q.Client(ctx), ent.NoLock, rows...)
		},
	}, first, after)
}

// onlyProduct reads one product; none if the store has no such product.
func (r *Resolver) onlyProduct(ctx context.Context, id string, after *page.Position) ([]*db.Product, error) {
	uid, err := xid.Product.Parse(id)
	if err != nil || after != nil {
		return nil, nil //nolint:nilerr // the store has no such product
	}
	return r.Client(ctx).Product.Query().Where(product.ID(uid)).Load(ctx)
}

// productsBySKU reads products that have an SKU, or of which a variant has it.
func (r *Resolver) productsBySKU(ctx context.Context, sku string, w core.Window) ([]*db.Product, error) {
	own := r.Client(ctx).Product.Query().Where(product.Sku(sku)).Limit(maxOfSKU)
	own.Modify(ent.ForceIndex(productsBySku))
	ids, err := own.IDs(ctx)
	if err != nil {
		return nil, err
	}
	query := r.Client(ctx).Variant.Query().Where(variant.Sku(sku)).Limit(maxOfSKU)
	query.Modify(ent.ForceIndex(variantsBySku))
	query.Select(variant.FieldProductID)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range rows {
		ids = append(ids, v.ProductID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found := r.Client(ctx).Product.Query().Where(product.IDIn(ids...))
	found.Modify(w.Apply)
	return found.Load(ctx)
}

const (
	variantsByID  = "variant_store_id_id"
	variantsBySku = "variant_store_id_sku"
)

// InventoryFields resolves the fields of the stock of a product that need queries.
type InventoryFields struct{}

// Variants returns the variants of the product.
func (InventoryFields) Variants(_ context.Context, p *db.Product) ([]*db.Variant, error) {
	return variants.Of(p), nil
}

// InventoryHistory lists the changes of the stock of a variant, newest first.
func (f ProductFields) InventoryHistory(
	ctx context.Context, p *db.Product, variantID string, first *int, after *string,
) (*model.InventoryChangeConnection, error) {
	id, err := core.ParseID(xid.Variant, variantID)
	if err != nil {
		return nil, err
	}
	return core.Connect(ctx, f.Core, core.List[*model.InventoryChange]{
		Name: "inventory changes", Filters: []string{"product", p.PublicID(), "variant", variantID},
		At: func(c *model.InventoryChange) page.Position { return core.ByID(c.ID) },
		Read: core.ReadNewest(ent.Primary, func() *db.InventoryChangeQuery {
			return f.Client(ctx).InventoryChange.Query().
				Where(inventorychange.ProductID(p.ID), inventorychange.VariantID(id))
		}, func(c *db.InventoryChange) *model.InventoryChange { return &model.InventoryChange{InventoryChange: c} }),
	}, first, after)
}

// levels is the stock of variants by id; nil is not tracked.
type levels map[xid.ID]*int64

// stockOf returns the stock of the variants of a product.
func stockOf(p *db.Product) levels {
	of := levels{}
	for _, v := range variants.Of(p) {
		of[v.ID] = v.InventoryQuantity
	}
	return of
}

// changes returns the entries of the history for an edit of a product, since which it has the stock
// of its row.
func (l levels) changes(ctx context.Context, p *db.Product) (rows []*db.InventoryChange) {
	for _, v := range variants.Of(p) {
		if before := l[v.ID]; !same(before, v.InventoryQuantity) {
			c := changeBy(ctx)
			c.ProductID, c.VariantID, c.Before, c.After = p.ID, v.ID, before, v.InventoryQuantity
			rows = append(rows, c)
		}
	}
	return rows
}

// changeBy returns an entry of the history by the viewer.
func changeBy(ctx context.Context) *db.InventoryChange {
	v := viewer.From(ctx)
	return &db.InventoryChange{StoreID: v.Store, ID: xid.New(), ActorType: v.Kind, ActorID: v.Actor, ActorName: v.Name}
}

// The statement is written out, because a builder would cost more than the rest of an adjustment.
const (
	insertChanges = "INSERT INTO inventory_changes (store_id, product_id, variant_id, id, `before`, `after`, reason, " +
		"reference, actor_type, actor_id, actor_name, location_id) VALUES "
	insertedChange = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

// recordStock adds changes of stock to the history, and notifies staff of those that leave little of a
// variant, by the changes of its number. They have the viewer's store.
func (r *Resolver) recordStock(ctx context.Context, rows []*db.InventoryChange, numbers []stock.Change) error {
	if len(rows) == 0 {
		return nil
	}
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return err
	}
	if err := r.insertInventory(ctx, rows); err != nil {
		return err
	}
	return stock.Keeper{Store: r.Store, Notifier: r.Notifier}.Changed(ctx, s, numbers)
}

func (r *Resolver) insertInventory(ctx context.Context, rows []*db.InventoryChange) error {
	args := make([]any, 0, 12*len(rows))
	for _, c := range rows {
		args = append(args, c.StoreID, c.ProductID, c.VariantID, c.ID, c.Before, c.After, c.Reason, c.Reference,
			string(c.ActorType), c.ActorID, c.ActorName, c.LocationID)
	}
	text := insertChanges + insertedChange + strings.Repeat(", "+insertedChange, len(rows)-1)
	_, err := r.Client(ctx).ExecContext(ctx, text, args...)
	return fault.Wrap("add to the history of stock", err)
}

// dropInventory removes the history of the stock, and the stock at locations, of a deleted product.
func (r *Resolver) dropInventory(ctx context.Context, product xid.ID) error {
	_, err := r.Client(ctx).InventoryChange.Delete().Where(inventorychange.ProductID(product)).Exec(ctx)
	if err == nil {
		_, err = r.Client(ctx).StockLevel.Delete().Where(stocklevel.ProductID(product)).Exec(ctx)
	}
	return fault.Wrap("remove the history of stock", err)
}
