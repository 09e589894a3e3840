package stock

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/location"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// Need is a number of units of a line of an order.
type Need struct {
	Line     *db.OrderLine
	Quantity int64
}

// Allocate takes units of lines, which were already taken from the numbers of their variants, from the
// locations of the store: from the first that has enough for a line, or else from several, in their order.
// If the shopper collects the order, the location for that precedes all others.
func (k Keeper) Allocate(
	ctx context.Context, s *db.Store, needs []Need, pickup *string,
) ([]document.Allocation, error) {
	var products []xid.ID
	for _, n := range needs {
		products = append(products, *n.Line.ProductID)
	}
	items, err := k.lock(ctx, products)
	if err != nil {
		return nil, err
	}
	order, err := Locations(ctx, k.Store.DB(ctx), s, ent.NoLock)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(order, func(l *db.Location) bool {
		return pickup != nil && xid.Location.Format(l.ID) == *pickup
	}); i > 0 {
		order = slices.Concat(order[i:i+1], order[:i], order[i+1:])
	}
	for _, n := range needs {
		if v := items[variantOf(n.Line)]; v != nil && v.InventoryQuantity != nil {
			*v.InventoryQuantity += n.Quantity // as it was before
		}
	}
	var list []document.Allocation
	var changed []*db.StockLevel
	for _, n := range needs {
		v := items[variantOf(n.Line)]
		if v == nil || v.InventoryQuantity == nil {
			continue
		}
		for _, p := range takeFrom(v, order, n.Quantity) {
			*v.InventoryQuantity -= p.Quantity
			list = append(list, document.Allocation{LineID: xid.OrderLine.Format(n.Line.ID),
				LocationID: xid.Location.Format(p.Location), Quantity: p.Quantity})
			if i := levelOf(v, p.Location); i >= 0 {
				v.Levels[i].Quantity -= p.Quantity
				changed = append(changed, v.Levels[i])
			}
		}
	}
	return list, k.PutLevels(ctx, changed)
}

func variantOf(l *db.OrderLine) xid.ID { return *cmp.Or(l.VariantID, l.ProductID) }

func levelOf(v *db.Variant, at xid.ID) int {
	return slices.IndexFunc(v.Levels, func(l *db.StockLevel) bool { return l.ID == at })
}

// takeFrom returns where units of a variant come from.
func takeFrom(v *db.Variant, order []*db.Location, quantity int64) (list []variants.Place) {
	places := sorted(v, order)
	for _, p := range places {
		if p.Quantity >= quantity {
			return []variants.Place{{Location: p.Location, Quantity: quantity}}
		}
	}
	for _, p := range places {
		if n := min(quantity, p.Quantity); n > 0 {
			list = append(list, variants.Place{Location: p.Location, Quantity: n})
			quantity -= n
		}
	}
	if quantity > 0 { // the number of the variant says that there is enough
		list = append(list, variants.Place{Location: v.StoreID, Quantity: quantity})
	}
	return list
}

// sorted returns the stock of a variant at the locations that sell online, in their order. One that was
// added meanwhile is the last.
func sorted(v *db.Variant, order []*db.Location) (places []variants.Place) {
	for _, p := range variants.Places(v) {
		if i := levelOf(v, p.Location); i < 0 || v.Levels[i].SellsOnline {
			places = append(places, p)
		}
	}
	at := func(p variants.Place) int {
		i := slices.IndexFunc(order, func(l *db.Location) bool { return l.ID == p.Location })
		return (i + len(order) + 1) % (len(order) + 1)
	}
	slices.SortStableFunc(places, func(a, b variants.Place) int { return cmp.Compare(at(a), at(b)) })
	return places
}

// lock reads products with their variants and levels, and locks them until the commit. It returns the
// variants by id.
func (k Keeper) lock(ctx context.Context, products []xid.ID) (map[xid.ID]*db.Variant, error) {
	slices.SortFunc(products, xid.ID.Compare)
	c := k.Store.DB(ctx)
	query := c.Product.Query().Where(product.IDIn(slices.Compact(products)...)).Order(product.ByID())
	query.Modify(ent.ForUpdate, ent.ForceIndex(ent.Primary))
	query.Select(product.FieldStoreID, product.FieldID, product.FieldOptions, product.FieldInventoryQuantity,
		product.FieldLocated)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock products: %w", err)
	}
	of, ids := map[xid.ID]*db.Product{}, []xid.ID{}
	for _, p := range rows {
		if of[p.ID] = p; p.Options != nil {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) > 0 {
		query := c.Variant.Query().Where(variant.ProductIDIn(ids...))
		query.Modify(ent.ForUpdate, ent.ForceIndex(ent.Primary))
		query.Select(variant.FieldStoreID, variant.FieldID, variant.FieldProductID, variant.FieldInventoryQuantity)
		list, err := query.All(ctx)
		if err != nil {
			return nil, fmt.Errorf("lock variants: %w", err)
		}
		for _, v := range list {
			of[v.ProductID].Variants = append(of[v.ProductID].Variants, v)
		}
	}
	if err := variants.LoadLevels(ctx, c, ent.ForUpdate, rows...); err != nil {
		return nil, err
	}
	byID := map[xid.ID]*db.Variant{}
	for _, p := range rows {
		for _, v := range variants.Of(p) {
			if v.InventoryQuantity != nil {
				v.InventoryQuantity = new(*v.InventoryQuantity)
			}
			byID[v.ID] = v
		}
	}
	return byID, nil
}

// Shift is a number of units that a variant gets at a location, or loses if it is negative.
type Shift struct {
	Product, Variant, Location xid.ID
	By                         int64
}

// Shift applies changes of the stock at locations, except to the numbers of the variants, and returns how
// these change, one move for each variant that is tracked. Units for a location that is closed go to the
// default one. It fails with [fault.OutOfStock] if a location has too few units.
func (k Keeper) Shift(ctx context.Context, shifts []Shift) ([]Move, error) {
	var products []xid.ID
	for _, s := range shifts {
		products = append(products, s.Product)
	}
	items, err := k.lock(ctx, products)
	if err != nil {
		return nil, err
	}
	var changed []*db.StockLevel
	moves := map[xid.ID]*Move{}
	for _, s := range shifts {
		v := items[s.Variant]
		if v == nil || v.InventoryQuantity == nil {
			continue
		}
		if moves[s.Variant] == nil {
			moves[s.Variant] = &Move{Product: s.Product, Variant: s.Variant}
		}
		level, err := k.level(ctx, v, s.Location)
		if err != nil {
			return nil, err
		}
		if s.By > 0 && max(*v.InventoryQuantity, quantityOf(level)) > limit.Inventory-s.By {
			continue // as much as a variant can have
		}
		if level != nil {
			level.Quantity += s.By
			changed = append(changed, level)
		}
		if level == nil || level.SellsOnline {
			*v.InventoryQuantity += s.By
			moves[s.Variant].By += s.By
		}
		if level != nil && level.Quantity < 0 || s.By < 0 && level == nil && *variants.AtDefault(v) < 0 {
			return nil, fault.State(fault.OutOfStock, "The location has not enough units of "+
				xid.Variant.Format(s.Variant)+".")
		}
	}
	if err := k.putNew(ctx, changed); err != nil {
		return nil, err
	}
	list := make([]Move, 0, len(moves))
	for _, m := range moves {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b Move) int {
		return cmp.Or(a.Product.Compare(b.Product), a.Variant.Compare(b.Variant))
	})
	return list, nil
}

func quantityOf(l *db.StockLevel) int64 {
	if l == nil {
		return 0
	}
	return l.Quantity
}

// level returns the level of a variant at a location, nil at the default one. A missing level is added if the
// location is open, which it then is until the commit.
func (k Keeper) level(ctx context.Context, v *db.Variant, at xid.ID) (*db.StockLevel, error) {
	if at == v.StoreID {
		return nil, nil
	}
	if i := levelOf(v, at); i >= 0 {
		return v.Levels[i], nil
	}
	query := k.Store.DB(ctx).Location.Query().Where(location.ID(at), location.ClosedAtIsNil())
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, fault.Wrap("lock a location", err)
	}
	l := &db.StockLevel{StoreID: v.StoreID, ProductID: v.ProductID, VariantID: v.ID, ID: at,
		SellsOnline: rows[0].SellsOnline}
	v.Levels = append(v.Levels, l)
	return l, nil
}

// putNew writes levels, and notes that their products have some.
func (k Keeper) putNew(ctx context.Context, list []*db.StockLevel) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]xid.ID, len(list))
	for i, l := range list {
		ids[i] = l.ProductID
	}
	err := k.Store.DB(ctx).Product.Update().Where(product.IDIn(ids...), product.Located(false)).SetLocated(true).
		Exec(ctx)
	if err != nil {
		return fmt.Errorf("note that products have stock at locations: %w", err)
	}
	return k.PutLevels(ctx, list)
}
