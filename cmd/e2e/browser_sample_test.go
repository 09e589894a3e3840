//go:build !race

package e2e

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// sample is the code that the reference shows for an operation in a language.
type sample struct{ Operation, Language, Text string }

// readOperations returns where the reference shows each operation.
const readOperations = `(async () => {
	const { paths } = await (await fetch('/openapi.json')).json();
	return Object.entries(paths).flatMap(([path, item]) => ['get', 'post', 'delete'].filter((m) => item[m]).map((m) => ({
		Operation: item[m].operationId,
		At: 'tag/' + item[m].tags[0].toLowerCase().replaceAll(' ', '-') + '/' + m.toUpperCase() + path,
	})));
})()`

// readSamples goes to an operation and selects each language.
const readSamples = `(async (at) => {
	const until = async (f) => {
		for (let i = 0; i < 2000; i++) {
			const v = f(i);
			if (v) {
				return v;
			}
			await new Promise((done) => setTimeout(done, 5));
		}
		throw Error('never: ' + f);
	};
	location.hash = '#' + at;
	const shown = () => document.getElementById('api-1/' + at);
	const open = () => shown()?.querySelector('[data-testid="client-picker"]')?.click();
	const all = {};
	for (const language of ['go/native', 'js/fetch', 'php/curl', 'python/python3', 'shell/curl']) {
		const option = () => document.querySelector('[role="option"][id$="' + language + '"]');
		// The page may still be making the operation, and a list that was opened is gone again.
		(await until((i) => option() ?? (i % 50 === 0 && void open()))).click();
		await until(() => !document.querySelector('[role="option"]'));
		all[language] = shown().querySelector('pre').innerText;
	}
	return all;
})`

// The code samples of the reference run with a key and ids of the store in place of the document's,
// and each request succeeds. Go samples have one form, so only two are compiled and run.
func TestBrowserSamples(t *testing.T) {
	storetest.Campaign(t)
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, key := p.browse(t), p.demo(t).Stores[0].Keys["all"]
	ids := b.exampleIDs(key)
	b.open("/docs#tag/identity/GET/me")
	b.see(`.show-api-client-button`)
	var samples []sample
	for _, o := range evaluate[[]struct{ Operation, At string }](b, readOperations) {
		for language, text := range evaluate[map[string]string](b, readSamples+"("+quote(o.At)+")") {
			samples = append(samples, sample{o.Operation, language, text})
		}
	}
	to, stop := recordStatuses(t, b.api)
	defer stop()
	folder, changed := t.TempDir(), ""
	for _, s := range samples {
		if s.Language == "go/native" && s.Operation != "listOrders" && s.Operation != "createProduct" {
			continue
		}
		text := strings.NewReplacer(hostOf(b.api), hostOf(to.url), "YOUR_SECRET_TOKEN", key).Replace(s.Text)
		if slices.Contains(orderChanges, s.Operation) && changed != s.Operation { // all languages have one key
			ids["ord"], ids["oli"] = p.partlyPaid(t, p.demo(t).Stores[0])
			changed = s.Operation
		}
		if strings.HasSuffix(s.Operation, "publishProduct") || s.Operation == "archiveProduct" ||
			s.Operation == "adjustInventory" || s.Operation == "transferInventory" {
			if changed != s.Operation {
				ids["prod"] = p.sampleProduct(t, key, s.Operation == "unpublishProduct")
				ids["var"] = "var" + strings.TrimPrefix(ids["prod"], "prod")
				changed = s.Operation
			}
		}
		if s.Operation == "closeLocation" && changed != s.Operation {
			ids["loc"] = p.location(t, p.demo(t).Stores[0], true) // without stock
			changed = s.Operation
		}
		if strings.HasSuffix(s.Operation, "Return") && changed != s.Operation {
			ids["ret"] = p.sampleReturn(t, key, s.Operation)
			changed = s.Operation
		}
		text = exampleID.ReplaceAllStringFunc(text, func(id string) string {
			kind, _, _ := strings.Cut(id, "_")
			if strings.HasPrefix(id, "loc_01jgn7k0") { // the default location of the examples
				return "loc" + strings.TrimPrefix(p.demo(t).Stores[0].ID, "str")
			}
			if ids[kind] == "" {
				t.Errorf("%s names an id of a kind that exampleIDs does not create: %s", s.Operation, id)
			}
			return ids[kind]
		})
		runSample(t, folder, s, text)
		if got := to.take(); len(got) != 1 || got[0] >= 300 {
			t.Errorf("%s in %s is answered %v:\n%s", s.Operation, s.Language, got, text)
		}
	}
}

// orderChanges are the operations that need an order of which a part is paid.
var orderChanges = []string{"cancelOrder", "createPayment", "createFulfillment", "createRefund", "createReturn"}

// sampleReturn creates a return of one unit, as the operation needs it.
func (p *program) sampleReturn(t *testing.T, key, operation string) string {
	t.Helper()
	order, line := p.partlyPaid(t, p.demo(t).Stores[0])
	post := func(path, body string) string {
		made := p.send(t, request{Method: http.MethodPost, Path: base + path, As: key, Key: rand.Text(), Body: body})
		return parse[struct{ ID string }](t, string(made.Body)).ID
	}
	id := post("/orders/"+order+"/returns", `{"lines":[{"line_item_id":"`+line+`","quantity":1}]}`)
	if operation != "approveReturn" && operation != "declineReturn" {
		post("/returns/"+id+"/approve", "{}")
	}
	return id
}

// sampleProduct creates a product with a stock.
func (p *program) sampleProduct(t *testing.T, key string, published bool) string {
	t.Helper()
	body := `{"title":"Sample","price_minor":100,"currency":"EUR","inventory_quantity":10}`
	made := p.send(t, request{Method: http.MethodPost, Path: base + "/products", As: key, Key: rand.Text(), Body: body})
	id := parse[struct{ ID string }](t, string(made.Body)).ID
	if published {
		p.send(t, request{Method: http.MethodPost, Path: base + "/products/" + id + "/publish", As: key,
			Key: rand.Text(), Body: "{}"}).want(t, http.StatusOK, "")
	}
	return id
}

func hostOf(address string) string { return strings.TrimPrefix(address, "http://") }

// exampleIDs returns an id of each kind that samples name, of resources of the key's store.
func (b *browser) exampleIDs(key string) map[string]string {
	b.t.Helper()
	ids := map[string]string{}
	for kind, request := range map[string][2]string{
		"ord": {"/orders?limit=1", ""}, "prod": {"/products?limit=1", ""}, "cus": {"/customers?limit=1", ""},
		"thm": {"/themes?limit=1", ""}, "exp": {"/exports", `{"kind": "products"}`},
		"evt": {"/events?limit=1", ""}, "dis": {"/discounts", `{"code": "SAMPLE", "kind": "free_shipping"}`},
		"whk": {"/webhooks", `{"url": "https://example.com/samples", "events": ["order.paid"]}`},
		"cfd": {"/custom-fields", `{"owner": "product", "name": "samples.a", "label": "Sample", "type": "text"}`},
		"loc": {"/locations", `{"name": "Samples"}`},
		"imp": {"/imports", `{"kind": "products", "content": "handle,title\na,A\n"}`},
	} {
		method := http.MethodGet
		if request[1] != "" {
			method = http.MethodPost
		}
		r, err := http.NewRequestWithContext(b.t.Context(), method, b.api+base+request[0],
			strings.NewReader(request[1]))
		if err != nil {
			b.t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + key}, "Idempotency-Key": {"samples-" + kind},
			"Content-Type": {"application/json"}}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			b.t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		if err := errors.Join(err, a.Body.Close()); err != nil {
			b.t.Fatal(err)
		}
		if ids[kind] = regexp.MustCompile(kind + `_[0-9a-z]{26}`).FindString(string(body)); ids[kind] == "" {
			b.t.Fatalf("no %s for samples in %s", kind, body)
		}
	}
	return ids
}

// exampleID finds the ids of the document's examples.
var exampleID = regexp.MustCompile(`\b[a-z]{3,4}_[0-7][0-9a-hjkmnp-tv-z]{25}\b`)

// runSample runs a sample if its interpreter is installed.
func runSample(t *testing.T, folder string, s sample, text string) {
	t.Helper()
	how := map[string]struct{ file, before, command string }{
		"go/native":      {"main.go", "", "go run main.go"},
		"js/fetch":       {"main.mjs", "", "node main.mjs"},
		"php/curl":       {"main.php", "<?php\n", "php main.php"},
		"python/python3": {"main.py", "", "python3 main.py"},
		"shell/curl":     {"main.sh", "", "sh main.sh"},
	}[s.Language]
	if s.Language == "php/curl" && strings.HasPrefix(text, "<?php") {
		how.before = ""
	}
	if err := os.WriteFile(filepath.Join(folder, how.file), []byte(how.before+text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(how.command)
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s in %s: %v\n%.2000s\n%s", s.Operation, s.Language, err, text, out)
	}
}

// statuses are the statuses of answers through a proxy.
type statuses struct {
	url string
	mu  sync.Mutex
	all []int
}

func (s *statuses) take() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	return all
}

// recordStatuses starts a proxy before a server that keeps the statuses of its answers.
func recordStatuses(t *testing.T, target string) (*statuses, func()) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	s := &statuses{}
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ModifyResponse: func(a *http.Response) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.all = append(s.all, a.StatusCode)
			return nil
		},
	}
	srv := httptest.NewServer(p)
	s.url = srv.URL
	return s, srv.Close
}
