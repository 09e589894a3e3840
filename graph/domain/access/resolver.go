// Package access holds the operations on people and their accounts, the staff of a store, API keys,
// apps and their grants.
package access

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Keys     *apikey.Keeper
	Sessions *session.Keeper
	Factors  *factor.Keeper
	Links    *link.Signer
	Tasks    *task.Keeper
	// Notifier is nil without a mail server.
	Notifier *notify.Notifier
}

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	Engines
	endpoint *endpoint.Resolver
	report   *report.Resolver
}

// New returns the resolver.
func New(c *core.Core, e Engines, hooks *endpoint.Resolver, x *report.Resolver) *Resolver {
	return &Resolver{Core: c, Engines: e, endpoint: hooks, report: x}
}

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
