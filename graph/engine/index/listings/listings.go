// Package listings is the index behind a storefront's lists and search: the lists that
// show an active product, its position in each, and its search words. The transaction
// that changes a product updates it; a background job indexes products written by
// earlier releases.
package listings

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// All is the list of all active products of a store.
var All = xid.Nil

const maxWord = limit.SearchWord

// ByProduct is the index of the rows of a product.
const ByProduct = "listing_store_id_id"

// Option returns the list of the products that have a value of an option, regardless of case and
// accents.
func Option(name, value string) xid.ID {
	sum := digest.Of([]byte("option\n" + Fold(name) + "\n" + Fold(value)))
	return xid.ID(sum[:len(xid.ID{})])
}

// Writer writes the listing index of a store.
type Writer struct {
	Client *db.Client
	Engine string
}

type place struct {
	published micros.Time
	price     int64
	title     string
}

// Put indexes products with their variants: their lists and their search words. The transaction has
// written or locked their rows. shown reports whether they may have been active before, so that they
// may already be indexed.
func (r Writer) Put(ctx context.Context, shown bool, products ...*db.Product) error {
	var active []*db.Product
	for _, p := range products {
		if p.Status == state.ProductActive {
			active = append(active, p)
		} else if shown {
			if err := r.Drop(ctx, p.ID); err != nil {
				return err
			}
		}
	}
	if len(active) == 0 {
		return nil
	}
	on, err := r.lists(ctx, active)
	if err != nil {
		return err
	}
	if err := r.list(ctx, active, on, shown); err != nil {
		return fmt.Errorf("list products: %w", err)
	}
	if err := r.index(ctx, active, shown); err != nil {
		return fmt.Errorf("index products: %w", err)
	}
	return nil
}

// Drop removes a product from its lists and from the search.
func (r Writer) Drop(ctx context.Context, id xid.ID) error {
	if _, err := r.Client.Listing.Delete().Where(listing.ID(id)).Exec(ctx); err != nil {
		return fmt.Errorf("remove from the listing index: %w", err)
	}
	return r.forget(ctx, id)
}

// lists returns the lists of each of the products.
func (r Writer) lists(ctx context.Context, products []*db.Product) ([]map[xid.ID]bool, error) {
	on, facets := make([]map[xid.ID]bool, len(products)), map[xid.ID][2]string{}
	for i, p := range products {
		on[i] = map[xid.ID]bool{All: true}
		options, err := p.Options.List()
		if err != nil {
			return nil, fmt.Errorf("options of %s: %w", p.PublicID(), err)
		}
		for _, o := range options {
			for _, value := range o.Values {
				id := Option(o.Name, value)
				facets[id], on[i][id] = [2]string{o.Name, value}, true
			}
		}
	}
	if err := r.name(ctx, facets); err != nil {
		return nil, err
	}
	in, err := r.collections(ctx, products)
	for i, p := range products {
		for _, id := range in[p.ID] {
			on[i][id] = true
		}
	}
	return on, err
}

func placeOf(p *db.Product) place {
	at := place{published: p.ID.Time(), price: priceOf(p), title: cut(Fold(p.Title), limit.TitleKey)}
	if p.PublishedAt != nil {
		at.published = *p.PublishedAt
	}
	return at
}

// priceOf returns the price at present. When a sale begins or ends, the product is indexed again.
func priceOf(p *db.Product) int64 { return variants.LowestAt(p, micros.Now()).PriceMinor }

func (r Writer) row(list xid.ID, p *db.Product) *db.ListingCreate {
	at := placeOf(p)
	return r.Client.Listing.Create().SetShelf(list).SetID(p.ID).SetPublishedAt(at.published).SetPriceMinor(at.price).
		SetTitleKey(at.title)
}

// list writes the rows of products that differ.
func (r Writer) list(ctx context.Context, products []*db.Product, on []map[xid.ID]bool, shown bool) error {
	var created []*db.Listing
	for i, p := range products {
		if shown {
			if err := r.relist(ctx, p, on[i]); err != nil {
				return err
			}
		}
		at := placeOf(p)
		for id := range on[i] {
			created = append(created, &db.Listing{Shelf: id, ID: p.ID, PublishedAt: at.published, PriceMinor: at.price,
				TitleKey: at.title})
		}
	}
	slices.SortFunc(created, func(a, b *db.Listing) int {
		return cmp.Or(a.Shelf.Compare(b.Shelf), a.ID.Compare(b.ID))
	})
	store, values := viewer.From(ctx).Store, make([]any, 0, 6*len(created))
	for _, l := range created {
		values = append(values, store, l.Shelf, l.ID, l.PublishedAt, l.PriceMinor, l.TitleKey)
	}
	return r.insert(ctx, "listings", "store_id, shelf, id, published_at, price_minor, title_key", values, "")
}

// relist deletes the rows of lists that a product has left, moves it in the others, and removes
// those from on. It reads the current rows, because the walk may have written them since this
// transaction took its snapshot.
func (r Writer) relist(ctx context.Context, p *db.Product, on map[xid.ID]bool) error {
	query := r.Client.Listing.Query().Where(listing.ID(p.ID))
	query.Modify(ent.ForceIndex(ByProduct), ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return err
	}
	at, moved, gone := placeOf(p), false, []xid.ID(nil)
	for _, row := range rows {
		if !on[row.Shelf] {
			gone = append(gone, row.Shelf)
			continue
		}
		delete(on, row.Shelf)
		moved = moved || at != place{row.PublishedAt, row.PriceMinor, row.TitleKey}
	}
	if len(gone) > 0 {
		slices.SortFunc(gone, xid.ID.Compare)
		_, err := r.Client.Listing.Delete().Where(listing.ID(p.ID), listing.ShelfIn(gone...)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	if !moved {
		return nil
	}
	return r.Client.Listing.Update().Where(listing.ID(p.ID)).SetPublishedAt(at.published).SetPriceMinor(at.price).
		SetTitleKey(at.title).Exec(ctx)
}
