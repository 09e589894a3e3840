// Package appearance holds the operations on how a storefront looks: the themes of
// a store and the marketplace of themes.
package appearance

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/memo"
	"github.com/storefront-go/storefront/graph/model"
)

// Resolver is the parts that the operations of this package work with.
type Resolver struct {
	*core.Core
	// handles remembers what the addresses of assets need.
	handles *lru.Cache[xid.ID, string]
	// assetsOf remembers the assets of themes.
	assetsOf *memo.Cache[xid.ID, []*model.ThemeAsset]
}

// New makes the resolver.
func New(c *core.Core) *Resolver {
	handles, _ := lru.New[xid.ID, string](maxHandles) // only a size below one is an error
	return &Resolver{Core: c, handles: handles, assetsOf: memo.NewCache[xid.ID, []*model.ThemeAsset](maxAssets)}
}

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
