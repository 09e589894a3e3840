package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// variables is an environment.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

func TestTracesAsked(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  variables
		want bool
		err  string
	}{
		{name: "nothing"},
		{name: "endpoint", env: variables{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, want: true},
		{name: "traces endpoint", env: variables{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, want: true},
		{name: "exporter", env: variables{"OTEL_TRACES_EXPORTER": "otlp"}, want: true},
		{name: "none", env: variables{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}},
		{name: "disabled", env: variables{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"}},
		{name: "disabled, upper case", env: variables{"OTEL_SDK_DISABLED": "TRUE", "OTEL_TRACES_EXPORTER": "otlp"}},
		{name: "protocol",
			env: variables{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, want: true},
		{name: "other protocol", env: variables{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			err: "OTEL_EXPORTER_OTLP_PROTOCOL"},
		{name: "other exporter", env: variables{"OTEL_TRACES_EXPORTER": "zipkin"}, err: "OTEL_TRACES_EXPORTER"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tracesAsked(tc.env.get)
			if got != tc.want || (err == nil) != (tc.err == "") ||
				err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("tracesAsked = %t, %v; want %t and %q", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestNoTracesCostNothing(t *testing.T) {
	tr, err := newTracer(t.Context(), variables{}.get, "test", nil, slog.New(slog.DiscardHandler))
	if tr != nil || err != nil {
		t.Fatalf("newTracer = %v, %v; want nothing", tr, err)
	}
	h := http.NewServeMux()
	if got := tr.wrap(h); got != http.Handler(h) {
		t.Error("the handler was wrapped")
	}
	if err := tr.stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTracesReachTheCollector(t *testing.T) {
	received := make(chan string, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		received <- r.URL.Path + "\n" + string(b)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL) // read by the library
	env := variables{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}
	tr, err := newTracer(t.Context(), env.get, "v1.2.3", nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	h := tr.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	r := httptest.NewRequest(http.MethodGet, "/api/public/v1/orders/ord_01h455vb4pex5vsknk084sn02q?secret=hunter2", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	if err := tr.stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	got := <-received
	for _, want := range []string{"/v1/traces\n", "GET /api/public/v1/orders/{id}", "storefront", "v1.2.3"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the export", want)
		}
	}
	if strings.Contains(got, "hunter2") {
		t.Error("the export holds the query")
	}
}

func TestStranger(t *testing.T) {
	tr := &tracer{proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for from, want := range map[string]bool{
		"203.0.113.9:1": true, "10.1.2.3:1": false, "127.0.0.1:1": false, "[::1]:1": false,
		"[::ffff:10.0.0.1]:1": false, "nonsense": true,
	} {
		if got := tr.stranger(&http.Request{RemoteAddr: from}); got != want {
			t.Errorf("stranger(%s) = %t, want %t", from, got, want)
		}
	}
}

func TestSpanName(t *testing.T) {
	for path, want := range map[string]string{
		"/api/public/v1/orders": "GET /api/public/v1/orders",
		"/api/public/v1/orders/ord_01h455vb4pex5vsknk084sn02q/notes": "GET /api/public/v1/orders/{id}/notes",
		"/api/public/v1/products/prod_x":                             "GET /api/public/v1/products/{id}",
		"/graphql":                                                   "GET /graphql",
		"/wp-admin/setup.php":                                        "GET",
		"/api/public/v1/" + strings.Repeat("x", 200):                 "GET",
		"/api/public/v1/a/b/c/d/e/f":                                 "GET",
	} {
		if got := spanName(httptest.NewRequest(http.MethodGet, path, nil)); got != want {
			t.Errorf("spanName(%.60s) = %q, want %q", path, got, want)
		}
	}
}
