// Package content holds the operations on pages and menus of a storefront.
package content

import "github.com/storefront-go/storefront/graph/core"

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
}

// New returns the resolver.
func New(c *core.Core) *Resolver { return &Resolver{Core: c} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
