// Package appearance holds the operations on themes of a store and on the marketplace of themes.
package appearance

import (
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/model"
)

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	// assetsOf caches the assets of themes.
	assetsOf *cache.Cache[xid.ID, []*model.ThemeAsset]
}

// New returns the resolver.
func New(c *core.Core) *Resolver {
	return &Resolver{Core: c, assetsOf: cache.NewCache[xid.ID, []*model.ThemeAsset](maxAssets)}
}

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
