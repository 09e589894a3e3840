package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// newEndpoint serves s; configure may change the configuration.
func newEndpoint(t testing.TB, s *ent.Store, configure func(*Config)) *graphtest.Endpoint {
	t.Helper()
	ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
	f := &graphtest.Endpoint{T: t, Store: s, Core: graphtest.NewCore(t, s), Log: new(bytes.Buffer)}
	f.Ctx, _ = storetest.Merchant(t, s)
	c := Config{Core: f.Core, Idem: idem.New(s, ring), Introspection: true,
		ResourceMetadata: "https://api.example/.well-known/x", Logger: slog.New(slog.NewTextHandler(f.Log, nil))}
	if configure != nil {
		configure(&c)
	}
	f.HTTP = graphtest.Must[http.Handler](t)(New(c))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.HTTP.ServeHTTP(w, r.WithContext(viewer.WithOrigin(r.Context(), viewer.Origin{Request: "req_test"})))
	}))
	t.Cleanup(server.Close)
	f.URL = server.URL + "/graphql"
	return f
}

// eachEndpoint runs f on every engine.
func eachEndpoint(t *testing.T, f func(t *testing.T, f *graphtest.Endpoint)) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, newEndpoint(t, s, nil)) })
}

// keyFor creates an API key with the scopes.
func keyFor(f *graphtest.Endpoint, scopes ...string) string {
	f.T.Helper()
	secret, id := apikey.Mint(apikey.Key), xid.New()
	write(f, func(ctx context.Context) error {
		return f.Store.DB(ctx).APIKey.Create().SetID(id).SetLineageID(id).SetSlot(1).SetName("Test key").
			SetHint(apikey.Hint(secret)).SetScopes(scope.Of(scopes...).String()).Exec(ctx)
	})
	credential(f, secret, apikey.Key, id)
	return secret.Reveal()
}

// staffToken creates a person with the role and returns a token of theirs.
func staffToken(f *graphtest.Endpoint, role viewer.Role) string {
	f.T.Helper()
	secret, user, id := apikey.Mint(apikey.Staff), xid.New(), xid.New()
	now := micros.Now()
	write(f, func(ctx context.Context) error {
		return f.Store.DB(ctx).User.Create().SetID(user).SetEmail(xid.User.Format(user) + "@shop.example").
			SetName("Test person").SetUpdatedAt(now).Exec(viewer.Everywhere(ctx))
	})
	write(f, func(ctx context.Context) error {
		c := f.Store.DB(ctx)
		if err := c.Staff.Create().SetID(user).SetRole(role).SetUpdatedAt(now).Exec(ctx); err != nil {
			return err
		}
		return c.StaffToken.Create().SetID(id).SetUserID(user).SetName("Test token").SetHint(apikey.Hint(secret)).
			SetSensitive(true).Exec(ctx)
	})
	credential(f, secret, apikey.Staff, id)
	return secret.Reveal()
}

func credential(f *graphtest.Endpoint, secret apikey.Secret, kind apikey.Kind, id xid.ID) {
	f.T.Helper()
	write(f, func(ctx context.Context) error {
		return f.Store.DB(ctx).Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(viewer.From(ctx).Store).
			SetCredentialID(id).SetKind(string(kind)).Exec(ctx)
	})
}

func write(f *graphtest.Endpoint, change func(context.Context) error) {
	f.T.Helper()
	if err := f.Store.InTx(f.Ctx, change); err != nil {
		f.T.Fatal(err)
	}
}

// code returns the code of the first error, or "".
func code(a graphtest.Answer) string {
	if len(a.Errors) == 0 {
		return ""
	}
	code, _ := a.Errors[0].Extensions["code"].(string)
	return code
}

const createProduct = `mutation($in: ProductCreateInput!) { productCreate(input: $in) {
	product { id title priceMinor version } userErrors { code message path } } }`

func product(f *graphtest.Endpoint, token, title string, headers ...string) graphtest.Answer {
	f.T.Helper()
	in := map[string]any{"in": map[string]any{"title": title, "priceMinor": 1250, "currency": "EUR"}}
	return f.Query(token, createProduct, in, headers...)
}

func TestQueryAndMutation(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, f *graphtest.Endpoint) {
		key := keyFor(f, scope.ProductsWrite)
		made := product(f, key, "Lamp").Ok()
		id := made.At("productCreate", "product", "id")
		got := f.Query(key,
			`query($id: ID!) { product(id: $id) { title priceMinor } products(first: 3) { nodes { id } pageInfo { `+
				`hasNextPage } } }`,
			map[string]any{"id": id}).Ok()
		if got.At("product", "title") != "Lamp" || got.At("product", "priceMinor") != 1250.0 {
			t.Errorf("product %s", got.Body)
		}
		if got.Extensions.Cost.Limit != maxCost || got.Extensions.Cost.Requested < 4 {
			t.Errorf("cost %+v", got.Extensions.Cost)
		}
		if got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", got.Header)
		}
	})
}

// Numbers in variables count by their value, within 53 bits.
func TestNumbers(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsWrite)
	for _, tc := range []struct{ number, want string }{
		{"1250", ""}, {"1250.0", ""}, {"125e1", ""}, {"9007199254740991", ""},
		{"9007199254740992", codeArgument}, {"12.5", codeArgument}, {"1e999", codeArgument}, {`"1250"`, codeArgument},
		{"true", codeArgument},
	} {
		t.Run(tc.number, func(t *testing.T) {
			a := f.Send(http.MethodPost, f.URL, key,
				`{"query":"mutation($p: Money!) { productCreate(input: {title: \"T\", currency: \"EUR\", priceMinor: $p}) { product { id } } }",
				"variables":{"p":`+tc.number+`}}`)
			if code(a) != tc.want {
				t.Errorf("%s: code %q, want %q: %s", tc.number, code(a), tc.want, a.Body)
			}
		})
	}
	for _, number := range []string{"5", "1.5", "9007199254740993"} {
		a := f.Send(http.MethodPost, f.URL, key,
			`{"query":"mutation($t: String!) { productCreate(input: {title: $t, currency: \"EUR\", priceMinor: 1}) { `+
				`product { id } } }","variables":{"t":`+number+`}}`)
		if code(a) != codeVariables {
			t.Errorf("the number %s as a string: code %q: %s", number, code(a), a.Body)
		}
	}
}

func TestRequestForm(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsRead)
	const ok = `{"query":"{ __typename }"}`
	for _, tc := range []struct {
		name, body string
		headers    []string
		status     int
		code       string
	}{
		{name: "plain", body: ok, status: 200},
		{name: "utf-8", body: ok, headers: []string{"Content-Type", "application/json; charset=UTF-8"}, status: 200},
		{name: "other charset", body: ok, headers: []string{"Content-Type", "application/json; charset=latin1"},
			status: 415, code: "unsupported_media_type"},
		{name: "form", body: "query=%7B__typename%7D",
			headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415,
			code: "unsupported_media_type"},
		{name: "no type", body: ok, headers: []string{"Content-Type", ""}, status: 415, code: "unsupported_media_type"},
		{name: "text as from a form", body: ok, headers: []string{"Content-Type", "text/plain"}, status: 415,
			code: "unsupported_media_type"},
		{name: "batch", body: "[" + ok + "," + ok + "]", status: 400, code: "malformed_body"},
		{name: "empty batch", body: "[]", status: 400, code: "malformed_body"},
		{name: "empty", status: 400, code: "malformed_body"},
		{name: "not JSON", body: "{", status: 400, code: "malformed_body"},
		{name: "trailing data", body: ok + "{}", status: 400, code: "malformed_body"},
		{name: "duplicate member", body: `{"query":"{ __typename }","query":"{ me { hint } }"}`, status: 400,
			code: "malformed_body"},
		{name: "duplicate variable", body: `{"query":"{ __typename }","variables":{"a":1,"a":2}}`, status: 400,
			code: "malformed_body"},
		{name: "bad UTF-8", body: "{\"query\":\"\xff\"}", status: 400, code: "malformed_body"},
		{name: "deep variables",
			body: `{"query":"{ __typename }","variables":{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) +
				`}}`, status: 400, code: "malformed_body"},
		{name: "member in capitals", body: `{"Query":"{ __typename }"}`, status: 400, code: "invalid_request"},
		{name: "query is a number", body: `{"query":1}`, status: 400, code: "malformed_body"},
		{name: "variables are a list", body: `{"query":"{ __typename }","variables":[]}`, status: 400,
			code: "malformed_body"},
		{name: "nulls", body: `{"query":"{ __typename }","variables":null,"operationName":null,"extensions":null}`,
			status: 200},
		{name: "others' members", body: `{"query":"{ __typename }","id":"x"}`, status: 200},
		{name: "2 MiB", body: `{"query":"{ __typename }","x":"` + strings.Repeat("x", 2<<20) + `"}`, status: 413,
			code: "payload_too_large"},
		{name: "syntax", body: `{"query":"{"}`, status: 200, code: codeSyntax},
		{name: "syntax, other type", body: `{"query":"{"}`, headers: []string{"Accept", typeGraphQL}, status: 400,
			code: codeSyntax},
		{name: "unknown field", body: `{"query":"{ nothing }"}`, headers: []string{"Accept", typeGraphQL}, status: 400,
			code: codeInvalid},
		{name: "unknown operation", body: `{"query":"query A { __typename }","operationName":"B"}`, status: 200,
			code: codeOperation},
		{name: "which operation", body: `{"query":"query A { __typename } query B { __typename }"}`, status: 200,
			code: codeOperation},
		{name: "defer", body: `{"query":"{ ... @defer { me { hint } } }"}`, status: 200, code: codeInvalid},
		{name: "subscription", body: `{"query":"subscription { x }"}`, status: 200, code: codeInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.Send(http.MethodPost, f.URL, key, tc.body, tc.headers...)
			if a.Status != tc.status || code(a) != tc.code {
				t.Errorf("%d %q, want %d %q: %s", a.Status, code(a), tc.status, tc.code, a.Body)
			}
			if tc.code != "" && bytes.Contains(a.Body, []byte(`"data"`)) {
				t.Errorf("an answer without an execution has data: %s", a.Body)
			}
		})
	}
}

// A body without a length is bounded too.
func TestChunkedBody(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	body := io.MultiReader(strings.NewReader(`{"query":"{ __typename }","x":"`),
		strings.NewReader(strings.Repeat("x", 2<<20)))
	r := graphtest.Must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL, body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+keyFor(f, scope.ProductsRead))
	res := graphtest.Must[*http.Response](t)(http.DefaultClient.Do(r))
	res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestMethods(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsWrite)
	for _, tc := range []struct {
		name, method, query string
		status              int
		allow               string
	}{
		{name: "query by GET", method: "GET", query: "?query=%7B__typename%7D", status: 200},
		{name: "variables by GET", method: "GET",
			query:  "?query=query(%24n:Int)%7Bproducts(first:%24n)%7Bnodes%7Bid%7D%7D%7D&variables=%7B%22n%22:1%7D",
			status: 200},
		{name: "mutation by GET", method: "GET", query: "?query=mutation%7B__typename%7D", status: 405, allow: "POST"},
		{name: "bad variables by GET", method: "GET", query: "?query=%7B__typename%7D&variables=%5B%5D", status: 400},
		{name: "no query by GET", method: "GET", status: 400},
		{name: "twice by GET", method: "GET", query: "?query=%7B__typename%7D&query=%7B__typename%7D", status: 400},
		{name: "PUT", method: "PUT", status: 405, allow: "GET, POST"},
		{name: "OPTIONS", method: "OPTIONS", status: 405, allow: "GET, POST"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.Send(tc.method, f.URL+tc.query, key, "")
			if a.Status != tc.status || a.Header.Get("Allow") != tc.allow {
				t.Errorf("%d, Allow %q: %s", a.Status, a.Header.Get("Allow"), a.Body)
			}
			if a.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("CORS headers")
			}
		})
	}
}

func TestAccept(t *testing.T) {
	for _, tc := range []struct {
		accept []string
		want   bool
	}{
		{nil, false},
		{[]string{"*/*"}, false},
		{[]string{"application/*"}, false},
		{[]string{"text/html"}, false},
		{[]string{"application/json"}, false},
		{[]string{"application/graphql-response+json"}, true},
		{[]string{"Application/GraphQL-Response+JSON; charset=utf-8"}, true},
		{[]string{"application/graphql-response+json, application/json;q=0.9"}, true},
		{[]string{"application/json, application/graphql-response+json"}, false},
		{[]string{"application/json;q=0.2, application/graphql-response+json;q=0.3"}, true},
		{[]string{"application/json;q=0.2", "application/graphql-response+json"}, true},
		{[]string{"application/graphql-response+json;q=0"}, false},
	} {
		if got := prefersGraphQL(tc.accept); got != tc.want {
			t.Errorf("%q: %v", tc.accept, got)
		}
	}
}

func TestIntrospectionSwitch(t *testing.T) {
	s := storetest.Open(t)
	for _, on := range []bool{true, false} {
		f := newEndpoint(t, s, func(c *Config) { c.Introspection = on })
		a := f.Query(keyFor(f, scope.ProductsRead),
			`{ __schema { queryType { name } } __type(name: "Order") { name } }`, nil)
		if got := a.At("__schema", "queryType", "name") == "Query"; got != on || (len(a.Errors) == 0) != on {
			t.Errorf("introspection %v: %s", on, a.Body)
		}
	}
}

// Without introspection, its fields do not exist at any position.
func TestIntrospectionRefused(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), func(c *Config) { c.Introspection = false })
	key := keyFor(f, scope.ProductsRead)
	for _, document := range []string{
		`{ __schema { queryType { name } } }`,
		`{ x: __type(name: "Order") { name } }`,
		`{ ...F } fragment F on Query { ... { __schema { queryType { name } } } }`,
	} {
		a := f.Query(key, document, nil, "Accept", typeGraphQL)
		if a.Status != 400 || code(a) != codeInvalid || !strings.Contains(a.Errors[0].Message, "introspection") ||
			a.Data != nil {
			t.Errorf("%s: %d %s", document, a.Status, a.Body)
		}
	}
	f.Query(key, `{ __typename products { __typename } }`, nil).Ok()
	if f.Log.Len() > 0 {
		t.Errorf("logged: %s", f.Log)
	}
}

// Variables are only checked as arguments of type Int. That suffices while no list and no input
// object contains an Int.
func TestIntsAreArguments(t *testing.T) {
	for _, d := range graph.Schema().Types {
		for _, f := range d.Fields {
			if d.Kind == ast.InputObject && f.Type.Name() == "Int" {
				t.Errorf("%s.%s", d.Name, f.Name)
			}
			for _, a := range f.Arguments {
				if a.Type.Name() == "Int" && a.Type.NamedType == "" {
					t.Errorf("%s.%s(%s)", d.Name, f.Name, a.Name)
				}
			}
		}
	}
}

// Int has 32 bits with a sign (GraphQL specification, section 3.5.1).
func TestInt(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key, person := keyFor(f, scope.ProductsRead), staffToken(f, viewer.Owner)
	for _, tc := range []struct{ number, literal, variable string }{
		{"2147483647", "", ""}, {"2147483648", codeInvalid, codeVariables}, {"-2147483649", codeInvalid, codeVariables},
		{"9223372036854775807", codeInvalid, codeVariables}, {"9223372036854775808", codeInvalid, codeVariables},
		{`"1"`, codeInvalid, codeVariables}, {"1.5", codeInvalid, codeVariables}, {"null", "", ""},
	} {
		t.Run(tc.number, func(t *testing.T) {
			for document, want := range map[string]string{
				`{ products(first: ` + tc.number + `) { nodes { id } } }`:                                 tc.literal,
				`query($n: Int = ` + tc.number + `) { products(first: $n) { nodes { id } } }`:             tc.literal,
				`query($n: Int) { products(first: $n) { nodes { id } } }`:                                 tc.variable,
				`query($n: Int) { ...F } fragment F on Query { x: products(first: $n) { nodes { id } } }`: tc.variable,
			} {
				a := f.Send(http.MethodPost, f.URL, key,
					string(graphtest.Must[[]byte](t)(json.Marshal(map[string]any{"query": document,
						"variables": map[string]any{"n": json.RawMessage(tc.number)}}))))
				if strings.Contains(document, "= ") {
					a = f.Query(key, document, nil)
				}
				if code(a) != want || want != "" && a.Data != nil {
					t.Errorf("%s: code %q, want %q: %s", document, code(a), want, a.Body)
				}
			}
		})
	}
	if a := f.Query(person, `{ salesReport(days: 4294967297) { currency } }`, nil); code(a) != codeInvalid {
		t.Errorf("days: %s", a.Body)
	}
}

// A nullable variable with a default is allowed where null is not; an explicit null is then the
// caller's fault.
func TestNullCondition(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	key := keyFor(f, scope.ProductsWrite)
	for _, document := range []string{
		`query($v: Boolean = true) { __typename @skip(if: $v) }`,
		`query($v: Boolean = true) { products { ...F } } fragment F on ProductConnection { nodes { id ` +
			`@include(if: $v) } }`,
		`mutation($v: Boolean = true) { __typename ... @skip(if: $v) { productDelete(id: "x", expectedVersion: 1) { ` +
			`deletedId } } }`,
	} {
		if a := f.Query(key, document, map[string]any{"v": nil}, keyHeader, "k"); code(a) != codeVariables {
			t.Errorf("%s: %s", document, a.Body)
		}
	}
}

func TestConfig(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("a handler without Core was created")
	}
}
