// Package selling implements the operations on how a store sells: shipping zones, taxes, discounts
// and payments. Package price computes the resulting amounts.
package selling

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/vies"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Payments *payment.Desk
	// VIES checks VAT ids; without an address they are judged by their form alone.
	VIES *vies.Client
}

// Resolver holds the dependencies of this package's operations.
type Resolver struct {
	*core.Core
	Engines
	// TestPayments lets stores offer the payment method that moves no money.
	TestPayments bool
}

// New returns the resolver.
func New(c *core.Core, e Engines) *Resolver { return &Resolver{Core: c, Engines: e} }

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
