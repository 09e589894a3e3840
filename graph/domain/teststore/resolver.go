// Package teststore implements the operations on test stores: filling one with samples, and
// resetting it.
package teststore

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
)

// Resolver holds the dependencies of this package's operations.
type Resolver struct {
	*core.Core
	catalog *catalog.Resolver
	sales   *sales.Resolver
}

// New returns the resolver.
func New(c *core.Core, products *catalog.Resolver, orders *sales.Resolver) *Resolver {
	return &Resolver{Core: c, catalog: products, sales: orders}
}

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }

// hold locks the viewer's store for a change of its whole content. It returns an error for a live
// store.
func (r *Resolver) hold(ctx context.Context) (*db.Store, error) {
	s, err := r.LockedStore(ctx)
	if err != nil {
		return nil, err
	}
	if !s.Test {
		return nil, fault.State(fault.InvalidTransition, "This is not a test store.")
	}
	return s, nil
}
