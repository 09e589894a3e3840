package catalog

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
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
	plan, err := checkProduct(ctx, &in)
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
		if err := search.For(ctx, m.Store).Mark(ctx, search.Products, done.Product.ID); err != nil {
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

func (m Mutation) productRow(
	ctx context.Context, id xid.ID, handle string, in model.ProductCreateInput,
) *db.ProductCreate {
	return m.Client(ctx).Product.Create().
		SetID(id).SetTitle(in.Title).SetHandle(handle).SetNillableDescription(in.Description).
		SetStatus(state.ProductDraft).SetPriceMinor(in.PriceMinor).
		SetNillableCompareAtPriceMinor(in.CompareAtPriceMinor).SetCurrency(in.Currency).
		SetNillableSku(in.Sku).SetNillableVendor(in.Vendor).SetNillableProductType(in.ProductType).
		SetTags(document.NewTags(in.Tags)).SetNillableInventoryQuantity(in.InventoryQuantity).
		SetNillableImageURL(in.ImageURL).SetNillableWeightGrams(in.WeightGrams).
		SetNillableRequiresShipping(in.RequiresShipping).
		SetVersion(1).SetEventSequence(1).SetUpdatedAt(core.ChangeTime(ctx, id, in.CreatedAt))
}

// checkProduct checks a new product and converts its currency to upper case. The plan is nil
// without options.
func checkProduct(ctx context.Context, in *model.ProductCreateInput) (*variantPlan, error) {
	c := core.NewCheck(in)
	c.Line("title", in.Title, limit.Line)
	c.Amount("price_minor", in.PriceMinor)
	in.Currency = c.Currency("currency", in.Currency)
	checkProductTexts(c, in.Handle, in.Description, in.Sku, in.Vendor, in.ProductType, in.ImageURL)
	core.Opt(in.CompareAtPriceMinor, func(v int64) { c.Amount("compare_at_price_minor", v) })
	core.Opt(in.InventoryQuantity, func(v int64) { c.Within("inventory_quantity", v, 0, limit.Inventory) })
	c.Tags("tags", in.Tags)
	c.CreatedAt(ctx, "created_at", in.CreatedAt)
	core.Opt(in.WeightGrams, func(v int64) { c.Within("weight_grams", v, 0, limit.Weight) })
	plan := checkNewVariants(c, in)
	return plan, c.Err()
}

// checkProductTexts checks the optional texts of a product.
func checkProductTexts(c *core.Check, handle, description, sku, vendor, productType, imageURL *string) {
	core.Opt(handle, func(s string) { c.Handle("handle", s, limit.Handle) })
	core.Opt(description, func(s string) { c.Long("description", s, limit.Description) })
	core.Opt(sku, func(s string) { c.Line("sku", s, limit.Line) })
	core.Opt(vendor, func(s string) { c.Line("vendor", s, limit.Line) })
	core.Opt(productType, func(s string) { c.Line("product_type", s, limit.Line) })
	core.Opt(imageURL, func(s string) { c.HTTPS("image_url", s) })
}

func handleTaken() error {
	return fault.Invalid(fault.Field{Pointer: "#/handle", Code: fault.Taken,
		Detail: "Another product has this handle."})
}
