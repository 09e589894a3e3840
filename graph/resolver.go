package graph

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/content"
	"github.com/storefront-go/storefront/graph/domain/customfield"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/domain/importer"
	"github.com/storefront-go/storefront/graph/domain/invoice"
	"github.com/storefront-go/storefront/graph/domain/location"
	"github.com/storefront-go/storefront/graph/domain/merchant"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/domain/teststore"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/vies"
)

// Config holds the dependencies of the operations.
type Config struct {
	core.Config
	Engines
	// TestPayments lets stores offer the payment method that moves no money.
	TestPayments bool
	// Reviewer reports whether staff of a store review marketplace submissions; nil means of no store.
	Reviewer func(*db.Store) bool
}

// Engines are what the operations use besides the core. Each package of the domain gets its own.
type Engines struct {
	// Keys authenticates credentials and drops revoked ones from its cache.
	Keys *apikey.Keeper
	// Sessions manages sign-in sessions; the default has no throttle.
	Sessions *session.Keeper
	// Factors manages second factors.
	Factors *factor.Keeper
	// Links signs downloads and previews.
	Links *link.Signer
	// Webhooks manages the queues of webhook endpoints.
	Webhooks *webhook.Engine
	// Exports writes the files of export jobs.
	Exports *export.Engine
	// Erasures removes redacted customers from stored data. It has a default.
	Erasures *erase.Engine
	// Listings updates the listing index of storefronts in the background. It has a default.
	Listings *listings.Keeper
	// Themes stores the files of themes.
	Themes *install.Keeper
	// Domains connects the hosts that stores bring.
	Domains *domain.Engine
	// Images stores copies of product images.
	Images *images.Keeper
	// Payments calls payment providers.
	Payments *payment.Desk
	// VIES checks VAT ids; the default judges them by their form alone.
	VIES *vies.Client
	// Notifier sends notifications to people; nil without a mail server.
	Notifier *notify.Notifier
	// Tasks runs what a change does to rows of other owners. It has a default.
	Tasks *task.Keeper
}

// fill sets the defaults. It fails if a required engine is missing.
func (e *Engines) fill(s *ent.Store, log *slog.Logger) error {
	if e.Keys == nil || e.Factors == nil || e.Links == nil || e.Webhooks == nil || e.Exports == nil ||
		e.Themes == nil || e.Images == nil || e.Payments == nil || e.Domains == nil {
		return errors.New("graph: of the engines, only Sessions, Erasures, Listings, Notifier, Tasks and VIES are optional")
	}
	if e.VIES == nil {
		e.VIES = &vies.Client{}
	}
	if e.Listings == nil {
		e.Listings = listings.NewKeeper(s)
	}
	if e.Tasks == nil {
		e.Tasks = task.NewKeeper(s, log)
	}
	if e.Erasures == nil {
		e.Erasures = erase.New(erase.Config{Store: s, Notifier: e.Notifier, Logger: log})
	}
	if e.Sessions != nil {
		return nil
	}
	var err error
	if e.Sessions, err = session.NewKeeper(session.Config{Store: s, Logger: log}); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return nil
}

// The resolvers of the domain, under names that can be embedded side by side.
type (
	catalogResolver    = catalog.Resolver
	salesResolver      = sales.Resolver
	accessResolver     = access.Resolver
	merchantResolver   = merchant.Resolver
	endpointResolver   = endpoint.Resolver
	reportResolver     = report.Resolver
	appearanceResolver = appearance.Resolver
	contentResolver    = content.Resolver
	sellingResolver    = selling.Resolver
	invoiceResolver    = invoice.Resolver
	fieldResolver      = customfield.Resolver
	locationResolver   = location.Resolver
	testStoreResolver  = teststore.Resolver
	importResolver     = importer.Resolver

	catalogQuery    = catalog.Query
	salesQuery      = sales.Query
	accessQuery     = access.Query
	merchantQuery   = merchant.Query
	endpointQuery   = endpoint.Query
	reportQuery     = report.Query
	appearanceQuery = appearance.Query
	contentQuery    = content.Query
	sellingQuery    = selling.Query
	invoiceQuery    = invoice.Query
	fieldQuery      = customfield.Query
	locationQuery   = location.Query
	importQuery     = importer.Query

	catalogMutation    = catalog.Mutation
	salesMutation      = sales.Mutation
	accessMutation     = access.Mutation
	merchantMutation   = merchant.Mutation
	endpointMutation   = endpoint.Mutation
	reportMutation     = report.Mutation
	appearanceMutation = appearance.Mutation
	contentMutation    = content.Mutation
	sellingMutation    = selling.Mutation
	invoiceMutation    = invoice.Mutation
	fieldMutation      = customfield.Mutation
	locationMutation   = location.Mutation
	testStoreMutation  = teststore.Mutation
	importMutation     = importer.Mutation
)

// Resolver holds all operations as methods of its Query and Mutation.
type Resolver struct {
	*core.Core
	Engines
	*catalogResolver
	*salesResolver
	*accessResolver
	*merchantResolver
	*endpointResolver
	*reportResolver
	*appearanceResolver
	*contentResolver
	*sellingResolver
	*invoiceResolver
	*fieldResolver
	*locationResolver
	*testStoreResolver
	*importResolver
}

// New returns the resolver. It fails if config lacks a required part.
func New(config Config) (*Resolver, error) {
	config.NearLimit = config.nearLimit
	c, err := core.New(config.Config)
	if err != nil {
		return nil, err
	}
	e := config.Engines
	if err := e.fill(c.Store, c.Logger); err != nil {
		return nil, err
	}
	r := &Resolver{Core: c, catalogResolver: catalog.New(c, catalog.Engines{}),
		endpointResolver: endpoint.New(c, endpoint.Engines{}), reportResolver: report.New(c, report.Engines{}),
		appearanceResolver: appearance.New(c, appearance.Engines{}), contentResolver: content.New(c),
		sellingResolver: selling.New(c, selling.Engines{}), invoiceResolver: invoice.New(c, invoice.Engines{}),
		fieldResolver: customfield.New(c, customfield.Engines{}), locationResolver: location.New(c)}
	r.salesResolver = sales.New(c, sales.Engines{}, r.sellingResolver)
	r.accessResolver = access.New(c, access.Engines{}, r.endpointResolver, r.reportResolver)
	r.testStoreResolver = teststore.New(c, r.catalogResolver, r.salesResolver)
	r.importResolver = importer.New(c, importer.Engines{}, r.catalogResolver, r.salesResolver, r.sellingResolver)
	r.merchantResolver = merchant.New(c, merchant.Engines{}, r.accessResolver)
	r.Use(e)
	r.Reviewer, r.TestPayments = config.Reviewer, config.TestPayments
	e.Themes.Preview = r.PreviewURL
	r.carry(e.Tasks)
	return r, nil
}

// Use gives each package of the domain its engines. Tests call it again to replace some.
func (r *Resolver) Use(e Engines) {
	r.Engines = e
	r.catalogResolver.Engines = catalog.Engines{Images: e.Images, Listings: e.Listings, Notifier: e.Notifier}
	r.salesResolver.Engines = sales.Engines{Erasures: e.Erasures, Payments: e.Payments, Links: e.Links,
		Themes: e.Themes, Images: e.Images, Notifier: e.Notifier}
	r.accessResolver.Engines = access.Engines{Keys: e.Keys, Sessions: e.Sessions, Factors: e.Factors, Links: e.Links,
		Tasks: e.Tasks, Notifier: e.Notifier}
	r.merchantResolver.Engines = merchant.Engines{Keys: e.Keys, Sessions: e.Sessions, Factors: e.Factors,
		Themes: e.Themes, Domains: e.Domains}
	r.endpointResolver.Engines = endpoint.Engines{Webhooks: e.Webhooks}
	r.reportResolver.Engines = report.Engines{Exports: e.Exports, Links: e.Links}
	r.appearanceResolver.Engines = appearance.Engines{Themes: e.Themes, Links: e.Links, Tasks: e.Tasks}
	r.invoiceResolver.Engines = invoice.Engines{Links: e.Links}
	r.fieldResolver.Engines = customfield.Engines{Tasks: e.Tasks}
	r.importResolver.Engines = importer.Engines{Images: e.Images, Links: e.Links}
	r.sellingResolver.Engines = selling.Engines{Payments: e.Payments, VIES: e.VIES}
}

// carry registers the effects of all kinds of tasks.
func (r *Resolver) carry(k *task.Keeper) {
	k.Register(audit.StoreTask, audit.StoreEffect(r.Store))
	k.Register(audit.AccountTask, audit.AccountEffect(r.Store))
	k.Register(access.TokensTask, r.EndTokens)
	k.Register(access.LeaveTask, r.Leave)
	k.Register(access.EntryTask, r.Enter)
	k.Register(appearance.InstallTask, r.CountInstall)
	k.Register(customfield.WalkTask, r.Walk)
}

// Query holds every root query.
type Query struct {
	catalogQuery
	salesQuery
	accessQuery
	merchantQuery
	endpointQuery
	reportQuery
	appearanceQuery
	contentQuery
	sellingQuery
	invoiceQuery
	fieldQuery
	locationQuery
	importQuery
}

// Query returns the queries.
func (r *Resolver) Query() Query {
	return Query{catalogQuery{Resolver: r.catalogResolver}, salesQuery{Resolver: r.salesResolver},
		accessQuery{Resolver: r.accessResolver}, merchantQuery{Resolver: r.merchantResolver},
		endpointQuery{Resolver: r.endpointResolver}, reportQuery{Resolver: r.reportResolver},
		appearanceQuery{Resolver: r.appearanceResolver}, contentQuery{Resolver: r.contentResolver},
		sellingQuery{Resolver: r.sellingResolver}, invoiceQuery{Resolver: r.invoiceResolver},
		fieldQuery{Resolver: r.fieldResolver}, locationQuery{Resolver: r.locationResolver},
		importQuery{Resolver: r.importResolver}}
}

// Mutation holds every root mutation.
type Mutation struct {
	catalogMutation
	salesMutation
	accessMutation
	merchantMutation
	endpointMutation
	reportMutation
	appearanceMutation
	contentMutation
	sellingMutation
	invoiceMutation
	fieldMutation
	locationMutation
	testStoreMutation
	importMutation
}

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation {
	return Mutation{catalogMutation{Resolver: r.catalogResolver}, salesMutation{Resolver: r.salesResolver},
		accessMutation{Resolver: r.accessResolver}, merchantMutation{Resolver: r.merchantResolver},
		endpointMutation{Resolver: r.endpointResolver}, reportMutation{Resolver: r.reportResolver},
		appearanceMutation{Resolver: r.appearanceResolver}, contentMutation{Resolver: r.contentResolver},
		sellingMutation{Resolver: r.sellingResolver}, invoiceMutation{Resolver: r.invoiceResolver},
		fieldMutation{Resolver: r.fieldResolver}, locationMutation{Resolver: r.locationResolver},
		testStoreMutation{Resolver: r.testStoreResolver}, importMutation{Resolver: r.importResolver}}
}

// Carts returns the carts of shoppers.
func (r *Resolver) Carts() *cart.Carts { return cart.New(r.Core, r.salesResolver, r.sellingResolver) }

// Shoppers returns the accounts of shoppers.
func (r *Resolver) Shoppers() *shopper.Shoppers {
	return shopper.New(r.Core, r.salesResolver, r.Notifier)
}

// Storefront returns the data source of storefronts.
func (r *Resolver) Storefront() storefront.Storefront {
	return storefront.New(r.Core, r.Images, r.ThemeGeneration)
}
