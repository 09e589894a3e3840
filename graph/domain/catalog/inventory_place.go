package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/location"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/stocklevel"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/stock"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// LevelFields resolves the fields of the stock of a variant that are computed.
type LevelFields struct{}

// Locations returns the stock of the variant by location.
func (LevelFields) Locations(_ context.Context, v *db.Variant) ([]*model.LocationStock, error) {
	return core.Map(variants.Places(v), func(p variants.Place) *model.LocationStock {
		return &model.LocationStock{LocationID: xid.Location.Format(p.Location), Quantity: p.Quantity}
	}), nil
}

// lockPlaces reads the open locations with the given public ids, besides the default one, and locks them,
// so that they are neither closed nor taken out of the shop before the commit.
func (m Mutation) lockPlaces(ctx context.Context, names []*string) (map[xid.ID]*db.Location, error) {
	var ids []xid.ID
	for _, name := range names {
		id, err := xid.Location.Parse(core.Deref(name))
		if err == nil && id != viewer.From(ctx).Store {
			ids = append(ids, id)
		}
	}
	places := map[xid.ID]*db.Location{}
	if len(ids) == 0 {
		return places, nil
	}
	slices.SortFunc(ids, xid.ID.Compare)
	query := m.Client(ctx).Location.Query().Where(location.IDIn(slices.Compact(ids)...), location.ClosedAtIsNil()).
		Order(location.ByID())
	query.Modify(ent.ForUpdate, ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	for _, l := range rows {
		places[l.ID] = l
	}
	return places, fault.Wrap("lock locations", err)
}

// place returns the location that a line names: nil for the default one. It returns false after it reported
// that the store has no such open location.
func (s *stocktake) place(ctx context.Context, c *core.Check, at string, name *string) (*db.Location, bool) {
	if name == nil {
		return nil, true
	}
	id, err := xid.Location.Parse(*name)
	if err == nil && id == viewer.From(ctx).Store {
		return nil, true
	}
	if l := s.places[id]; err == nil && l != nil {
		return l, true
	}
	c.Add(at, fault.UnknownValue, "The store has no such open location.")
	return nil, false
}

// levelAt returns the stock of a variant at a location; nil is not tracked.
func levelAt(v *db.Variant, at *db.Location) *int64 {
	if v.InventoryQuantity == nil || at == nil {
		return variants.AtDefault(v)
	}
	for _, l := range v.Levels {
		if l.ID == at.ID {
			return new(l.Quantity)
		}
	}
	return new(int64(0))
}

// put sets the stock of a variant at a location, and the number of the variant, which is the sum over the
// locations that sell online. It returns false if that would exceed the limit.
func (s *stocktake) put(v *db.Variant, at *db.Location, quantity int64) bool {
	number := quantity + variants.Elsewhere(v)
	if at != nil {
		number = core.Deref(v.InventoryQuantity)
		if at.SellsOnline {
			number += quantity - *cmp.Or(levelAt(v, at), new(int64))
		}
	}
	if number > limit.Inventory {
		return false
	}
	v.InventoryQuantity = &number
	if at == nil {
		return true
	}
	i := slices.IndexFunc(v.Levels, func(l *db.StockLevel) bool { return l.ID == at.ID })
	if i < 0 {
		i = len(v.Levels)
		v.Levels = append(v.Levels, &db.StockLevel{StoreID: v.StoreID, ProductID: v.ProductID, VariantID: v.ID,
			ID: at.ID, SellsOnline: at.SellsOnline})
	}
	v.Levels[i].Quantity = quantity
	s.moved[v.ProductID] = true
	if !slices.Contains(s.levels, v.Levels[i]) {
		s.levels = append(s.levels, v.Levels[i])
	}
	return true
}

// storeLevels writes the levels that changed. The rows of their products are written already.
func (m Mutation) storeLevels(ctx context.Context, s *stocktake) error {
	if len(s.levels) == 0 {
		return nil
	}
	var of []xid.ID
	for _, p := range s.products {
		if s.moved[p.ID] && !p.Located {
			of = append(of, p.ID)
		}
	}
	if len(of) > 0 {
		err := m.Client(ctx).Product.Update().Where(product.IDIn(of...)).SetLocated(true).Exec(ctx)
		if err != nil {
			return fmt.Errorf("note that products have stock at locations: %w", err)
		}
	}
	return stock.Keeper{Store: m.Store}.PutLevels(ctx, s.levels)
}

// levelled reports whether the stock of a variant changed at a location other than the default one.
func (s *stocktake) levelled(variant xid.ID) bool {
	return slices.ContainsFunc(s.levels, func(l *db.StockLevel) bool { return l.VariantID == variant })
}

// numbers returns the changes of the numbers of the variants that were adjusted.
func (s *stocktake) numbers(changes []*db.InventoryChange) (list []stock.Change) {
	seen := map[xid.ID]bool{}
	for _, c := range changes {
		if !seen[c.VariantID] {
			seen[c.VariantID] = true
			list = append(list, stock.Change{Product: c.ProductID, Variant: c.VariantID, Before: s.was[c.VariantID],
				After: s.byID[c.VariantID].InventoryQuantity, Moved: s.levelled(c.VariantID)})
		}
	}
	return list
}

// InventoryTransfer moves stock from one location to another, all lines or none.
func (m Mutation) InventoryTransfer(
	ctx context.Context, in model.InventoryTransferInput,
) (*model.InventoryPayload, error) {
	lines, err := checkTransfer(in)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Product, func(ctx context.Context) (
		*model.InventoryPayload, *change.Record, error,
	) {
		s, err := m.lockStock(ctx, append(lines, &model.InventoryLineInput{Location: &in.From},
			&model.InventoryLineInput{Location: &in.To}))
		if err != nil {
			return nil, nil, err
		}
		changes, err := s.transfer(ctx, in, lines)
		if err != nil {
			return nil, nil, err
		}
		record, err := m.keepStock(ctx, "inventory.transfer", s, changes)
		if err != nil {
			return nil, nil, err
		}
		return inventoryPayload(changes), record, nil
	})
}

// checkTransfer returns the lines of a transfer as those of an adjustment.
func checkTransfer(in model.InventoryTransferInput) (lines []*model.InventoryLineInput, err error) {
	c := &core.Check{}
	switch {
	case len(in.Lines) == 0:
		c.Add("lines", fault.TooShort, "Send at least one line.")
	case len(in.Lines) > limit.InventoryLines:
		c.Add("lines", fault.TooLong, "There are more than "+strconv.Itoa(limit.InventoryLines)+" lines.")
	default:
		for i, l := range in.Lines {
			at := "lines/" + strconv.Itoa(i) + "/"
			c.Within(at+"quantity", l.Quantity, 1, limit.Inventory)
			lines = append(lines, &model.InventoryLineInput{VariantID: l.VariantID, Sku: l.Sku, Delta: &l.Quantity,
				Reason: in.Reason, Reference: in.Reference})
			checkVariantOf(c, at, lines[i])
		}
	}
	core.Opt(in.Reason, func(s string) { c.Line("reason", s, limit.Line) })
	core.Opt(in.Reference, func(s string) { c.Line("reference", s, limit.Line) })
	if in.From == in.To {
		c.Add("to", fault.OutOfRange, "The stock is at this location already.")
	}
	return lines, c.Err()
}

// transfer moves the stock line by line and returns the entries of the history, two for each line.
func (s *stocktake) transfer(
	ctx context.Context, in model.InventoryTransferInput, lines []*model.InventoryLineInput,
) (changes []*db.InventoryChange, err error) {
	c := &core.Check{}
	from, ok := s.place(ctx, c, "from", &in.From)
	to, known := s.place(ctx, c, "to", &in.To)
	for i, l := range lines {
		at := "lines/" + strconv.Itoa(i) + "/"
		v := s.find(c, at, l)
		if v == nil || !ok || !known {
			continue
		}
		has, gets := levelAt(v, from), levelAt(v, to)
		switch {
		case has == nil:
			c.Add(at+"quantity", fault.OutOfRange, "The stock of this variant is not tracked.")
			continue
		case *has < *l.Delta:
			return nil, fault.State(fault.OutOfStock, fmt.Sprintf("The location has only %d units of %s.", *has,
				xid.Variant.Format(v.ID)))
		case *gets+*l.Delta > limit.Inventory || !s.put(v, from, *has-*l.Delta) || !s.put(v, to, *gets+*l.Delta):
			c.Add(at+"quantity", fault.OutOfRange, "The stock would exceed "+strconv.Itoa(limit.Inventory)+" units.")
			continue
		}
		changes = append(changes, entry(ctx, v, from, has, new(*has-*l.Delta), l),
			entry(ctx, v, to, gets, new(*gets+*l.Delta), l))
	}
	return changes, c.Err()
}

// entry returns an entry of the history.
func entry(
	ctx context.Context, v *db.Variant, at *db.Location, before, after *int64, l *model.InventoryLineInput,
) *db.InventoryChange {
	made := changeBy(ctx)
	made.ProductID, made.VariantID, made.Before, made.After = v.ProductID, v.ID, before, after
	made.Reason, made.Reference = l.Reason, l.Reference
	if at != nil {
		made.LocationID = &at.ID
	}
	return made
}

// numbersOf returns the changes of the numbers of variants by an edit of their product.
func numbersOf(changes []*db.InventoryChange) []stock.Change {
	return core.Map(changes, func(c *db.InventoryChange) stock.Change {
		return stock.Change{Product: c.ProductID, Variant: c.VariantID, Before: c.Before, After: c.After}
	})
}

func inventoryPayload(changes []*db.InventoryChange) *model.InventoryPayload {
	return &model.InventoryPayload{Changes: core.Map(changes, func(c *db.InventoryChange) *model.InventoryChange {
		return &model.InventoryChange{InventoryChange: c}
	})}
}

// editLevels keeps the levels of a product at other locations right after an edit of the product: it
// removes those of variants that are gone or no longer tracked, and refuses a number below what the other
// locations have. The entries of the history then are about the default location.
func (m Mutation) editLevels(ctx context.Context, p *db.Product, changes []*db.InventoryChange) error {
	if !p.Located {
		return nil
	}
	if err := variants.LoadLevels(ctx, m.Client(ctx), ent.ForUpdate, p); err != nil {
		return err
	}
	var tracked []xid.ID
	elsewhere := map[xid.ID]int64{}
	for _, v := range variants.Of(p) {
		if v.InventoryQuantity == nil {
			continue
		}
		tracked = append(tracked, v.ID)
		elsewhere[v.ID] = variants.Elsewhere(v)
		if n := elsewhere[v.ID]; *v.InventoryQuantity < n {
			return core.Invalid("inventory_quantity", fault.OutOfRange,
				fmt.Sprintf("Other locations have %d units of this variant. Change their stock first.", n))
		}
	}
	for _, c := range changes { // the numbers are those of the product's rows
		core.Opt(c.Before, func(n int64) { c.Before = new(n - elsewhere[c.VariantID]) })
		core.Opt(c.After, func(n int64) { c.After = new(n - elsewhere[c.VariantID]) })
	}
	query := m.Client(ctx).StockLevel.Delete().Where(stocklevel.ProductID(p.ID))
	if len(tracked) > 0 {
		query.Where(stocklevel.VariantIDNotIn(tracked...))
	}
	_, err := query.Exec(ctx)
	return fault.Wrap("remove stock at locations", err)
}
