package storefront

import (
	"context"

	dbcollection "github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

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

// sortOf maps the sort orders of collections to those of lists.
var sortOf = map[state.CollectionSort]listings.Sort{
	state.SortManual: listings.Manual, state.SortNewest: listings.Newest,
	state.SortPriceUp: listings.PriceUp, state.SortPriceDown: listings.PriceDown, state.SortTitle: listings.Title}

// Collection returns the collection with the handle.
func (s Storefront) Collection(ctx context.Context, handle string) (*Collection, error) {
	c, err := core.Only(s.Client(ctx).Collection.Query().
		Where(dbcollection.Handle(handle), dbcollection.Gone(false)).Load(ctx))
	if err != nil {
		return nil, core.Explain("collection", err)
	}
	rule, err := c.Rule.Fields()
	return &Collection{ID: c.ID, Title: c.Title, Handle: c.Handle, Description: orEmpty(c.Description),
		Sort: sortOf[c.Sort], InStock: rule.InStock, Changed: c.UpdatedAt}, err
}

// Collections returns the sitemap entries of all collections of the store.
func (s Storefront) Collections(ctx context.Context) ([]SitemapEntry, error) {
	rows, err := s.Client(ctx).Collection.Query().Where(dbcollection.Gone(false)).Load(ctx)
	entries := make([]SitemapEntry, len(rows))
	for i, c := range rows {
		entries[i] = SitemapEntry{CollectionRoot + c.Handle, c.UpdatedAt}
	}
	return entries, core.Explain("collections", err)
}
