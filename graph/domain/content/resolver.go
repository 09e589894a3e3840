// Package content holds the operations on what a storefront says besides its products:
// its pages and its menus.
package content

import "github.com/storefront-go/storefront/graph/core"

// Resolver is the parts that the operations of this package work with.
type Resolver struct {
	*core.Core
}

// New makes the resolver.
func New(c *core.Core) *Resolver { return &Resolver{Core: c} }

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
