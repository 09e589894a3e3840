package rest_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/mcp"
	"github.com/storefront-go/storefront/rest/openapitest"
)

const (
	base    = "/api/public/v1"
	legacy  = "/api/public/v0"
	apiHost = "https://api.test"
)

// published is the document, compiled once, which takes longer than most tests.
var published struct {
	once      sync.Once
	validator *openapitest.Validator
}

func validator(t testing.TB) *openapitest.Validator {
	t.Helper()
	published.once.Do(func() { published.validator = openapitest.New(t, rest.Document) })
	if published.validator == nil {
		t.Fatal("the OpenAPI document did not load")
	}
	return published.validator
}

// server is the API over a database, behind real HTTP.
type server struct {
	t       testing.TB
	store   *ent.Store
	handler http.Handler
	url     string
	checked *http.Client // checks every exchange against the document
	free    *http.Client // for requests that the document forbids and the service accepts
	end     func()       // closes it once all handlers have ended
}

// newServer serves s without rate limits; edit may change the settings.
func newServer(t testing.TB, s *ent.Store, edit ...func(*rest.Config)) *server {
	t.Helper()
	c := config(t, s)
	for _, f := range edit {
		f(&c)
	}
	h, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(h)
	t.Cleanup(ts.Close)
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &server{t: t, store: s, handler: h, url: ts.URL, end: ts.Close,
		checked: &http.Client{Transport: validator(t).RoundTripper(t, transport)},
		free:    &http.Client{Transport: transport}}
}

// config is the complete wiring over s.
func config(t testing.TB, s *ent.Store) rest.Config {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("cursor and answer ", 2))
	if err != nil {
		t.Fatal(err)
	}
	c := graphtest.Config(t, s, ring)
	core, err := graph.New(c)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	return rest.Config{Core: core, Keys: c.Keys, Idem: idem.New(s, ring), APIHost: apiHost, Logger: log}
}

// sqlite serves an empty SQLite store with one shop.
func sqlite(t testing.TB, edit ...func(*rest.Config)) (*server, *shop) {
	t.Helper()
	s := newServer(t, storetest.Open(t), edit...)
	return s, newShop(t, s.store, shopRow{})
}

// each runs f on every engine with an empty shop.
func each(t *testing.T, f func(t *testing.T, s *server, m *shop)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store)
		f(t, s, newShop(t, store, shopRow{}))
	})
}

// request is one request of a test.
type request struct {
	As     string // the credential; empty sends none
	Method string // GET unless given
	Path   string // with its query; below {base_url} unless it starts with /api, /docs or /mcp
	Body   string
	// Header is set on the request; an empty value removes a default: the media type and, on POST,
	// a new idempotency key.
	Header map[string]string
	// Edit changes the request at the end.
	Edit func(*http.Request)
	// Free disables checking the exchange against the document.
	Free bool
}

// answer is a received answer.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
	t      testing.TB
}

// do sends a request over HTTP.
func (s *server) do(t testing.TB, r request) *answer {
	t.Helper()
	req := r.build(t, s.url)
	client := s.checked
	if r.Free {
		client = s.free
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, r.Path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, r.Path, err)
	}
	return &answer{Status: res.StatusCode, Header: res.Header, Body: body, t: t}
}

func (r request) build(t testing.TB, host string) *http.Request {
	t.Helper()
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	target := r.Path
	if !slices.ContainsFunc([]string{"/api/", "/docs", "/openapi", mcp.Path}, func(outside string) bool {
		return strings.HasPrefix(target, outside)
	}) {
		target = base + target
	}
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.Method, host+target, body)
	if err != nil {
		t.Fatal(err)
	}
	if r.As != "" {
		req.Header.Set("Authorization", "Bearer "+r.As)
	}
	req.Header.Set("Accept", "application/json")
	bodied := r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch
	if bodied || r.Method == http.MethodDelete {
		req.Header.Set("Idempotency-Key", rand.Text())
	}
	if bodied {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.Header {
		if req.Header.Set(name, value); value == "" {
			req.Header.Del(name)
		}
	}
	if r.Edit != nil {
		r.Edit(req)
	}
	return req
}

// want checks the status and the code of a problem, "" for none.
func (a *answer) want(status int, code string) *answer {
	a.t.Helper()
	if got := a.code(); a.Status != status || got != code {
		a.t.Errorf("got %d %q, want %d %q\n%.400s", a.Status, got, status, code, a.Body)
	}
	return a
}

// code returns the code of a problem, or "".
func (a *answer) code() string {
	if a.Header.Get("Content-Type") != "application/problem+json" || len(a.Body) == 0 {
		return ""
	}
	return a.problem().Code
}

// problem is RFC 9457 as this service writes it.
type problem struct {
	Type, Title, Code, Detail string
	Status                    int
	RequestID                 string `json:"request_id"`
	Errors                    []struct{ Pointer, Parameter, Header, Code, Detail string }
}

func (a *answer) problem() (p problem) {
	a.t.Helper()
	a.decode(&p)
	return p
}

// places lists what is wrong as "place code".
func (p problem) places() []string {
	list := []string{}
	for _, e := range p.Errors {
		list = append(list, e.Pointer+e.Parameter+e.Header+" "+e.Code)
	}
	return list
}

func (a *answer) decode(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		a.t.Fatalf("decode %.200s: %v", a.Body, err)
	}
}

// product is the part of a product that tests read.
type product struct {
	ID, Title, Handle, Status, Currency string
	PriceMinor                          int64 `json:"price_minor"`
	Tags                                []string
	Version                             int
	CreatedAt                           string `json:"created_at"`
}

func (a *answer) product() (p product) {
	a.t.Helper()
	a.want(http.StatusCreated, "").decode(&p)
	return p
}

// listed is a page of anything with an id.
type listed struct {
	Data []struct {
		ID        string
		UpdatedAt string `json:"updated_at"`
	}
	NextCursor *string `json:"next_cursor"`
}

func (a *answer) list() (l listed) {
	a.t.Helper()
	a.want(http.StatusOK, "").decode(&l)
	return l
}

func (l listed) ids() []string {
	ids := []string{}
	for _, row := range l.Data {
		ids = append(ids, row.ID)
	}
	return ids
}

// same fails the test if two answers differ in what a replay must repeat.
func same(t testing.TB, first, again *answer) {
	t.Helper()
	if first.Status != again.Status || !bytes.Equal(first.Body, again.Body) {
		t.Errorf("the answers differ:\n%d %s\n%d %s", first.Status, first.Body, again.Status, again.Body)
	}
	for _, name := range []string{"Content-Type", "Location"} {
		if a, b := first.Header.Get(name), again.Header.Get(name); a != b {
			t.Errorf("%s: %q, then %q", name, a, b)
		}
	}
}

// draft returns a body that creates a product.
func draft(title string) string {
	b, _ := json.Marshal(map[string]any{"title": title, "price_minor": 1450, "currency": "EUR"})
	return string(b)
}
