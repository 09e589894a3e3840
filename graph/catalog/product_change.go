package catalog

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/wire"
)

// productEdit is a change of one product: the entity as it will be, the update
// that makes it so, and the events that tell.
type productEdit struct {
	*db.Product
	update  *db.ProductUpdate
	changed []string
	// special is the event beside product.updated, if there is one.
	special event.Type
}

// changeProduct runs edit on the product if it has the expected version, in one
// transaction with the events and the audit row. An edit that changes nothing
// leaves everything as it is.
func (m Mutation) changeProduct(ctx context.Context, id string, expected int64, action string, edit func(context.Context, *productEdit) error) (*model.ProductPayload, error) {
	uid, err := core.ParseID(xid.Product, id)
	if err != nil {
		return nil, err
	}
	var p *db.Product
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		if p, err = m.ProductRow(ctx, uid); err != nil {
			return err
		}
		if p.Version != expected {
			return core.Stale(xid.Product, expected, p.Version)
		}
		e := &productEdit{Product: p, update: m.Client(ctx).Product.Update().Where(product.ID(uid), product.Version(expected))}
		if err := edit(ctx, e); err != nil || len(e.changed) == 0 {
			return err
		}
		return m.saveProduct(ctx, e, action)
	})
	if err != nil {
		return nil, core.Explain("product", err)
	}
	return &model.ProductPayload{Product: p}, nil
}

// saveProduct writes the edit, its events and its audit row.
func (m Mutation) saveProduct(ctx context.Context, e *productEdit, action string) error {
	events := e.events()
	e.Version++
	e.EventSequence += int64(len(events))
	e.UpdatedAt = core.UpdateTime(e.UpdatedAt)
	n, err := e.update.SetVersion(e.Version).SetEventSequence(e.EventSequence).SetUpdatedAt(e.UpdatedAt).Save(ctx)
	if ent.IsDuplicate(err) {
		return handleTaken()
	}
	if err := core.Swapped(xid.Product, n, err); err != nil {
		return err
	}
	if err := audit.Write(ctx, m.Client(ctx), action, xid.Product, e.ID, ""); err != nil {
		return err
	}
	if len(events) == 0 {
		return nil
	}
	object := wire.AppendProduct(nil, e.Product)
	for i := range events {
		events[i].Object = object
	}
	return outbox.Append(ctx, m.Client(ctx), productResource(e.Product), events...)
}

// events are what the edit tells: product.updated, beside the special event
// where there is one. Inventory alone is told to nobody (contract, section 8).
func (e *productEdit) events() []outbox.Entry {
	if len(e.changed) == 1 && e.changed[0] == "inventory_quantity" {
		return nil
	}
	updated := outbox.Entry{Type: event.ProductUpdated, Changed: e.changed}
	if e.special == "" {
		return []outbox.Entry{updated}
	}
	return []outbox.Entry{{Type: e.special}, updated}
}

// ProductUpdate changes the members that are given.
func (m Mutation) ProductUpdate(ctx context.Context, id string, expectedVersion int64, in model.ProductUpdateInput) (*model.ProductPayload, error) {
	c := &core.Check{}
	checkProductUpdate(c, &in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeProduct(ctx, id, expectedVersion, "product.update", func(ctx context.Context, e *productEdit) error {
		p, u := e.Product, e.update
		core.MemberOf(&e.changed, in.Title, "title", &p.Title, u.SetTitle)
		core.MemberOf(&e.changed, in.PriceMinor, "price_minor", &p.PriceMinor, u.SetPriceMinor)
		core.MemberOf(&e.changed, in.Currency, "currency", &p.Currency, u.SetCurrency)
		core.MemberOf(&e.changed, in.Handle, "handle", &p.Handle, u.SetHandle)
		core.MemberOpt(&e.changed, in.Description, "description", &p.Description, u.SetDescription, u.ClearDescription)
		core.MemberOpt(&e.changed, in.CompareAtPriceMinor, "compare_at_price_minor", &p.CompareAtPriceMinor, u.SetCompareAtPriceMinor, u.ClearCompareAtPriceMinor)
		core.MemberOpt(&e.changed, in.Sku, "sku", &p.Sku, u.SetSku, u.ClearSku)
		core.MemberOpt(&e.changed, in.Vendor, "vendor", &p.Vendor, u.SetVendor, u.ClearVendor)
		core.MemberOpt(&e.changed, in.ProductType, "product_type", &p.ProductType, u.SetProductType, u.ClearProductType)
		core.MemberOpt(&e.changed, in.InventoryQuantity, "inventory_quantity", &p.InventoryQuantity, u.SetInventoryQuantity, u.ClearInventoryQuantity)
		core.MemberOpt(&e.changed, in.ImageURL, "image_url", &p.ImageURL, u.SetImageURL, u.ClearImageURL)
		core.MemberDoc(&e.changed, document.NewTags(in.Tags.Value()), in.Tags.IsSet(), "tags", &p.Tags, u.SetTags, nil)
		if p.Status == state.ProductActive {
			return m.sellable(ctx, p)
		}
		return nil
	})
}

// checkProductUpdate judges the members that are given.
func checkProductUpdate(c *core.Check, in *model.ProductUpdateInput) {
	core.NotNull(c, "title", in.Title, func(s string) { c.Line("title", s, limit.Line) })
	core.NotNull(c, "price_minor", in.PriceMinor, func(v int64) { c.Amount("price_minor", v) })
	core.NotNull(c, "currency", in.Currency, func(s string) {
		in.Currency = model.Some(c.Currency("currency", s))
	})
	core.NotNull(c, "handle", in.Handle, func(string) {})
	checkProductTexts(c, in.Handle.Value(), in.Description.Value(), in.Sku.Value(), in.Vendor.Value(), in.ProductType.Value(), in.ImageURL.Value())
	core.Opt(in.CompareAtPriceMinor.Value(), func(v int64) { c.Amount("compare_at_price_minor", v) })
	core.Opt(in.InventoryQuantity.Value(), func(v int64) { c.Within("inventory_quantity", v, 0, limit.Inventory) })
	c.Tags("tags", in.Tags.Value())
}

// ProductPublish takes a draft to the storefront, in the store's currency.
func (m Mutation) ProductPublish(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion, productMove{"product.publish", event.ProductPublished, state.ProductActive, []state.ProductStatus{state.ProductDraft}})
}

// ProductUnpublish takes an active product back to a draft.
func (m Mutation) ProductUnpublish(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion, productMove{"product.unpublish", event.ProductUnpublished, state.ProductDraft, []state.ProductStatus{state.ProductActive}})
}

// ProductArchive puts a product away.
func (m Mutation) ProductArchive(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion, productMove{"product.archive", event.ProductArchived, state.ProductArchived, []state.ProductStatus{state.ProductDraft, state.ProductActive}})
}

// ProductRestore takes an archived product back to a draft.
func (m Mutation) ProductRestore(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion, productMove{"product.restore", "", state.ProductDraft, []state.ProductStatus{state.ProductArchived}})
}

// productMove is one transition of contract section 6.
type productMove struct {
	action  string
	special event.Type
	to      state.ProductStatus
	from    []state.ProductStatus
}

func (m Mutation) moveProduct(ctx context.Context, id string, expected int64, move productMove) (*model.ProductPayload, error) {
	return m.changeProduct(ctx, id, expected, move.action, func(ctx context.Context, e *productEdit) error {
		if err := core.Allowed("product", e.Status, move.to, move.from...); err != nil {
			return err
		}
		e.special, e.changed = move.special, []string{"status"}
		e.Status = move.to
		e.update.SetStatus(move.to)
		switch {
		case move.to == state.ProductActive:
			now := micros.Now()
			e.PublishedAt = &now
			e.update.SetPublishedAt(now)
			e.changed = append(e.changed, "published_at")
			return m.sellable(ctx, e.Product)
		case e.PublishedAt != nil:
			e.PublishedAt = nil
			e.update.ClearPublishedAt()
			e.changed = append(e.changed, "published_at")
		}
		return nil
	})
}

// sellable refuses an active product in another currency than the store's. The
// lock makes a change of the store's currency wait, and then see the product.
func (m Mutation) sellable(ctx context.Context, p *db.Product) error {
	query := m.Client(ctx).Store.Query().Where(store.ID(p.StoreID))
	query.Modify(ent.ForUpdate)
	s, err := core.Only(query.Load(ctx))
	if err != nil {
		return err
	}
	if s.Currency != p.Currency {
		return fault.State(fault.CurrencyMismatch, "The store sells in "+s.Currency+", the product is priced in "+p.Currency+".")
	}
	return nil
}

// ProductDelete removes a product. Old order lines keep its id, which is then
// unknown.
func (m Mutation) ProductDelete(ctx context.Context, id string, expectedVersion int64) (*model.ProductDeletePayload, error) {
	uid, err := core.ParseID(xid.Product, id)
	if err != nil {
		return nil, err
	}
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		p, err := m.ProductRow(ctx, uid)
		if err != nil {
			return err
		}
		if p.Version != expectedVersion {
			return core.Stale(xid.Product, expectedVersion, p.Version)
		}
		if err := m.unshow(ctx, p); err != nil {
			return err
		}
		n, err := m.Client(ctx).Product.Delete().Where(product.ID(uid), product.Version(expectedVersion)).Exec(ctx)
		if err := core.Swapped(xid.Product, n, err); err != nil {
			return err
		}
		p.Version++
		p.EventSequence++
		r := productResource(p)
		r.At = core.UpdateTime(p.UpdatedAt)
		if err := audit.Write(ctx, m.Client(ctx), "product.delete", xid.Product, uid, ""); err != nil {
			return err
		}
		return outbox.Append(ctx, m.Client(ctx), r,
			outbox.Entry{Type: event.ProductDeleted, Object: wire.AppendProduct(nil, p)})
	})
	if err != nil {
		return nil, core.Explain("product", err)
	}
	return &model.ProductDeletePayload{DeletedID: &id}, nil
}

// unshow tells the storefront that a product goes, whose row then cannot tell.
// The store's row is written before the product's: publishing takes them in that
// order too, so the two never wait for each other.
func (m Mutation) unshow(ctx context.Context, p *db.Product) error {
	if p.Status != state.ProductActive {
		return nil
	}
	if _, err := m.Client(ctx).Store.Update().Where(store.ID(p.StoreID)).AddStorefrontRevision(1).Save(ctx); err != nil {
		return fmt.Errorf("tell the storefront: %w", err)
	}
	return nil
}
