package rest_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Scenario is one request and its answer, as anyone can read them.
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

// cast is a furnished store, another store, and everybody who knocks.
type cast struct {
	*server
	shop, other *shop
	as          map[string]string
}

// newCast makes credentials of every kind and state. The keys' ids are fixed,
// so that golden files can show them.
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

// Ids that the scenarios name.
var (
	orderID   = xid.Order.Format(fixed(1))
	productID = xid.Product.Format(fixed(1))
	webhookID = xid.WebhookEndpoint.Format(fixed(1))
	foreignID = xid.Product.Format(fixed(9)) // the other store's
	unknownID = xid.Product.Format(fixed(99))
)

var scenarios = []Scenario{
	{"me", "all", "GET", "/me", "", nil, 200, "", "me"},
	{"me of a single scope", "products.write", "GET", "/me", "", nil, 200, "", "me_write"},
	{"me, no credential", "", "GET", "/me", "", nil, 401, "authentication_required", "no_credential"},
	{"me, revoked", "revoked", "GET", "/me", "", nil, 401, "invalid_token", "revoked"},
	{"me, wrong scope", "orders.read", "GET", "/me", "", nil, 403, "insufficient_scope", "me_scope"},
	{"me, a parameter", "all", "GET", "/me?verbose=1", "", nil, 400, "invalid_parameter", "me_parameter"},

	{"orders", "orders.read", "GET", "/orders", "", nil, 200, "", "orders"},
	{"orders, one page of two", "orders.read", "GET", "/orders?limit=1", "", nil, 200, "", "orders_page"},
	{"orders, filtered", "orders.read", "GET", "/orders?status=open&financial_status=paid&fulfillment_status=unfulfilled&customer_id=" + xid.Customer.Format(fixed(1)), "", nil, 200, "", "orders_filtered"},
	{"orders, unknown customer", "orders.read", "GET", "/orders?customer_id=" + xid.Customer.Format(fixed(99)), "", nil, 200, "", "empty"},
	{"orders, before all", "orders.read", "GET", "/orders?created_to=2026-03-01T09:31:00.000451Z", "", nil, 200, "", "empty"},
	{"orders, up to the second", "orders.read", "GET", "/orders?created_from=2026-03-01T10:31:00.000451%2B01:00&created_to=2026-03-01T09:32:00.000451Z", "", nil, 200, "", "orders_created"},
	{"orders, oldest change first", "orders.read", "GET", "/orders?updated_from=2026-03-01T09:32:00.000451Z", "", nil, 200, "", "orders_updated"},
	{"orders, malformed customer", "orders.read", "GET", "/orders?customer_id=cus_1&status=OPEN&created_from=yesterday", "", nil, 400, "invalid_parameter", "orders_parameters"},
	{"orders, other store", "other", "GET", "/orders", "", nil, 200, "", "empty"},

	{"order", "orders.read", "GET", "/orders/" + orderID, "", nil, 200, "", "order"},
	{"order, other store", "other", "GET", "/orders/" + orderID, "", nil, 404, "not_found", "order_unknown"},
	{"order, unknown", "all", "GET", "/orders/" + xid.Order.Format(fixed(99)), "", nil, 404, "not_found", "order_unknown"},
	{"order, a product's id", "all", "GET", "/orders/" + productID, "", nil, 404, "not_found", "order_unknown"},

	{"note", "orders.write", "POST", "/orders/" + orderID + "/notes", `{"body":"Left at\n\tthe door 😀"}`, nil, 201, "", "note"},
	{"note for the customer", "all", "POST", "/orders/" + orderID + "/notes", `{"body":"On its way","visibility":"customer"}`, nil, 201, "", "note_customer"},
	{"note, null visibility", "all", "POST", "/orders/" + orderID + "/notes", `{"body":"On its way","visibility":null}`, nil, 201, "", "note_null"},
	{"note, bad body", "all", "POST", "/orders/" + orderID + "/notes", `{"body":" \n","visibility":"all","colour":1}`, nil, 422, "validation_failed", "note_invalid"},
	{"note, no body", "all", "POST", "/orders/" + orderID + "/notes", ``, nil, 422, "validation_failed", "note_empty"},
	{"note, other store", "other", "POST", "/orders/" + orderID + "/notes", `{"body":"x"}`, nil, 404, "not_found", "order_unknown"},
	{"note, a bad body for an unknown order", "all", "POST", "/orders/ord_1/notes", `{"body":5}`, nil, 422, "validation_failed", "note_type"},
	{"note, wrong scope", "orders.read", "POST", "/orders/" + orderID + "/notes", `{"body":"x"}`, nil, 403, "insufficient_scope", "note_scope"},

	{"products", "products.read", "GET", "/products", "", nil, 200, "", "products"},
	{"products, filtered", "products.read", "GET", "/products?status=archived&sku=JUG-1", "", nil, 200, "", "products_filtered"},
	{"products, sku in another case", "products.read", "GET", "/products?sku=jug-1", "", nil, 200, "", "empty"},
	{"products, oldest change first", "products.read", "GET", "/products?limit=2&updated_from=2026-03-01T09:32:00.000451Z", "", nil, 200, "", "products_updated"},
	{"products, bad filters", "products.read", "GET", "/products?status=&sku=&updated_from=2026-03-01&limit=0", "", nil, 400, "invalid_parameter", "products_limit"},
	{"products, bad filters alone", "products.read", "GET", "/products?status=&sku=&updated_from=2026-03-01", "", nil, 400, "invalid_parameter", "products_parameters"},

	{"product", "products.read", "GET", "/products/" + productID, "", nil, 200, "", "product"},
	{"product, other store", "products.read", "GET", "/products/" + foreignID, "", nil, 404, "not_found", "product_unknown"},
	{"product, unknown", "products.read", "GET", "/products/" + unknownID, "", nil, 404, "not_found", "product_unknown"},

	{"draft", "products.write", "POST", "/products", draft("Green cup"), nil, 201, "", "draft"},
	{"draft, every member", "all", "POST", "/products", `{"title":"Full","handle":"full-1","description":"Two\nlines","price_minor":1e3,
		"compare_at_price_minor":2000.0,"currency":"jpy","sku":"S 1","vendor":"V","product_type":"T","tags":["a","ü","a"],
		"inventory_quantity":0,"image_url":"https://images.example.com/a%20b.png?x=1#f"}`, nil, 201, "", "draft_full"},
	{"draft, nulls", "all", "POST", "/products", `{"title":"Nulls","handle":null,"description":null,"price_minor":0,
		"compare_at_price_minor":null,"currency":"EUR","sku":null,"vendor":null,"product_type":null,"tags":null,
		"inventory_quantity":null,"image_url":null}`, nil, 201, "", "draft_nulls"},
	{"draft, no members", "all", "POST", "/products", `{}`, nil, 422, "validation_failed", "draft_empty"},
	{"draft, handle taken", "all", "POST", "/products", `{"title":"x","price_minor":1,"currency":"EUR","handle":"blue-mug"}`, nil, 422, "validation_failed", "draft_taken"},
	{"draft, wrong scope", "products.read", "POST", "/products", draft("x"), nil, 403, "insufficient_scope", "draft_scope"},

	{"customers", "customers.read", "GET", "/customers", "", nil, 200, "", "customers"},
	{"customers, by e-mail", "customers.read", "GET", "/customers?email=ada@example.com", "", nil, 200, "", "customers_email"},
	{"customers, by e-mail in capitals", "customers.read", "GET", "/customers?email=ADA%40Example.com", "", nil, 200, "", "customers_email"},
	{"customers, oldest change first", "customers.read", "GET", "/customers?updated_from=1970-01-01T00:00:00Z", "", nil, 200, "", "customers_updated"},
	{"customers, other store", "other", "GET", "/customers", "", nil, 200, "", "empty"},
	{"customers, wrong scope", "orders.write", "GET", "/customers", "", nil, 403, "insufficient_scope", "customers_scope"},

	{"exports", "exports.read", "GET", "/exports", "", nil, 200, "", "exports"},
	{"exports, one page of three", "exports.write", "GET", "/exports?limit=1", "", nil, 200, "", "exports_page"},
	{"exports, other store", "other", "GET", "/exports", "", nil, 200, "", "empty"},
	{"exports, no credential", "", "GET", "/exports", "", nil, 401, "authentication_required", "no_credential"},
	{"exports, wrong scope", "orders.read", "GET", "/exports", "", nil, 403, "insufficient_scope", "exports_scope"},
	{"exports, parameters", "all", "GET", "/exports?status=queued&limit=0", "", nil, 400, "invalid_parameter", "exports_parameters"},

	{"export", "all", "GET", "/exports/" + exportID, "", nil, 200, "", "export"},
	{"export, without the kind's scope", "exports.read", "GET", "/exports/" + exportID, "", nil, 200, "", "export_no_link"},
	{"export that failed", "all", "GET", "/exports/" + xid.Export.Format(fixed(2)), "", nil, 200, "", "export_failed"},
	{"export that waits", "all", "GET", "/exports/" + xid.Export.Format(fixed(3)), "", nil, 200, "", "export_queued"},
	{"export, no credential", "", "GET", "/exports/" + exportID, "", nil, 401, "authentication_required", "no_credential"},
	{"export, wrong scope", "webhooks.write", "GET", "/exports/" + exportID, "", nil, 403, "insufficient_scope", "exports_scope"},
	{"export, other store", "other", "GET", "/exports/" + exportID, "", nil, 404, "not_found", "export_unknown"},
	{"export, unknown", "all", "GET", "/exports/" + xid.Export.Format(fixed(99)), "", nil, 404, "not_found", "export_unknown"},
	{"export, an order's id", "all", "GET", "/exports/" + orderID, "", nil, 404, "not_found", "export_unknown"},

	{"export started", "all", "POST", "/exports", `{"kind":"products"}`, nil, 202, "", "export_started"},
	{"export started, every member", "all", "POST", "/exports", `{"kind":"orders","format":"jsonl","compression":"gzip",
		"filters":{"created_from":"2026-03-01T01:00:00+01:00","created_to":"2026-04-01T00:00:00.5Z","status":"completed"}}`, nil, 202, "", "export_full"},
	{"export started, nulls", "all", "POST", "/exports", `{"kind":"customers","format":null,"compression":null,"filters":{"created_from":null,"created_to":null,"status":null}}`, nil, 202, "", "export_nulls"},
	{"export started, no members", "all", "POST", "/exports", `{}`, nil, 422, "validation_failed", "export_empty"},
	{"export started, bad members", "all", "POST", "/exports", `{"kind":"orders","format":"xlsx","compression":7,"email":"a@b.example","filters":{"status":"draft","created_from":"yesterday","state":1}}`, nil, 422, "validation_failed", "export_invalid"},
	{"export started, the kind's scope", "exports.write", "POST", "/exports", `{"kind":"orders"}`, nil, 403, "insufficient_scope", "export_kind_scope"},
	{"export started, wrong scope", "exports.read", "POST", "/exports", `{"kind":"orders"}`, nil, 403, "insufficient_scope", "export_scope"},
	{"export started, no credential", "", "POST", "/exports", `{"kind":"orders"}`, nil, 401, "authentication_required", "no_credential"},

	{"webhooks", "webhooks.read", "GET", "/webhooks", "", nil, 200, "", "webhooks"},
	{"webhooks, one page of two", "webhooks.write", "GET", "/webhooks?limit=1", "", nil, 200, "", "webhooks_page"},
	{"webhooks, other store", "other", "GET", "/webhooks", "", nil, 200, "", "empty"},
	{"webhooks, wrong scope", "orders.read", "GET", "/webhooks", "", nil, 403, "insufficient_scope", "webhooks_scope"},
	{"webhooks, a parameter", "all", "GET", "/webhooks?status=active", "", nil, 400, "invalid_parameter", "webhooks_parameter"},

	{"webhook", "all", "POST", "/webhooks", hook("order.paid", "order.created", "order.paid"), nil, 201, "", "webhook"},
	{"webhook, every member", "all", "POST", "/webhooks", `{"url":"https://hooks.example.com/a?b=%20","events":["product.updated"],"description":"Warehouse"}`, nil, 201, "", "webhook_full"},
	{"webhook, nulls", "all", "POST", "/webhooks", `{"url":"https://hooks.example.com/","events":["product.updated"],"description":null}`, nil, 201, "", "webhook_nulls"},
	{"webhook, no members", "all", "POST", "/webhooks", `{}`, nil, 422, "validation_failed", "webhook_empty"},
	{"webhook, bad members", "all", "POST", "/webhooks", `{"url":5,"events":["order.paid","ping","order.*",7],"description":" ","secret":"mine"}`, nil, 422, "validation_failed", "webhook_invalid"},
	{"webhook, no events", "all", "POST", "/webhooks", `{"url":"https://hooks.example.com/","events":[]}`, nil, 422, "validation_failed", "webhook_no_events"},
	{"webhook, an event's scope", "webhooks.write", "POST", "/webhooks", hook("app.grant_revoked", "product.updated"), nil, 403, "insufficient_scope", "webhook_event_scope"},
	{"webhook, bad members before an event's scope", "webhooks.write", "POST", "/webhooks", hook("product.updated", "order.eaten"), nil, 422, "validation_failed", "webhook_unknown_event"},
	{"webhook, wrong scope", "webhooks.read", "POST", "/webhooks", hook("order.paid"), nil, 403, "insufficient_scope", "webhook_scope"},

	{"webhook deleted, other store", "other", "DELETE", "/webhooks/" + webhookID, "", nil, 404, "not_found", "webhook_unknown"},
	{"webhook deleted, unknown", "all", "DELETE", "/webhooks/" + xid.WebhookEndpoint.Format(fixed(99)), "", nil, 404, "not_found", "webhook_unknown"},
	{"webhook deleted, wrong scope", "webhooks.read", "DELETE", "/webhooks/" + webhookID, "", nil, 403, "insufficient_scope", "webhook_scope"},
	{"webhook deleted, a member", "all", "DELETE", "/webhooks/" + webhookID, `{"force":true}`, map[string]string{"Content-Type": "application/json"}, 422, "validation_failed", "webhook_delete_member"},
	{"webhook deleted", "webhooks.write", "DELETE", "/webhooks/" + webhookID, "", nil, 204, "", ""},
	{"webhook deleted again", "all", "DELETE", "/webhooks/" + webhookID, "", nil, 404, "not_found", "webhook_unknown"},

	{"themes", "themes.read", "GET", "/themes", "", nil, 200, "", "themes"},
	{"themes, one page of four", "themes.write", "GET", "/themes?limit=1", "", nil, 200, "", "themes_page"},
	{"themes, other store", "other", "GET", "/themes", "", nil, 200, "", "empty"},
	{"themes, no credential", "", "GET", "/themes", "", nil, 401, "authentication_required", "no_credential"},
	{"themes, wrong scope", "products.write", "GET", "/themes", "", nil, 403, "insufficient_scope", "themes_scope"},
	{"themes, a parameter", "all", "GET", "/themes?status=active", "", nil, 400, "invalid_parameter", "themes_parameter"},

	{"theme", "themes.read", "GET", "/themes/" + themeID, "", nil, 200, "", "theme"},
	{"theme that failed", "themes.read", "GET", "/themes/" + xid.Theme.Format(fixed(4)), "", nil, 200, "", "theme_failed"},
	{"theme, no credential", "", "GET", "/themes/" + themeID, "", nil, 401, "authentication_required", "no_credential"},
	{"theme, wrong scope", "products.read", "GET", "/themes/" + themeID, "", nil, 403, "insufficient_scope", "themes_scope"},
	{"theme, other store", "other", "GET", "/themes/" + themeID, "", nil, 404, "not_found", "theme_unknown"},
	{"theme, unknown", "all", "GET", "/themes/" + xid.Theme.Format(fixed(99)), "", nil, 404, "not_found", "theme_unknown"},

	{"assets", "themes.read", "GET", "/themes/" + themeID + "/assets", "", nil, 200, "", "assets"},
	{"assets, one page of three", "themes.read", "GET", "/themes/" + themeID + "/assets?limit=1", "", nil, 200, "", "assets_page"},
	{"assets, of a theme without any", "themes.read", "GET", "/themes/" + inactiveID + "/assets", "", nil, 200, "", "empty"},
	{"assets, no credential", "", "GET", "/themes/" + themeID + "/assets", "", nil, 401, "authentication_required", "no_credential"},
	{"assets, wrong scope", "exports.write", "GET", "/themes/" + themeID + "/assets", "", nil, 403, "insufficient_scope", "themes_scope"},
	{"assets, other store", "other", "GET", "/themes/" + themeID + "/assets", "", nil, 404, "not_found", "theme_unknown"},
	{"assets, unknown theme", "all", "GET", "/themes/" + xid.Theme.Format(fixed(99)) + "/assets", "", nil, 404, "not_found", "theme_unknown"},
	{"assets, a parameter", "all", "GET", "/themes/" + themeID + "/assets?kind=css", "", nil, 400, "invalid_parameter", "assets_parameter"},

	{"theme activated, no credential", "", "POST", "/themes/" + inactiveID + "/activate", "", nil, 401, "authentication_required", "no_credential"},
	{"theme activated, wrong scope", "themes.read", "POST", "/themes/" + inactiveID + "/activate", "", nil, 403, "insufficient_scope", "theme_activate_scope"},
	{"theme activated, other store", "other", "POST", "/themes/" + inactiveID + "/activate", "", nil, 404, "not_found", "theme_unknown"},
	{"theme activated, unknown", "all", "POST", "/themes/" + xid.Theme.Format(fixed(99)) + "/activate", "", nil, 404, "not_found", "theme_unknown"},
	{"theme activated, a member", "all", "POST", "/themes/" + inactiveID + "/activate", `{"publish":true}`, nil, 422, "validation_failed", "theme_activate_member"},
	{"theme activated, not ready", "all", "POST", "/themes/" + xid.Theme.Format(fixed(3)) + "/activate", "", nil, 409, "theme_not_ready", "theme_not_ready"},
	{"theme activated, the active one", "themes.write", "POST", "/themes/" + themeID + "/activate", "{}", nil, 200, "", "theme"},
	{"theme activated", "themes.write", "POST", "/themes/" + inactiveID + "/activate", "", nil, 200, "", "theme_activated"},

	{"marketplace", "themes.read", "GET", "/marketplace/themes", "", nil, 200, "", "marketplace"},
	{"marketplace, one page of two", "themes.write", "GET", "/marketplace/themes?limit=1", "", nil, 200, "", "marketplace_page"},
	{"marketplace, other store", "other", "GET", "/marketplace/themes", "", nil, 200, "", "marketplace_other"},
	{"marketplace, no credential", "", "GET", "/marketplace/themes", "", nil, 401, "authentication_required", "no_credential"},
	{"marketplace, wrong scope", "products.read", "GET", "/marketplace/themes", "", nil, 403, "insufficient_scope", "themes_scope"},
	{"marketplace, a parameter", "all", "GET", "/marketplace/themes?category=calm", "", nil, 400, "invalid_parameter", "marketplace_parameter"},
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

// empty wants an answer that has no body and says nothing of one.
func (a *answer) empty() {
	a.t.Helper()
	if len(a.Body) > 0 || a.Header.Get("Content-Type") != "" || a.Header.Get("Content-Length") != "" || a.Header.Get("ETag") != "" {
		a.t.Errorf("got %q and %v, want nothing", a.Body, a.Header)
	}
}

// located follows the Location of something new, where it can be read.
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
		// The detail has a link beside what was answered.
		got := c.do(t, request{As: as, Path: at}).want(http.StatusOK, "")
		if want := strings.TrimSuffix(string(a.Body), "}"); at != base+"/exports/"+made.ID || !strings.HasPrefix(string(got.Body), want) {
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

// moment are the members whose value is of the moment.
var moment = []string{"request_id", "server_time", "download_url", "download_url_expires_at", "preview_url"}

// fresh are the members that the request itself gave a value that no run can
// repeat.
func (sc Scenario) fresh() []string {
	switch {
	case sc.Status == http.StatusCreated || sc.Status == http.StatusAccepted:
		return []string{"id", "created_at", "updated_at", "secret", "secret_hint"}
	case sc.Golden == "theme_activated":
		return []string{"activated_at", "updated_at"}
	}
	return nil
}

// golden compares a body with its file, as JSON, but for what is of the moment and
// what is fresh.
func golden(t *testing.T, name string, body []byte, fresh []string) {
	t.Helper()
	var got, want any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("decode %s: %v", body, err)
	}
	mask(got, fresh)
	file := filepath.Join("testdata", name+".json")
	if *update && !t.Failed() {
		b, _ := json.MarshalIndent(got, "", "  ")
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// mask replaces what no run can repeat by the name of its member. Of ids these are
// the ones beside the time at which they were made.
func mask(v any, fresh []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member != nil && (slices.Contains(moment, name) || slices.Contains(fresh, name) && (name != "id" || v["created_at"] != nil)) {
				v[name] = "(" + name + ")"
				continue
			}
			mask(member, fresh)
		}
	case []any:
		for _, e := range v {
			mask(e, fresh)
		}
	}
}

// TestGoldenFilesAreUsed finds files that no scenario names any more.
func TestGoldenFilesAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, sc := range scenarios {
		used[sc.Golden+".json"] = true
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !f.IsDir() && !used[f.Name()] {
			t.Errorf("testdata/%s belongs to no scenario", f.Name())
		}
	}
}
