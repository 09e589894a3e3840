package client

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func serve(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := New(s.URL+"/api/public/v1", "sfk_test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(w http.ResponseWriter, mediaType string, status int, body string) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestNewRefuses(t *testing.T) {
	for _, tc := range []struct{ name, url, key string }{
		{"no scheme", "api.example.com/api/public/v1", "sfk_x"},
		{"other scheme", "ftp://api.example.com/", "sfk_x"},
		{"no host", "https:///api", "sfk_x"},
		{"query", "https://api.example.com/?a=b", "sfk_x"},
		{"not a url", "https://[", "sfk_x"},
		{"no credential", "https://api.example.com/api/public/v1", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := New(tc.url, tc.key); err == nil {
				t.Error("want an error")
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	var seen []*http.Request
	var bodies []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen, bodies = append(seen, r), append(bodies, string(b))
		answer(w, "application/json", http.StatusCreated, `{"id":"prod_00000000000000000000000001"}`)
	})
	draft := ProductCreate{Title: "Mug", PriceMinor: 1450, Currency: "EUR", SKU: new("M-1")}
	for range 2 {
		if _, err := c.CreateProductWithResponse(t.Context(), nil, draft); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CreateProductWithResponse(t.Context(),
		&CreateProductParams{IdempotencyKey: "mine 1"}, draft); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetProductWithResponse(t.Context(), "prod_00000000000000000000000001", nil); err != nil {
		t.Fatal(err)
	}
	for i, r := range seen {
		if got := r.Header.Get("Authorization"); got != "Bearer sfk_test" {
			t.Errorf("request %d: Authorization %q", i, got)
		}
		if got := r.Header.Get("Accept"); got != "application/json" {
			t.Errorf("request %d: Accept %q", i, got)
		}
	}
	keys := []string{}
	for _, r := range seen {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
	}
	if len(keys[0]) < 20 || keys[0] == keys[1] {
		t.Errorf("calls share the key %q, %q; want a fresh one each", keys[0], keys[1])
	}
	if keys[2] != "mine 1" || keys[3] != "" {
		t.Errorf("given key %q, key of a read %q", keys[2], keys[3])
	}
	want := `{"currency":"EUR","price_minor":1450,"sku":"M-1","title":"Mug"}`
	if bodies[0] != want {
		t.Errorf("body %s, want %s", bodies[0], want)
	}
	if got := seen[3].URL.Path; got != "/api/public/v1/products/prod_00000000000000000000000001" {
		t.Errorf("path %s", got)
	}
}

func TestErr(t *testing.T) {
	problem := `{"type":"x","title":"Not found","status":404,"code":"not_found","detail":"There is no such order.",` +
		`"request_id":"req_1","errors":[]}`
	for _, tc := range []struct {
		name, mediaType string
		status          int
		body, want      string
		problem         bool
	}{
		{name: "success", mediaType: "application/json", status: 200, body: `{}`},
		{name: "not modified", status: 304},
		{name: "problem", mediaType: "application/problem+json", status: 404, body: problem,
			want: "not_found (404, req_1): There is no such order.", problem: true},
		{name: "proxy page", mediaType: "text/html", status: 502, body: "<h1>bad gateway</h1>",
			want: "the answer is 502 Bad Gateway"},
		{name: "proxy json", mediaType: "application/json", status: 503, body: `{"message":"away"}`,
			want: "the answer is 503 Service Unavailable"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, tc.mediaType, tc.status, tc.body) })
			res, err := c.GetOrderWithResponse(t.Context(), "ord_1", nil)
			if err != nil {
				t.Fatal(err)
			}
			err = Err(res)
			if (err == nil) != (tc.want == "") || err != nil && err.Error() != tc.want {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if _, ok := errors.AsType[*Problem](err); ok != tc.problem {
				t.Errorf("is a problem: %t, want %t", ok, tc.problem)
			}
		})
	}
}

func TestWalk(t *testing.T) {
	var queries []string
	pages := map[string]string{
		"":   `{"data":[{"id":"a"},{"id":"b"}],"next_cursor":"c1"}`,
		"c1": `{"data":[],"next_cursor":"c2"}`,
		"c2": `{"data":[{"id":"c"}],"next_cursor":null}`,
	}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			t.Error("a walk must not ask for 304")
		}
		queries = append(queries, r.URL.RawQuery)
		answer(w, "application/json", 200, pages[r.URL.Query().Get("cursor")])
	})
	from := time.Date(2026, 3, 1, 9, 30, 0, 451000, time.UTC)
	params := &ListProductsParams{Limit: new(2), UpdatedFrom: &from, IfNoneMatch: new(`W/"x"`)}
	var ids []string
	for p, err := range c.Products(t.Context(), params) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	want := []string{
		"limit=2&updated_from=2026-03-01T09%3A30%3A00.000451Z",
		"limit=2&cursor=c1&updated_from=2026-03-01T09%3A30%3A00.000451Z",
		"limit=2&cursor=c2&updated_from=2026-03-01T09%3A30%3A00.000451Z",
	}
	if diff := cmp.Diff(sorted(want), sorted(queries)); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
	if params.Cursor != nil {
		t.Error("the caller's parameters were changed")
	}
}

// sorted makes queries comparable, whatever the order of their parameters.
func sorted(queries []string) []string {
	out := []string{}
	for _, q := range queries {
		parts := strings.Split(q, "&")
		slices.Sort(parts)
		out = append(out, strings.Join(parts, "&"))
	}
	return out
}

func TestWalkStops(t *testing.T) {
	calls := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.URL.Query().Get("cursor") == "" {
			answer(w, "application/json", 200, `{"data":[{"id":"a"},{"id":"b"}],"next_cursor":"c1"}`)
			return
		}
		answer(w, "application/problem+json", 429, `{"code":"rate_limited","status":429}`)
	})
	for o, err := range c.Orders(t.Context(), nil) {
		if o.ID != "a" || err != nil {
			t.Errorf("got %v, %v", o.ID, err)
		}
		break
	}
	if calls != 1 {
		t.Errorf("%d requests after leaving the first page, want 1", calls)
	}
	var failed error
	n := 0
	for _, err := range c.Customers(t.Context(), nil) {
		if n++; err != nil {
			failed = err
		}
	}
	if p, ok := errors.AsType[*Problem](failed); n != 3 || !ok || p.Code != "rate_limited" {
		t.Errorf("%d items and %v, want two customers and the refusal", n, failed)
	}
}

// Every list has an iterator, which requests the list's address.
func TestEveryListHasAWalk(t *testing.T) {
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		answer(w, "application/json", 200, `{"data":[{"id":"a"}],"next_cursor":null}`)
	})
	count := func(n int, err error) {
		if n != 1 || err != nil {
			t.Errorf("%s: %d items, %v", asked[len(asked)-1], n, err)
		}
	}
	ctx := t.Context()
	count(drained(c.Orders(ctx, nil)))
	count(drained(c.Products(ctx, nil)))
	count(drained(c.Customers(ctx, nil)))
	count(drained(c.Exports(ctx, nil)))
	count(drained(c.Webhooks(ctx, nil)))
	count(drained(c.Themes(ctx, nil)))
	count(drained(c.ThemeAssets(ctx, "thm_1", nil)))
	count(drained(c.MarketplaceThemes(ctx, nil)))
	var want []string
	for _, list := range []string{
		"orders", "products", "customers", "exports", "webhooks", "themes", "themes/thm_1/assets", "marketplace/themes",
	} {
		want = append(want, "/api/public/v1/"+list)
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

// drained counts what an iterator yields.
func drained[T any](items iter.Seq2[T, error]) (n int, err error) {
	for _, err = range items {
		n++
	}
	return n, err
}

// Absent values of answers are pointers, so that null and zero differ.
func TestNullable(t *testing.T) {
	var o Order
	const body = `{"paid_at":null,"email":null,"shipping_address":{"city":"Wien","name":null},` +
		`"placed_at":"2026-03-01T09:31:12.000451Z"}`
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		t.Fatal(err)
	}
	if o.PaidAt != nil || o.Email != nil || o.BillingAddress != nil ||
		o.ShippingAddress == nil || o.ShippingAddress.Name != nil {
		t.Errorf("got %+v", o)
	}
	if want := time.Date(2026, 3, 1, 9, 31, 12, 451000, time.UTC); !o.PlacedAt.Equal(want) {
		t.Errorf("placed_at %v, want %v", o.PlacedAt, want)
	}
}
