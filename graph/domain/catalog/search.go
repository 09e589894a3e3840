package catalog

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// ProductCounts counts the products of each status.
func (q Query) ProductCounts(ctx context.Context) (*model.ProductCounts, error) {
	counts, err := q.Counts(ctx, "products", "status", productsByStatus, string(state.ProductDraft),
		string(state.ProductActive), string(state.ProductArchived))
	if err != nil {
		return nil, core.Explain("products", err)
	}
	return &model.ProductCounts{Draft: counts[0], Active: counts[1], Archived: counts[2]}, nil
}

// FoundFields resolves the products of a search over all kinds.
type FoundFields struct{ *Resolver }

// Products returns the newest matches.
func (f FoundFields) Products(ctx context.Context, s *model.SearchResult) ([]*db.Product, error) {
	rows, _, err := f.foundProducts(ctx, model.ProductFilter{}, search.Parse(s.Query), nil, s.First)
	if err == nil {
		err = f.complete(ctx, rows)
	}
	if err == nil && rows == nil {
		rows = []*db.Product{} // null is for viewers who may not read products
	}
	return rows, core.Explain("products", err)
}
