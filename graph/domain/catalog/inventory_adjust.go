package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// InventoryAdjust changes the stock of variants, all lines or none. Like orders, it raises the
// versions of the products and emits no event (contract, section 8).
func (m Mutation) InventoryAdjust(
	ctx context.Context, lines []*model.InventoryLineInput,
) (*model.InventoryPayload, error) {
	if err := checkInventory(lines); err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Product, func(ctx context.Context) (
		*model.InventoryPayload, *change.Record, error,
	) {
		s, err := m.lockStock(ctx, lines)
		if err != nil {
			return nil, nil, err
		}
		changes, err := s.apply(ctx, lines)
		if err != nil {
			return nil, nil, err
		}
		record, err := m.keepStock(ctx, "inventory.adjust", s, changes)
		if err != nil {
			return nil, nil, err
		}
		return inventoryPayload(changes), record, nil
	})
}

// keepStock writes the stock and the history of an adjustment with at least one change.
func (m Mutation) keepStock(
	ctx context.Context, action string, s *stocktake, changes []*db.InventoryChange,
) (*change.Record, error) {
	if err := errors.Join(m.storeStock(ctx, s), m.storeLevels(ctx, s)); err != nil {
		return nil, err
	}
	return &change.Record{Action: action, Kind: xid.Product, ID: changes[0].ProductID,
		Detail: "lines: " + strconv.Itoa(len(changes))}, m.recordStock(ctx, changes, s.numbers(changes))
}

func checkInventory(lines []*model.InventoryLineInput) error {
	c := &core.Check{}
	switch {
	case len(lines) == 0:
		c.Add("lines", fault.TooShort, "Send at least one line.")
	case len(lines) > limit.InventoryLines:
		c.Add("lines", fault.TooLong, "There are more than "+strconv.Itoa(limit.InventoryLines)+" lines.")
	default:
		for i, l := range lines {
			checkInventoryLine(c, "lines/"+strconv.Itoa(i)+"/", l)
		}
	}
	return c.Err()
}

func checkInventoryLine(c *core.Check, at string, l *model.InventoryLineInput) {
	checkVariantOf(c, at, l)
	if (l.Delta == nil) == (l.Set == nil) {
		c.Add(at+"delta", fault.Required, "Send either delta or set.")
	}
	core.Opt(l.Delta, func(n int64) { c.Within(at+"delta", n, -limit.Inventory, limit.Inventory) })
	core.Opt(l.Set, func(n int64) { c.Within(at+"set", n, 0, limit.Inventory) })
	core.Opt(l.Expected, func(n int64) {
		if c.Within(at+"expected", n, 0, limit.Inventory); l.Set == nil {
			c.Add(at+"expected", fault.OutOfRange, "Only a line with set can expect a stock.")
		}
	})
	core.Opt(l.Reason, func(s string) { c.Line(at+"reason", s, limit.Line) })
	core.Opt(l.Reference, func(s string) { c.Line(at+"reference", s, limit.Line) })
}

func checkVariantOf(c *core.Check, at string, l *model.InventoryLineInput) {
	if (l.VariantID == nil) == (l.Sku == nil) {
		c.Add(at+"variant_id", fault.Required, "Send either variant_id or sku.")
	}
	core.Opt(l.VariantID, func(id string) {
		if _, err := xid.Variant.Parse(id); err != nil {
			c.Add(at+"variant_id", fault.UnknownValue, "The store has no such variant.")
		}
	})
	core.Opt(l.Sku, func(s string) { c.Line(at+"sku", s, limit.Line) })
}

// stocktake is the stock that an adjustment changes: products with their variants, locked until the
// commit.
type stocktake struct {
	products []*db.Product
	byID     map[xid.ID]*db.Variant
	bySKU    map[string][]*db.Variant
	own      map[xid.ID]*db.Variant // variants that are the product itself
	was      levels
	// places are the named locations that are open, besides the default one.
	places map[xid.ID]*db.Location
	// levels are those that change, and moved their products.
	levels []*db.StockLevel
	moved  map[xid.ID]bool
}

// lockStock reads the products of the lines. It locks them by id before any variant, in the order
// in which orders take stock, so the two cannot deadlock.
func (m Mutation) lockStock(ctx context.Context, lines []*model.InventoryLineInput) (*stocktake, error) {
	places, err := m.lockPlaces(ctx, core.Map(lines, func(l *model.InventoryLineInput) *string { return l.Location }))
	if err != nil {
		return nil, err
	}
	ids, err := m.stockedProducts(ctx, lines)
	if err != nil || len(ids) == 0 {
		return &stocktake{places: places}, err
	}
	query := m.Client(ctx).Product.Query().Where(product.IDIn(ids...)).Order(product.ByID())
	query.Modify(ent.ForUpdate, ent.ForceIndex(ent.Primary))
	query.Select(product.FieldStoreID, product.FieldID, product.FieldTitle, product.FieldSku, product.FieldOptions,
		product.FieldInventoryQuantity, product.FieldLocated)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock products: %w", err)
	}
	s := &stocktake{products: rows, byID: map[xid.ID]*db.Variant{}, bySKU: map[string][]*db.Variant{},
		own: map[xid.ID]*db.Variant{}, was: levels{}, places: places, moved: map[xid.ID]bool{}}
	if err := m.lockVariants(ctx, rows); err != nil {
		return nil, err
	}
	if err := variants.LoadLevels(ctx, m.Client(ctx), ent.ForUpdate, rows...); err != nil {
		return nil, err
	}
	for _, p := range rows {
		for _, v := range variants.Of(p) {
			s.byID[v.ID], s.was[v.ID] = v, v.InventoryQuantity
			core.Opt(v.Sku, func(sku string) { s.bySKU[sku] = append(s.bySKU[sku], v) })
			if p.Options == nil {
				s.own[p.ID] = v
			}
		}
	}
	return s, nil
}

// lockVariants loads the variants of the products that have options.
func (m Mutation) lockVariants(ctx context.Context, products []*db.Product) error {
	of := map[xid.ID]*db.Product{}
	for _, p := range products {
		if p.Options != nil {
			of[p.ID] = p
		}
	}
	if len(of) == 0 {
		return nil
	}
	query := m.Client(ctx).Variant.Query().Where(variant.ProductIDIn(slices.Collect(maps.Keys(of))...))
	query.Modify(ent.ForUpdate, ent.ForceIndex(ent.Primary))
	query.Select(variant.FieldStoreID, variant.FieldID, variant.FieldProductID, variant.FieldSku,
		variant.FieldInventoryQuantity)
	rows, err := query.All(ctx)
	if err != nil {
		return fmt.Errorf("lock variants: %w", err)
	}
	for _, v := range rows {
		of[v.ProductID].Variants = append(of[v.ProductID].Variants, v)
	}
	return nil
}

// stockedProducts returns the ids of the products that the lines name by a variant or an SKU.
func (m Mutation) stockedProducts(ctx context.Context, lines []*model.InventoryLineInput) ([]xid.ID, error) {
	var ids []xid.ID
	var skus []string
	for _, l := range lines {
		core.Opt(l.VariantID, func(text string) {
			id, _ := xid.Variant.Parse(text) // checked before
			ids = append(ids, id)
		})
		core.Opt(l.Sku, func(sku string) { skus = append(skus, sku) })
	}
	products := slices.Clone(ids) // of a product that is its own variant
	if len(skus) > 0 {
		query := m.Client(ctx).Product.Query().Where(product.SkuIn(skus...)).Limit(maxStocked)
		query.Modify(ent.ForceIndex(productsBySku))
		found, err := query.IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("find products: %w", err)
		}
		products = append(products, found...)
	}
	for index, only := range map[string]func(*db.VariantQuery){
		variantsByID:  func(q *db.VariantQuery) { q.Where(variant.IDIn(ids...)) },
		variantsBySku: func(q *db.VariantQuery) { q.Where(variant.SkuIn(skus...)) },
	} {
		if index == variantsByID && len(ids) == 0 || index == variantsBySku && len(skus) == 0 {
			continue
		}
		query := m.Client(ctx).Variant.Query().Limit(maxStocked)
		only(query)
		query.Modify(ent.ForceIndex(index))
		query.Select(variant.FieldProductID)
		found, err := query.All(ctx)
		if err != nil {
			return nil, fmt.Errorf("find variants: %w", err)
		}
		products = append(products, core.Map(found, func(v *db.Variant) xid.ID { return v.ProductID })...)
	}
	slices.SortFunc(products, xid.ID.Compare)
	return slices.Compact(products), nil
}

// maxStocked bounds the products and variants that are read for the lines of an adjustment. An SKU
// that more of them have is refused.
const maxStocked = 4 * limit.InventoryLines

// apply changes the stock line by line and returns the entries of the history.
func (s *stocktake) apply(ctx context.Context, lines []*model.InventoryLineInput) ([]*db.InventoryChange, error) {
	c := &core.Check{}
	var changes []*db.InventoryChange
	for i, l := range lines {
		at := "lines/" + strconv.Itoa(i) + "/"
		v := s.find(c, at, l)
		if v == nil {
			continue
		}
		made, err := s.adjusted(ctx, c, at, v, l)
		if err != nil {
			return nil, err
		}
		changes = append(changes, made)
	}
	return changes, c.Err()
}

// adjusted applies a line to its variant and returns the entry of the history, or nil after it reported
// why the line cannot be applied.
func (s *stocktake) adjusted(
	ctx context.Context, c *core.Check, at string, v *db.Variant, l *model.InventoryLineInput,
) (*db.InventoryChange, error) {
	place, ok := s.place(ctx, c, at+"location", l.Location)
	if !ok {
		return nil, nil
	}
	before := levelAt(v, place)
	after, err := adjust(c, at, v, before, l)
	if err != nil || after == nil {
		return nil, err
	}
	if !s.put(v, place, *after) {
		c.Add(at+"delta", fault.OutOfRange, "The stock would exceed "+strconv.Itoa(limit.Inventory)+" units.")
		return nil, nil
	}
	return entry(ctx, v, place, before, after, l), nil
}

// find returns the variant of a line, or nil after it reported why there is not exactly one.
func (s *stocktake) find(c *core.Check, at string, l *model.InventoryLineInput) *db.Variant {
	if l.VariantID != nil {
		id, _ := xid.Variant.Parse(*l.VariantID)
		if s.byID[id] == nil {
			c.Add(at+"variant_id", fault.UnknownValue, "The store has no such variant.")
		}
		return s.byID[id]
	}
	switch found := s.bySKU[*l.Sku]; len(found) {
	case 0:
		c.Add(at+"sku", fault.UnknownValue, "No variant of the store has this SKU.")
	case 1:
		return found[0]
	default:
		c.Add(at+"sku", fault.UnknownValue, "Several variants have this SKU. Send variant_id.")
	}
	return nil
}

// adjust returns the stock of a variant after a line, or nil after it reported why there is none.
func adjust(c *core.Check, at string, v *db.Variant, before *int64, l *model.InventoryLineInput) (*int64, error) {
	if l.Expected != nil && !same(l.Expected, before) {
		known := "not tracked"
		core.Opt(before, func(n int64) { known = strconv.FormatInt(n, 10) })
		return nil, fault.State(fault.VersionMismatch, fmt.Sprintf("The stock of %s is %s, not %d. Read it again.",
			xid.Variant.Format(v.ID), known, *l.Expected))
	}
	if l.Set != nil {
		return l.Set, nil
	}
	if before == nil {
		c.Add(at+"delta", fault.OutOfRange, "The stock of this variant is not tracked. Send set.")
		return nil, nil
	}
	after := *before + *l.Delta
	if after < 0 && *l.Delta < 0 {
		return nil, fault.State(fault.OutOfStock, fmt.Sprintf("There are only %d units of %s.", *before,
			xid.Variant.Format(v.ID)))
	}
	return &after, nil
}

// storeStock writes the stock of the products and then of the variants that changed, each kind with
// one statement.
func (m Mutation) storeStock(ctx context.Context, s *stocktake) error {
	products, rows := quantities{}, quantities{}
	var of []xid.ID
	for _, p := range s.products {
		changed := false
		for _, v := range variants.Of(p) {
			if v = s.byID[v.ID]; same(s.was[v.ID], v.InventoryQuantity) {
				changed = changed || s.moved[p.ID]
				continue
			}
			if changed = true; p.Options != nil {
				rows.add(v.ID, v.InventoryQuantity)
			}
		}
		switch {
		case !changed:
		case p.Options == nil:
			products.add(p.ID, s.own[p.ID].InventoryQuantity)
		default:
			of = append(of, p.ID)
			products.add(p.ID, variants.Total(p.Variants).Inventory)
		}
	}
	if len(products.ids) == 0 {
		return nil
	}
	_, err := m.Client(ctx).Product.Update().Where(product.IDIn(products.ids...)).AddVersion(1).
		Modify(change.RaiseUpdatedAt(moment.Now(ctx)), products.set).Save(ctx)
	if err == nil && len(of) > 0 && len(rows.ids) > 0 {
		_, err = m.Client(ctx).Variant.Update().Where(variant.ProductIDIn(of...), variant.IDIn(rows.ids...)).
			Modify(rows.set).Save(ctx)
	}
	return fault.Wrap("store stock", err)
}

// quantities are new quantities by id, for one statement.
type quantities struct {
	ids  []xid.ID
	args []any
}

func (q *quantities) add(id xid.ID, quantity *int64) {
	q.ids = append(q.ids, id)
	if q.args = append(q.args, id); quantity == nil {
		q.args = append(q.args, nil)
		return
	}
	q.args = append(q.args, *quantity)
}

func (q *quantities) set(u *sql.UpdateBuilder) {
	u.Set(product.FieldInventoryQuantity,
		sql.Expr("CASE `id`"+strings.Repeat(" WHEN ? THEN ?", len(q.ids))+" END", q.args...))
}
