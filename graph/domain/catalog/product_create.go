package catalog

import (
	"context"
	"errors"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
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
	done := &model.ProductPayload{}
	err = m.Commit(ctx, xid.Product, func(ctx context.Context) (_ *change.Record, err error) {
		if err := m.RowsLeft(ctx, countedProducts, 1, m.findProducts(ctx)); err != nil {
			return nil, err
		}
		if done.Product, err = m.insertProduct(ctx, in, plan); err != nil {
			return nil, err
		}
		err = errors.Join(mayBeTaxed(ctx, done.Product),
			search.For(ctx, m.Store).Mark(ctx, search.Products, done.Product.ID))
		if err != nil {
			return nil, err
		}
		made := m.products().Created(done.Product, "product.create", "", event.ProductCreated)
		done.Object = made.Events[0].Object
		return made, nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// countedProducts and countedVariants are the tables with limited rows.
var (
	countedProducts = core.Counted{Limit: limit.Products, Table: product.Table, Index: "product_store_id_handle"}
	countedVariants = core.Counted{Limit: limit.StoreVariants, Table: variant.Table, Index: ent.Primary}
)

func (m Mutation) findProducts(ctx context.Context) core.Find {
	return func(pick func(*sql.Selector), ids any) error {
		return m.Client(ctx).Product.Query().Modify(pick).Scan(ctx, ids)
	}
}

func (m Mutation) findVariants(ctx context.Context) core.Find {
	return func(pick func(*sql.Selector), ids any) error {
		return m.Client(ctx).Variant.Query().Modify(pick).Scan(ctx, ids)
	}
}

// insertProduct writes the product's row and then those of its variants.
func (m Mutation) insertProduct(
	ctx context.Context, in model.ProductCreateInput, plan *variantPlan,
) (*db.Product, error) {
	id := core.NewID(in.CreatedAt)
	if plan == nil {
		return m.insertRow(ctx, id, in, func(*db.ProductCreate) {})
	}
	rows, err := plan.rows(&db.Product{ID: id})
	if err != nil {
		return nil, err
	}
	sum := variants.Total(rows)
	p, err := m.insertRow(ctx, id, in, func(row *db.ProductCreate) {
		row.SetOptions(plan.options).SetPriceMinor(sum.Price).SetNillableCompareAtPriceMinor(sum.Compared).
			SetNillableMaxPriceMinor(sum.Highest).SetNillableInventoryQuantity(sum.Inventory)
	})
	if err != nil {
		return nil, err
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
		return row.Save(ctx)
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
	return fault.Invalid(fault.Field{Pointer: "#/handle", Code: fault.Taken,
		Detail: "Another product has this handle."})
}
