// Package customfield implements the operations on custom fields: stores define them, and records have
// their values.
package customfield

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/task"
)

// Engines are what the operations of this package use besides the core.
type Engines struct{ Tasks *task.Keeper }

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	Engines
}

// New returns the resolver.
func New(c *core.Core, e Engines) *Resolver { return &Resolver{Core: c, Engines: e} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
