package storefront

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbcollection "github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// ProductsPath is where the host of a store serves the list of all its products.
const ProductsPath = "/products"

// ProductPage is a page of a list of products, with cursors to the adjacent pages, "" at its ends.
type ProductPage struct {
	Offers        []*Offer
	After, Before string
}

// Facet is an option value by which visitors can filter.
type Facet struct {
	Shelf       xid.ID
	Name, Value string
}

func (s Storefront) reader(ctx context.Context) (listings.Reader, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return listings.Reader{}, err
	}
	return listings.Reader{Client: s.Client(ctx), Engine: s.Store.Dialect(), Store: v.Store}, nil
}

// List returns a page of a list with up to [MaxOffers] products.
func (s Storefront) List(ctx context.Context, l listings.List) (*ProductPage, error) {
	r, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	l.Limit = MaxOffers
	p, err := r.Read(ctx, l)
	if err != nil {
		return nil, core.Explain("products", err)
	}
	offers, err := s.Offers(ctx, p.IDs)
	return &ProductPage{Offers: offers, After: p.After, Before: p.Before}, err
}

// Search returns the best matches of a query, up to [MaxOffers] products, and how many were found,
// up to a bound.
func (s Storefront) Search(ctx context.Context, question string) (best []*Offer, count int, err error) {
	r, err := s.reader(ctx)
	if err != nil {
		return nil, 0, err
	}
	q := listings.Parse(question)
	ids, err := r.Find(ctx, q)
	if err != nil {
		return nil, 0, core.Explain("products", err)
	}
	list, err := s.offers(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	rank := make(map[*Offer]int, len(list))
	for _, o := range list {
		rank[o] = q.Rank(listings.Texts{Title: o.Title, Vendor: o.Vendor, Type: o.Type, SKU: o.SKU, Tags: o.Tags})
	}
	slices.SortFunc(list, func(a, b *Offer) int {
		return cmp.Or(rank[b]-rank[a], cmp.Compare(b.published, a.published), b.ID.Compare(a.ID))
	})
	best = list[:min(len(list), MaxOffers)]
	return best, len(list), s.addImages(ctx, best)
}

const (
	// maxFacets is how many option values a list offers as filters.
	maxFacets = 200
	// facetsOf is how many products of a collection are searched for option values.
	facetsOf = 200
)

// facetsQuery looks up one listing row of each facet. MariaDB would turn an EXISTS into a join that
// reads all rows of the store.
const facetsQuery = "SELECT f.id, f.name, f.value FROM facets f WHERE f.store_id = ? AND (SELECT l.id FROM " +
	"listings l%s WHERE l.store_id = ? AND l.shelf = f.id LIMIT 1) IS NOT NULL ORDER BY f.id LIMIT %d"

const ownFacetsQuery = "SELECT DISTINCT f.id, f.name, f.value FROM (SELECT id FROM listings WHERE store_id = ? " +
	"AND shelf = ? ORDER BY id LIMIT %d) c JOIN listings l%s ON l.store_id = ? AND l.id = c.id " +
	"JOIN facets f ON f.store_id = ? AND f.id = l.shelf LIMIT %d"

// Facets returns the option values of the store's active products, sorted by option and value. If
// on is the listing index of a collection, it returns the values of the collection's first
// products.
func (s Storefront) Facets(ctx context.Context, on xid.ID) (list []Facet, err error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(facetsQuery, ent.IndexHint(s.Store.Dialect(), "listings", ent.Primary), maxFacets)
	args := []any{v.Store, v.Store}
	if on != listings.All {
		query = fmt.Sprintf(ownFacetsQuery, facetsOf,
			ent.IndexHint(s.Store.Dialect(), "listings", listings.ByProduct), maxFacets)
		args = []any{v.Store, on, v.Store, v.Store}
	}
	err = ent.Read(ctx, s.Client(ctx), func(rows *stdsql.Rows) error {
		var f Facet
		err := rows.Scan(&f.Shelf, &f.Name, &f.Value)
		list = append(list, f)
		return err
	}, query, args...)
	slices.SortFunc(list, func(a, b Facet) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return list, core.Explain("products", err)
}

// CollectionRoot is where the host of a store serves its collections, each by handle.
const CollectionRoot = "/collections/"

// Collection is a collection as the storefront shows it. An absent text is "".
type Collection struct {
	ID          xid.ID // of its listing index
	Title       string
	Handle      string
	Description string
	Sort        listings.Sort
	// InStock leaves out sold-out products.
	InStock bool
	Changed micros.Time
}

var sortOf = map[state.CollectionSort]listings.Sort{
	state.SortManual: listings.Manual, state.SortNewest: listings.Newest,
	state.SortPriceUp: listings.PriceUp, state.SortPriceDown: listings.PriceDown, state.SortTitle: listings.Title}

// Collection returns the collection with the handle.
func (s Storefront) Collection(ctx context.Context, handle string) (*Collection, error) {
	return s.collection(ctx, dbcollection.Handle(handle))
}

// CollectionByID is [Storefront.Collection] by id.
func (s Storefront) CollectionByID(ctx context.Context, id xid.ID) (*Collection, error) {
	return s.collection(ctx, dbcollection.ID(id))
}

func (s Storefront) collection(ctx context.Context, is predicate.Collection) (*Collection, error) {
	c, err := core.Only(s.Client(ctx).Collection.Query().Where(is, dbcollection.Gone(false)).Load(ctx))
	if err != nil {
		return nil, core.Explain("collection", err)
	}
	rule, err := c.Rule.Fields()
	return &Collection{ID: c.ID, Title: c.Title, Handle: c.Handle, Description: core.Deref(c.Description),
		Sort: sortOf[c.Sort], InStock: rule.InStock, Changed: c.UpdatedAt}, err
}

// maxNamed is how many collections are listed by title.
const maxNamed = 100

// NamedCollections returns links to the oldest collections of the store.
func (s Storefront) NamedCollections(ctx context.Context) ([]Link, error) {
	rows, err := s.Client(ctx).Collection.Query().Where(dbcollection.Gone(false)).
		Order(dbcollection.ByID()).Limit(maxNamed).Load(ctx)
	return core.Map(rows, func(c *db.Collection) Link {
		return Link{Title: c.Title, Address: CollectionRoot + c.Handle}
	}), core.Explain("collections", err)
}

// Collections returns the sitemap entries of all collections of the store.
func (s Storefront) Collections(ctx context.Context) ([]SitemapEntry, error) {
	rows, err := s.Client(ctx).Collection.Query().Where(dbcollection.Gone(false)).Load(ctx)
	return core.Map(rows, func(c *db.Collection) SitemapEntry {
		return SitemapEntry{CollectionRoot + c.Handle, c.UpdatedAt}
	}), core.Explain("collections", err)
}
