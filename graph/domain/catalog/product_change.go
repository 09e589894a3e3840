package catalog

import (
	"context"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

type productEdit = change.Edit[*db.Product, *db.ProductUpdate]

func (r *Resolver) products() *change.Versioned[*db.Product, *db.ProductUpdate] {
	return &change.Versioned[*db.Product, *db.ProductUpdate]{
		Kind: xid.Product,
		Load: r.ProductRow,
		Head: func(p *db.Product) change.Head {
			return change.Head{Store: p.StoreID, ID: p.ID, Version: &p.Version, Sequence: &p.EventSequence,
				UpdatedAt: &p.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.ProductUpdate {
			return r.Client(ctx).Product.Update().Where(product.ID(id), product.Version(version))
		},
		Delete: func(ctx context.Context, id xid.ID, version int64) (int, error) {
			return r.Client(ctx).Product.Delete().Where(product.ID(id), product.Version(version)).Exec(ctx)
		},
		Object:  func(p *db.Product) []byte { return wire.AppendProduct(nil, p) },
		Finish:  productUpdated,
		Taken:   handleTaken,
		Handles: &change.Handles[*db.Product]{Store: r.Store, Of: func(row *db.Product) string { return row.Handle }},
	}
}

// productUpdated adds product.updated after the other events of the edit. A change of the inventory
// alone, even of variants, has no event (contract, section 8), nor has one of members for staff.
func productUpdated(e *productEdit) {
	shown := slices.DeleteFunc(slices.Clone(e.Changed), func(member string) bool {
		return member == costMember || member == sizeChartMember || member == referenceMember
	})
	if len(shown) == 0 && len(e.Changed) > 0 || len(shown) == 1 && shown[0] == "inventory_quantity" {
		return
	}
	e.Events = append(e.Events, outbox.Entry{Type: event.ProductUpdated, Changed: shown})
}

func (m Mutation) changeProduct(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *productEdit) error,
) (*model.ProductPayload, error) {
	p, err := core.Change(ctx, m.Core, m.products(), id, expected, action,
		func(ctx context.Context, e *productEdit) error { return m.indexed(ctx, e, m.list, edit) })
	if err != nil {
		return nil, err
	}
	return &model.ProductPayload{Product: p}, nil
}

// indexed runs edit and, once the product is written, updates the listing index of the storefront by
// list, and the search index. shown of list reports whether the product was active before.
func (m Mutation) indexed(ctx context.Context, e *productEdit,
	list func(ctx context.Context, p *db.Product, shown bool) error, edit func(context.Context, *productEdit) error,
) error {
	shown, prices, stock := e.Row.Status == state.ProductActive, m.reprice(e), stockOf(e.Row)
	if err := errors.Join(edit(ctx, e), mayBeTaxed(ctx, e.Row)); err != nil {
		return err
	}
	if err := prices.finish(ctx, e); err != nil {
		return err
	}
	before, changes := e.Then, stock.changes(ctx, e.Row)
	// Neither index depends on the stock.
	stockOnly := len(e.Changed) == 1 && e.Changed[0] == "inventory_quantity"
	if stockOnly && len(changes) == 0 {
		return nil
	}
	e.Then = func(ctx context.Context) error {
		if before != nil {
			if err := before(ctx); err != nil {
				return err
			}
		}
		numbers := numbersOf(changes)
		if err := m.editLevels(ctx, e.Row, changes); err != nil {
			return err
		}
		if err := m.recordStock(ctx, changes, numbers); err != nil || stockOnly {
			return err
		}
		if err := list(ctx, e.Row, shown); err != nil || !renamed(e.Changed) {
			return err
		}
		return search.For(ctx, m.Store).Mark(ctx, search.Products, e.Row.ID)
	}
	return nil
}

func renamed(members []string) bool {
	return slices.ContainsFunc(members, func(m string) bool {
		return m == "title" || m == "sku" || m == "options" || m == variantsMember || m == "tags" ||
			m == core.CustomFieldsMember
	})
}

// list updates the listing index of the storefront.
func (m Mutation) list(ctx context.Context, p *db.Product, shown bool) error {
	return m.listingWriter(ctx).Put(ctx, shown, p)
}

func (m Mutation) listingWriter(ctx context.Context) listings.Writer {
	return listings.Writer{Client: m.Client(ctx), Engine: m.Store.Dialect()}
}

// ProductUpdate changes the given members.
func (m Mutation) ProductUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.ProductUpdateInput,
) (*model.ProductPayload, error) {
	c := &core.Check{}
	checkProductUpdate(c, &in)
	err := errors.Join(m.checkTaxed(ctx, c, taxedUpdate(&in)...), m.checkSizeChart(ctx, c, in.SizeChartID.Value()))
	if err == nil && c.Err() != nil {
		err = m.checkGivenVariants(ctx, c, id, &in)
	}
	if err := errors.Join(err, c.Err()); err != nil {
		return nil, err
	}
	return m.changeProduct(ctx, id, expectedVersion, "product.update", func(ctx context.Context, e *productEdit) error {
		p, in := e.Row, in // the function may run again
		if err := m.setVariants(ctx, e, &in); err != nil {
			return err
		}
		if given := in.ExternalReference.Value(); given != nil && !same(given, p.ExternalReference) {
			if err := m.checkReference(ctx, *given); err != nil {
				return err
			}
		}
		setMembers(e, in)
		err := core.ChangeCustomFields(ctx, m.FieldMerge(state.FieldsOfProducts), &e.Changed, in.CustomFields,
			&p.CustomFields, e.Update.SetCustomFields, e.Update.ClearCustomFields)
		if err != nil {
			return err
		}
		if checkDescription(c, p.DescriptionFormat, p.Description); c.Err() != nil {
			return c.Err()
		}
		if p.Status == state.ProductActive {
			return m.sellable(ctx, p)
		}
		return nil
	})
}

// ProductPublish publishes a draft, which must be priced in the store's currency.
func (m Mutation) ProductPublish(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion,
		productMove{"product.publish", event.ProductPublished, state.ProductActive,
			[]state.ProductStatus{state.ProductDraft}})
}

// ProductUnpublish turns an active product into a draft.
func (m Mutation) ProductUnpublish(
	ctx context.Context, id string, expectedVersion int64,
) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion,
		productMove{"product.unpublish", event.ProductUnpublished, state.ProductDraft,
			[]state.ProductStatus{state.ProductActive}})
}

// ProductArchive archives a product.
func (m Mutation) ProductArchive(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion,
		productMove{"product.archive", event.ProductArchived, state.ProductArchived,
			[]state.ProductStatus{state.ProductDraft, state.ProductActive}})
}

// ProductRestore turns an archived product into a draft.
func (m Mutation) ProductRestore(ctx context.Context, id string, expectedVersion int64) (*model.ProductPayload, error) {
	return m.moveProduct(ctx, id, expectedVersion,
		productMove{"product.restore", "", state.ProductDraft, []state.ProductStatus{state.ProductArchived}})
}

type productMove struct {
	action  string
	special event.Type
	to      state.ProductStatus
	from    []state.ProductStatus
}

func (m Mutation) moveProduct(
	ctx context.Context, id string, expected int64, move productMove,
) (*model.ProductPayload, error) {
	return m.changeProduct(ctx, id, expected, move.action, func(ctx context.Context, e *productEdit) error {
		if err := core.CheckTransition("product", e.Row.Status, move.to, move.from...); err != nil {
			return err
		}
		if moved(e, move); move.to != state.ProductActive {
			return nil
		}
		return m.sellable(ctx, e.Row)
	})
}

// moved changes the status of the product of an edit.
func moved(e *productEdit, move productMove) {
	p := e.Row
	if move.special != "" {
		e.Emit(move.special)
	}
	e.Changed = append(e.Changed, "status")
	p.Status = move.to
	e.Update.SetStatus(move.to)
	switch {
	case move.to == state.ProductActive:
		now := micros.Now()
		p.PublishedAt = &now
		e.Update.SetPublishedAt(now)
		e.Changed = append(e.Changed, "published_at")
	case p.PublishedAt != nil:
		p.PublishedAt = nil
		e.Update.ClearPublishedAt()
		e.Changed = append(e.Changed, "published_at")
	}
}

// sellable refuses a product in another currency than the store's. It locks the store's row: a
// concurrent change of the store's currency waits and then sees the product.
func (m Mutation) sellable(ctx context.Context, p *db.Product) error {
	s, err := m.LockedStore(ctx)
	if err != nil {
		return err
	}
	return pricedIn(s.Currency, p)
}

func pricedIn(currency string, p *db.Product) error {
	if currency != p.Currency {
		return fault.State(fault.CurrencyMismatch,
			"The store sells in "+currency+", but the product is priced in "+p.Currency+".")
	}
	return nil
}

// ProductDelete deletes a product, and then its variants and images, because stock changes lock the
// rows in this order too. Old order lines keep the product's id.
func (m Mutation) ProductDelete(
	ctx context.Context, id string, expectedVersion int64,
) (*model.ProductDeletePayload, error) {
	var gone *db.Product
	products := m.products()
	remove := products.Delete
	products.Delete = func(ctx context.Context, id xid.ID, version int64) (int, error) {
		n, err := remove(ctx, id, version)
		if err != nil || n == 0 {
			return n, err
		}
		if err = m.dropVariants(ctx, gone); err == nil {
			err = m.dropImages(ctx, gone)
		}
		if err == nil {
			err = m.dropPrices(ctx, gone.ID)
		}
		if err == nil {
			err = m.dropInventory(ctx, gone.ID)
		}
		if err == nil {
			err = m.leaveCollections(ctx, gone.ID)
		}
		if err == nil {
			err = search.For(ctx, m.Store).Forget(ctx, search.Products, gone.ID)
		}
		if err != nil || gone.Status != state.ProductActive {
			return n, err
		}
		return n, m.listingWriter(ctx).Drop(ctx, gone.ID)
	}
	err := core.Remove(ctx, m.Core, products, id, expectedVersion, "product.delete",
		func(ctx context.Context, p *db.Product) error {
			gone = p
			if p.Status != state.ProductActive {
				return nil
			}
			// Like publishing, this writes the store first, then the product: no deadlock.
			return m.BumpStorefrontRevision(ctx)
		}, event.ProductDeleted)
	if err != nil {
		return nil, err
	}
	return &model.ProductDeletePayload{DeletedID: &id}, nil
}
