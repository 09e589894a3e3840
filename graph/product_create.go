package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/trail"
	"github.com/storefront-go/storefront/graph/wire"
)

// maxInventory is the largest stock that is tracked (contract, section 1).
const maxInventory = 1<<31 - 1

// ProductCreate makes a draft. The handle comes from the title when none is
// given, and then never clashes; a given one that is taken is a 422.
func (m Mutation) ProductCreate(ctx context.Context, in model.ProductCreateInput) (*model.ProductPayload, error) {
	if err := checkProduct(ctx, &in); err != nil {
		return nil, err
	}
	var p *db.Product
	err := m.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if p, err = m.insertProduct(ctx, in); err != nil {
			return err
		}
		if err = trail.Write(ctx, m.client(ctx), "product.create", xid.Product, p.ID, ""); err != nil {
			return err
		}
		return outbox.Append(ctx, m.client(ctx), productResource(p),
			outbox.Entry{Type: event.ProductCreated, Object: wire.AppendProduct(nil, p)})
	})
	if err != nil {
		return nil, explain("product", err)
	}
	return &model.ProductPayload{Product: p}, nil
}

// insertProduct writes the row. A duplicate key leaves the transaction alive,
// so the second handle can follow the first.
func (m Mutation) insertProduct(ctx context.Context, in model.ProductCreateInput) (*db.Product, error) {
	id := newID(in.CreatedAt)
	handle := slug(in.Title, "product")
	if in.Handle != nil {
		handle = *in.Handle
	}
	p, err := m.productRow(ctx, id, handle, in).Save(ctx)
	if !ent.IsDuplicate(err) {
		return p, err
	}
	if in.Handle != nil {
		return nil, handleTaken()
	}
	return m.productRow(ctx, id, suffixed(handle, xid.Product.Format(id)), in).Save(ctx)
}

func (m Mutation) productRow(ctx context.Context, id xid.ID, handle string, in model.ProductCreateInput) *db.ProductCreate {
	return m.client(ctx).Product.Create().
		SetID(id).SetTitle(in.Title).SetHandle(handle).SetNillableDescription(in.Description).
		SetStatus(state.ProductDraft).SetPriceMinor(in.PriceMinor).
		SetNillableCompareAtPriceMinor(in.CompareAtPriceMinor).SetCurrency(in.Currency).
		SetNillableSku(in.Sku).SetNillableVendor(in.Vendor).SetNillableProductType(in.ProductType).
		SetTags(document.NewTags(in.Tags)).SetNillableInventoryQuantity(in.InventoryQuantity).
		SetNillableImageURL(in.ImageURL).
		SetVersion(1).SetEventSequence(1).SetUpdatedAt(changeTime(id, in.CreatedAt))
}

// checkProduct judges a new product and brings its currency to upper case.
func checkProduct(ctx context.Context, in *model.ProductCreateInput) error {
	c := newCheck(ctx)
	c.line("title", in.Title, 255)
	c.amount("price_minor", in.PriceMinor)
	in.Currency = c.currency("currency", in.Currency)
	c.productTexts(in.Handle, in.Description, in.Sku, in.Vendor, in.ProductType, in.ImageURL)
	opt(in.CompareAtPriceMinor, func(v int64) { c.amount("compare_at_price_minor", v) })
	opt(in.InventoryQuantity, func(v int64) { c.within("inventory_quantity", v, 0, maxInventory) })
	c.tags("tags", in.Tags)
	c.createdAt(ctx, "created_at", in.CreatedAt)
	return c.err()
}

// productTexts checks the optional texts of a product.
func (c *check) productTexts(handle, description, sku, vendor, productType, imageURL *string) {
	opt(handle, func(s string) { c.handle("handle", s, 120) })
	opt(description, func(s string) { c.long("description", s, 65535) })
	opt(sku, func(s string) { c.line("sku", s, 255) })
	opt(vendor, func(s string) { c.line("vendor", s, 255) })
	opt(productType, func(s string) { c.line("product_type", s, 255) })
	opt(imageURL, func(s string) { c.https("image_url", s) })
}

// createdAt checks the time of an import: people's work, and of the past.
func (c *check) createdAt(ctx context.Context, name string, t *micros.Time) {
	switch v := viewer.From(ctx); {
	case t == nil:
	case v.Kind != viewer.Staff && v.Kind != viewer.System:
		c.add(name, fault.UnknownMember, "Only people import with their own times.")
	case *t > micros.Now():
		c.add(name, fault.OutOfRange, "The time is in the future.")
	}
}

// newID mints an id for now, or for the time of an import.
func newID(t *micros.Time) xid.ID {
	if t != nil {
		return xid.At(*t)
	}
	return xid.New()
}

// changeTime is the first updated_at: the creation, but for an import now, since
// whoever syncs by changes has passed its own time.
func changeTime(id xid.ID, imported *micros.Time) micros.Time {
	if imported != nil {
		return micros.Now()
	}
	return id.Time()
}

func handleTaken() error {
	return fault.Invalid(fault.Field{Pointer: "#/handle", Code: fault.Taken, Detail: "Another product has this handle."})
}

// productResource is what a product's events are about.
func productResource(p *db.Product) outbox.Resource {
	return outbox.Resource{Store: p.StoreID, ID: p.ID, Version: p.Version, Sequence: p.EventSequence, At: p.UpdatedAt}
}
