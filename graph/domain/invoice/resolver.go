// Package invoice implements the operations on invoices and credit notes, and issues those that a change
// of an order makes due.
package invoice

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Engines are what the operations of this package use besides the core.
type Engines struct{ Links *link.Signer }

// Resolver holds the dependencies of this package's operations.
type Resolver struct {
	*core.Core
	Engines
}

// New returns the resolver.
func New(c *core.Core, e Engines) *Resolver { return &Resolver{c, e} }

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
