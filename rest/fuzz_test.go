package rest_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// serve answers a request without a socket and checks the answer against the document.
func (s *server) serve(t *testing.T, r *http.Request, body []byte) *answer {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	res := w.Result()
	a := &answer{Status: w.Code, Header: res.Header, Body: w.Body.Bytes(), t: t}
	if a.Status >= 500 {
		t.Errorf("%s %q %q: %d %s", r.Method, r.URL, body, a.Status, a.Body)
	}
	if a.Status >= 400 { // the document's validator may be stricter for accepted requests
		validator(t).Check(t, r, body, res, a.Body)
	}
	return a
}

// FuzzQuery: any query gives a page or a problem, and a cursor is never an error.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", "limit=1", "limit=0", "limit=+1", "cursor=x", "limit=%zz", "status=draft&sku=a",
		"sku=%ff", "updated_from=2026-01-01T00:00:00Z", "updated_from=9999-12-31T23:59:59.9999999Z", "cursor=&cursor=",
		"=", "&&", ";", "access_token=1", "limit=1&limit=2", "customer_id=cus_1", "\x00", "email=%00"} {
		f.Add(q)
	}
	s := newServer(f, storetest.Open(f))
	m := newShop(f, s.store, shopRow{})
	m.stock(crowd(3)...)
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/products", "/products/" + productID} {
			r := httptest.NewRequest("GET", base+path, nil)
			r.URL.RawQuery = query
			r.Header.Set("Authorization", "Bearer "+m.all)
			s.serve(t, r, nil)
		}
		r := httptest.NewRequest("GET", base+"/products", nil)
		values := r.URL.Query()
		values.Set("cursor", query)
		r.URL.RawQuery = values.Encode()
		r.Header.Set("Authorization", "Bearer "+m.all)
		if a := s.serve(t, r, nil); len(a.list().Data) != 3 {
			t.Errorf("cursor %q: %s", query, a.Body)
		}
	})
}

// FuzzCreateProductBody: every body gives a product that reads back as answered, or a problem; a
// retry with the key gives the same answer.
func FuzzCreateProductBody(f *testing.F) {
	for _, body := range []string{"", "{}", "null", draft("Cup"), price("1e3"), price("1.5"), price("1e400"),
		`{"title":"\ud800"}`, with(map[string]any{"tags": []any{1, "a"}}),
		with(map[string]any{"image_url": "https://a.example"}), with(map[string]any{"handle": "-"}), "\ufeff{}", "[[[[",
		`{"a":1,"a":2}`, with(map[string]any{"title": "é\u0000"})} {
		f.Add([]byte(body))
	}
	s := newServer(f, storetest.Open(f))
	m := newShop(f, s.store, shopRow{})
	f.Fuzz(func(t *testing.T, body []byte) {
		header := request{As: m.all, Method: http.MethodPost, Path: "/products"}.build(t, "").Header
		post := func() *answer {
			r := httptest.NewRequest("POST", base+"/products", bytes.NewReader(body))
			r.Header = header.Clone()
			return s.serve(t, r, body)
		}
		first := post()
		same(t, first, post())
		if first.Status != http.StatusCreated {
			if first.code() == "" {
				t.Errorf("%q: %d %s", body, first.Status, first.Body)
			}
			return
		}
		r := httptest.NewRequest("GET", first.Header.Get("Location"), nil)
		r.Header.Set("Authorization", "Bearer "+m.all)
		if read := s.serve(t, r, nil); !bytes.Equal(read.Body, first.Body) {
			t.Errorf("%q: made %s, read %s", body, first.Body, read.Body)
		}
	})
}

// FuzzCreateExportBody: every body gives a job, or a problem that names what is wrong; a retry with
// the key gives the same answer.
func FuzzCreateExportBody(f *testing.F) {
	for _, body := range []string{"", "{}", "null", `{"kind":"orders"}`,
		`{"kind":"products","format":"jsonl","compression":"gzip","filters":{"status":"draft"}}`,
		`{"kind":"orders","filters":{"created_from":"2026-03-01T00:00:00Z",` +
			`"created_to":"2026-03-01T00:00:00.0000001Z"}}`, `{"kind":"orders","filters":null}`,
		`{"kind":"\u0000"}`, `{"kind":"orders","filters":{"filters":{}}}`,
		`{"kind":"customers","filters":{"status":"\ud83d\ude00"}}`, `{"kind":["orders"]}`} {
		f.Add([]byte(body))
	}
	s := newServer(f, storetest.Open(f))
	m := newShop(f, s.store, shopRow{})
	f.Fuzz(func(t *testing.T, body []byte) {
		header := request{As: m.all, Method: http.MethodPost, Path: "/exports"}.build(t, "").Header
		post := func() *answer {
			r := httptest.NewRequest("POST", base+"/exports", bytes.NewReader(body))
			r.Header = header.Clone()
			return s.serve(t, r, body)
		}
		first := post()
		same(t, first, post())
		code := first.code()
		if wrong := code == "validation_failed"; wrong && len(first.problem().Errors) == 0 ||
			first.Status != http.StatusAccepted && !wrong && code != "malformed_body" && code != "limit_reached" {
			t.Errorf("%q: %d %s", body, first.Status, first.Body)
		}
	})
}
