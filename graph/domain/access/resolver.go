// Package access holds the operations on people and their accounts, the staff of a store, API keys,
// apps and their grants.
package access

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/domain/report"
)

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	endpoint *endpoint.Resolver
	report   *report.Resolver
}

// New returns the resolver.
func New(c *core.Core, e *endpoint.Resolver, x *report.Resolver) *Resolver {
	return &Resolver{Core: c, endpoint: e, report: x}
}

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
