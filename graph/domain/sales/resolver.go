// Package sales implements the operations on orders, with their notes, and on customers.
package sales

import (
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/invoice"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Erasures *erase.Engine
	Payments *payment.Desk
	Links    *link.Signer
	Themes   *install.Keeper
	Images   *images.Keeper
	// Notifier is nil without a mail server.
	Notifier *notify.Notifier
}

// Resolver holds the dependencies of this package's operations.
type Resolver struct {
	*core.Core
	Engines
	selling *selling.Resolver
	// invoices issues what changes of orders make due.
	invoices *invoice.Resolver
	numbers  *numbers
	// quiet holds the stores whose notices of orders pause, and until when.
	quiet *cache.Cache[xid.ID, micros.Time]
	// accents holds the accent colors of themes, which never change.
	accents *cache.Cache[digest.Sum, string]
}

// accentBytes is what an accent color takes, and accentRoom what all take.
const (
	accentBytes = 256
	accentRoom  = 1000 * accentBytes
)

// New returns the resolver.
func New(c *core.Core, e Engines, s *selling.Resolver) *Resolver {
	return &Resolver{Core: c, Engines: e, selling: s, invoices: invoice.New(c, invoice.Engines{}),
		numbers: newNumbers(c.Store),
		quiet:   cache.NewCache[xid.ID, micros.Time](quietBytes),
		accents: cache.NewCache[digest.Sum, string](accentRoom)}
}

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }
