package rest_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Scenario is a request and its answer in readable form.
type Scenario struct {
	Name   string
	As     string // a credential by its name in cast.as; "" sends none
	Method string
	Path   string
	Body   string
	Header map[string]string
	Status int
	Code   string // of a problem
	Golden string // file under testdata
}

// cast is a furnished store, another store, and callers of every kind.
type cast struct {
	*server
	shop, other *shop
	as          map[string]string
}

// newCast creates credentials of every kind and state. The ids of keys are fixed, so that golden
// files can show them.
func newCast(t testing.TB) *cast {
	t.Helper()
	s := newServer(t, storetest.Open(t))
	c := &cast{server: s,
		shop:  newShop(t, s.store, shopRow{ID: fixed(1), Handle: "tableware"}),
		other: newShop(t, s.store, shopRow{ID: fixed(2), Handle: "elsewhere"})}
	c.shop.furnish()
	c.shop.furnishMarket()
	c.other.stock(fixed(9))
	closed := newShop(t, s.store, shopRow{Status: state.StoreClosed})
	past, soon := epoch, epoch.Add(100*365*24*time.Hour)
	c.as = map[string]string{
		"all":     c.shop.key(keyRow{ID: fixed(1), Name: "Warehouse sync", Scopes: scope.Full(), Expires: &soon}),
		"other":   c.other.all,
		"closed":  closed.all,
		"none":    c.shop.key(keyRow{ID: fixed(2)}),
		"revoked": c.shop.key(keyRow{ID: fixed(3), Scopes: scope.Full(), Revoked: &past}),
		"expired": c.shop.key(keyRow{ID: fixed(4), Scopes: scope.Full(), Expires: &past}),
	}
	for i, name := range scope.Names() {
		c.as[name] = c.shop.key(keyRow{ID: fixed(20 + i), Name: name, Scopes: scope.Of(name)})
	}
	return c
}

// Ids in the scenarios.
var (
	orderID    = xid.Order.Format(fixed(1))
	productID  = xid.Product.Format(fixed(1))
	customerID = xid.Customer.Format(fixed(1))
	webhookID  = xid.WebhookEndpoint.Format(fixed(1))
	foreignID  = xid.Product.Format(fixed(9)) // the other store's
	unknownID  = xid.Product.Format(fixed(99))
)

var scenarios = []Scenario{
	{Name: "me", As: "all", Method: "GET", Path: "/me", Status: 200, Golden: "me"},
	{Name: "me of a single scope", As: "products.write", Method: "GET", Path: "/me", Status: 200, Golden: "me_write"},
	{Name: "me, no credential", Method: "GET", Path: "/me", Status: 401, Code: "authentication_required",
		Golden: "no_credential"},
	{Name: "me, revoked", As: "revoked", Method: "GET", Path: "/me", Status: 401, Code: "invalid_token",
		Golden: "revoked"},
	{Name: "me, wrong scope", As: "orders.read", Method: "GET", Path: "/me", Status: 403, Code: "insufficient_scope",
		Golden: "me_scope"},
	{Name: "me, a parameter", As: "all", Method: "GET", Path: "/me?verbose=1", Status: 400, Code: "invalid_parameter",
		Golden: "me_parameter"},

	{Name: "orders", As: "orders.read", Method: "GET", Path: "/orders", Status: 200, Golden: "orders"},
	{Name: "orders, one page of two", As: "orders.read", Method: "GET", Path: "/orders?limit=1", Status: 200,
		Golden: "orders_page"},
	{Name: "orders, filtered", As: "orders.read", Method: "GET",
		Path: "/orders?status=open&financial_status=paid&fulfillment_status=unfulfilled&customer_id=" +
			xid.Customer.Format(fixed(1)), Status: 200, Golden: "orders_filtered"},
	{Name: "orders, unknown customer", As: "orders.read", Method: "GET",
		Path: "/orders?customer_id=" + xid.Customer.Format(fixed(99)), Status: 200, Golden: "empty"},
	{Name: "orders, before all", As: "orders.read", Method: "GET",
		Path: "/orders?created_to=2026-03-01T09:31:00.000451Z", Status: 200, Golden: "empty"},
	{Name: "orders, up to the second", As: "orders.read", Method: "GET",
		Path:   "/orders?created_from=2026-03-01T10:31:00.000451%2B01:00&created_to=2026-03-01T09:32:00.000451Z",
		Status: 200, Golden: "orders_created"},
	{Name: "orders, oldest change first", As: "orders.read", Method: "GET",
		Path: "/orders?updated_from=2026-03-01T09:32:00.000451Z", Status: 200, Golden: "orders_updated"},
	{Name: "orders, malformed customer", As: "orders.read", Method: "GET",
		Path: "/orders?customer_id=cus_1&status=OPEN&created_from=yesterday", Status: 400, Code: "invalid_parameter",
		Golden: "orders_parameters"},
	{Name: "orders, other store", As: "other", Method: "GET", Path: "/orders", Status: 200, Golden: "empty"},

	{Name: "order", As: "orders.read", Method: "GET", Path: "/orders/" + orderID, Status: 200, Golden: "order"},
	{Name: "order, other store", As: "other", Method: "GET", Path: "/orders/" + orderID, Status: 404, Code: "not_found",
		Golden: "order_unknown"},
	{Name: "order, unknown", As: "all", Method: "GET", Path: "/orders/" + xid.Order.Format(fixed(99)), Status: 404,
		Code: "not_found", Golden: "order_unknown"},
	{Name: "order, a product's id", As: "all", Method: "GET", Path: "/orders/" + productID, Status: 404,
		Code: "not_found", Golden: "order_unknown"},

	{Name: "note", As: "orders.write", Method: "POST", Path: "/orders/" + orderID + "/notes",
		Body: `{"body":"Left at\n\tthe door 😀"}`, Status: 201, Golden: "note"},
	{Name: "note for the customer", As: "all", Method: "POST", Path: "/orders/" + orderID + "/notes",
		Body: `{"body":"On its way","visibility":"customer"}`, Status: 201, Golden: "note_customer"},
	{Name: "note, null visibility", As: "all", Method: "POST", Path: "/orders/" + orderID + "/notes",
		Body: `{"body":"On its way","visibility":null}`, Status: 201, Golden: "note_null"},
	{Name: "note, bad body", As: "all", Method: "POST", Path: "/orders/" + orderID + "/notes",
		Body: `{"body":" \n","visibility":"all","colour":1}`, Status: 422, Code: "validation_failed",
		Golden: "note_invalid"},
	{Name: "note, no body", As: "all", Method: "POST", Path: "/orders/" + orderID + "/notes", Status: 422,
		Code: "validation_failed", Golden: "note_empty"},
	{Name: "note, other store", As: "other", Method: "POST", Path: "/orders/" + orderID + "/notes",
		Body: `{"body":"x"}`, Status: 404, Code: "not_found", Golden: "order_unknown"},
	{Name: "note, a bad body for an unknown order", As: "all", Method: "POST", Path: "/orders/ord_1/notes",
		Body: `{"body":5}`, Status: 422, Code: "validation_failed", Golden: "note_type"},
	{Name: "note, wrong scope", As: "orders.read", Method: "POST", Path: "/orders/" + orderID + "/notes",
		Body: `{"body":"x"}`, Status: 403, Code: "insufficient_scope", Golden: "note_scope"},

	{Name: "products", As: "products.read", Method: "GET", Path: "/products", Status: 200, Golden: "products"},
	{Name: "products, filtered", As: "products.read", Method: "GET", Path: "/products?status=archived&sku=JUG-1",
		Status: 200, Golden: "products_filtered"},
	{Name: "products, sku in another case", As: "products.read", Method: "GET", Path: "/products?sku=jug-1",
		Status: 200, Golden: "empty"},
	{Name: "products, oldest change first", As: "products.read", Method: "GET",
		Path: "/products?limit=2&updated_from=2026-03-01T09:32:00.000451Z", Status: 200, Golden: "products_updated"},
	{Name: "products, bad filters", As: "products.read", Method: "GET",
		Path: "/products?status=&sku=&updated_from=2026-03-01&limit=0", Status: 400, Code: "invalid_parameter",
		Golden: "products_limit"},
	{Name: "products, bad filters alone", As: "products.read", Method: "GET",
		Path: "/products?status=&sku=&updated_from=2026-03-01", Status: 400, Code: "invalid_parameter",
		Golden: "products_parameters"},

	{Name: "product", As: "products.read", Method: "GET", Path: "/products/" + productID, Status: 200,
		Golden: "product"},
	{Name: "product, other store", As: "products.read", Method: "GET", Path: "/products/" + foreignID, Status: 404,
		Code: "not_found", Golden: "product_unknown"},
	{Name: "product, unknown", As: "products.read", Method: "GET", Path: "/products/" + unknownID, Status: 404,
		Code: "not_found", Golden: "product_unknown"},

	{Name: "draft", As: "products.write", Method: "POST", Path: "/products", Body: draft("Green cup"), Status: 201,
		Golden: "draft"},
	{Name: "draft, every member", As: "all", Method: "POST", Path: "/products",
		Body: `{"title":"Full","handle":"full-1","description":"Two\nlines","price_minor":1e3,
		"compare_at_price_minor":2000.0,"currency":"JPY","sku":"S 1","vendor":"V","product_type":"T",
		"tags":["a","ü","a"],
		"inventory_quantity":0,"image_url":"https://images.example.com/a%20b.png?x=1#f","requires_shipping":false}`, Status: 201,
		Golden: "draft_full"},
	{Name: "draft, nulls", As: "all", Method: "POST", Path: "/products",
		Body: `{"title":"Nulls","handle":null,"description":null,"price_minor":0,
		"compare_at_price_minor":null,"currency":"EUR","sku":null,"vendor":null,"product_type":null,"tags":null,
		"inventory_quantity":null,"image_url":null}`, Status: 201, Golden: "draft_nulls"},
	{Name: "draft, no members", As: "all", Method: "POST", Path: "/products", Body: `{}`, Status: 422,
		Code: "validation_failed", Golden: "draft_empty"},
	{Name: "draft, handle taken", As: "all", Method: "POST", Path: "/products",
		Body: `{"title":"x","price_minor":1,"currency":"EUR","handle":"blue-mug"}`, Status: 422,
		Code: "validation_failed", Golden: "draft_taken"},
	{Name: "draft, wrong scope", As: "products.read", Method: "POST", Path: "/products", Body: draft("x"), Status: 403,
		Code: "insufficient_scope", Golden: "draft_scope"},

	{Name: "customers", As: "customers.read", Method: "GET", Path: "/customers", Status: 200, Golden: "customers"},
	{Name: "customers, by e-mail", As: "customers.read", Method: "GET", Path: "/customers?email=ada@example.com",
		Status: 200, Golden: "customers_email"},
	{Name: "customers, by e-mail in capitals", As: "customers.read", Method: "GET",
		Path: "/customers?email=ADA%40Example.com", Status: 200, Golden: "customers_email"},
	{Name: "customers, oldest change first", As: "customers.read", Method: "GET",
		Path: "/customers?updated_from=1970-01-01T00:00:00Z", Status: 200, Golden: "customers_updated"},
	{Name: "customers, other store", As: "other", Method: "GET", Path: "/customers", Status: 200, Golden: "empty"},
	{Name: "customers, wrong scope", As: "orders.write", Method: "GET", Path: "/customers", Status: 403,
		Code: "insufficient_scope", Golden: "customers_scope"},

	{Name: "exports", As: "exports.read", Method: "GET", Path: "/exports", Status: 200, Golden: "exports"},
	{Name: "exports, one page of three", As: "exports.write", Method: "GET", Path: "/exports?limit=1", Status: 200,
		Golden: "exports_page"},
	{Name: "exports, other store", As: "other", Method: "GET", Path: "/exports", Status: 200, Golden: "empty"},
	{Name: "exports, no credential", Method: "GET", Path: "/exports", Status: 401, Code: "authentication_required",
		Golden: "no_credential"},
	{Name: "exports, wrong scope", As: "orders.read", Method: "GET", Path: "/exports", Status: 403,
		Code: "insufficient_scope", Golden: "exports_scope"},
	{Name: "exports, parameters", As: "all", Method: "GET", Path: "/exports?status=queued&limit=0", Status: 400,
		Code: "invalid_parameter", Golden: "exports_parameters"},

	{Name: "export", As: "all", Method: "GET", Path: "/exports/" + exportID, Status: 200, Golden: "export"},
	{Name: "export, without the kind's scope", As: "exports.read", Method: "GET", Path: "/exports/" + exportID,
		Status: 200, Golden: "export_no_link"},
	{Name: "export that failed", As: "all", Method: "GET", Path: "/exports/" + xid.Export.Format(fixed(2)), Status: 200,
		Golden: "export_failed"},
	{Name: "export that waits", As: "all", Method: "GET", Path: "/exports/" + xid.Export.Format(fixed(3)), Status: 200,
		Golden: "export_queued"},
	{Name: "export, no credential", Method: "GET", Path: "/exports/" + exportID, Status: 401,
		Code: "authentication_required", Golden: "no_credential"},
	{Name: "export, wrong scope", As: "webhooks.write", Method: "GET", Path: "/exports/" + exportID, Status: 403,
		Code: "insufficient_scope", Golden: "exports_scope"},
	{Name: "export, other store", As: "other", Method: "GET", Path: "/exports/" + exportID, Status: 404,
		Code: "not_found", Golden: "export_unknown"},
	{Name: "export, unknown", As: "all", Method: "GET", Path: "/exports/" + xid.Export.Format(fixed(99)), Status: 404,
		Code: "not_found", Golden: "export_unknown"},
	{Name: "export, an order's id", As: "all", Method: "GET", Path: "/exports/" + orderID, Status: 404,
		Code: "not_found", Golden: "export_unknown"},

	{Name: "export started", As: "all", Method: "POST", Path: "/exports", Body: `{"kind":"products"}`, Status: 202,
		Golden: "export_started"},
	{Name: "export started, every member", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"orders","format":"jsonl","compression":"gzip",
		"filters":{"created_from":"2026-03-01T01:00:00+01:00","created_to":"2026-04-01T00:00:00.5Z",
			"status":"completed"}}`,
		Status: 202, Golden: "export_full"},
	{Name: "export started, nulls", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"customers","format":null,"compression":null,"filters":{"created_from":null,"created_to":null,` +
			`"status":null}}`, Status: 202, Golden: "export_nulls"},
	{Name: "export started, no members", As: "all", Method: "POST", Path: "/exports", Body: `{}`, Status: 422,
		Code: "validation_failed", Golden: "export_empty"},
	{Name: "export started, bad members", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"orders","format":"xlsx","compression":7,"email":"a@b.example","filters":{"status":"draft",` +
			`"created_from":"yesterday","state":1}}`, Status: 422, Code: "validation_failed", Golden: "export_invalid"},
	{Name: "export started, attempts", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"webhook_attempts","webhook_id":"` + webhookID + `"}`, Status: 202, Golden: "export_attempts"},
	{Name: "export started, attempts of another store's endpoint", As: "other", Method: "POST", Path: "/exports",
		Body: `{"kind":"webhook_attempts","webhook_id":"` + webhookID + `"}`, Status: 404, Code: "not_found",
		Golden: "export_attempts_unknown"},
	{Name: "export started, attempts of an unknown endpoint", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"webhook_attempts","webhook_id":"` + xid.WebhookEndpoint.Format(fixed(99)) + `"}`, Status: 404,
		Code: "not_found", Golden: "export_attempts_unknown"},
	{Name: "export started, attempts of no endpoint", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"webhook_attempts","filters":{"status":"waiting"}}`, Status: 422, Code: "validation_failed",
		Golden: "export_attempts_invalid"},
	{Name: "export started, orders of an endpoint", As: "all", Method: "POST", Path: "/exports",
		Body: `{"kind":"orders","webhook_id":"` + webhookID + `"}`, Status: 422, Code: "validation_failed",
		Golden: "export_endpoint_invalid"},
	{Name: "export started, attempts without their scope", As: "exports.write", Method: "POST", Path: "/exports",
		Body: `{"kind":"webhook_attempts","webhook_id":"` + webhookID + `"}`, Status: 403, Code: "insufficient_scope",
		Golden: "export_attempts_scope"},
	{Name: "export started, the kind's scope", As: "exports.write", Method: "POST", Path: "/exports",
		Body: `{"kind":"orders"}`, Status: 403, Code: "insufficient_scope", Golden: "export_kind_scope"},
	{Name: "export started, wrong scope", As: "exports.read", Method: "POST", Path: "/exports",
		Body: `{"kind":"orders"}`, Status: 403, Code: "insufficient_scope", Golden: "export_scope"},
	{Name: "export started, no credential", Method: "POST", Path: "/exports", Body: `{"kind":"orders"}`, Status: 401,
		Code: "authentication_required", Golden: "no_credential"},

	{Name: "webhooks", As: "webhooks.read", Method: "GET", Path: "/webhooks", Status: 200, Golden: "webhooks"},
	{Name: "webhooks, one page of two", As: "webhooks.write", Method: "GET", Path: "/webhooks?limit=1", Status: 200,
		Golden: "webhooks_page"},
	{Name: "webhooks, other store", As: "other", Method: "GET", Path: "/webhooks", Status: 200, Golden: "empty"},
	{Name: "webhooks, wrong scope", As: "orders.read", Method: "GET", Path: "/webhooks", Status: 403,
		Code: "insufficient_scope", Golden: "webhooks_scope"},
	{Name: "webhooks, a parameter", As: "all", Method: "GET", Path: "/webhooks?status=active", Status: 400,
		Code: "invalid_parameter", Golden: "webhooks_parameter"},

	{Name: "webhook", As: "all", Method: "POST", Path: "/webhooks",
		Body: hook("order.paid", "order.created", "order.paid"), Status: 201, Golden: "webhook"},
	{Name: "webhook, every member", As: "all", Method: "POST", Path: "/webhooks",
		Body:   `{"url":"https://hooks.example.com/a?b=%20","events":["product.updated"],"description":"Warehouse"}`,
		Status: 201, Golden: "webhook_full"},
	{Name: "webhook, nulls", As: "all", Method: "POST", Path: "/webhooks",
		Body: `{"url":"https://hooks.example.com/","events":["product.updated"],"description":null}`, Status: 201,
		Golden: "webhook_nulls"},
	{Name: "webhook, no members", As: "all", Method: "POST", Path: "/webhooks", Body: `{}`, Status: 422,
		Code: "validation_failed", Golden: "webhook_empty"},
	{Name: "webhook, bad members", As: "all", Method: "POST", Path: "/webhooks",
		Body: `{"url":5,"events":["order.paid","ping","order.*",7],"description":" ","secret":"mine"}`, Status: 422,
		Code: "validation_failed", Golden: "webhook_invalid"},
	{Name: "webhook, no events", As: "all", Method: "POST", Path: "/webhooks",
		Body: `{"url":"https://hooks.example.com/","events":[]}`, Status: 422, Code: "validation_failed",
		Golden: "webhook_no_events"},
	{Name: "webhook, an event's scope", As: "webhooks.write", Method: "POST", Path: "/webhooks",
		Body: hook("app.grant_revoked", "product.updated"), Status: 403, Code: "insufficient_scope",
		Golden: "webhook_event_scope"},
	{Name: "webhook, bad members before an event's scope", As: "webhooks.write", Method: "POST", Path: "/webhooks",
		Body: hook("product.updated", "order.eaten"), Status: 422, Code: "validation_failed",
		Golden: "webhook_unknown_event"},
	{Name: "webhook, wrong scope", As: "webhooks.read", Method: "POST", Path: "/webhooks", Body: hook("order.paid"),
		Status: 403, Code: "insufficient_scope", Golden: "webhook_scope"},

	{Name: "webhook deleted, other store", As: "other", Method: "DELETE", Path: "/webhooks/" + webhookID, Status: 404,
		Code: "not_found", Golden: "webhook_unknown"},
	{Name: "webhook deleted, unknown", As: "all", Method: "DELETE",
		Path: "/webhooks/" + xid.WebhookEndpoint.Format(fixed(99)), Status: 404, Code: "not_found",
		Golden: "webhook_unknown"},
	{Name: "webhook deleted, wrong scope", As: "webhooks.read", Method: "DELETE", Path: "/webhooks/" + webhookID,
		Status: 403, Code: "insufficient_scope", Golden: "webhook_scope"},
	{Name: "webhook deleted, a member", As: "all", Method: "DELETE", Path: "/webhooks/" + webhookID,
		Body: `{"force":true}`, Header: map[string]string{"Content-Type": "application/json"}, Status: 422,
		Code: "validation_failed", Golden: "webhook_delete_member"},
	{Name: "webhook deleted", As: "webhooks.write", Method: "DELETE", Path: "/webhooks/" + webhookID, Status: 204},
	{Name: "webhook deleted again", As: "all", Method: "DELETE", Path: "/webhooks/" + webhookID, Status: 404,
		Code: "not_found", Golden: "webhook_unknown"},

	{Name: "themes", As: "themes.read", Method: "GET", Path: "/themes", Status: 200, Golden: "themes"},
	{Name: "themes, one page of four", As: "themes.write", Method: "GET", Path: "/themes?limit=1", Status: 200,
		Golden: "themes_page"},
	{Name: "themes, other store", As: "other", Method: "GET", Path: "/themes", Status: 200, Golden: "empty"},
	{Name: "themes, no credential", Method: "GET", Path: "/themes", Status: 401, Code: "authentication_required",
		Golden: "no_credential"},
	{Name: "themes, wrong scope", As: "products.write", Method: "GET", Path: "/themes", Status: 403,
		Code: "insufficient_scope", Golden: "themes_scope"},
	{Name: "themes, a parameter", As: "all", Method: "GET", Path: "/themes?status=active", Status: 400,
		Code: "invalid_parameter", Golden: "themes_parameter"},

	{Name: "theme", As: "themes.read", Method: "GET", Path: "/themes/" + themeID, Status: 200, Golden: "theme"},
	{Name: "theme that failed", As: "themes.read", Method: "GET", Path: "/themes/" + xid.Theme.Format(fixed(4)),
		Status: 200, Golden: "theme_failed"},
	{Name: "theme, no credential", Method: "GET", Path: "/themes/" + themeID, Status: 401,
		Code: "authentication_required", Golden: "no_credential"},
	{Name: "theme, wrong scope", As: "products.read", Method: "GET", Path: "/themes/" + themeID, Status: 403,
		Code: "insufficient_scope", Golden: "themes_scope"},
	{Name: "theme, other store", As: "other", Method: "GET", Path: "/themes/" + themeID, Status: 404, Code: "not_found",
		Golden: "theme_unknown"},
	{Name: "theme, unknown", As: "all", Method: "GET", Path: "/themes/" + xid.Theme.Format(fixed(99)), Status: 404,
		Code: "not_found", Golden: "theme_unknown"},

	{Name: "assets", As: "themes.read", Method: "GET", Path: "/themes/" + themeID + "/assets", Status: 200,
		Golden: "assets"},
	{Name: "assets, one page of three", As: "themes.read", Method: "GET",
		Path: "/themes/" + themeID + "/assets?limit=1", Status: 200, Golden: "assets_page"},
	{Name: "assets, of a theme without any", As: "themes.read", Method: "GET",
		Path: "/themes/" + inactiveID + "/assets", Status: 200, Golden: "empty"},
	{Name: "assets, no credential", Method: "GET", Path: "/themes/" + themeID + "/assets", Status: 401,
		Code: "authentication_required", Golden: "no_credential"},
	{Name: "assets, wrong scope", As: "exports.write", Method: "GET", Path: "/themes/" + themeID + "/assets",
		Status: 403, Code: "insufficient_scope", Golden: "themes_scope"},
	{Name: "assets, other store", As: "other", Method: "GET", Path: "/themes/" + themeID + "/assets", Status: 404,
		Code: "not_found", Golden: "theme_unknown"},
	{Name: "assets, unknown theme", As: "all", Method: "GET",
		Path: "/themes/" + xid.Theme.Format(fixed(99)) + "/assets", Status: 404, Code: "not_found",
		Golden: "theme_unknown"},
	{Name: "assets, a parameter", As: "all", Method: "GET", Path: "/themes/" + themeID + "/assets?kind=css",
		Status: 400, Code: "invalid_parameter", Golden: "assets_parameter"},

	{Name: "theme activated, no credential", Method: "POST", Path: "/themes/" + inactiveID + "/activate", Status: 401,
		Code: "authentication_required", Golden: "no_credential"},
	{Name: "theme activated, wrong scope", As: "themes.read", Method: "POST",
		Path: "/themes/" + inactiveID + "/activate", Status: 403, Code: "insufficient_scope",
		Golden: "theme_activate_scope"},
	{Name: "theme activated, other store", As: "other", Method: "POST", Path: "/themes/" + inactiveID + "/activate",
		Status: 404, Code: "not_found", Golden: "theme_unknown"},
	{Name: "theme activated, unknown", As: "all", Method: "POST",
		Path: "/themes/" + xid.Theme.Format(fixed(99)) + "/activate", Status: 404, Code: "not_found",
		Golden: "theme_unknown"},
	{Name: "theme activated, a member", As: "all", Method: "POST", Path: "/themes/" + inactiveID + "/activate",
		Body: `{"publish":true}`, Status: 422, Code: "validation_failed", Golden: "theme_activate_member"},
	{Name: "theme activated, not ready", As: "all", Method: "POST",
		Path: "/themes/" + xid.Theme.Format(fixed(3)) + "/activate", Status: 409, Code: "theme_not_ready",
		Golden: "theme_not_ready"},
	{Name: "theme activated, the active one", As: "themes.write", Method: "POST",
		Path: "/themes/" + themeID + "/activate", Body: "{}", Status: 200, Golden: "theme"},
	{Name: "theme activated", As: "themes.write", Method: "POST", Path: "/themes/" + inactiveID + "/activate",
		Status: 200, Golden: "theme_activated"},

	{Name: "marketplace", As: "themes.read", Method: "GET", Path: "/marketplace/themes", Status: 200,
		Golden: "marketplace"},
	{Name: "marketplace, one page of two", As: "themes.write", Method: "GET", Path: "/marketplace/themes?limit=1",
		Status: 200, Golden: "marketplace_page"},
	{Name: "marketplace, other store", As: "other", Method: "GET", Path: "/marketplace/themes", Status: 200,
		Golden: "marketplace_other"},
	{Name: "marketplace, no credential", Method: "GET", Path: "/marketplace/themes", Status: 401,
		Code: "authentication_required", Golden: "no_credential"},
	{Name: "marketplace, wrong scope", As: "products.read", Method: "GET", Path: "/marketplace/themes", Status: 403,
		Code: "insufficient_scope", Golden: "themes_scope"},
	{Name: "marketplace, a parameter", As: "all", Method: "GET", Path: "/marketplace/themes?category=calm", Status: 400,
		Code: "invalid_parameter", Golden: "marketplace_parameter"},
}

// hook is a body that registers an endpoint.
func hook(events ...string) string {
	b, _ := json.Marshal(map[string]any{"url": "https://hooks.example.com/in", "events": events})
	return string(b)
}

func TestScenarios(t *testing.T) {
	c := newCast(t)
	for _, sc := range scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			a := c.do(t, request{As: c.as[sc.As], Method: sc.Method, Path: sc.Path, Body: sc.Body, Header: sc.Header})
			a.want(sc.Status, sc.Code)
			if sc.Golden == "" {
				a.empty()
				return
			}
			golden(t, sc.Golden, a.Body, sc.fresh())
			if sc.Status == http.StatusCreated || sc.Status == http.StatusAccepted {
				c.located(t, c.as[sc.As], a)
			}
		})
	}
}

// empty checks that an answer has no body and no headers about one.
func (a *answer) empty() {
	a.t.Helper()
	if len(a.Body) > 0 || a.Header.Get("Content-Type") != "" || a.Header.Get("Content-Length") != "" ||
		a.Header.Get("ETag") != "" {
		a.t.Errorf("got %q and %v, want nothing", a.Body, a.Header)
	}
}

// located follows the Location of a new resource, if it can be read.
func (c *cast) located(t *testing.T, as string, a *answer) {
	t.Helper()
	var made struct{ ID string }
	a.decode(&made)
	at := a.Header.Get("Location")
	switch {
	case len(made.ID) > 4 && made.ID[:4] == "note":
		if want := base + "/orders/" + orderID; at != want {
			t.Errorf("Location: got %q, want %q", at, want)
		}
		c.do(t, request{As: as, Path: at}).want(http.StatusOK, "")
	case strings.HasPrefix(made.ID, "whk_"):
		if want := base + "/webhooks/" + made.ID; at != want {
			t.Errorf("Location: got %q, want %q", at, want)
		}
	case strings.HasPrefix(made.ID, "exp_"):
		// The detail also has a link.
		got := c.do(t, request{As: as, Path: at}).want(http.StatusOK, "")
		if want := strings.TrimSuffix(string(a.Body), "}"); at != base+"/exports/"+made.ID ||
			!strings.HasPrefix(string(got.Body), want) {
			t.Errorf("at %q: got %s, want %s", at, got.Body, want)
		}
	case at != base+"/products/"+made.ID:
		t.Errorf("Location: got %q", at)
	default:
		if got := c.do(t, request{As: as, Path: at}); string(got.Body) != string(a.Body) {
			t.Errorf("read again: got %s, want %s", got.Body, a.Body)
		}
	}
}
