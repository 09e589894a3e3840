package catalog

import (
	"context"
	"errors"
	"hash/maphash"
	"sync/atomic"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// ProductCreate creates a draft. Without a given handle, it derives a unique one from the title; a
// given handle that is taken is a 422.
func (m Mutation) ProductCreate(ctx context.Context, in model.ProductCreateInput) (*model.ProductPayload, error) {
	plan, err := m.checkProduct(ctx, &in)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Product, func(ctx context.Context) (
		*model.ProductPayload, *change.Record, error,
	) {
		err := m.RowsLeft(ctx, countedProducts, 1, core.FindIn(ctx, m.Client(ctx).Product.Query()))
		if err != nil {
			return nil, nil, err
		}
		in := in
		in.CustomFields, err = m.FieldMerge(state.FieldsOfProducts).
			Merge(ctx, core.CustomFieldsMember, nil, in.CustomFields)
		if err != nil {
			return nil, nil, err
		}
		p, err := m.insertProduct(ctx, in, plan)
		if err != nil {
			return nil, nil, err
		}
		err = errors.Join(mayBeTaxed(ctx, p), search.For(ctx, m.Store).Mark(ctx, search.Products, p.ID))
		if err != nil {
			return nil, nil, err
		}
		made := m.products().Created(p, "product.create", "", event.ProductCreated)
		return &model.ProductPayload{Product: p, Object: made.Events[0].Object}, made, nil
	})
}

// countedProducts and countedVariants are the tables with limited rows.
var (
	countedProducts = core.Counted{Limit: limit.Products, Table: product.Table, Index: "product_store_id_handle"}
	countedVariants = core.Counted{Limit: limit.StoreVariants, Table: variant.Table, Index: ent.Primary}
)

func (m Mutation) insertProduct(
	ctx context.Context, in model.ProductCreateInput, plan *variantPlan,
) (*db.Product, error) {
	id := core.NewID(in.CreatedAt)
	if plan == nil {
		return m.insertRow(ctx, id, in, func(*db.ProductCreate) {})
	}
	rows, err := m.plannedRows(ctx, &core.Check{}, plan, &db.Product{ID: id, Title: in.Title})
	if err != nil {
		return nil, err
	}
	sum := variants.Total(rows)
	p, err := m.insertRow(ctx, id, in, func(row *db.ProductCreate) {
		row.SetPriceMinor(sum.Price).SetNillableCompareAtPriceMinor(sum.Compared).
			SetNillableMaxPriceMinor(sum.Highest).SetNillableInventoryQuantity(sum.Inventory)
		if own := rows[0]; plan.options == nil { // the product is its own variant
			row.SetNillableSku(own.Sku).SetNillableBarcode(own.Barcode).SetNillableCostMinor(own.CostMinor).
				SetNillableWeightGrams(own.WeightGrams).SetNillableTaxCategory(own.TaxCategory).
				SetVariantCustomFields(own.CustomFields)
			return
		}
		row.SetOptions(plan.options)
	})
	if err != nil || plan.options == nil {
		return p, err
	}
	p.Variants = rows
	return p, m.storeVariants(ctx, id, nil, rows)
}

// insertRow writes the product's row; more sets further columns. A duplicate key leaves the
// transaction usable, so another handle can be tried.
func (m Mutation) insertRow(
	ctx context.Context, id xid.ID, in model.ProductCreateInput, more func(*db.ProductCreate),
) (*db.Product, error) {
	save := func(handle string) (*db.Product, error) {
		row := m.productRow(ctx, id, handle, in)
		more(row)
		p, err := row.Save(ctx)
		if ent.IsDuplicate(err) && in.ExternalReference != nil {
			if taken := m.checkReference(ctx, *in.ExternalReference); taken != nil {
				return nil, taken
			}
		}
		return p, err
	}
	if in.Handle == nil {
		return core.FirstFree(core.Slug(in.Title, "product"), xid.Product.Format(id), core.MaxHandle,
			m.avoidTaken(ctx, save))
	}
	p, err := save(*in.Handle)
	if ent.IsDuplicate(err) {
		return nil, handleTaken()
	}
	return p, err
}

func handleTaken() error {
	return core.Invalid("handle", fault.Taken, "Another product has this handle.")
}

// takenHandles is a cache of handles that were taken when a product was to get them. Such a handle
// is read before the next insert, because on MySQL an insert of a taken handle locks the end of the
// table until its transaction ends: the gap inherits the lock of the row that InnoDB rolled back.
// Many concurrent products with the same title would mostly deadlock.
//
// A wrong entry only costs a read: a slot holds its latest handle, and a handle may be free again.
type takenHandles struct {
	seed  maphash.Seed
	slots [1 << 10]atomic.Uint64
}

func newTakenHandles() *takenHandles { return &takenHandles{seed: maphash.MakeSeed()} }

func (c *takenHandles) add(store xid.ID, handle string) {
	slot, sum := c.slot(store, handle)
	slot.Store(sum)
}

func (c *takenHandles) has(store xid.ID, handle string) bool {
	slot, sum := c.slot(store, handle)
	return slot.Load() == sum
}

func (c *takenHandles) slot(store xid.ID, handle string) (*atomic.Uint64, uint64) {
	sum := maphash.String(c.seed, string(store[:])+handle)
	return &c.slots[sum%uint64(len(c.slots))], sum
}

// avoidTaken wraps save: it first checks handles in the cache, and adds handles that turn out to be
// taken.
func (m Mutation) avoidTaken(ctx context.Context, save func(handle string) (*db.Product, error),
) func(handle string) (*db.Product, error) {
	of := viewer.From(ctx).Store
	return func(handle string) (*db.Product, error) {
		if m.taken.has(of, handle) {
			taken, err := m.Client(ctx).Product.Query().Where(product.Handle(handle)).Exist(ctx)
			if err != nil {
				return nil, err
			}
			if taken {
				return nil, core.ErrTaken
			}
		}
		p, err := save(handle)
		if ent.IsDuplicate(err) {
			m.taken.add(of, handle)
		}
		return p, err
	}
}
