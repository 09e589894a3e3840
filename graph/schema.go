package graph

import (
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/domain/importer"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/internal/exec"
)

// executable adapts Resolver to the executor. It is a separate type because its methods are named
// like the schema's types.
type executable struct{ *Resolver }

func (e executable) Query() exec.QueryResolver       { return e.Resolver.Query() }
func (e executable) Mutation() exec.MutationResolver { return e.Resolver.Mutation() }
func (e executable) Product() exec.ProductResolver {
	return catalog.ProductFields{Resolver: e.catalogResolver}
}
func (e executable) InventoryItem() exec.InventoryItemResolver   { return catalog.InventoryFields{} }
func (e executable) InventoryLevel() exec.InventoryLevelResolver { return catalog.LevelFields{} }
func (e executable) Import() exec.ImportResolver {
	return importer.ImportFields{Resolver: e.importResolver}
}
func (e executable) Discount() exec.DiscountResolver { return selling.DiscountFields{} }
func (e executable) Collection() exec.CollectionResolver {
	return catalog.CollectionFields{Resolver: e.catalogResolver}
}
func (e executable) ProductVariant() exec.ProductVariantResolver {
	return catalog.VariantFields{Resolver: e.catalogResolver}
}
func (e executable) Theme() exec.ThemeResolver {
	return appearance.ThemeFields{Resolver: e.appearanceResolver}
}

func (e executable) Order() exec.OrderResolver { return sales.OrderFields{Resolver: e.salesResolver} }
func (e executable) SearchResult() exec.SearchResultResolver {
	return found{salesFound{Resolver: e.salesResolver}, catalogFound{Resolver: e.catalogResolver}}
}
func (e executable) LineItem() exec.LineItemResolver {
	return sales.LineFields{Resolver: e.salesResolver}
}
func (e executable) Account() exec.AccountResolver {
	return access.AccountFields{Resolver: e.accessResolver}
}
func (e executable) Event() exec.EventResolver {
	return endpoint.EventFields{Resolver: e.endpointResolver}
}
func (e executable) WebhookDelivery() exec.WebhookDeliveryResolver {
	return endpoint.DeliveryFields{Resolver: e.endpointResolver}
}
func (e executable) WebhookEndpoint() exec.WebhookEndpointResolver {
	return endpoint.Fields{Resolver: e.endpointResolver}
}

type (
	salesFound   = sales.FoundFields
	catalogFound = catalog.FoundFields
)

// found resolves search results across several domains.
type found struct {
	salesFound
	catalogFound
}

// Executable returns the executable schema with its resolvers and directives.
func (r *Resolver) Executable() graphql.ExecutableSchema {
	return exec.NewExecutableSchema(exec.Config{Schema: Schema(), Resolvers: executable{r}, Directives: directives()})
}

// Schema returns the schema without @defer, which the library adds to every schema: answers here
// have one part.
func Schema() *ast.Schema {
	schema := *exec.NewExecutableSchema(exec.Config{}).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer")
	return &schema
}
