// Package teststore holds the operations on test stores, in which nothing is real: filling
// one with samples, and emptying it.
package teststore

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
)

// Resolver is the parts that the operations of this package work with.
type Resolver struct {
	*core.Core
	catalog *catalog.Resolver
	sales   *sales.Resolver
}

// New makes the resolver.
func New(c *core.Core, goods *catalog.Resolver, orders *sales.Resolver) *Resolver {
	return &Resolver{Core: c, catalog: goods, sales: orders}
}

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }

// hold takes the viewer's store for a change of all that it holds, and refuses a real one.
func (r *Resolver) hold(ctx context.Context) (*db.Store, error) {
	s, err := r.LockedStore(ctx)
	if err != nil {
		return nil, err
	}
	if !s.Test {
		return nil, fault.State(fault.InvalidTransition, "This is no test store: what it holds is real.")
	}
	return s, nil
}
