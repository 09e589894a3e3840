package rest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/rest"
)

// TestWritesRefuseWhatTheyCannotRead walks the routes: every write refuses a member of a wrong type
// and an unknown member in an otherwise valid body. A resolver that ignores decoding errors would
// accept the rest.
func TestWritesRefuseWhatTheyCannotRead(t *testing.T) {
	c := newCast(t)
	at := strings.NewReplacer("orders/{id}", "orders/"+orderID, "webhooks/{id}", "webhooks/"+webhookID,
		"themes/{id}", "themes/"+themeID)
	for _, route := range rest.Routes() {
		if route.Method == http.MethodGet {
			continue
		}
		t.Run(route.Method+route.Path, func(t *testing.T) {
			for _, body := range exampleBodies(t, route) {
				path := at.Replace(route.Path)
				if slices.ContainsFunc(additions, func(a row) bool { return a.Path == route.Path }) {
					path = anOrder(t, c.shop, route.Path, body)
				}
				if body["handle"] != nil {
					body["handle"] = "untaken"
				}
				if body["webhook_id"] != nil {
					body["webhook_id"] = webhookID
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
				if a := send(); a.Status >= 300 {
					t.Errorf("without a flaw: %d %s", a.Status, a.Body)
				}
			}
		})
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

// anOrder returns the path of a change of a new order, and puts its line and version into the body.
func anOrder(t *testing.T, m *shop, path string, body map[string]any) string {
	t.Helper()
	id, line := m.order(t)
	if body["lines"] != nil {
		body["lines"] = []any{map[string]any{"line_item_id": line, "quantity": 1}}
	}
	if body["expected_version"] != nil {
		body["expected_version"] = 2
	}
	return strings.Replace(path, "{id}", id, 1)
}

type example struct{ Value map[string]any }

// documentedBodies is the document's description of POST bodies.
type documentedBodies struct {
	Paths map[string]struct {
		Post struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `yaml:"$ref"`
					}
					Examples map[string]example
				}
			} `yaml:"requestBody"`
		}
	}
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

// exampleBodies returns the largest example of a row's body, and examples with members that cannot
// be combined with it. Together they have all members.
func exampleBodies(t *testing.T, row rest.Route) (bodies []map[string]any) {
	t.Helper()
	if row.Method != http.MethodPost {
		return []map[string]any{{}}
	}
	var doc documentedBodies
	if err := yaml.Unmarshal(rest.Document, &doc); err != nil {
		t.Fatal(err)
	}
	content := doc.Paths[row.Path].Post.RequestBody.Content["application/json"]
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
