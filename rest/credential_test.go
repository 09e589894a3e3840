package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// endpoints are the routes, each with a request that succeeds.
var endpoints = []struct {
	row
	path, body string
}{
	{row{"GET", "/me", scope.ProductsRead}, "/me", ""},
	{row{"GET", "/orders", scope.OrdersRead}, "/orders", ""},
	{row{"GET", "/orders/{id}", scope.OrdersRead}, "/orders/" + orderID, ""},
	{row{"POST", "/orders/{id}/notes", scope.OrdersWrite}, "/orders/" + orderID + "/notes", `{"body":"x"}`},
	{row{"POST", "/orders/{id}/cancel", scope.SalesWrite}, "/orders/" + anyOrder + "/cancel", "{}"},
	{row{"POST", "/orders/{id}/payments", scope.SalesWrite}, "/orders/" + anyOrder + "/payments", "{}"},
	{row{"GET", "/orders/{id}/fulfillments", scope.OrdersRead}, "/orders/" + orderID + "/fulfillments", ""},
	{row{"POST", "/orders/{id}/fulfillments", scope.FulfillmentsWrite}, "/orders/" + anyOrder + "/fulfillments", "{}"},
	{row{"POST", "/orders/{id}/refunds", scope.RefundsWrite}, "/orders/" + anyOrder + "/refunds",
		`{"amount_minor":1}`},
	{row{"POST", "/orders/{id}/returns", scope.SalesWrite}, "/orders/" + orderID + "/returns", aReturn},
	{row{"GET", "/returns", scope.OrdersRead}, "/returns", ""},
	{row{"GET", "/returns/{id}", scope.OrdersRead}, "/returns/" + anyReturn, ""},
	{row{"POST", "/returns/{id}/approve", scope.SalesWrite}, "/returns/" + anyReturn + "/approve", "{}"},
	{row{"POST", "/returns/{id}/decline", scope.SalesWrite}, "/returns/" + anyReturn + "/decline", `{"reason":"x"}`},
	{row{"POST", "/returns/{id}/receive", scope.SalesWrite}, "/returns/" + anyApproved + "/receive", "{}"},
	{row{"POST", "/returns/{id}/refund", scope.RefundsWrite}, "/returns/" + anyApproved + "/refund", "{}"},
	{row{"POST", "/returns/{id}/exchange", scope.SalesWrite}, "/returns/" + anyApproved + "/exchange", anItem},
	{row{"GET", "/products", scope.ProductsRead}, "/products", ""},
	{row{"GET", "/products/{id}", scope.ProductsRead}, "/products/" + productID, ""},
	{row{"POST", "/products", scope.ProductsWrite}, "/products", draft("Cup")},
	{row{"GET", "/customers", scope.CustomersRead}, "/customers", ""},
	{row{"GET", "/exports", scope.ExportsRead}, "/exports", ""},
	{row{"POST", "/exports", scope.ExportsWrite}, "/exports", `{"kind":"orders"}`},
	{row{"GET", "/exports/{id}", scope.ExportsRead}, "/exports/" + exportID, ""},
	{row{"GET", "/imports", scope.ImportsRead}, "/imports", ""},
	{row{"POST", "/imports", scope.ImportsWrite}, "/imports", anImport},
	{row{"GET", "/imports/{id}", scope.ImportsRead}, "/imports/" + importID, ""},
	{row{"GET", "/imports/{id}/errors", scope.ImportsRead}, "/imports/" + importID + "/errors", ""},
	{row{"GET", "/webhooks", scope.WebhooksRead}, "/webhooks", ""},
	{row{"POST", "/webhooks", scope.WebhooksWrite}, "/webhooks", hook("app.grant_revoked")},
	{row{"DELETE", "/webhooks/{id}", scope.WebhooksWrite}, "/webhooks/" + webhookID, ""},
	{row{"GET", "/themes", scope.ThemesRead}, "/themes", ""},
	{row{"GET", "/themes/{id}", scope.ThemesRead}, "/themes/" + themeID, ""},
	{row{"GET", "/themes/{id}/assets", scope.ThemesRead}, "/themes/" + themeID + "/assets", ""},
	{row{"POST", "/themes/{id}/activate", scope.ThemesWrite}, "/themes/" + themeID + "/activate", ""},
	{row{"GET", "/marketplace/themes", scope.ThemesRead}, "/marketplace/themes", ""},
	{row{"POST", "/orders", scope.SalesWrite}, "/orders", anItem},
	{row{"PATCH", "/orders/{id}", scope.SalesWrite}, "/orders/" + anyOrder, `{"tags":["x"]}`},
	{row{"PATCH", "/orders/{id}/fulfillments/{fulfillment_id}", scope.FulfillmentsWrite}, "/orders/" + anyShipment,
		`{"tracking":{"number":"1"}}`},
	{row{"PATCH", "/products/{id}", scope.ProductsWrite}, "/products/" + anyDraft, `{"title":"x"}`},
	{row{"PATCH", "/products/{id}/variants/{variant_id}", scope.ProductsWrite}, "/products/" + anyVariant,
		`{"sku":"x"}`},
	{row{"POST", "/products/{id}/publish", scope.ProductsWrite}, "/products/" + anyDraft + "/publish", "{}"},
	{row{"POST", "/products/{id}/unpublish", scope.ProductsWrite}, "/products/" + anyActive + "/unpublish", "{}"},
	{row{"POST", "/products/{id}/archive", scope.ProductsWrite}, "/products/" + anyDraft + "/archive", "{}"},
	{row{"PUT", "/products/by-reference/{external_reference}", scope.ProductsWrite}, "/products/by-reference/erp-1",
		draft("Cup")},
	{row{"GET", "/inventory", scope.InventoryRead}, "/inventory", ""},
	{row{"POST", "/inventory/adjustments", scope.InventoryWrite}, "/inventory/adjustments",
		`{"lines":[{"sku":"MUG-1","set":5}]}`},
	{row{"GET", "/customers/{id}", scope.CustomersRead}, "/customers/" + customerID, ""},
	{row{"POST", "/customers", scope.CustomersWrite}, "/customers", `{"email":"x@example.com"}`},
	{row{"PATCH", "/customers/{id}", scope.CustomersWrite}, "/customers/" + anyCustomer, `{"tags":["x"]}`},
	{row{"GET", "/discounts", scope.DiscountsRead}, "/discounts", ""},
	{row{"POST", "/discounts", scope.DiscountsWrite}, "/discounts", `{"code":"NEW","kind":"free_shipping"}`},
	{row{"PATCH", "/discounts/{id}", scope.DiscountsWrite}, "/discounts/" + anyDiscount, `{"active":false}`},
	{row{"DELETE", "/discounts/{id}", scope.DiscountsWrite}, "/discounts/" + anyDiscount, ""},
	{row{"GET", "/custom-fields", scope.CustomFieldsRead}, "/custom-fields", ""},
	{row{"POST", "/custom-fields", scope.CustomFieldsWrite}, "/custom-fields",
		`{"owner":"product","name":"a.b","label":"B","type":"text"}`},
	{row{"PATCH", "/custom-fields/{id}", scope.CustomFieldsWrite}, "/custom-fields/" + anyField, `{"label":"x"}`},
	{row{"DELETE", "/custom-fields/{id}", scope.CustomFieldsWrite}, "/custom-fields/" + anyField, ""},
	{row{"POST", "/inventory/transfers", scope.InventoryWrite}, "/inventory/transfers",
		`{"from":"` + homeID + `","to":"` + anyLocation + `","lines":[{"sku":"MUG-1","quantity":1}]}`},
	{row{"GET", "/locations", scope.LocationsRead}, "/locations", ""},
	{row{"POST", "/locations", scope.LocationsWrite}, "/locations", `{"name":"Shop"}`},
	{row{"PUT", "/location-order", scope.LocationsWrite}, "/location-order",
		`{"ids":["` + openPlaces + `"]}`},
	{row{"PATCH", "/locations/{id}", scope.LocationsWrite}, "/locations/" + anyLocation, `{"name":"x"}`},
	{row{"POST", "/locations/{id}/close", scope.LocationsWrite}, "/locations/" + anyLocation + "/close", `{}`},
	{row{"GET", "/events", scope.WebhooksRead}, "/events", ""},
	{row{"GET", "/events/{id}", scope.WebhooksRead}, "/events/" + anyEvent, ""},
}

// anItem is the body of an order.
const anItem = `{"lines":[{"title":"Repair","quantity":1,"unit_price_minor":100}]}`

const challenge = `Bearer realm="storefront", resource_metadata="` + apiHost +
	`/.well-known/oauth-protected-resource/api/public/v1"`

// TestCredentials tries every invalid credential at every endpoint.
func TestCredentials(t *testing.T) {
	c := newCast(t)
	good := c.as["all"]
	wrong := good[:len(good)-1] + string("01"[b2i(good[len(good)-1] == '0')])
	mint := func(k apikey.Kind) string { return apikey.Mint(k).Reveal() }
	bearer := func(v string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Authorization"] = []string{v} }
	}
	required, invalid := challenge, challenge+`, error="invalid_token"`
	for _, tc := range []struct {
		name      string
		edit      func(*http.Request)
		status    int
		code      string
		challenge string
	}{
		{name: "none", edit: func(*http.Request) {}, status: 401, code: "authentication_required", challenge: required},
		{name: "empty header", edit: bearer(""), status: 401, code: "authentication_required", challenge: required},
		{name: "Basic", edit: bearer("Basic " + good), status: 401, code: "authentication_required",
			challenge: required},
		{name: "no scheme", edit: bearer(good), status: 401, code: "authentication_required", challenge: required},
		{name: "scheme alone", edit: bearer("Bearer"), status: 401, code: "invalid_token", challenge: invalid},
		{name: "wrong checksum", edit: bearer("Bearer " + wrong), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "unknown", edit: bearer("Bearer " + mint(apikey.Key)), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "unknown access token", edit: bearer("Bearer " + mint(apikey.Access)), status: 401,
			code: "invalid_token", challenge: invalid},
		{name: "refresh token", edit: bearer("Bearer " + mint(apikey.Refresh)), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "code", edit: bearer("Bearer " + mint(apikey.Code)), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "staff token", edit: bearer("Bearer " + mint(apikey.Staff)), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "not of ours", edit: bearer("Bearer eyJhbGciOiJub25lIn0.e30."), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "a megabyte less", edit: bearer("Bearer " + strings.Repeat("x", 9000)), status: 401,
			code: "invalid_token", challenge: invalid},
		{name: "upper case", edit: bearer("Bearer " + strings.ToUpper(good)), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "trailing space", edit: bearer("Bearer " + good + " x"), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "two in one header", edit: bearer("Bearer " + good + ", Bearer " + good), status: 401,
			code: "invalid_token", challenge: invalid},
		{name: "two headers", edit: func(r *http.Request) {
			r.Header["Authorization"] = []string{"Bearer " + good, "Bearer " + good}
		}, status: 401, code: "invalid_token", challenge: invalid},
		{name: "two headers, one of them Basic", edit: func(r *http.Request) {
			r.Header["Authorization"] = []string{"Basic eDp5", "Bearer " + good}
		}, status: 401, code: "invalid_token", challenge: invalid},
		{name: "revoked", edit: bearer("Bearer " + c.as["revoked"]), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "expired", edit: bearer("Bearer " + c.as["expired"]), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "closed store", edit: bearer("Bearer " + c.as["closed"]), status: 401, code: "invalid_token",
			challenge: invalid},
		{name: "in the query alone", edit: func(r *http.Request) { r.URL.RawQuery = "access_token=" + good },
			status: 401, code: "authentication_required", challenge: required},
		{name: "in the query of a bad header", edit: func(r *http.Request) {
			r.URL.RawQuery = "access_token=" + good
			r.Header.Set("Authorization", "Bearer "+wrong)
		}, status: 401, code: "invalid_token", challenge: invalid},
		{name: "in the query too", edit: func(r *http.Request) {
			r.URL.RawQuery = "access_token=" + good
			r.Header.Set("Authorization", "Bearer "+good)
		}, status: 400, code: "invalid_request"},
		{name: "in the query too, empty", edit: func(r *http.Request) {
			r.URL.RawQuery = "access_token="
			r.Header.Set("Authorization", "Bearer "+good)
		}, status: 400, code: "invalid_request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, e := range endpoints {
				a := c.do(t, request{Method: e.Method, Path: e.path, Body: e.body, Edit: tc.edit})
				a.want(tc.status, tc.code)
				if got := a.Header.Get("WWW-Authenticate"); got != tc.challenge {
					t.Errorf("%s %s: challenge %q, want %q", e.Method, e.path, got, tc.challenge)
				}
				if strings.Contains(string(a.Body), good) {
					t.Errorf("%s %s: the answer repeats the credential: %s", e.Method, e.path, a.Body)
				}
			}
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSchemeIsCaseInsensitive (RFC 9110, section 11.1), with any space after it.
func TestSchemeIsCaseInsensitive(t *testing.T) {
	c := newCast(t)
	for _, v := range []string{"bearer ", "BEARER ", "Bearer   "} {
		a := c.do(t, request{
			Path: "/products", Edit: func(r *http.Request) { r.Header.Set("Authorization", v+c.as["all"]) },
		})
		a.want(http.StatusOK, "")
	}
}

// TestScopeMatrix calls every endpoint with a key of every single scope: a .write implies the .read
// of its resource and nothing else. An export also needs the read scope of its kind, an import the
// write scope, and an exchange the one for refunds.
func TestScopeMatrix(t *testing.T) {
	c := newCast(t)
	starts := row{"POST", "/exports", scope.ExportsWrite}
	if got, want := len(endpoints), len(served()); got != want {
		t.Fatalf("%d endpoints are tried, %d are served", got, want)
	}
	for _, e := range endpoints {
		path := c.shop.at(t, e.path)
		for _, name := range append(scope.Names(), "none") {
			t.Run(e.Method+" "+e.Path+" "+name, func(t *testing.T) {
				a := c.do(t, request{As: c.as[name], Method: e.Method, Path: path, Body: c.shop.at(t, e.body)})
				resource, access, _ := strings.Cut(e.Scope, ".")
				lacks := e.Scope
				switch {
				case name == e.Scope && e.row == starts:
					lacks = scope.OrdersRead
				case name == e.Scope && e.Path == "/returns/{id}/exchange":
					lacks = scope.RefundsWrite
				case name == e.Scope && e.Path == "/imports" && e.Method == http.MethodPost:
					lacks = scope.ProductsWrite
				case name == e.Scope, access == "read" && name == resource+".write":
					if a.Status >= 300 {
						t.Errorf("got %d %s", a.Status, a.Body)
					}
					return
				}
				a.want(http.StatusForbidden, "insufficient_scope")
				want := challenge + `, error="insufficient_scope", scope="` + lacks + `"`
				if got := a.Header.Get("WWW-Authenticate"); got != want {
					t.Errorf("challenge %q, want %q", got, want)
				}
				if !strings.Contains(a.problem().Detail, lacks) {
					t.Errorf("the detail %q does not name %s", a.problem().Detail, lacks)
				}
			})
		}
	}
}

// hostileIDs are invalid ids in a path.
var hostileIDs = []string{
	".", "..", "0", "-1", "null", "undefined", "%20", "%00", "%0a", "%7B%7D", "..%2f", "%2e%2e%2fme", "%2F", "*", "'",
	"%22", "%27%20OR%201=1--", "%F0%9F%98%80", "%ff", "01h455vb4pex5vsknk084sn02q", "_01h455vb4pex5vsknk084sn02q",
	"PFX_01h455vb4pex5vsknk084sn02q", "PFX_01H455VB4PEX5VSKNK084SN02Q",
	"PFX-01h455vb4pex5vsknk084sn02q", "PFX_81h455vb4pex5vsknk084sn02q",
	"PFX_01h455vb4pex5vsknk084sn02", "PFX_01h455vb4pex5vsknk084sn02qq",
	"PFX_01h455vb4pex5vsknk084sn02u", "PFX_01h455vb4pex5vsknk084sn02l",
	"PFX_01h455vb4pex5vsknk084sn02o", "PFX_01h455vb4pex5vsknk084sn02%20",
	"PFX_01h455vb4pex5vsknk084sn02q%00", "%20PFX_01h455vb4pex5vsknk084sn02q", "PFX__01h455vb4pex5vsknk084sn02",
	"PFX_%E2%85%A81h455vb4pex5vsknk084sn0", "cus_01h455vb4pex5vsknk084sn02q", "str_01h455vb4pex5vsknk084sn02q",
	"PFX_00000000000000000000000000", "PFX_7zzzzzzzzzzzzzzzzzzzzzzzzz",
	"PFX_01890a5d-ac96-774b-bcce-b302099a80", "PFX_%2530" + "1h455vb4pex5vsknk084sn02q",
}

// TestHostileIDs: malformed, unknown and other stores' ids give the same 404.
func TestHostileIDs(t *testing.T) {
	c := newCast(t)
	for _, e := range []struct{ method, before, prefix, other, after, body string }{
		{method: "GET", before: "/orders/", prefix: "ord", other: "prod"},
		{method: "POST", before: "/orders/", prefix: "ord", other: "prod", after: "/notes", body: `{"body":"x"}`},
		{method: "GET", before: "/products/", prefix: "prod", other: "ord"},
		{method: "PATCH", before: "/orders/", prefix: "ord", other: "prod", body: `{}`},
		{method: "PATCH", before: "/orders/" + orderID + "/fulfillments/", prefix: "ful", other: "ord", body: `{}`},
		{method: "GET", before: "/returns/", prefix: "ret", other: "ord"},
		{method: "POST", before: "/returns/", prefix: "ret", other: "ord", after: "/approve", body: `{}`},
		{method: "PATCH", before: "/products/", prefix: "prod", other: "ord", body: `{}`},
		{method: "POST", before: "/products/", prefix: "prod", other: "ord", after: "/publish", body: `{}`},
		{method: "GET", before: "/customers/", prefix: "cus", other: "ord"},
		{method: "PATCH", before: "/customers/", prefix: "cus", other: "ord", body: `{}`},
		{method: "PATCH", before: "/discounts/", prefix: "dis", other: "ord", body: `{}`},
		{method: "DELETE", before: "/discounts/", prefix: "dis", other: "ord"},
		{method: "PATCH", before: "/custom-fields/", prefix: "cfd", other: "ord", body: `{}`},
		{method: "DELETE", before: "/custom-fields/", prefix: "cfd", other: "ord"},
		{method: "GET", before: "/events/", prefix: "evt", other: "ord"},
		{method: "GET", before: "/exports/", prefix: "exp", other: "ord"},
		{method: "DELETE", before: "/webhooks/", prefix: "whk", other: "prod"},
		{method: "GET", before: "/themes/", prefix: "thm", other: "mkt"},
		{method: "GET", before: "/themes/", prefix: "thm", other: "ast", after: "/assets"},
		{method: "POST", before: "/themes/", prefix: "thm", other: "mkt", after: "/activate"},
	} {
		var detail string
		for _, id := range append(hostileIDs, e.other+"_01h455vb4pex5vsknk084sn02q", strings.Repeat("9", 5000)) {
			path := e.before + strings.ReplaceAll(id, "PFX", e.prefix) + e.after
			if strings.Contains(id, "H455") {
				path = e.before + strings.ToUpper(e.prefix) + id[3:] + e.after
			}
			a := c.do(t, request{As: c.as["all"], Method: e.method, Path: path, Body: c.shop.at(t, e.body)}).
				want(http.StatusNotFound, "not_found")
			if p := a.problem(); detail == "" {
				detail = p.Detail
			} else if p.Detail != detail || len(p.Errors) > 0 {
				t.Errorf("%s: the answer gives it away: %s", path, a.Body)
			}
		}
	}
}

// TestIDsMayBeEscaped: an escaped character equals the character.
func TestIDsMayBeEscaped(t *testing.T) {
	c := newCast(t)
	id := strings.Replace(productID, "prod_", "%70r%6Fd%5f", 1)
	c.do(t, request{As: c.as["all"], Path: "/products/" + id, Free: true}).want(http.StatusOK, "")
}

// A key says whether its store is a test store.
func TestKeysOfATestStore(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		trial := newShop(t, m.store, shopRow{Test: true})
		for key, test := range map[string]bool{trial.all: true, m.all: false} {
			var me struct{ Store struct{ Test bool } }
			s.do(t, request{As: key, Path: "/me"}).want(http.StatusOK, "").decode(&me)
			if me.Store.Test != test {
				t.Errorf("a key says test: %t of a store where it is %t", me.Store.Test, test)
			}
		}
	})
}
