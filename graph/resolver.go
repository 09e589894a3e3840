package graph

import (
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/content"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/domain/merchant"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/domain/teststore"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/task"
)

// Config holds the dependencies of the operations.
type Config = core.Config

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
	testStoreResolver  = teststore.Resolver

	catalogQuery    = catalog.Query
	salesQuery      = sales.Query
	accessQuery     = access.Query
	merchantQuery   = merchant.Query
	endpointQuery   = endpoint.Query
	reportQuery     = report.Query
	appearanceQuery = appearance.Query
	contentQuery    = content.Query
	sellingQuery    = selling.Query

	catalogMutation    = catalog.Mutation
	salesMutation      = sales.Mutation
	accessMutation     = access.Mutation
	merchantMutation   = merchant.Mutation
	endpointMutation   = endpoint.Mutation
	reportMutation     = report.Mutation
	appearanceMutation = appearance.Mutation
	contentMutation    = content.Mutation
	sellingMutation    = selling.Mutation
	testStoreMutation  = teststore.Mutation
)

// Resolver holds all operations as methods of its Query and Mutation.
type Resolver struct {
	*core.Core
	*catalogResolver
	*salesResolver
	*accessResolver
	*merchantResolver
	*endpointResolver
	*reportResolver
	*appearanceResolver
	*contentResolver
	*sellingResolver
	*testStoreResolver
}

// New returns the resolver. It fails if config lacks a required part.
func New(config Config) (*Resolver, error) {
	c, err := core.New(config)
	if err != nil {
		return nil, err
	}
	r := &Resolver{Core: c, catalogResolver: catalog.New(c), salesResolver: sales.New(c),
		endpointResolver: endpoint.New(c), reportResolver: report.New(c), appearanceResolver: appearance.New(c),
		contentResolver: content.New(c), sellingResolver: selling.New(c)}
	r.accessResolver = access.New(c, r.endpointResolver, r.reportResolver)
	r.testStoreResolver = teststore.New(c, r.catalogResolver, r.salesResolver)
	r.merchantResolver = merchant.New(c, r.accessResolver)
	c.Themes.Preview = r.PreviewURL
	r.carry(c.Tasks)
	return r, nil
}

// carry registers the effects of all kinds of tasks.
func (r *Resolver) carry(k *task.Keeper) {
	k.Register(audit.StoreTask, audit.StoreEffect(r.Store))
	k.Register(audit.AccountTask, audit.AccountEffect(r.Store))
	k.Register(access.TokensTask, r.EndTokens)
	k.Register(access.LeaveTask, r.Leave)
	k.Register(access.EntryTask, r.Enter)
	k.Register(appearance.InstallTask, r.CountInstall)
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
}

// Query returns the queries.
func (r *Resolver) Query() Query {
	return Query{r.catalogResolver.Query(), r.salesResolver.Query(), r.accessResolver.Query(),
		r.merchantResolver.Query(), r.endpointResolver.Query(), r.reportResolver.Query(), r.appearanceResolver.Query(),
		r.contentResolver.Query(), r.sellingResolver.Query()}
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
	testStoreMutation
}

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation {
	return Mutation{r.catalogResolver.Mutation(), r.salesResolver.Mutation(), r.accessResolver.Mutation(),
		r.merchantResolver.Mutation(), r.endpointResolver.Mutation(), r.reportResolver.Mutation(),
		r.appearanceResolver.Mutation(), r.contentResolver.Mutation(),
		r.sellingResolver.Mutation(), r.testStoreResolver.Mutation()}
}

// Carts returns the carts of shoppers.
func (r *Resolver) Carts() *cart.Carts { return cart.New(r.Core, r.salesResolver, r.sellingResolver) }

// Storefront returns the data source of storefronts.
func (r *Resolver) Storefront() storefront.Storefront { return storefront.New(r.Core) }
