// Package catalog holds the operations on products and collections.
package catalog

import (
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Images   *images.Keeper
	Listings *listings.Keeper
	// Notifier is nil without a mail server.
	Notifier *notify.Notifier
}

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	Engines
	taken *takenHandles
	// megapixels bounds the size of uploaded images, and fetched that of the images of imports.
	megapixels, fetched *core.PerMinute
}

// New returns the resolver.
func New(c *core.Core, e Engines) *Resolver {
	return &Resolver{Core: c, Engines: e, taken: newTakenHandles(),
		megapixels: core.NewPerMinute(limit.ImageMegapixels), fetched: core.NewPerMinute(limit.ImageMegapixels)}
}

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
