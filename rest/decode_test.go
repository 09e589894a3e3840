package rest_test

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest"
)

// TestWritesRefuseWhatTheyCannotRead walks the routes: every write refuses a member of a wrong type
// and an unknown member in an otherwise valid body. A resolver that ignores decoding errors would
// accept the rest.
func TestWritesRefuseWhatTheyCannotRead(t *testing.T) {
	c := newCast(t)
	at := strings.NewReplacer("orders/{id}/notes", "orders/"+orderID+"/notes", "webhooks/{id}", "webhooks/"+webhookID,
		"themes/{id}", "themes/"+themeID)
	for _, route := range rest.Routes() {
		if route.Method == http.MethodGet {
			continue
		}
		t.Run(route.Method+route.Path, func(t *testing.T) {
			for _, body := range exampleBodies(t, route) {
				path := aRow(t, c.shop, at.Replace(route.Path), body)
				if body["handle"] != nil {
					body["handle"] = strings.ToLower(rand.Text())
				}
				if body["webhook_id"] != nil {
					body["webhook_id"] = webhookID
				}
				if body["source"] != nil {
					body["source"] = importID
				}
				send := func() *answer {
					b, err := json.Marshal(body)
					if err != nil {
						t.Fatal(err)
					}
					r := request{As: c.as["all"], Method: route.Method, Path: path, Body: string(b)}
					r.Header = map[string]string{"Content-Type": "application/json"}
					return c.do(t, r)
				}
				eachFlaw(body, "#", func(place string) {
					a := send().want(http.StatusUnprocessableEntity, "validation_failed")
					if got := a.problem().places(); !slices.Contains(got, place) {
						t.Errorf("got %v, want %s", got, place)
					}
				})
				eachRefused(body, func() {
					alone := send()
					if alone.Status != http.StatusUnprocessableEntity {
						return
					}
					body["colour"] = "red"
					want := append(alone.problem().places(), "#/colour unknown_member")
					got := send().want(http.StatusUnprocessableEntity, "validation_failed").problem().places()
					delete(body, "colour")
					slices.Sort(want)
					if slices.Sort(got); cmp.Diff(want, got) != "" {
						t.Errorf("faults of the form and of the members: got %v, want %v", got, want)
					}
				})
				if place := elsewhere.Replace(route.Path); place != route.Path {
					good := path
					path, body["colour"] = place, "red"
					send().want(http.StatusUnprocessableEntity, "validation_failed")
					delete(body, "colour")
					send().want(http.StatusNotFound, "not_found")
					path = good
				}
				if a := send(); a.Status >= 300 {
					t.Errorf("without a flaw: %d %s", a.Status, a.Body)
				}
			}
		})
	}
}

// elsewhere replaces ids in paths by ids of rows that do not exist.
var elsewhere = strings.NewReplacer("products/{id}", "products/"+xid.Product.Format(xid.New()),
	"orders/{id}", "orders/"+xid.Order.Format(xid.New()), "customers/{id}", "customers/"+xid.Customer.Format(xid.New()),
	"discounts/{id}", "discounts/"+xid.Discount.Format(xid.New()),
	"locations/{id}", "locations/"+xid.Location.Format(xid.New()),
	"custom-fields/{id}", "custom-fields/"+xid.CustomField.Format(xid.New()),
	"returns/{id}", "returns/"+xid.Return.Format(xid.New()),
	"{fulfillment_id}", xid.Fulfillment.Format(xid.New()))

// eachRefused calls f while one member has a value of its type that an operation may refuse.
func eachRefused(body map[string]any, f func()) {
	for name, good := range maps.Clone(body) {
		switch good.(type) {
		case string:
			body[name] = "\x01"
		case int, float64:
			body[name] = -5
		default:
			continue
		}
		f()
		body[name] = good
	}
}

// eachFlaw calls f while one member of the object, or of a nested one, is wrong: text for a flag,
// and true for any other member.
func eachFlaw(object map[string]any, at string, f func(place string)) {
	for name, good := range maps.Clone(object) {
		object[name] = true
		if _, flag := good.(bool); flag {
			object[name] = "true"
		}
		f(at + "/" + name + " invalid_type")
		if _, ok := good.([]any); ok {
			object[name] = []any{true}
			f(at + "/" + name + "/0 invalid_type")
		}
		object[name] = good
		if inner, ok := good.(map[string]any); ok {
			eachFlaw(inner, at+"/"+name, f)
		}
	}
	object["colour"] = "red"
	f(at + "/colour unknown_member")
	delete(object, "colour")
}

// aRow returns the path of a change of a new row, and puts its version and what the body refers to
// into the body.
func aRow(t *testing.T, m *shop, path string, body map[string]any) string {
	t.Helper()
	version, lines := 1, []any(nil)
	if body["custom_fields"] != nil {
		m.defineFields(t)
	}
	if body["location"] != nil {
		body["location"] = m.at(t, homeID)
	}
	if body["owner"] != nil {
		body["name"] = strings.ToLower("a." + rand.Text())
	}
	switch {
	case path == "/inventory/adjustments":
		lines = []any{map[string]any{"variant_id": xid.Variant.Format(m.product(t).ID), "delta": 12}}
	case path == "/inventory/transfers":
		lines = []any{map[string]any{"variant_id": xid.Variant.Format(m.product(t).ID), "quantity": 1}}
		body["from"], body["to"] = m.at(t, homeID), m.at(t, anyLocation)
	case path == "/location-order":
		body["ids"] = strings.Split(m.at(t, openPlaces), `","`)
	case path == "/orders":
		lines = []any{map[string]any{"product_id": productID, "quantity": 2, "unit_price_minor": 1450}}
		if body["pricing"] != nil {
			lines = []any{map[string]any{"product_id": productID, "quantity": 2}}
		}
	case strings.HasSuffix(path, "{fulfillment_id}"):
		path, version = "/orders/"+anyShipment, 3
	case strings.HasSuffix(path, "{variant_id}"):
		path = "/products/" + anyVariant
	case strings.HasPrefix(path, "/orders/{id}"):
		id, line := m.order(t)
		path, version = strings.Replace(path, "{id}", id, 1), 2
		lines = []any{map[string]any{"line_item_id": line, "quantity": 1}}
	case path == "/returns/{id}/approve", path == "/returns/{id}/decline":
		path = strings.Replace(path, "{id}", anyReturn, 1)
	case strings.HasPrefix(path, "/returns/{id}"):
		path, version = strings.Replace(path, "{id}", anyApproved, 1), 2
		lines = []any{map[string]any{"title": "Cup", "quantity": 1, "unit_price_minor": 100}}
	case strings.HasSuffix(path, "/unpublish"):
		path, version = strings.Replace(path, "{id}", anyActive, 1), 2
	}
	for name, value := range map[string]any{"expected_version": version, "lines": lines, "customer_id": customerID,
		"email": rand.Text() + "@example.com", "code": rand.Text()} {
		if body[name] != nil {
			body[name] = value
		}
	}
	return m.at(t, strings.NewReplacer("products/{id}", "products/"+anyDraft,
		"customers/{id}", "customers/"+anyCustomer, "discounts/{id}", "discounts/"+anyDiscount,
		"locations/{id}", "locations/"+anyLocation, "custom-fields/{id}", "custom-fields/"+anyField,
		"{external_reference}", rand.Text()).Replace(path))
}

type example struct{ Value map[string]any }

// documentedBodies is the document's description of bodies, by path and method.
type documentedBodies struct {
	Paths      map[string]struct{ Post, Put, Patch, Delete documentedBody }
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

type documentedBody struct {
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `yaml:"$ref"`
			}
			Examples map[string]example
		}
	} `yaml:"requestBody"`
}

// exampleBodies returns the largest example of a row's body, and examples with members that cannot
// be combined with it. Together they have all members.
func exampleBodies(t *testing.T, row rest.Route) (bodies []map[string]any) {
	t.Helper()
	if row.Method == http.MethodDelete {
		return []map[string]any{{}}
	}
	var doc documentedBodies
	if err := yaml.Unmarshal(rest.Document, &doc); err != nil {
		t.Fatal(err)
	}
	path := doc.Paths[row.Path]
	content := map[string]documentedBody{http.MethodPost: path.Post, http.MethodPut: path.Put,
		http.MethodPatch: path.Patch}[row.Method].RequestBody.Content["application/json"]
	names := slices.Sorted(maps.Keys(content.Examples))
	slices.SortStableFunc(names, func(a, b string) int {
		return len(content.Examples[b].Value) - len(content.Examples[a].Value)
	})
	shown := map[string]any{}
	for _, name := range names {
		body, before := content.Examples[name].Value, len(shown)
		if maps.Copy(shown, body); len(shown) > before {
			bodies = append(bodies, body)
		}
	}
	schema := doc.Components.Schemas[strings.TrimPrefix(content.Schema.Ref, "#/components/schemas/")]
	if diff := cmp.Diff(slices.Sorted(maps.Keys(schema.Properties)), slices.Sorted(maps.Keys(shown))); diff != "" {
		t.Errorf("the examples do not have every member:\n%s", diff)
	}
	return bodies
}
