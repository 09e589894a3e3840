package catalog

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/inventorychange"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

const changesByReference = "inventorychange_store_id_variant_id_reference"

// InventoryBatch adjusts stock line by line in the transaction of its context.
type InventoryBatch struct {
	Mutation
	stock   *stocktake
	changes []*db.InventoryChange
}

// InventoryBatch locks the products of lines.
func (m Mutation) InventoryBatch(ctx context.Context, lines []*model.InventoryLineInput) (*InventoryBatch, error) {
	s, err := m.lockStock(ctx, lines)
	return &InventoryBatch{Mutation: m, stock: s}, err
}

// Apply applies a line. A line that fails changes nothing. A set to the present stock, or a difference
// whose reference the history of the variant has, is unchanged.
func (b *InventoryBatch) Apply(ctx context.Context, l *model.InventoryLineInput) (ImportOutcome, error) {
	c := &core.Check{}
	checkInventoryLine(c, "", l)
	if l.Delta != nil && l.Reference == nil {
		c.Add("reference", fault.Required, "A row with a delta needs a reference, so that it is applied only once.")
	}
	if err := c.Err(); err != nil {
		return 0, err
	}
	v := b.stock.find(c, "", l)
	if v == nil {
		return 0, c.Err()
	}
	if l.Delta != nil {
		if before, err := b.applied(ctx, v, l); before || err != nil {
			return ImportUnchanged, err
		}
	}
	made, err := b.stock.adjusted(ctx, c, "", v, l)
	if err == nil {
		err = c.Err()
	}
	if err != nil {
		return 0, err
	}
	if same(made.Before, made.After) {
		return ImportUnchanged, nil
	}
	b.changes = append(b.changes, made)
	return ImportUpdated, nil
}

// applied reports whether the history of a variant at the location of a line has its reference.
func (b *InventoryBatch) applied(ctx context.Context, v *db.Variant, l *model.InventoryLineInput) (bool, error) {
	var at *xid.ID
	place, _ := b.stock.place(ctx, &core.Check{}, "location", l.Location)
	here := inventorychange.LocationIDIsNil()
	if place != nil {
		at, here = &place.ID, inventorychange.LocationID(place.ID)
	}
	for _, c := range b.changes {
		if c.VariantID == v.ID && core.Deref(c.Reference) == *l.Reference && same(c.LocationID, at) {
			return true, nil
		}
	}
	query := b.Client(ctx).InventoryChange.Query().
		Where(inventorychange.VariantID(v.ID), inventorychange.Reference(*l.Reference), here).Limit(1)
	query.Modify(ent.ForceIndex(changesByReference))
	rows, err := query.Select(inventorychange.FieldStoreID, inventorychange.FieldID).All(ctx)
	return len(rows) > 0, fault.Wrap("read the history of stock", err)
}

// Close writes what the lines changed.
func (b *InventoryBatch) Close(ctx context.Context) error {
	if len(b.changes) == 0 {
		return nil
	}
	return b.Commit(ctx, xid.Product, func(ctx context.Context) (*change.Record, error) {
		return b.keepStock(ctx, "inventory.adjust", b.stock, b.changes)
	})
}
