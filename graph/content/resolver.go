// Package content holds the operations on what a storefront says besides its products:
// its pages and its menus.
package content

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
)

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

// showChange lets the storefront see a change of its pages or menus. The store's row is
// written before theirs, by all of these changes: so no two wait for each other, and
// they come one after the other.
func (r *Resolver) showChange(ctx context.Context) error {
	_, err := r.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).AddStorefrontRevision(1).Save(ctx)
	if err != nil {
		return fmt.Errorf("count a change of the storefront: %w", err)
	}
	return nil
}
