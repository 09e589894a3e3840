package transport

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
)

var roles = []viewer.Role{viewer.Owner, viewer.Admin, viewer.Developer, viewer.Support}

// Every root field has a gate, and every credential can use exactly the fields that its gates
// admit: one key for each scope, one person for each role.
func TestGateOfEveryRootField(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	schema := graph.Schema()
	tokens := map[string]string{}
	for _, s := range scope.Names() {
		tokens[s] = keyFor(f, s)
	}
	for _, r := range roles {
		tokens[string(r)] = staffToken(f, r)
	}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			t.Run(field.Name, func(t *testing.T) {
				if field.Name == "storeLeave" { // allowed in this case
					defer func() {
						for _, r := range roles {
							tokens[string(r)] = staffToken(f, r)
						}
					}()
				}
				for holder, token := range tokens {
					a := f.Query(token, operationOf(root, field), nil)
					code := code(a)
					refused := (code == "forbidden" || code == "insufficient_scope") && len(a.Errors[0].Path) == 1
					if want := !reaches(t, holder, field); refused != want {
						t.Errorf("%s: refused %v, want %v: %s", holder, refused, want, a.Body)
					}
					if code == codeInvalid || code == codeSyntax {
						t.Fatalf("invalid test document: %s", a.Body)
					}
				}
			})
		}
	}
}

// reaches evaluates the gates of a field; with two gates both must admit the holder.
func reaches(t *testing.T, holder string, field *ast.FieldDefinition) bool {
	t.Helper()
	role := viewer.Role(holder)
	scoped, d := field.Directives.ForName("scope"), field.Directives.ForName("dashboard")
	if scoped == nil && d == nil {
		t.Fatal("no gate")
	}
	if scoped != nil {
		held := scope.Of(holder)
		if slices.Contains(roles, role) {
			held = role.Scopes()
		}
		if !held.Effective().Has(scoped.Arguments.ForName("name").Value.Raw) && !admits(scoped, holder) {
			return false
		}
	}
	return d == nil || admits(d, holder)
}

// admits reports whether a directive names the role of a holder.
func admits(d *ast.Directive, holder string) bool {
	var allowed []string
	if d.Name == "dashboard" {
		allowed = []string{"OWNER", "ADMIN"}
	}
	if given := d.Arguments.ForName("roles"); given != nil {
		allowed = nil
		for _, v := range given.Value.Children {
			allowed = append(allowed, v.Value.Raw)
		}
	}
	return slices.Contains(allowed, strings.ToUpper(holder))
}

// operationOf returns a call of a field with well-formed arguments without effect: unknown ids,
// blank names.
func operationOf(root *ast.Definition, field *ast.FieldDefinition) string {
	var args []string
	for _, a := range field.Arguments {
		if a.Type.NonNull && a.DefaultValue == nil {
			args = append(args, a.Name+": "+literal(graph.Schema(), a.Type))
		}
	}
	call := field.Name
	if len(args) > 0 {
		call += "(" + strings.Join(args, ", ") + ")"
	}
	operation := "query"
	if root.Name == "Mutation" {
		operation = "mutation"
	}
	if !graph.Schema().Types[field.Type.Name()].IsLeafType() {
		call += " { __typename }"
	}
	return fmt.Sprintf("%s { %s }", operation, call)
}

func literal(schema *ast.Schema, t *ast.Type) string {
	if t.Elem != nil {
		return "[]"
	}
	d := schema.Types[t.NamedType]
	switch {
	case d.Kind == ast.Enum:
		return d.EnumValues[len(d.EnumValues)-1].Name
	case d.Kind == ast.InputObject:
		var members []string
		for _, f := range d.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				members = append(members, f.Name+": "+literal(schema, f.Type))
			}
		}
		return "{" + strings.Join(members, ", ") + "}"
	case d.Name == "Long" || d.Name == "Money" || d.Name == "Int":
		return "0" // no version is 0, so nothing changes
	case d.Name == "Boolean":
		return "false"
	case d.Name == "Time":
		return `"2026-01-31T12:00:00Z"`
	}
	return `""`
}

// A nested gate refuses only its field.
func TestNestedGates(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	schema := graph.Schema()
	for _, def := range schema.Types {
		for _, field := range def.Fields {
			d := field.Directives.ForName("scope")
			if d == nil && field.Directives.ForName("dashboard") == nil || def == schema.Query ||
				def == schema.Mutation {
				continue
			}
			if field.Type.NonNull && d != nil {
				t.Errorf("%s.%s: a missing scope would null the whole object", def.Name, field.Name)
			}
		}
	}
	a := f.Query(keyFor(f, scope.OrdersRead), `{ orders { nodes { id } } products { nodes { id } } }`, nil)
	if code(a) != "insufficient_scope" || a.Errors[0].Extensions["scope"] != scope.ProductsRead {
		t.Errorf("%s", a.Body)
	}
}

func TestOperatorPasses(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	for _, tc := range []struct {
		name string
		want string
		v    *viewer.Viewer
	}{
		{"operator", "", viewer.From(f.Ctx)},
		{"key", "forbidden", &viewer.Viewer{Kind: viewer.APIKey, Scopes: scope.Full()}},
		{"key with a role", "forbidden", &viewer.Viewer{Kind: viewer.APIKey, Role: viewer.Owner}},
		{"app", "forbidden", &viewer.Viewer{Kind: viewer.OAuthApp, Scopes: scope.Full()}},
		{"nobody", "authentication_required", nil},
	} {
		c := t.Context()
		if tc.v != nil {
			c = viewer.With(c, tc.v)
		}
		_, err := graph.RequireRole(c, nil, func(context.Context) (any, error) { return nil, nil }, roles, false)
		if graphtest.FaultOf(err) != tc.want {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// A search over all kinds returns only the kinds that the viewer may read.
func TestGateOfFound(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	const document = `{search(query:"a"){orders{id} products{id} customers{id}}}`
	for role, want := range map[viewer.Role]string{
		viewer.Owner: "customers orders products", viewer.Support: "customers orders products",
		viewer.Developer: "products",
	} {
		a := f.Query(staffToken(f, role), document, nil)
		var shown []string
		for _, kind := range []string{"customers", "orders", "products"} {
			if a.At("search", kind) != nil {
				shown = append(shown, kind)
			}
		}
		if got := strings.Join(shown, " "); got != want {
			t.Errorf("%s is shown %q, want %q: %s", role, got, want, a.Body)
		}
		for _, e := range a.Errors {
			if len(e.Path) != 2 {
				t.Errorf("%s: %s", role, a.Body)
			}
		}
	}
}

// Staff see what products cost; API keys do not, whatever their scopes.
func TestCostsAreForStaff(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	f.Query(staffToken(f, viewer.Owner), `mutation { productCreate(input: {title: "Mug", priceMinor: 9, currency: "EUR",
		costMinor: 7}) { product { id } } }`, nil)
	holders := map[string]int{keyFor(f, "products.write"): 0}
	for _, role := range roles {
		holders[staffToken(f, role)] = 2
	}
	for token, want := range holders {
		a := f.Query(token, `{ products { nodes { title costMinor variants { costMinor } } } }`, nil)
		got := strings.Count(string(a.Body), `"costMinor":7`)
		if got != want || !strings.Contains(string(a.Body), "Mug") {
			t.Errorf("%d costs, want %d: %s", got, want, a.Body)
		}
	}
}
