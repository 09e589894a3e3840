package rest_test

import (
	"cmp"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
)

// row is a row of the table of spec section 4, or of contract section 15.
type row struct{ Method, Path, Scope string }

// additions are the rows beyond the spec.
var additions = []row{
	{"POST", "/orders/{id}/cancel", "sales.write"},
	{"POST", "/orders/{id}/payments", "sales.write"},
	{"GET", "/orders/{id}/fulfillments", "orders.read"},
	{"POST", "/orders/{id}/fulfillments", "fulfillments.write"},
	{"POST", "/orders/{id}/refunds", "refunds.write"},
	{"POST", "/orders/{id}/returns", "sales.write"},
	{"GET", "/returns", "orders.read"},
	{"GET", "/returns/{id}", "orders.read"},
	{"POST", "/returns/{id}/approve", "sales.write"},
	{"POST", "/returns/{id}/decline", "sales.write"},
	{"POST", "/returns/{id}/receive", "sales.write"},
	{"POST", "/returns/{id}/refund", "refunds.write"},
	{"POST", "/returns/{id}/exchange", "sales.write"},
	{"POST", "/orders", "sales.write"},
	{"PATCH", "/orders/{id}", "sales.write"},
	{"PATCH", "/orders/{id}/fulfillments/{fulfillment_id}", "fulfillments.write"},
	{"PATCH", "/products/{id}", "products.write"},
	{"PATCH", "/products/{id}/variants/{variant_id}", "products.write"},
	{"POST", "/products/{id}/publish", "products.write"},
	{"POST", "/products/{id}/unpublish", "products.write"},
	{"POST", "/products/{id}/archive", "products.write"},
	{"PUT", "/products/by-reference/{external_reference}", "products.write"},
	{"GET", "/inventory", "inventory.read"},
	{"POST", "/inventory/adjustments", "inventory.write"},
	{"POST", "/inventory/transfers", "inventory.write"},
	{"GET", "/locations", "locations.read"},
	{"POST", "/locations", "locations.write"},
	{"PUT", "/location-order", "locations.write"},
	{"PATCH", "/locations/{id}", "locations.write"},
	{"POST", "/locations/{id}/close", "locations.write"},
	{"GET", "/customers/{id}", "customers.read"},
	{"POST", "/customers", "customers.write"},
	{"PATCH", "/customers/{id}", "customers.write"},
	{"GET", "/discounts", "discounts.read"},
	{"POST", "/discounts", "discounts.write"},
	{"PATCH", "/discounts/{id}", "discounts.write"},
	{"DELETE", "/discounts/{id}", "discounts.write"},
	{"GET", "/imports", "imports.read"},
	{"POST", "/imports", "imports.write"},
	{"GET", "/imports/{id}", "imports.read"},
	{"GET", "/imports/{id}/errors", "imports.read"},
	{"GET", "/custom-fields", "custom_fields.read"},
	{"POST", "/custom-fields", "custom_fields.write"},
	{"PATCH", "/custom-fields/{id}", "custom_fields.write"},
	{"DELETE", "/custom-fields/{id}", "custom_fields.write"},
	{"GET", "/events", "webhooks.read"},
	{"GET", "/events/{id}", "webhooks.read"},
}

var table = []row{
	{"GET", "/me", "products.read"},
	{"GET", "/orders", "orders.read"},
	{"GET", "/orders/{id}", "orders.read"},
	{"POST", "/orders/{id}/notes", "orders.write"},
	{"GET", "/products", "products.read"},
	{"GET", "/products/{id}", "products.read"},
	{"POST", "/products", "products.write"},
	{"GET", "/customers", "customers.read"},
	{"GET", "/exports", "exports.read"},
	{"POST", "/exports", "exports.write"},
	{"GET", "/exports/{id}", "exports.read"},
	{"GET", "/webhooks", "webhooks.read"},
	{"POST", "/webhooks", "webhooks.write"},
	{"DELETE", "/webhooks/{id}", "webhooks.write"},
	{"GET", "/themes", "themes.read"},
	{"GET", "/themes/{id}", "themes.read"},
	{"GET", "/themes/{id}/assets", "themes.read"},
	{"POST", "/themes/{id}/activate", "themes.write"},
	{"GET", "/marketplace/themes", "themes.read"},
}

// fields are the GraphQL root fields behind the rows.
var fields = map[string]string{
	"GET /me": "me", "GET /orders": "orders", "GET /orders/{id}": "order", "POST /orders/{id}/notes": "orderNoteAppend",
	"GET /products": "products", "GET /products/{id}": "product",
	"POST /products": "productCreate", "GET /customers": "customers",
	"GET /exports": "exports", "POST /exports": "exportStart", "GET /exports/{id}": "export",
	"GET /imports": "imports", "POST /imports": "importStart", "GET /imports/{id}": "import",
	"GET /imports/{id}/errors": "import",
	"GET /webhooks":            "webhookEndpoints", "POST /webhooks": "webhookEndpointCreate",
	"DELETE /webhooks/{id}": "webhookEndpointDelete", "GET /themes": "themes", "GET /themes/{id}": "theme",
	"GET /themes/{id}/assets": "themeAssets", "POST /themes/{id}/activate": "themeActivate",
	"GET /marketplace/themes":  "marketplaceThemes",
	"POST /orders/{id}/cancel": "orderCancel", "POST /orders/{id}/payments": "orderRecordPayment",
	"GET /orders/{id}/fulfillments": "order", "POST /orders/{id}/fulfillments": "orderFulfill",
	"POST /orders/{id}/refunds": "orderRefund",
	"POST /orders/{id}/returns": "orderReturnCreate", "GET /returns": "returns", "GET /returns/{id}": "orderReturn",
	"POST /returns/{id}/approve": "orderReturnApprove", "POST /returns/{id}/decline": "orderReturnDecline",
	"POST /returns/{id}/receive": "orderReturnReceive", "POST /returns/{id}/refund": "orderReturnRefund",
	"POST /returns/{id}/exchange": "orderReturnExchange",
	"POST /orders":                "orderCreate", "PATCH /orders/{id}": "orderUpdate",
	"PATCH /orders/{id}/fulfillments/{fulfillment_id}": "orderFulfillmentUpdate",
	"PATCH /products/{id}":                             "productUpdate",
	"PATCH /products/{id}/variants/{variant_id}":       "productVariantUpdate",
	"POST /products/{id}/publish":                      "productPublish",
	"POST /products/{id}/unpublish":                    "productUnpublish",
	"POST /products/{id}/archive":                      "productArchive",
	"PUT /products/by-reference/{external_reference}":  "productUpsert", "GET /inventory": "inventory",
	"POST /inventory/transfers": "inventoryTransfer", "GET /locations": "locations",
	"POST /locations": "locationCreate", "PATCH /locations/{id}": "locationUpdate",
	"PUT /location-order": "locationReorder", "POST /locations/{id}/close": "locationClose",
	"POST /inventory/adjustments": "inventoryAdjust", "GET /customers/{id}": "customer",
	"POST /customers": "customerCreate", "PATCH /customers/{id}": "customerUpdate", "GET /discounts": "discounts",
	"POST /discounts": "discountCreate", "PATCH /discounts/{id}": "discountUpdate",
	"GET /custom-fields": "customFields", "POST /custom-fields": "customFieldCreate",
	"PATCH /custom-fields/{id}": "customFieldUpdate", "DELETE /custom-fields/{id}": "customFieldDelete",
	"DELETE /discounts/{id}": "discountDelete", "GET /events": "events", "GET /events/{id}": "event",
}

func sorted(rows []row) []row {
	return slices.SortedFunc(slices.Values(rows), func(a, b row) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
}

func served() []row {
	var rows []row
	for _, r := range rest.Routes() {
		rows = append(rows, row{r.Method, r.Path, r.Scope})
	}
	return rows
}

// TestRoutesAreTheTable: the routes are the spec's table, in its order and with its scopes, and the
// additions.
func TestRoutesAreTheTable(t *testing.T) {
	if len(table) != 19 {
		t.Fatalf("the table has %d rows, want 19", len(table))
	}
	spec := slices.DeleteFunc(served(), func(r row) bool { return slices.Contains(additions, r) })
	if diff := gocmp.Diff(table, spec); diff != "" {
		t.Errorf("table against served (-table +served):\n%s", diff)
	}
	if len(served()) != len(table)+len(additions) {
		t.Errorf("%d rows are served", len(served()))
	}
	for _, r := range served() {
		if !scope.Known(r.Scope) {
			t.Errorf("%s %s: scope %q is not in the catalogue", r.Method, r.Path, r.Scope)
		}
	}
}

// TestDocumentIsTheTable: the document has the routes with their scopes and query parameters.
func TestDocumentIsTheTable(t *testing.T) {
	var documented []row
	query := map[row][]string{}
	for _, op := range validator(t).Operations() {
		r := row{op.Method, op.Path, op.Scope}
		documented = append(documented, r)
		query[r] = op.Query
	}
	if diff := gocmp.Diff(sorted(served()), sorted(documented)); diff != "" {
		t.Errorf("routes against document (-served +documented):\n%s", diff)
	}
	for _, r := range rest.Routes() {
		takes := slices.Sorted(slices.Values(r.Query))
		says := query[row{r.Method, r.Path, r.Scope}]
		if !slices.Equal(takes, says) {
			t.Errorf("%s %s: takes %v, the document says %v", r.Method, r.Path, takes, says)
		}
	}
}

// TestSchemaHasTheScopes: a root field requires the same scope as its row.
func TestSchemaHasTheScopes(t *testing.T) {
	src, err := os.ReadFile("../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parser.ParseSchema(&ast.Source{Name: "schema.graphqls", Input: string(src)})
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]string{}
	for _, d := range slices.Concat(doc.Definitions, doc.Extensions) {
		if d.Name != "Query" && d.Name != "Mutation" {
			continue
		}
		for _, f := range d.Fields {
			if s := f.Directives.ForName("scope"); s != nil {
				scopes[f.Name] = s.Arguments.ForName("name").Value.Raw
			}
		}
	}
	for _, r := range served() {
		field, ok := fields[r.Method+" "+r.Path]
		if !ok {
			t.Errorf("%s %s: name the root field behind it", r.Method, r.Path)
		} else if scopes[field] != r.Scope {
			t.Errorf("%s %s asks for %s, the field %s for %q", r.Method, r.Path, r.Scope, field, scopes[field])
		}
	}
}

// TestBothVersionsServeTheTable: without a credential, each row is refused in both versions.
func TestBothVersionsServeTheTable(t *testing.T) {
	s, _ := sqlite(t)
	for _, version := range []string{base, legacy} {
		for _, r := range served() {
			path := version + strings.ReplaceAll(r.Path, "{id}", orderID)
			s.do(t, request{Method: r.Method, Path: path}).want(http.StatusUnauthorized, "authentication_required")
		}
	}
}
