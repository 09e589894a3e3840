// Package catalog holds the operations on products and collections.
package catalog

import (
	"github.com/storefront-go/storefront/graph/core"
)

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	taken *takenHandles
}

// New returns the resolver.
func New(c *core.Core) *Resolver { return &Resolver{Core: c, taken: newTakenHandles()} }

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
