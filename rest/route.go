package rest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// Base and legacyBase are the paths of {base_url} in its two versions.
const (
	Base       = "/api/public/v1"
	legacyBase = "/api/public/v0"
)

// Route is one row of the table of spec section 4.
type Route struct {
	Method string
	Path   string // behind {base_url}
	Scope  string
	// Query names the query parameters that the row documents.
	Query []string
	// handle answers through the call; an error is a fault or an internal error.
	handle func(*API, *call) error
}

var paging = []string{"limit", "cursor"}

// routes is the table, in the order of the spec.
var routes = []Route{
	{http.MethodGet, "/me", scope.ProductsRead, nil, (*API).getMe},
	{http.MethodGet, "/orders", scope.OrdersRead, slices.Concat(paging, []string{"status", "financial_status",
		"fulfillment_status", "customer_id", "tag", "external_number", "created_from", "created_to",
		"updated_from", fieldFilter}), (*API).listOrders},
	{http.MethodGet, "/orders/{id}", scope.OrdersRead, nil, (*API).getOrder},
	{http.MethodPost, "/orders", scope.SalesWrite, nil, (*API).createOrder},
	{http.MethodPatch, "/orders/{id}", scope.SalesWrite, nil, (*API).updateOrder},
	{http.MethodPost, "/orders/{id}/notes", scope.OrdersWrite, nil, (*API).createOrderNote},
	{http.MethodPost, "/orders/{id}/cancel", scope.SalesWrite, nil, (*API).cancelOrder},
	{http.MethodPost, "/orders/{id}/payments", scope.SalesWrite, nil, (*API).createPayment},
	{http.MethodGet, "/orders/{id}/fulfillments", scope.OrdersRead, nil, (*API).listFulfillments},
	{http.MethodPost, "/orders/{id}/fulfillments", scope.FulfillmentsWrite, nil, (*API).createFulfillment},
	{http.MethodPatch, "/orders/{id}/fulfillments/{fulfillment_id}", scope.FulfillmentsWrite, nil,
		(*API).updateFulfillment},
	{http.MethodPost, "/orders/{id}/refunds", scope.RefundsWrite, nil, (*API).createRefund},
	{http.MethodPost, "/orders/{id}/returns", scope.SalesWrite, nil, (*API).createReturn},
	{http.MethodGet, "/returns", scope.OrdersRead, slices.Concat(paging, []string{"state", "order_id"}),
		(*API).listReturns},
	{http.MethodGet, "/returns/{id}", scope.OrdersRead, nil, (*API).getReturn},
	{http.MethodPost, "/returns/{id}/approve", scope.SalesWrite, nil, (*API).approveReturn},
	{http.MethodPost, "/returns/{id}/decline", scope.SalesWrite, nil, (*API).declineReturn},
	{http.MethodPost, "/returns/{id}/receive", scope.SalesWrite, nil, (*API).receiveReturn},
	{http.MethodPost, "/returns/{id}/refund", scope.RefundsWrite, nil, (*API).refundReturn},
	{http.MethodPost, "/returns/{id}/exchange", scope.SalesWrite, nil, (*API).exchangeReturn},
	{http.MethodGet, "/products", scope.ProductsRead, slices.Concat(paging, []string{"status", "sku", "tag",
		"updated_from", fieldFilter, variantFilter}), (*API).listProducts},
	{http.MethodGet, "/products/{id}", scope.ProductsRead, nil, (*API).getProduct},
	{http.MethodPost, "/products", scope.ProductsWrite, nil, (*API).createProduct},
	{http.MethodPut, "/products/by-reference/{external_reference}", scope.ProductsWrite, nil, (*API).upsertProduct},
	{http.MethodPatch, "/products/{id}", scope.ProductsWrite, nil, (*API).updateProduct},
	{http.MethodPatch, "/products/{id}/variants/{variant_id}", scope.ProductsWrite, nil, (*API).updateVariant},
	{http.MethodPost, "/products/{id}/publish", scope.ProductsWrite, nil, (*API).publishProduct},
	{http.MethodPost, "/products/{id}/unpublish", scope.ProductsWrite, nil, (*API).unpublishProduct},
	{http.MethodPost, "/products/{id}/archive", scope.ProductsWrite, nil, (*API).archiveProduct},
	{http.MethodGet, "/inventory", scope.InventoryRead, slices.Concat(paging, []string{"sku", "updated_from"}),
		(*API).listInventory},
	{http.MethodPost, "/inventory/adjustments", scope.InventoryWrite, nil, (*API).adjustInventory},
	{http.MethodPost, "/inventory/transfers", scope.InventoryWrite, nil, (*API).transferInventory},
	{http.MethodGet, "/locations", scope.LocationsRead, paging, (*API).listLocations},
	{http.MethodPost, "/locations", scope.LocationsWrite, nil, (*API).createLocation},
	{http.MethodPut, "/location-order", scope.LocationsWrite, nil, (*API).reorderLocations},
	{http.MethodPatch, "/locations/{id}", scope.LocationsWrite, nil, (*API).updateLocation},
	{http.MethodPost, "/locations/{id}/close", scope.LocationsWrite, nil, (*API).closeLocation},
	{http.MethodGet, "/customers", scope.CustomersRead, slices.Concat(paging, []string{"email", "tag", "updated_from",
		fieldFilter}), (*API).listCustomers},
	{http.MethodGet, "/customers/{id}", scope.CustomersRead, nil, (*API).getCustomer},
	{http.MethodPost, "/customers", scope.CustomersWrite, nil, (*API).createCustomer},
	{http.MethodPatch, "/customers/{id}", scope.CustomersWrite, nil, (*API).updateCustomer},
	{http.MethodGet, "/discounts", scope.DiscountsRead, paging, (*API).listDiscounts},
	{http.MethodPost, "/discounts", scope.DiscountsWrite, nil, (*API).createDiscount},
	{http.MethodPatch, "/discounts/{id}", scope.DiscountsWrite, nil, (*API).updateDiscount},
	{http.MethodDelete, "/discounts/{id}", scope.DiscountsWrite, nil, (*API).deleteDiscount},
	{http.MethodGet, "/custom-fields", scope.CustomFieldsRead, slices.Concat(paging, []string{"owner"}),
		(*API).listCustomFields},
	{http.MethodPost, "/custom-fields", scope.CustomFieldsWrite, nil, (*API).createCustomField},
	{http.MethodPatch, "/custom-fields/{id}", scope.CustomFieldsWrite, nil, (*API).updateCustomField},
	{http.MethodDelete, "/custom-fields/{id}", scope.CustomFieldsWrite, nil, (*API).deleteCustomField},
	{http.MethodGet, "/exports", scope.ExportsRead, paging, (*API).listExports},
	{http.MethodPost, "/exports", scope.ExportsWrite, nil, (*API).createExport},
	{http.MethodGet, "/exports/{id}", scope.ExportsRead, nil, (*API).getExport},
	{http.MethodGet, importsPath, scope.ImportsRead, paging, (*API).listImports},
	{http.MethodPost, importsPath, scope.ImportsWrite, nil, (*API).createImport},
	{http.MethodGet, "/imports/{id}", scope.ImportsRead, nil, (*API).getImport},
	{http.MethodGet, "/imports/{id}/errors", scope.ImportsRead, paging, (*API).listImportErrors},
	{http.MethodGet, "/webhooks", scope.WebhooksRead, paging, (*API).listWebhooks},
	{http.MethodPost, "/webhooks", scope.WebhooksWrite, nil, (*API).createWebhook},
	{http.MethodDelete, "/webhooks/{id}", scope.WebhooksWrite, nil, (*API).deleteWebhook},
	{http.MethodGet, "/events", scope.WebhooksRead, slices.Concat(paging, []string{"occurred_from"}),
		(*API).listEvents},
	{http.MethodGet, "/events/{id}", scope.WebhooksRead, nil, (*API).getEvent},
	{http.MethodGet, "/themes", scope.ThemesRead, paging, (*API).listThemes},
	{http.MethodGet, "/themes/{id}", scope.ThemesRead, nil, (*API).getTheme},
	{http.MethodGet, "/themes/{id}/assets", scope.ThemesRead, paging, (*API).listThemeAssets},
	{http.MethodPost, "/themes/{id}/activate", scope.ThemesWrite, nil, (*API).activateTheme},
	{http.MethodGet, "/marketplace/themes", scope.ThemesRead, paging, (*API).listMarketplaceThemes},
}

// secretive reports whether the row's answers, including replays, show a secret.
func (r Route) secretive() bool { return r.Method == http.MethodPost && r.Path == "/webhooks" }

// named returns the kind of the id in the path, which follows from the collection before it.
func (r Route) named() xid.Kind {
	above, _, _ := strings.Cut(r.Path, "s/{id}")
	if above == r.Path {
		return ""
	}
	if above == "/webhook" {
		return xid.WebhookEndpoint
	}
	return xid.KindOf(strings.ReplaceAll(above[1:], "-", "_"))
}

// Routes returns the table.
func Routes() []Route { return slices.Clone(routes) }

// endpoint is everything that one path serves, by method.
type endpoint struct {
	path   string
	legacy bool
	byName map[string]*served
	allow  string
}

// served is a row with its state at run time.
type served struct {
	Route
	meter *meter
	// named is the kind of the id in the path; empty if there is none.
	named xid.Kind
	// resource is the path of the protected resource if it is not {base_url}.
	resource string
	// hint is the scopes that the challenge to a client without a token names; empty for none.
	hint string
}

// find returns the row that answers a method. HEAD is GET without a body.
func (e *endpoint) find(method string) *served {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return e.byName[method]
}

// endpoints groups the rows under a base by path.
func endpoints(base string, m *metrics) []*endpoint {
	var all []*endpoint
	for _, r := range routes {
		path := base + r.Path
		i := slices.IndexFunc(all, func(e *endpoint) bool { return e.path == path })
		if i < 0 {
			i = len(all)
			all = append(all, &endpoint{path: path, legacy: base == legacyBase, byName: map[string]*served{}})
		}
		all[i].byName[r.Method] = &served{Route: r, meter: m.route(r.Method, path), named: r.named()}
	}
	for _, e := range all {
		e.allow = allow(e.byName)
	}
	return all
}

// allow returns the Allow header of a path: GET implies HEAD.
func allow(rows map[string]*served) string {
	var methods []string
	for m := range rows {
		methods = append(methods, m)
		if m == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// escape is one percent-encoded byte of a path.
var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// canonical routes a path by its meaning: encoded characters that need no encoding count as
// themselves (RFC 3986, section 6.2.2.2), and an encoded slash does not separate. Download
// addresses are signed byte by byte and stay as they are.
func canonical(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		if strings.Contains(path, "%") && !strings.HasPrefix(r.URL.Path, downloadRoot) {
			u := *r.URL
			u.RawPath = escape.ReplaceAllStringFunc(path, unescaped)
			r = r.WithContext(r.Context())
			r.URL = &u
		}
		next.ServeHTTP(w, r)
	})
}

// unescaped returns the encoded character if it is unreserved, or else the code as it is (RFC 3986,
// section 2.3).
func unescaped(code string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	n, err := strconv.ParseUint(code[1:], 16, 8)
	if err == nil && strings.IndexByte(unreserved, byte(n)) >= 0 {
		return string(rune(n))
	}
	return code
}

// version admits only the listed integrations to v0 (contract, section 10).
func (a *API) version(c *call) error {
	if !c.legacy || c.viewer.Legacy {
		return nil
	}
	return fault.New(fault.VersionRetired, "Version v0 is retired: use "+Base+".")
}

// The headers of every answer of v0 (spec, section 9; RFC 9745, RFC 8594).
var (
	deprecation = []string{"@1775001600"} // 2026-04-01
	sunset      = []string{"Tue, 30 Jun 2026 23:59:59 GMT"}
)

func (a *API) retire(h http.Header) {
	h["Deprecation"], h["Sunset"] = deprecation, sunset
	h["Link"] = []string{"<" + a.APIHost + Base + `>; rel="successor-version"`}
}
