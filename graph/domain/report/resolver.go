// Package report implements sales reports and exports.
package report

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Exports *export.Engine
	Links   *link.Signer
}

// Resolver holds the dependencies of this package's operations.
type Resolver struct {
	*core.Core
	Engines
	meter   *meter
	wakeups chan struct{} // to [Resolver.WriteReports]
}

// New returns the resolver.
func New(c *core.Core, e Engines) *Resolver {
	return &Resolver{Core: c, Engines: e, meter: newMeter(), wakeups: make(chan struct{}, 1)}
}

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
