package rest_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest"
)

// lines is a log that a test may read while requests write to it.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

// String returns everything so far.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestLog: one line per request, with the client's request id, and without anything that may name a
// person or is a credential.
func TestLog(t *testing.T) {
	log := &lines{}
	s, m := sqlite(t, func(c *rest.Config) { c.Logger = slog.New(slog.NewJSONHandler(log, nil)) })
	s.do(t, request{
		As: m.all, Path: "/customers?email=secret%40example.com", Header: map[string]string{"X-Request-Id": "mine-1"},
	})
	s.do(t, request{As: m.all, Path: "/products?access_token=opensesame"})
	s.do(t, request{As: m.all, Path: "/products", Header: map[string]string{"X-Request-Id": strings.Repeat("x", 9000)}})
	s.do(t, request{As: "sfk_unknown", Path: "/products"})
	s.post(t, m.all, "k", "/products", draft("Private title"))
	s.post(t, m.all, "k", "/products", draft("Private title"))
	s.do(t, request{Path: "/nothing"})
	text := log.String()
	for _, secret := range []string{m.all, "secret", "opensesame", "sfk_", "Private", strings.Repeat("x", 65)} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %.20q:\n%s", secret, text)
		}
	}
	for _, part := range []string{`"client_request_id":"mine-1"`, `"route":"/api/public/v1/customers"`,
		`"replayed":true`, `"status":201`, `"store":"`} {
		if !strings.Contains(text, part) {
			t.Errorf("the log lacks %s:\n%s", part, text)
		}
	}
	if got := strings.Count(text, `"msg":"request"`); got != 7 {
		t.Errorf("%d lines for 7 requests", got)
	}
}

// failing serves a handler beside the table, with a log and metrics.
func failing(t *testing.T, h http.HandlerFunc) (*server, *lines, *prometheus.Registry) {
	t.Helper()
	log, registry := &lines{}, prometheus.NewRegistry()
	s, _ := sqlite(t, func(c *rest.Config) {
		c.Logger, c.Metrics, c.GraphQL = slog.New(slog.NewJSONHandler(log, nil)), registry, h
	})
	return s, log, registry
}

// TestPanic: a panic gives a 500 without details.
func TestPanic(t *testing.T) {
	s, log, _ := failing(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", "7")
		panic("the secret cause")
	})
	a := s.raw(t, http.MethodGet, "/graphql").want(http.StatusInternalServerError, "internal_error")
	if strings.Contains(string(a.Body), "secret") || !strings.Contains(log.String(), "the secret cause") {
		t.Errorf("answer %s\nlog %s", a.Body, log.String())
	}
	a.header(t, map[string]string{"Content-Encoding": "", "Content-Type": "application/problem+json"})
}

// TestPanicAfterTheFirstByte: it is too late for a problem, so the connection is aborted; the
// request is counted and logged as usual.
func TestPanicAfterTheFirstByte(t *testing.T) {
	for name, cause := range map[string]any{"a mistake": "the secret cause", "an abort": http.ErrAbortHandler} {
		t.Run(name, func(t *testing.T) {
			s, log, registry := failing(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusAccepted)
				io.WriteString(w, "half")
				http.NewResponseController(w).Flush()
				panic(cause)
			})
			res, err := s.free.Get(s.url + "/graphql")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if body, err := io.ReadAll(res.Body); err == nil || string(body) != "half" {
				t.Errorf("%q, %v; want a broken connection", body, err)
			}
			s.end()
			if got := gathered(t, registry)["* /graphql 202"]; got != 1 {
				t.Errorf("counted %v times: %v", got, gathered(t, registry))
			}
			text := log.String()
			if strings.Count(text, `"msg":"request"`) != 1 || !strings.Contains(text, `"aborted":true`) ||
				!strings.Contains(text, `"bytes":4`) {
				t.Errorf("logged %s", text)
			}
			if strings.Contains(text, "the secret cause") != (name == "a mistake") {
				t.Errorf("the cause is logged wrongly: %s", text)
			}
		})
	}
}

// TestDatabaseAway: reads, writes and unknown credentials give 503 while the database is down.
func TestDatabaseAway(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) { c.Logger = nil })
	s.do(t, request{As: m.all, Path: "/products"}).want(http.StatusOK, "")
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	stranger := m.all
	for _, r := range []request{
		{As: stranger, Path: "/products"}, {As: stranger, Path: "/products/" + productID},
		{As: stranger, Method: "POST", Path: "/products", Body: draft("x")},
	} {
		a := s.do(t, r).want(http.StatusServiceUnavailable, "unavailable")
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", r.Path)
		}
	}
}

// TestMetrics: requests are counted by route and status, never by path.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := newServer(t, storetest.Open(t), func(c *rest.Config) { c.Metrics = registry })
	m := newShop(t, s.store, shopRow{})
	s.do(t, request{As: m.all, Path: "/products/" + productID})
	s.do(t, request{As: m.all, Path: "/products/" + unknownID})
	s.do(t, request{Path: "/a"})
	s.do(t, request{Path: "/b"})
	s.post(t, m.all, "k", "/products", draft("x"))
	s.post(t, m.all, "k", "/products", draft("x"))
	got := gathered(t, registry)
	for name, want := range map[string]float64{
		"GET /api/public/v1/products/{id} 404": 2, "* other 404": 2,
		"POST /api/public/v1/products 201": 2, "replays": 1,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v (%v)", name, got[name], want, got)
		}
	}
}

func gathered(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range metric.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			switch f.GetName() {
			case "storefront_http_requests_total":
				got[labels["method"]+" "+labels["route"]+" "+labels["status"]] = metric.GetCounter().GetValue()
			case "storefront_idempotent_replays_total":
				got["replays"] = metric.GetCounter().GetValue()
			}
		}
	}
	return got
}
