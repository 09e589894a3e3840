package graphtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph"
)

// Endpoint is a running GraphQL endpoint with one store.
type Endpoint struct {
	T     testing.TB
	URL   string
	HTTP  http.Handler
	Store *ent.Store
	Ctx   context.Context // of the operator in the store
	Core  *graph.Resolver
	Log   *bytes.Buffer
}

// Answer is a response of the endpoint.
type Answer struct {
	t      testing.TB
	Status int
	Header http.Header
	Body   []byte
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

// At returns the value at a path of the data, or nil if there is none.
func (a Answer) At(path ...string) any {
	var v any = a.Data
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// Ok fails the test unless the answer has status 200 and no errors.
func (a Answer) Ok() Answer {
	a.t.Helper()
	if a.Status != http.StatusOK || len(a.Errors) > 0 {
		a.t.Fatalf("%d %s", a.Status, a.Body)
	}
	return a
}

// Send sends a request. headers are pairs of name and value; an empty value removes a header.
func (f *Endpoint) Send(method, target, token, body string, headers ...string) Answer {
	f.T.Helper()
	r := Must[*http.Request](f.T)(http.NewRequestWithContext(f.T.Context(), method, target, strings.NewReader(body)))
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
	res := Must[*http.Response](f.T)(http.DefaultClient.Do(r))
	defer res.Body.Close()
	a := Answer{t: f.T, Status: res.StatusCode, Header: res.Header, Body: Must[[]byte](f.T)(io.ReadAll(res.Body))}
	if err := json.Unmarshal(a.Body, &a); err != nil {
		f.T.Fatalf("%d %q: %v", a.Status, a.Body, err)
	}
	return a
}

// Query runs a document. variables may be nil.
func (f *Endpoint) Query(token, document string, variables any, headers ...string) Answer {
	f.T.Helper()
	body := Must[[]byte](f.T)(json.Marshal(map[string]any{"query": document, "variables": variables}))
	return f.Send(http.MethodPost, f.URL, token, string(body), headers...)
}
