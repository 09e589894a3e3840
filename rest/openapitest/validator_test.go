package openapitest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
)

func document(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	request = "req_01jgn7p8v2h4xd6s0z3b5e7gjk"
	product = `{"id":"prod_01jgn7hq3zd5va9k4m8p2r6t0w","title":"Mug","handle":"mug","description":null,` +
		`"status":"draft","price_minor":1450,"compare_at_price_minor":null,"currency":"EUR","sku":null,"vendor":null,` +
		`"product_type":null,"tags":[],"inventory_quantity":null,"image_url":null,"published_at":null,"version":1,` +
		`"created_at":"2026-03-01T09:30:00.000000Z","updated_at":"2026-03-01T09:30:00.000000Z","options":[],` +
		`"variants":[{"id":"var_01jgn7hq3zd5va9k4m8p2r6t0w","title":"Mug","sku":null,"price_minor":1450,` +
		`"compare_at_price_minor":null,"inventory_quantity":null,"weight_grams":null,"options":[],"position":1,` +
		`"image":null,"tax_category":null,"barcode":null,` +
		`"prices":[{"from":null,"price_minor":1450,"compare_at_price_minor":null,"lowest_price_minor":null}]}],"images":[],"requires_shipping":true,"tax_category":"standard","description_format":"text","barcode":null,"maker":null,"videos":[]}`
)

// exchange is one recorded exchange in short.
type exchange struct {
	method, target, sent string
	status               int
	header               map[string]string
	body                 string
}

func read(body string) exchange {
	return exchange{method: "GET", target: "/api/public/v1/products/prod_01jgn7hq3zd5va9k4m8p2r6t0w", status: 200,
		header: map[string]string{
			"Content-Type": "application/json", "X-Request-Id": request, "ETag": `W/"x"`,
			"Cache-Control": "private, no-cache",
		}, body: body}
}

func created(sent string) exchange {
	return exchange{method: "POST", target: "/api/public/v1/products", sent: sent, status: 201,
		header: map[string]string{
			"Content-Type": "application/json", "X-Request-Id": request,
			"Location": "/api/public/v1/products/prod_01jgn7hq3zd5va9k4m8p2r6t0w",
		}, body: product}
}

func refused(status int, code string) exchange {
	e := read(problem(status, code))
	e.status = status
	e.header["Content-Type"], e.header["Cache-Control"] = problemType, "no-store"
	return e
}

func problem(status int, code string) string {
	return fmt.Sprintf(`{"type":"https://api.example.com/docs/problems#x","title":"T","status":%d,"code":%q,`+
		`"detail":"D","request_id":%q,"errors":[]}`,
		status, code, request)
}

func (e exchange) with(change func(*exchange)) exchange {
	e.header = maps.Clone(e.header)
	change(&e)
	return e
}

func (e exchange) err(v *Validator) error {
	req := httptest.NewRequest(e.method, e.target, nil)
	if e.method == http.MethodPost {
		req.Header.Set("Idempotency-Key", "k")
		req.Header.Set("Content-Type", "application/json")
	}
	res := &http.Response{StatusCode: e.status, Header: http.Header{}}
	for k, value := range e.header {
		res.Header.Set(k, value)
	}
	return v.Err(req, []byte(e.sent), res, []byte(e.body))
}

func TestExchanges(t *testing.T) {
	v := New(t, document(t))
	draft := `{"title":"Mug","price_minor":1450,"currency":"EUR","sku":null}`
	for _, tc := range []struct {
		name string
		e    exchange
		want string // part of the error; "" is a good exchange
	}{
		{"read", read(product), ""},
		{"created", created(draft), ""},
		{"replayed", created(draft).with(func(e *exchange) { e.header["Idempotent-Replayed"] = "true" }), ""},
		{"v0", read(product).with(func(e *exchange) {
			e.target = strings.Replace(e.target, "v1", "v0", 1)
			e.header["Deprecation"], e.header["Sunset"] = "@1775001600", "Tue, 30 Jun 2026 23:59:59 GMT"
			e.header["Link"] = `</api/public/v1/me>; rel="successor-version"`
		}), ""},
		{"not modified", read("").with(func(e *exchange) { e.status = 304; delete(e.header, "Content-Type") }), ""},
		{"head", read("").with(func(e *exchange) { e.method = "HEAD" }), ""},
		{"refused", refused(404, "not_found"), ""},
		{"refused for its parameter", refused(400, "invalid_parameter").with(func(e *exchange) { e.target += "?x=1" }),
			""},
		{"preflight", exchange{method: "OPTIONS", target: "/api/public/v1/products", status: 204}, ""},
		{"unknown path", refused(404, "not_found").with(func(e *exchange) { e.target = "/api/public/v1/nothing" }), ""},
		{"outside", exchange{method: "GET", target: "/healthz", status: 200, body: "ok"}, ""},

		{"undocumented status", read(product).with(func(e *exchange) { e.status = 202 }),
			"does not document this status"},
		{"undocumented operation", read(product).with(func(e *exchange) { e.method = "DELETE" }), "no such operation"},
		{"unknown member", read(strings.Replace(product, `"sku"`, `"cost_minor":1,"sku"`, 1)), "cost_minor"},
		{"missing member", read(strings.Replace(product, `"sku":null,`, "", 1)), "sku"},
		{"null array", read(strings.Replace(product, `"tags":[]`, `"tags":null`, 1)), "/tags"},
		{"foreign id", read(strings.Replace(product, "prod_", "ord_", 1)), "/id"},
		{"seconds", read(strings.Replace(product, "09:30:00.000000Z", "09:30:00Z", 1)), "/created_at"},
		{"unknown status value", read(strings.Replace(product, "draft", "DRAFT", 1)), "/status"},
		{"too much money", read(strings.Replace(product, "1450", "9007199254740992", 1)), "/price_minor"},
		{"text for money", read(strings.Replace(product, "1450", `"1450"`, 1)), "/price_minor"},
		{"not json", read("<html>"), "body"},
		{"media type", read(product).with(func(e *exchange) { e.header["Content-Type"] = "text/plain" }),
			"content type"},
		{"no request id", read(product).with(func(e *exchange) { delete(e.header, "X-Request-Id") }),
			"X-Request-Id is missing"},
		{"no etag", read(product).with(func(e *exchange) { delete(e.header, "ETag") }), "ETag is missing"},
		{"strong etag", read(product).with(func(e *exchange) { e.header["ETag"] = `"x"` }), "ETag"},
		{"etag missing on 304", read("").with(func(e *exchange) { e.status = 304; delete(e.header, "ETag") }),
			"ETag is missing"},
		{"body on 304", read(product).with(func(e *exchange) { e.status = 304 }), "want none"},
		{"body on head", read(product).with(func(e *exchange) { e.method = "HEAD" }), "want none"},
		{"no location", created(draft).with(func(e *exchange) { delete(e.header, "Location") }), "Location is missing"},
		{"kept error", refused(404, "not_found").with(func(e *exchange) {
			e.header["Cache-Control"] = "private, no-cache"
		}), "no-store"},
		{"code of another response", refused(404, "conflict"), `code "conflict"`},
		{"status differs from the problem's", refused(404, "not_found").with(func(e *exchange) {
			e.body = problem(400, "not_found")
		}), "says status 400"},
		{"no challenge", refused(401, "invalid_token"), "WWW-Authenticate is missing"},
		{"no wait", refused(429, "rate_limited"), "Retry-After is missing"},
		{"wait in words", refused(429, "rate_limited").with(func(e *exchange) { e.header["Retry-After"] = "soon" }),
			"Retry-After"},
		{"405 without Allow", refused(405, "method_not_allowed").with(func(e *exchange) { e.method = "DELETE" }),
			"Allow"},
		{"unknown path as text", refused(404, "not_found").with(func(e *exchange) {
			e.target, e.header["Content-Type"] = "/api/public/v1/nothing", "text/plain"
		}), "content type"},
		{"accepted an unknown member", created(`{"title":"Mug","price_minor":1,"currency":"EUR","titel":1}`),
			"accepted a request"},
		{"accepted a blank title", created(`{"title":" ","price_minor":1,"currency":"EUR"}`), "accepted a request"},
		{"accepted half a cent", created(`{"title":"Mug","price_minor":1.5,"currency":"EUR"}`), "accepted a request"},
		{"accepted no body", created(""), "accepted a request"},
		{"accepted an unknown parameter", read(product).with(func(e *exchange) { e.target += "?fields=id" }),
			`"fields"`},
		{"accepted a malformed id", read(product).with(func(e *exchange) { e.target = "/api/public/v1/products/1" }),
			"accepted a request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.e.err(v)
			if tc.want == "" && err != nil {
				t.Fatalf("got %v, want no error", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// recorder is a TB that remembers whether it was failed.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestRoundTripper(t *testing.T) {
	v := New(t, document(t))
	body := product
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		for k, value := range created("").header {
			w.Header().Set(k, value)
		}
		if r.Header.Get("Accept-Encoding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusCreated)
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, body)
			_ = z.Close()
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	for _, tc := range []struct {
		name, answer, encoding string
		failures               int
	}{
		{name: "good", answer: product},
		{name: "good and compressed", answer: product, encoding: "gzip"},
		{name: "bad", answer: "{}", failures: 1},
		{name: "bad and compressed", answer: "{}", encoding: "gzip", failures: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body = tc.answer
			rec := &recorder{TB: t}
			client := &http.Client{Transport: v.RoundTripper(rec, server.Client().Transport)}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/public/v1/products",
				bytes.NewReader([]byte(`{"title":"Mug","price_minor":1,"currency":"EUR"}`)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Idempotency-Key", "k")
			if tc.encoding != "" {
				req.Header.Set("Accept-Encoding", tc.encoding)
			}
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if tc.encoding == "" && string(got) != tc.answer {
				t.Errorf("the client reads %q, want %q", got, tc.answer)
			}
			if len(rec.failures) != tc.failures {
				t.Errorf("failures %q, want %d", rec.failures, tc.failures)
			}
		})
	}
}

func TestOperations(t *testing.T) {
	v := New(t, document(t))
	got := map[string]string{}
	for _, op := range v.Operations() {
		got[op.Method+" "+op.Path] = op.ID + " " + op.Scope
	}
	want := map[string]string{
		"GET /me":                    "getMe products.read",
		"GET /orders":                "listOrders orders.read",
		"GET /orders/{id}":           "getOrder orders.read",
		"POST /orders/{id}/notes":    "createOrderNote orders.write",
		"GET /products":              "listProducts products.read",
		"GET /products/{id}":         "getProduct products.read",
		"POST /products":             "createProduct products.write",
		"GET /customers":             "listCustomers customers.read",
		"GET /exports":               "listExports exports.read",
		"POST /exports":              "createExport exports.write",
		"GET /exports/{id}":          "getExport exports.read",
		"GET /imports":               "listImports imports.read",
		"POST /imports":              "createImport imports.write",
		"GET /imports/{id}":          "getImport imports.read",
		"GET /imports/{id}/errors":   "listImportErrors imports.read",
		"GET /webhooks":              "listWebhooks webhooks.read",
		"POST /webhooks":             "createWebhook webhooks.write",
		"DELETE /webhooks/{id}":      "deleteWebhook webhooks.write",
		"GET /themes":                "listThemes themes.read",
		"GET /themes/{id}":           "getTheme themes.read",
		"GET /themes/{id}/assets":    "listThemeAssets themes.read",
		"POST /themes/{id}/activate": "activateTheme themes.write",
		"GET /marketplace/themes":    "listMarketplaceThemes themes.read",

		"POST /orders/{id}/cancel":                         "cancelOrder sales.write",
		"POST /orders/{id}/payments":                       "createPayment sales.write",
		"GET /orders/{id}/fulfillments":                    "getFulfillments orders.read",
		"POST /orders/{id}/fulfillments":                   "createFulfillment fulfillments.write",
		"POST /orders/{id}/refunds":                        "createRefund refunds.write",
		"POST /orders":                                     "createOrder sales.write",
		"PATCH /orders/{id}":                               "updateOrder sales.write",
		"PATCH /orders/{id}/fulfillments/{fulfillment_id}": "updateFulfillment fulfillments.write",

		"PATCH /products/{id}":                            "updateProduct products.write",
		"PATCH /products/{id}/variants/{variant_id}":      "updateVariant products.write",
		"POST /products/{id}/publish":                     "publishProduct products.write",
		"POST /products/{id}/unpublish":                   "unpublishProduct products.write",
		"POST /products/{id}/archive":                     "archiveProduct products.write",
		"PUT /products/by-reference/{external_reference}": "upsertProduct products.write",
		"GET /inventory":                                  "listInventory inventory.read",
		"POST /inventory/adjustments":                     "adjustInventory inventory.write",
		"GET /customers/{id}":                             "getCustomer customers.read",
		"POST /customers":                                 "createCustomer customers.write",
		"PATCH /customers/{id}":                           "updateCustomer customers.write",
		"POST /orders/{id}/returns":                       "createReturn sales.write",
		"GET /returns":                                    "listReturns orders.read",
		"GET /returns/{id}":                               "getReturn orders.read",
		"POST /returns/{id}/approve":                      "approveReturn sales.write",
		"POST /returns/{id}/decline":                      "declineReturn sales.write",
		"POST /returns/{id}/receive":                      "receiveReturn sales.write",
		"POST /returns/{id}/refund":                       "refundReturn refunds.write",
		"POST /returns/{id}/exchange":                     "exchangeReturn sales.write",
		"GET /discounts":                                  "listDiscounts discounts.read",
		"POST /discounts":                                 "createDiscount discounts.write",
		"PATCH /discounts/{id}":                           "updateDiscount discounts.write",
		"DELETE /discounts/{id}":                          "deleteDiscount discounts.write",
		"POST /inventory/transfers":                       "transferInventory inventory.write",
		"GET /locations":                                  "listLocations locations.read",
		"POST /locations":                                 "createLocation locations.write",
		"POST /locations/{id}/close":                      "closeLocation locations.write",
		"PUT /location-order":                             "reorderLocations locations.write",
		"PATCH /locations/{id}":                           "updateLocation locations.write",
		"GET /custom-fields":                              "listCustomFields custom_fields.read",
		"POST /custom-fields":                             "createCustomField custom_fields.write",
		"PATCH /custom-fields/{id}":                       "updateCustomField custom_fields.write",
		"DELETE /custom-fields/{id}":                      "deleteCustomField custom_fields.write",
		"GET /events":                                     "listEvents webhooks.read",
		"GET /events/{id}":                                "getEvent webhooks.read",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// The document's scopes are those of the catalog, word for word.
func TestScopes(t *testing.T) {
	v := New(t, document(t))
	want := map[string]string{}
	for _, s := range scope.All() {
		want[s.Name] = s.Sentence
	}
	got := v.doc.Components.SecuritySchemes["oauth2"].Value.Flows.AuthorizationCode.Scopes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scopes (-catalogue +document):\n%s", diff)
	}
	names := []string{}
	for _, e := range v.doc.Components.Schemas["Scope"].Value.Enum {
		names = append(names, fmt.Sprint(e))
	}
	if !slices.Equal(names, scope.Names()) {
		t.Errorf("schema Scope lists %v, want %v", names, scope.Names())
	}
}

// requestSchemas returns the names of the schemas that requests have, with those inside them.
func (v *Validator) requestSchemas() map[string]bool {
	names := map[string]bool{}
	var add func(ref *openapi3.SchemaRef)
	add = func(ref *openapi3.SchemaRef) {
		if ref == nil || names[path.Base(ref.Ref)] {
			return
		}
		if ref.Ref != "" {
			names[path.Base(ref.Ref)] = true
		}
		add(ref.Value.Items)
		for _, inner := range slices.Concat(ref.Value.AllOf, ref.Value.AnyOf, ref.Value.OneOf) {
			add(inner)
		}
		for _, inner := range ref.Value.Properties {
			add(inner)
		}
	}
	for _, at := range v.doc.Paths.Map() {
		for _, operation := range at.Operations() {
			if operation.RequestBody != nil {
				for _, media := range operation.RequestBody.Value.Content {
					add(media.Schema)
				}
			}
		}
	}
	return names
}

// Every member of an answer is always present, but for the custom fields of a record without any.
func TestEveryPropertyIsRequired(t *testing.T) {
	v := New(t, document(t))
	requests := v.requestSchemas()
	for name, ref := range v.doc.Components.Schemas {
		if requests[name] || name == "FieldError" || name == "WebhookFilter" {
			continue // one of several members says where, or what is asked for
		}
		properties := slices.Sorted(maps.Keys(ref.Value.Properties))
		if name == "Problem" { // an extension of one code alone (RFC 9457, section 3.2)
			properties = slices.DeleteFunc(properties, func(p string) bool { return p == "limit" })
		}
		required := slices.Sorted(slices.Values(ref.Value.Required))
		for _, optional := range []string{"custom_fields", "allocations"} { // absent where a store has none
			if ref.Value.Properties[optional] != nil && !slices.Contains(required, optional) {
				required = slices.Sorted(slices.Values(append(required, optional)))
			}
		}
		if diff := cmp.Diff(properties, required); diff != "" {
			t.Errorf("%s (-properties +required):\n%s", name, diff)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	good := string(document(t))
	for _, tc := range []struct{ name, doc string }{
		{"not yaml", "\t{"},
		{"no paths", "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"},
		{"a dangling reference", strings.Replace(good,
			"#/components/schemas/Amount'", "#/components/schemas/Money'", 1)},
		{"a wrong example", strings.Replace(good, "status: draft\n", "status: sold\n", 1)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := load([]byte(tc.doc)); err == nil {
				t.Error("want an error")
			}
		})
	}
}
