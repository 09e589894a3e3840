package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/client"
	"github.com/storefront-go/storefront/rest/openapitest"
)

const base = rest.Base

// free sends any request without checking it.
var free = &http.Client{Timeout: patience, Transport: &http.Transport{
	MaxIdleConnsPerHost: 64, DisableCompression: true,
},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// published is the document, compiled once, which takes longer than most tests.
var published struct {
	once      sync.Once
	validator *openapitest.Validator
}

// client returns the generated client; every exchange is checked against the OpenAPI document.
func (p *program) client(t *testing.T, key string) *client.Client {
	t.Helper()
	published.once.Do(func() { published.validator = openapitest.New(t, rest.Document) })
	if published.validator == nil {
		t.Fatal("the OpenAPI document did not load")
	}
	h := &http.Client{Timeout: patience, Transport: published.validator.RoundTripper(t, free.Transport)}
	c, err := client.New(p.API+base, key, client.WithHTTPClient(h))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// request is one request of a test.
type request struct {
	As     string // the credential; "" sends none
	Method string // GET unless there is a body
	Path   string // behind the address, with its query
	Body   string
	Key    string   // Idempotency-Key; a POST below {base_url} without one gets a new one
	Header []string // name, value, …
	// Host replaces the address's host; Through replaces the usual client.
	Host    string
	Through *http.Client
}

// answer is a received answer.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// do sends a request; it fails without a complete answer.
func (p *program) do(t testing.TB, r request) (*answer, error) {
	if r.Method == "" {
		r.Method = http.MethodGet
		if r.Body != "" {
			r.Method = http.MethodPost
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), r.Method, p.API+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if r.As != "" {
		req.Header.Set("Authorization", "Bearer "+r.As)
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Key == "" && r.Method == http.MethodPost && strings.HasPrefix(r.Path, "/api/") {
		r.Key = rand.Text()
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	for i := 0; i+1 < len(r.Header); i += 2 {
		req.Header.Set(r.Header[i], r.Header[i+1])
	}
	through := free
	if r.Through != nil {
		through = r.Through
	}
	if r.Host != "" {
		req.Host = r.Host
	}
	res, err := through.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	return &answer{res.StatusCode, res.Header, body}, nil
}

// send is do for requests that must be answered.
func (p *program) send(t testing.TB, r request) *answer {
	t.Helper()
	a, err := p.do(t, r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	return a
}

// want checks the status and the code of a problem, "" for none.
func (a *answer) want(t testing.TB, status int, code string) *answer {
	t.Helper()
	if got := a.code(); a.Status != status || got != code {
		t.Errorf("got %d %q, want %d %q\n%.400s", a.Status, got, status, code, a.Body)
	}
	return a
}

// code is the code of a problem or of the first GraphQL error.
func (a *answer) code() string {
	var body struct {
		Code   string
		Errors []struct{ Extensions struct{ Code string } }
	}
	if json.Unmarshal(a.Body, &body) != nil {
		return ""
	}
	if body.Code == "" && len(body.Errors) > 0 {
		return body.Errors[0].Extensions.Code
	}
	return body.Code
}

func (a *answer) decode(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("decode %.300s: %v", a.Body, err)
	}
}

// same reports whether two answers agree in what a replay must repeat.
func same(a, b *answer) bool {
	return a.Status == b.Status && bytes.Equal(a.Body, b.Body) &&
		a.Header.Get("Content-Type") == b.Header.Get("Content-Type") &&
		a.Header.Get("Location") == b.Header.Get("Location")
}

// post sends a GraphQL request and returns the answer as it is.
func (p *program) post(t testing.TB, token, query string, variables any, header ...string) *answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	return p.send(t, request{As: token, Method: http.MethodPost, Path: "/graphql", Body: string(body), Header: header})
}

// graphql sends a GraphQL request that must succeed and decodes its data.
func (p *program) graphql(t testing.TB, token, query string, variables, data any) {
	t.Helper()
	a := p.post(t, token, query, variables)
	var body struct {
		Data   json.RawMessage
		Errors []json.RawMessage
	}
	a.decode(t, &body)
	if a.Status != http.StatusOK || len(body.Errors) > 0 {
		t.Fatalf("%.200s: %d %.600s", query, a.Status, a.Body)
	}
	if err := json.Unmarshal(body.Data, data); err != nil {
		t.Fatalf("decode %.300s: %v", body.Data, err)
	}
}

// draft is a body that makes a product.
func draft(title, sku string) string {
	b, _ := json.Marshal(map[string]any{"title": title, "price_minor": 1450, "currency": "EUR", "sku": sku})
	return string(b)
}

// front returns the address of a store's storefront.
func (p *program) front(t *testing.T, token string) string {
	t.Helper()
	var found struct{ Store struct{ StoreHost string } }
	p.graphql(t, token, `{ store { storeHost } }`, nil, &found)
	return "http://" + found.Store.StoreHost + "/"
}
