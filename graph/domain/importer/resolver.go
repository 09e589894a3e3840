// Package importer implements imports: jobs that write the rows of a file into a store.
//
// The file is kept in the blob store first. A worker then reads it in chunks and writes each chunk
// with its events, its audit rows and the new position in the file in one transaction, so that a
// killed worker loses and doubles nothing. A row that cannot be imported is recorded and skipped.
package importer

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Images *images.Keeper
	Links  *link.Signer
}

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	Engines
	products  *catalog.Resolver
	customers *sales.Resolver
	discounts *selling.Resolver
	wakeups   chan struct{} // to [Resolver.RunImports]
}

// New returns the resolver.
func New(c *core.Core, e Engines, products *catalog.Resolver, customers *sales.Resolver,
	discounts *selling.Resolver,
) *Resolver {
	return &Resolver{Core: c, Engines: e, products: products, customers: customers, discounts: discounts,
		wakeups: make(chan struct{}, 1)}
}

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }

// ImportFields resolves the fields of an import that need queries.
type ImportFields struct{ *Resolver }

// wake makes the worker of this process look for jobs now.
func (r *Resolver) wake() {
	select {
	case r.wakeups <- struct{}{}:
	default:
	}
}

// ImportWakeups receives when a job was created.
func (r *Resolver) ImportWakeups() <-chan struct{} { return r.wakeups }
