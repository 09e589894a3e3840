// Package merchant implements the operations on the store itself: its settings, its audit log and
// its notifications.
package merchant

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/session"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Keys     *apikey.Keeper
	Sessions *session.Keeper
	Factors  *factor.Keeper
	Themes   *install.Keeper
	Domains  *domain.Engine
}

// Resolver holds the dependencies of this package's operations.
type Resolver struct {
	*core.Core
	Engines
	access *access.Resolver
}

// New returns the resolver.
func New(c *core.Core, e Engines, a *access.Resolver) *Resolver {
	return &Resolver{Core: c, Engines: e, access: a}
}

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
