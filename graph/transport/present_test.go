package transport

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/internal/exec"
	"github.com/storefront-go/storefront/graph/model"
)

// Every mutation returns a pointer to a payload with user errors.
func TestPayloadOfEveryMutation(t *testing.T) {
	schema := graph.Schema()
	for _, field := range schema.Mutation.Fields {
		errs := schema.Types[field.Type.Name()].Fields.ForName("userErrors")
		if errs == nil || errs.Type.String() != "[UserError!]!" {
			t.Errorf("%s has no userErrors", field.Name)
		}
	}
	methods := reflect.TypeFor[exec.MutationResolver]()
	if methods.NumMethod() != len(schema.Mutation.Fields) {
		t.Errorf("%d methods, %d mutations", methods.NumMethod(), len(schema.Mutation.Fields))
	}
	for method := range methods.Methods() {
		payload := method.Type.Out(0)
		got := refusedPayload(reflect.Zero(payload).Interface(), []*model.UserError{{Code: "x"}})
		if reflect.TypeOf(got) != payload || reflect.ValueOf(got).Elem().FieldByName("UserErrors").Len() != 1 {
			t.Errorf("%s: the payload of a refusal is %+v", method.Name, got)
		}
	}
}

func TestUserErrors(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsWrite)
	taken := product(f, key, "Lamp").Ok().At("productCreate", "product")
	id := taken.(map[string]any)["id"]
	for _, tc := range []struct {
		name, document string
		want           []any
	}{
		{"input", `mutation($id: ID!) { x: productCreate(input: {title: " ", priceMinor: -1, currency: "EUR", tags: ` +
			`["a", "b", ""]}) { product { id } userErrors { code path } } p: __typename @skip(if: true) product: ` +
			`productDelete(id: $id, expectedVersion: 9) { userErrors { code path } } }`,
			[]any{
				map[string]any{"code": "too_short", "path": []any{"input", "title"}},
				map[string]any{"code": "out_of_range", "path": []any{"input", "priceMinor"}},
				map[string]any{"code": "too_short", "path": []any{"input", "tags", "2"}},
			}},
		{"state", `mutation($id: ID!) { x: productPublish(id: $id, expectedVersion: 7) { product { id } userErrors { ` +
			`code path } } }`,
			[]any{map[string]any{"code": "version_mismatch", "path": nil}}},
		{"unknown id", `mutation($id: ID!) { x: productPublish(id: "prod_nothing", expectedVersion: 1) { product { ` +
			`id } userErrors { code path } } y: productArchive(id: $id, expectedVersion: 8) { userErrors { code } } }`,
			[]any{map[string]any{"code": "not_found", "path": nil}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.Query(key, tc.document, map[string]any{"id": id}).Ok()
			if d := cmp.Diff(tc.want, a.At("x", "userErrors")); d != "" {
				t.Errorf("user errors (-want +got):\n%s", d)
			}
			if a.At("x", "product") != nil {
				t.Errorf("a refused mutation shows a product: %s", a.Body)
			}
		})
	}
}

func TestArgumentPath(t *testing.T) {
	field := func(args ...string) graphql.CollectedField {
		d := &ast.FieldDefinition{}
		for _, a := range args {
			d.Arguments = append(d.Arguments, &ast.ArgumentDefinition{Name: a})
		}
		return graphql.CollectedField{Field: &ast.Field{Definition: d}}
	}
	for _, tc := range []struct {
		f    fault.Field
		args []string
		want []string
	}{
		{fault.Field{Pointer: "#/price_minor"}, []string{"input"}, []string{"input", "priceMinor"}},
		{fault.Field{Pointer: "#/lines/0/unit_price_minor"}, []string{"id", "input"},
			[]string{"input", "lines", "0", "unitPriceMinor"}},
		{fault.Field{Pointer: "#/billing_address/line1"}, []string{"input"},
			[]string{"input", "billingAddress", "line1"}},
		{fault.Field{Pointer: "#/expected_version"}, []string{"expectedVersion", "input"}, []string{"expectedVersion"}},
		{fault.Field{Pointer: "#/expected_version"}, []string{"input"}, []string{"input", "expectedVersion"}},
		{fault.Field{Pointer: "#/expires_at"}, []string{"name", "expiresAt"}, []string{"expiresAt"}},
		{fault.Field{Pointer: "#/a~1b~0c%20d"}, []string{"input"}, []string{"input", "a/b~c d"}},
		{fault.Field{Pointer: "#"}, []string{"input"}, []string{"input"}},
		{fault.Field{Pointer: "#"}, []string{"id"}, nil},
		{fault.Field{Parameter: "first"}, []string{"first"}, []string{"first"}},
	} {
		if d := cmp.Diff(tc.want, argumentPath(tc.f, field(tc.args...))); d != "" {
			t.Errorf("%+v with %v (-want +got):\n%s", tc.f, tc.args, d)
		}
	}
}

func TestTopLevelErrors(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsRead)
	for _, tc := range []struct {
		document, code string
		path           []any
	}{
		{`{ product(id: "prod_nothing") { id } }`, "not_found", []any{"product"}},
		{`{ mine: products(first: 0) { nodes { id } } }`, "invalid_parameter", []any{"mine"}},
		{`{ orders { nodes { id } } }`, "insufficient_scope", []any{"orders"}},
		{`{ auditLog { nodes { id } } }`, "forbidden", []any{"auditLog"}},
		{`mutation { productDelete(id: "x", expectedVersion: 1) { deletedId } }`, "insufficient_scope",
			[]any{"productDelete"}},
		{`{ products(filter: {updatedFrom: "yesterday"}) { nodes { id } } }`, codeArgument,
			[]any{"products", "filter", "updatedFrom"}},
	} {
		a := f.Query(key, tc.document, nil)
		if a.Status != 200 || code(a) != tc.code {
			t.Errorf("%s: %d %q: %s", tc.document, a.Status, code(a), a.Body)
			continue
		}
		if d := cmp.Diff(tc.path, a.Errors[0].Path); d != "" {
			t.Errorf("%s: path (-want +got):\n%s", tc.document, d)
		}
	}
}

// Internal errors are not shown, and are logged once with their path.
func TestInternalErrors(t *testing.T) {
	s := storetest.Open(t)
	f := newEndpoint(t, s, nil)
	key := keyFor(f, scope.ProductsWrite)
	f.Query(key, "{__typename}", nil).Ok()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	a := f.Query(key, `{ mine: products { nodes { id } } }`, nil)
	if a.Status != 200 || code(a) != "internal_error" && code(a) != "unavailable" ||
		strings.Contains(string(a.Body), "sql") {
		t.Errorf("%s", a.Body)
	}
	if n := strings.Count(f.Log.String(), "request_id=req_test path=mine"); n != 1 {
		t.Errorf("logged %d times: %s", n, f.Log)
	}
}

// An internal error before the operation is logged with the request id of the answer.
func TestInternalRefusal(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), func(c *Config) {
		c.Session = func(*http.Request) (*viewer.Viewer, error) { return nil, errors.New("broken") }
	})
	a := f.Query("", `{ __typename }`, nil)
	if a.Status != 500 || a.Errors[0].Extensions["request_id"] != "req_test" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if log := f.Log.String(); !strings.Contains(log, "request_id=req_test") || strings.Count(log, "broken") != 1 {
		t.Errorf("logged: %s", log)
	}
}

// Retry times are rounded up like in REST, so that clients do not retry too early.
func TestRetryAfter(t *testing.T) {
	for wait, want := range map[time.Duration]int{time.Millisecond: 1, 1500 * time.Millisecond: 2, 2 * time.Second: 2} {
		w := httptest.NewRecorder()
		out := newResponse(w, httptest.NewRequest(http.MethodPost, "/graphql", nil))
		out.fault(&fault.Error{Kind: fault.Unavailable, RetryAfter: wait})
		if got := w.Header().Get("Retry-After"); got != strconv.Itoa(want) {
			t.Errorf("%s: Retry-After %s, want %d", wait, got, want)
		}
		if !strings.Contains(w.Body.String(), fmt.Sprintf(`"retry_after":%d`, want)) {
			t.Errorf("%s: %s, want %d", wait, w.Body, want)
		}
	}
}

// Out-of-range and malformed times have different errors.
func TestTimeArgument(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsRead)
	for text, want := range map[string]string{
		"0001-01-01T00:00:00Z": "out of range", "9999-12-31T23:59:59-01:00": "out of range", "yesterday": "RFC 3339",
	} {
		a := f.Query(key, `query($t: Time) { products(filter: {updatedFrom: $t}) { nodes { id } } }`,
			map[string]any{"t": text})
		if code(a) != codeArgument || !strings.Contains(a.Errors[0].Message, want) {
			t.Errorf("%s: %s", text, a.Body)
		}
	}
}

func TestExplained(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want fault.Kind
	}{
		{errors.New("Error 1062: Duplicate entry 'secret'"), fault.Internal},
		{fault.Missing("product"), fault.NotFound},
		{graph.Refusal{Fault: fault.New(fault.Forbidden, "No.")}, fault.Forbidden},
		{&fault.Error{Kind: fault.Internal, Detail: "secret"}, fault.Internal},
		{recovered(t.Context(), "secret"), fault.Internal},
	} {
		f := explained(tc.err)
		shown := presentFault("req_1", f)
		if f.Kind != tc.want || strings.Contains(shown.Message, "secret") || shown.Extensions["request_id"] != "req_1" {
			t.Errorf("%v: %s, shown as %+v", tc.err, f.Kind, shown)
		}
	}
	if !slices.Equal([]byte(shorten("short")), []byte("short")) || len(shorten(strings.Repeat("é", 1000))) > 310 {
		t.Error("messages are not shortened")
	}
}
