package e2e

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// admin sends a request to the admin port.
func (p *program) admin(t *testing.T, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Admin+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := free.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// metrics returns the samples of /metrics by name and labels.
func (p *program) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	status, text := p.admin(t, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("/metrics answers %d", status)
	}
	samples := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), "} ")
		if ok {
			name += "}"
		} else if name, value, ok = strings.Cut(lines.Text(), " "); !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			samples[name] = v
		}
	}
	return samples
}

// Requests are counted by route and status.
func TestMetrics(t *testing.T) {
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	store := p.demo(t).Stores[0]
	before := p.metrics(t)
	order := p.firstOrder(t, store.Keys["all"])
	p.send(t, request{As: store.Keys["all"], Path: base + "/orders/" + order}).want(t, http.StatusOK, "")
	p.send(t, request{As: store.Keys["all"], Path: base + "/orders/ord_1"}).want(t, http.StatusNotFound, "not_found")
	p.send(t, request{As: store.Keys["all"], Path: base + "/orders?cursor=bogus"}).want(t, http.StatusOK, "")
	write := request{As: store.Keys["all"], Path: base + "/products", Body: draft("Counted", "COUNTED"), Key: "counted"}
	p.send(t, write).want(t, http.StatusCreated, "")
	p.send(t, write).want(t, http.StatusCreated, "")
	p.post(t, store.StaffToken, "{store{id}}", nil).want(t, http.StatusOK, "")
	p.send(t, request{Path: "/nowhere"}).want(t, http.StatusNotFound, "not_found")
	after := p.metrics(t)
	for _, tc := range []struct {
		name string
		more float64
	}{
		{`storefront_http_requests_total{method="GET",route="` + base + `/orders/{id}",status="200"}`, 1},
		{`storefront_http_requests_total{method="GET",route="` + base + `/orders/{id}",status="404"}`, 1},
		{`storefront_http_requests_total{method="POST",route="` + base + `/products",status="201"}`, 2},
		{`storefront_http_requests_total{method="*",route="/graphql",status="200"}`, 1},
		{`storefront_http_requests_total{method="*",route="other",status="404"}`, 1},
		{`storefront_http_request_duration_seconds_count{method="GET",route="` + base + `/orders"}`, 2},
		{`storefront_idempotent_replays_total`, 1},
		{`storefront_cursor_rejections_total`, 1},
	} {
		if got := after[tc.name] - before[tc.name]; got != tc.more {
			t.Errorf("%s rose by %v, want %v", tc.name, got, tc.more)
		}
	}
	if after["storefront_db_statements_total"] <= before["storefront_db_statements_total"] {
		t.Error("statements are not counted")
	}
	for _, name := range []string{"storefront_db_pool_open_connections", "storefront_db_pool_max_connections",
		"storefront_db_pool_busy_connections", "storefront_build_info", "storefront_http_response_bytes_total",
		"go_goroutines", "process_resident_memory_bytes"} {
		found := false
		for sample := range after {
			found = found || sample == name || strings.HasPrefix(sample, name+"{")
		}
		if !found {
			t.Errorf("%s is missing", name)
		}
	}
	for sample := range after {
		if strings.Contains(sample, "ord_") || strings.Contains(sample, "sfk_") {
			t.Errorf("%s names an id or a secret", sample)
		}
	}
}

func TestHealth(t *testing.T) {
	p := start(t, settings{Data: demoData(t)})
	for path, want := range map[string]string{
		"/healthz": `"ok"`, "/readyz": `"ok"`, "/debug/pprof/": "goroutine",
	} {
		if status, body := p.admin(t, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
	// The command line may hold secrets.
	if status, body := p.admin(t, "/debug/pprof/cmdline"); status != http.StatusNotFound {
		t.Errorf("the command line: %d %.200s", status, body)
	}
}

// The operator's port and the public one have no routes in common.
func TestPortsApart(t *testing.T) {
	p := start(t, settings{Data: demoData(t)})
	for _, path := range []string{
		"/healthz", "/readyz", "/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/vars",
	} {
		p.send(t, request{Path: path}).want(t, http.StatusNotFound, "not_found")
	}
	for _, path := range []string{base + "/orders", "/graphql", "/docs", "/openapi.json"} {
		if status, _ := p.admin(t, path); status != http.StatusNotFound {
			t.Errorf("%s answers %d on the admin port", path, status)
		}
	}
}

// The log shows what happened, and no secret.
func TestLog(t *testing.T) {
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--log-format", "json"}})
	store := p.demo(t).Stores[0]
	a := p.send(t, request{As: store.Keys["all"], Path: base + "/customers?email=secret.person%40mail.example",
		Header: []string{"X-Request-Id", "mine-1"}})
	p.send(t, request{
		As: store.Keys["all"], Path: base + "/products", Body: draft("Secret title", "SECRET-SKU"), Key: "secret-key",
	})
	p.post(t, store.StaffToken, `mutation{apiKeyCreate(input:{name:"x",scopes:["orders.read"]}){secret}}`, nil)
	p.stop(t)
	log := p.log.String()
	for _, want := range []string{a.Header.Get("X-Request-Id"), `"client_request_id":"mine-1"`,
		`"route":"` + base + `/customers"`, `"status":200`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for _, secret := range []string{
		"sfk_", "sft_", "secret.person", "Secret title", "SECRET-SKU", store.Owner.Password,
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
