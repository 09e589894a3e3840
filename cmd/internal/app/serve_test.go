package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/storetest"
)

// settings are those of a small demo on free ports.
func settings(t testing.TB) app.Config {
	return app.Config{
		Storage: app.Storage{Data: filepath.Join(t.TempDir(), "data")},
		Listen:  app.Listen{Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0"},
		Demo:    true, DemoOrders: 3, Introspection: true, Explorer: true,
	}
}

func process(t testing.TB) app.Runtime {
	return app.Runtime{
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Getenv: func(string) string { return "" }, Build: app.Build{Version: "test"},
	}
}

// start starts a server and stops it with the test.
func start(t testing.TB, c app.Config) *app.Server {
	t.Helper()
	s, err := app.Start(t.Context(), c, process(t))
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
	return s
}

// get fetches a page with a key, which may be empty.
func get(t testing.TB, url, key string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// A new connection each time: pooled ones would keep servers from draining.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestServesAndRestarts(t *testing.T) {
	c := settings(t)
	c.Addr = "127.0.0.1:0"
	s := start(t, c)
	first := s.Demo.Stores[0]
	status, body := get(t, s.Demo.BaseURL+"/orders?limit=2", first.Keys["all"])
	if status != http.StatusOK || !strings.Contains(body, `"ord_`) {
		t.Errorf("orders: %d %s", status, body)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatalf("Shutdown: %v", err)
	}
	again := start(t, c)
	if got := again.Demo.Stores[0].Keys["all"]; got != first.Keys["all"] {
		t.Error("the restart changed the key")
	}
	if status, body := get(t, again.Demo.BaseURL+"/me", first.Keys["products.read"]); status != http.StatusOK ||
		!strings.Contains(body, first.ID) {
		t.Errorf("me after the restart: %d %s", status, body)
	}
}

func TestAdminPort(t *testing.T) {
	s := start(t, settings(t))
	for path, want := range map[string]string{
		"/healthz": `"status":"ok"`, "/readyz": `"status":"ok"`, "/debug/pprof/": "goroutine",
		"/metrics": "storefront_db_statements_total",
	} {
		if status, body := get(t, s.Admin+path, ""); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %q is missing", path, status, want)
		}
		if status, _ := get(t, s.API+path, ""); status != http.StatusNotFound {
			t.Errorf("%s on the public address: %d, want 404", path, status)
		}
	}
	_, body := get(t, s.Admin+"/metrics", "")
	for _, want := range []string{`storefront_build_info{`, `storefront_db_pool_open_connections{pool="writer"} 1`,
		"storefront_cursor_rejections_total 0", "storefront_sign_ins_total 0", "storefront_sign_in_failures_total 0",
		"storefront_sign_ins_throttled_total 0", `storefront_db_tx_retries_total{class="conflict"}`,
		"go_goroutines", "process_cpu_seconds_total"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}

func TestRefusesPendingMigrations(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return // the SQLite half of the rule: TestServesAndRestarts begins without a file
	}
	c := settings(t)
	c.Demo, c.Database = false, storetest.EmptyMySQL(t)
	_, err := app.Start(t.Context(), c, process(t))
	if err == nil || !strings.Contains(err.Error(), "storefront migrate apply") ||
		!strings.Contains(err.Error(), "--migrate") {
		t.Fatalf("Start = %v, want a refusal that names both ways on", err)
	}
	c.Migrate = true
	s := start(t, c)
	if status, _ := get(t, s.Admin+"/readyz", ""); status != http.StatusOK {
		t.Errorf("readyz: %d", status)
	}
}

func TestStartFails(t *testing.T) {
	storetest.Sequential(t)
	taken := start(t, settings(t))
	for _, tc := range []struct {
		name string
		edit func(*app.Config)
		want string
	}{
		{"address in use", func(c *app.Config) { c.Addr = strings.TrimPrefix(taken.API, "http://") }, "--addr"},
		{"no certificate", func(c *app.Config) { c.TLSCert, c.TLSKey = "none.pem", "none.key" }, "--tls-cert"},
		{"short secret", func(c *app.Config) { c.SecretKey = "short" }, "STOREFRONT_SECRET_KEY"},
		{"demo for everyone", func(c *app.Config) { c.Addr = "0.0.0.0:0" }, "--demo"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := settings(t)
			tc.edit(&c)
			if s, err := app.Start(t.Context(), c, process(t)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Start = %v, %v; want %q in the error", s, err, tc.want)
			}
		})
	}
}

func TestRunDrainsOnSignal(t *testing.T) {
	ctx, signal := context.WithCancel(t.Context())
	c := settings(t)
	err := app.Run(ctx, c, process(t), func(s *app.Server) error {
		if _, err := os.Stat(filepath.Join(c.Data, demo.FileName)); err != nil {
			t.Errorf("demo.json: %v", err)
		}
		status, _ := get(t, s.API+"/api/public/v1/me", s.Demo.Stores[1].Keys["all"])
		if status != http.StatusOK {
			t.Errorf("me: %d", status)
		}
		signal()
		return nil
	})
	if err != nil {
		t.Errorf("Run = %v, want a clean end", err)
	}
}

func TestRunEndsWithTheAnnouncement(t *testing.T) {
	broken := errors.New("broken pipe")
	err := app.Run(t.Context(), settings(t), process(t), func(*app.Server) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("Run = %v, want %v", err, broken)
	}
}

func TestGraphQLIsThere(t *testing.T) {
	s := start(t, settings(t))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.API+"/graphql",
		strings.NewReader(`{"query":"{ store { name storeHost } orders(first: 1) { nodes { number } } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Demo.Stores[1].StaffToken)
	res, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got struct {
		Data struct {
			Store struct{ Name, StoreHost string }
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil ||
		got.Data.Store.StoreHost != s.Demo.Stores[1].StoreHost {
		t.Errorf("%v: %+v, want the host %s", err, got, s.Demo.Stores[1].StoreHost)
	}
}

func mustRead(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) == 0 {
		t.Fatalf("read %s: %d entries, %v", dir, len(list), err)
	}
	return list
}

// BenchmarkStart measures the time from the start on existing data to the API's first answer.
func BenchmarkStart(b *testing.B) {
	c := settings(b)
	c.DemoOrders = 500
	r := app.Runtime{Logger: slog.New(slog.DiscardHandler), Getenv: func(string) string { return "" }}
	stop := func(s *app.Server) {
		if err := s.Shutdown(context.WithoutCancel(b.Context())); err != nil {
			b.Fatal(err)
		}
	}
	s, err := app.Start(b.Context(), c, r) // creates the demo
	if err != nil {
		b.Fatal(err)
	}
	stop(s)
	for b.Loop() {
		s, err := app.Start(b.Context(), c, r)
		if err != nil {
			b.Fatal(err)
		}
		if status, body := get(b, s.Demo.BaseURL+"/orders?limit=1",
			s.Demo.Stores[0].Keys["all"]); status != http.StatusOK {
			b.Fatalf("orders: %d %s", status, body)
		}
		b.StopTimer()
		stop(s)
		b.StartTimer()
	}
}
