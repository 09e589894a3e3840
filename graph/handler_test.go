package graph

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

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/idem"
	"github.com/storefront-go/storefront/graph/keyring"
)

// face is a running GraphQL endpoint with one store behind it.
type face struct {
	t     testing.TB
	url   string
	http  http.Handler
	store *ent.Store
	ctx   context.Context // of the operator in the store
	core  *Resolver
	log   *bytes.Buffer
}

// newFace serves s; configure may change the configuration.
func newFace(t testing.TB, s *ent.Store, configure func(*HandlerConfig)) *face {
	t.Helper()
	ring := must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
	f := &face{t: t, store: s, core: newCore(t, s), log: new(bytes.Buffer)}
	f.ctx, _ = storetest.Merchant(t, s)
	c := HandlerConfig{Core: f.core, Idem: idem.New(s, ring), Introspection: true,
		ResourceMetadata: "https://api.example/.well-known/x", Logger: slog.New(slog.NewTextHandler(f.log, nil))}
	if configure != nil {
		configure(&c)
	}
	f.http = must[http.Handler](t)(NewHandler(c))
	server := httptest.NewServer(f.http)
	t.Cleanup(server.Close)
	f.url = server.URL + "/graphql"
	return f
}

// eachFace runs f on every engine.
func eachFace(t *testing.T, f func(t *testing.T, f *face)) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, newFace(t, s, nil)) })
}

// key makes an API key with the scopes.
func (f *face) key(scopes ...string) string {
	f.t.Helper()
	secret, id := apikey.Mint(apikey.Key), xid.New()
	f.write(func(ctx context.Context) error {
		return f.store.DB(ctx).APIKey.Create().SetID(id).SetLineageID(id).SetSlot(1).SetName("Test key").
			SetHint(apikey.Hint(secret)).SetScopes(scope.Of(scopes...).String()).Exec(ctx)
	})
	f.credential(secret, apikey.Key, id)
	return secret.Reveal()
}

// staff makes a person of the role and a token of his.
func (f *face) staff(role viewer.Role) string {
	f.t.Helper()
	secret, user, id := apikey.Mint(apikey.Staff), xid.New(), xid.New()
	f.write(func(ctx context.Context) error {
		c, now := f.store.DB(ctx), micros.Now()
		if err := c.User.Create().SetID(user).SetEmail(xid.User.Format(user) + "@shop.example").SetName("Test person").
			SetUpdatedAt(now).Exec(viewer.Everywhere(ctx)); err != nil {
			return err
		}
		if err := c.Staff.Create().SetID(user).SetRole(role).SetUpdatedAt(now).Exec(ctx); err != nil {
			return err
		}
		return c.StaffToken.Create().SetID(id).SetUserID(user).SetName("Test token").SetHint(apikey.Hint(secret)).Exec(ctx)
	})
	f.credential(secret, apikey.Staff, id)
	return secret.Reveal()
}

func (f *face) credential(secret apikey.Secret, kind apikey.Kind, id xid.ID) {
	f.t.Helper()
	f.write(func(ctx context.Context) error {
		return f.store.DB(ctx).Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(viewer.From(ctx).Store).
			SetCredentialID(id).SetKind(string(kind)).Exec(ctx)
	})
}

func (f *face) write(change func(context.Context) error) {
	f.t.Helper()
	if err := f.store.InTx(f.ctx, change); err != nil {
		f.t.Fatal(err)
	}
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
	Data   map[string]any
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
	Extensions struct {
		Cost struct{ Requested, Limit int }
	}
}

// code returns the code of the first error, or "".
func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	code, _ := a.Errors[0].Extensions["code"].(string)
	return code
}

// at walks into data; a missing place is nil.
func (a answer) at(path ...string) any {
	var v any = a.Data
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// ok fails the test unless the answer has data and no error.
func (a answer) ok() answer {
	a.t.Helper()
	if a.status != http.StatusOK || len(a.Errors) > 0 {
		a.t.Fatalf("%d %s", a.status, a.body)
	}
	return a
}

// send sends a request whose headers come in pairs.
func (f *face) send(method, target, token, body string, headers ...string) answer {
	f.t.Helper()
	r := must[*http.Request](f.t)(http.NewRequestWithContext(f.t.Context(), method, target, strings.NewReader(body)))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	res := must[*http.Response](f.t)(http.DefaultClient.Do(r))
	defer res.Body.Close()
	a := answer{t: f.t, status: res.StatusCode, header: res.Header, body: must[[]byte](f.t)(io.ReadAll(res.Body))}
	if err := json.Unmarshal(a.body, &a); err != nil {
		f.t.Fatalf("%d %q: %v", a.status, a.body, err)
	}
	return a
}

// query runs a document with variables, nil for none.
func (f *face) query(token, document string, variables any, headers ...string) answer {
	f.t.Helper()
	body := must[[]byte](f.t)(json.Marshal(map[string]any{"query": document, "variables": variables}))
	return f.send(http.MethodPost, f.url, token, string(body), headers...)
}

const createProduct = `mutation($in: ProductCreateInput!) { productCreate(input: $in) {
	product { id title priceMinor version } userErrors { code message path } } }`

func (f *face) product(token, title string, headers ...string) answer {
	f.t.Helper()
	in := map[string]any{"in": map[string]any{"title": title, "priceMinor": 1250, "currency": "EUR"}}
	return f.query(token, createProduct, in, headers...)
}

func TestQueryAndMutation(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		key := f.key(scope.ProductsWrite)
		made := f.product(key, "Lamp").ok()
		id := made.at("productCreate", "product", "id")
		got := f.query(key, `query($id: ID!) { product(id: $id) { title priceMinor } products(first: 3) { nodes { id } pageInfo { hasNextPage } } }`,
			map[string]any{"id": id}).ok()
		if got.at("product", "title") != "Lamp" || got.at("product", "priceMinor") != 1250.0 {
			t.Errorf("product %s", got.body)
		}
		if got.Extensions.Cost.Limit != DefaultComplexity || got.Extensions.Cost.Requested < 4 {
			t.Errorf("cost %+v", got.Extensions.Cost)
		}
		if got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", got.header)
		}
	})
}

// The numbers of variables count by their value, and keep to 53 bits.
func TestNumbers(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	key := f.key(scope.ProductsWrite)
	for _, tc := range []struct{ number, want string }{
		{"1250", ""}, {"1250.0", ""}, {"125e1", ""}, {"9007199254740991", ""},
		{"9007199254740992", codeArgument}, {"12.5", codeArgument}, {"1e999", codeArgument}, {`"1250"`, codeArgument}, {"true", codeArgument},
	} {
		t.Run(tc.number, func(t *testing.T) {
			a := f.send(http.MethodPost, f.url, key, `{"query":"mutation($p: Money!) { productCreate(input: {title: \"T\", currency: \"EUR\", priceMinor: $p}) { product { id } } }",
				"variables":{"p":`+tc.number+`}}`)
			if a.code() != tc.want {
				t.Errorf("%s: code %q, want %q: %s", tc.number, a.code(), tc.want, a.body)
			}
		})
	}
	for _, number := range []string{"5", "1.5", "9007199254740993"} {
		a := f.send(http.MethodPost, f.url, key, `{"query":"mutation($t: String!) { productCreate(input: {title: $t, currency: \"EUR\", priceMinor: 1}) { product { id } } }","variables":{"t":`+number+`}}`)
		if a.code() != codeVariables {
			t.Errorf("the number %s as a text: code %q: %s", number, a.code(), a.body)
		}
	}
}

func TestRequestForm(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	key := f.key(scope.ProductsRead)
	const ok = `{"query":"{ __typename }"}`
	for _, tc := range []struct {
		name, body string
		headers    []string
		status     int
		code       string
	}{
		{"plain", ok, nil, 200, ""},
		{"utf-8", ok, []string{"Content-Type", "application/json; charset=UTF-8"}, 200, ""},
		{"other charset", ok, []string{"Content-Type", "application/json; charset=latin1"}, 415, "unsupported_media_type"},
		{"form", "query=%7B__typename%7D", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
		{"no type", ok, []string{"Content-Type", ""}, 415, "unsupported_media_type"},
		{"text as from a form", ok, []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type"},
		{"batch", "[" + ok + "," + ok + "]", nil, 400, "malformed_body"},
		{"empty batch", "[]", nil, 400, "malformed_body"},
		{"empty", "", nil, 400, "malformed_body"},
		{"not JSON", "{", nil, 400, "malformed_body"},
		{"trailing data", ok + "{}", nil, 400, "malformed_body"},
		{"duplicate member", `{"query":"{ __typename }","query":"{ me { hint } }"}`, nil, 400, "malformed_body"},
		{"duplicate variable", `{"query":"{ __typename }","variables":{"a":1,"a":2}}`, nil, 400, "malformed_body"},
		{"bad UTF-8", "{\"query\":\"\xff\"}", nil, 400, "malformed_body"},
		{"deep variables", `{"query":"{ __typename }","variables":{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}}`, nil, 400, "malformed_body"},
		{"member in capitals", `{"Query":"{ __typename }"}`, nil, 400, "invalid_request"},
		{"query is a number", `{"query":1}`, nil, 400, "malformed_body"},
		{"variables are a list", `{"query":"{ __typename }","variables":[]}`, nil, 400, "malformed_body"},
		{"nulls", `{"query":"{ __typename }","variables":null,"operationName":null,"extensions":null}`, nil, 200, ""},
		{"others' members", `{"query":"{ __typename }","id":"x"}`, nil, 200, ""},
		{"2 MiB", `{"query":"{ __typename }","x":"` + strings.Repeat("x", 2<<20) + `"}`, nil, 413, "payload_too_large"},
		{"syntax", `{"query":"{"}`, nil, 200, codeSyntax},
		{"syntax, other type", `{"query":"{"}`, []string{"Accept", typeGraphQL}, 400, codeSyntax},
		{"unknown field", `{"query":"{ nothing }"}`, []string{"Accept", typeGraphQL}, 400, codeInvalid},
		{"unknown operation", `{"query":"query A { __typename }","operationName":"B"}`, nil, 200, codeOperation},
		{"which operation", `{"query":"query A { __typename } query B { __typename }"}`, nil, 200, codeOperation},
		{"defer", `{"query":"{ ... @defer { me { hint } } }"}`, nil, 200, codeInvalid},
		{"subscription", `{"query":"subscription { x }"}`, nil, 200, codeInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.send(http.MethodPost, f.url, key, tc.body, tc.headers...)
			if a.status != tc.status || a.code() != tc.code {
				t.Errorf("%d %q, want %d %q: %s", a.status, a.code(), tc.status, tc.code, a.body)
			}
			if tc.code != "" && bytes.Contains(a.body, []byte(`"data"`)) {
				t.Errorf("an answer to what did not run has data: %s", a.body)
			}
		})
	}
}

// A body without a length is bounded too.
func TestChunkedBody(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	body := io.MultiReader(strings.NewReader(`{"query":"{ __typename }","x":"`), strings.NewReader(strings.Repeat("x", 2<<20)))
	r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodPost, f.url, body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+f.key(scope.ProductsRead))
	res := must[*http.Response](t)(http.DefaultClient.Do(r))
	res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestMethods(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	key := f.key(scope.ProductsWrite)
	for _, tc := range []struct {
		name, method, query string
		status              int
		allow               string
	}{
		{"query by GET", "GET", "?query=%7B__typename%7D", 200, ""},
		{"variables by GET", "GET", "?query=query(%24n:Int)%7Bproducts(first:%24n)%7Bnodes%7Bid%7D%7D%7D&variables=%7B%22n%22:1%7D", 200, ""},
		{"mutation by GET", "GET", "?query=mutation%7B__typename%7D", 405, "POST"},
		{"bad variables by GET", "GET", "?query=%7B__typename%7D&variables=%5B%5D", 400, ""},
		{"no query by GET", "GET", "", 400, ""},
		{"twice by GET", "GET", "?query=%7B__typename%7D&query=%7B__typename%7D", 400, ""},
		{"PUT", "PUT", "", 405, "GET, POST"},
		{"OPTIONS", "OPTIONS", "", 405, "GET, POST"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.send(tc.method, f.url+tc.query, key, "")
			if a.status != tc.status || a.header.Get("Allow") != tc.allow {
				t.Errorf("%d, Allow %q: %s", a.status, a.header.Get("Allow"), a.body)
			}
			if a.header.Get("Access-Control-Allow-Origin") != "" {
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
		f := newFace(t, s, func(c *HandlerConfig) { c.Introspection = on })
		a := f.query(f.key(scope.ProductsRead), `{ __schema { queryType { name } } __type(name: "Order") { name } }`, nil)
		if got := a.at("__schema", "queryType", "name") == "Query"; got != on || (len(a.Errors) == 0) != on {
			t.Errorf("introspection %v: %s", on, a.body)
		}
	}
}

// A variable with a default may stand where null is not taken; then null is the
// caller's mistake.
func TestNullCondition(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	key := f.key(scope.ProductsWrite)
	for _, document := range []string{
		`query($v: Boolean = true) { __typename @skip(if: $v) }`,
		`query($v: Boolean = true) { products { ...F } } fragment F on ProductConnection { nodes { id @include(if: $v) } }`,
		`mutation($v: Boolean = true) { __typename ... @skip(if: $v) { productDelete(id: "x", expectedVersion: 1) { deletedId } } }`,
	} {
		if a := f.query(key, document, map[string]any{"v": nil}, keyHeader, "k"); a.code() != codeVariables {
			t.Errorf("%s: %s", document, a.body)
		}
	}
}

func TestConfig(t *testing.T) {
	if _, err := NewHandler(HandlerConfig{}); err == nil {
		t.Error("a handler without a core")
	}
}
