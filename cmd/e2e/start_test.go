package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
)

// Nothing but a folder is needed: the stores exist, with every state, and the printed command
// works.
func TestDemo(t *testing.T) {
	storetest.Sequential(t)
	data := filepath.Join(t.TempDir(), "new")
	p := start(t, settings{Data: data, Args: []string{"--demo"}})
	t.Logf("the first start, with all demo orders, took %v", time.Since(p.began).Round(time.Millisecond))
	f := p.demo(t)
	if len(f.Stores) != 2 || f.Stores[0].Currency != "EUR" || f.Stores[1].Currency != "JPY" {
		t.Fatalf("stores: %+v", f.Stores)
	}
	t.Run("file", func(t *testing.T) { checkDemoFile(t, p) })
	t.Run("command", func(t *testing.T) { pasteCommand(t, p.out.String()) })
	for _, s := range f.Stores {
		t.Run(s.Currency, func(t *testing.T) { checkDemoStore(t, p, s) })
	}
	for _, address := range []string{
		f.BaseURL + "/orders?limit=2", f.GraphQLURL, f.AdminURL, f.APIHost, f.Stores[0].Keys["all"],
	} {
		if !strings.Contains(p.out.String(), address) {
			t.Errorf("%s is not printed:\n%s", address, p.out)
		}
	}
}

// checkDemoStore checks that a store has enough content.
func checkDemoStore(t *testing.T, p *program, s demo.Store) {
	states := map[string]bool{}
	orders := 0
	for o, err := range p.client(t, s.Keys["orders.read"]).Orders(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		orders++
		states[string(o.Status)], states[string(o.FinancialStatus)], states[string(o.FulfillmentStatus)] = true, true,
			true
		if o.Currency != s.Currency {
			t.Errorf("%s is in %s", o.ID, o.Currency)
		}
	}
	if orders != 500 {
		t.Errorf("%d orders, want 500", orders)
	}
	for want := range strings.FieldsSeq(
		`open completed cancelled pending partially_paid paid partially_refunded refunded voided
		unfulfilled partially_fulfilled fulfilled`) {
		if !states[want] {
			t.Errorf("no order is %s", want)
		}
	}
	for path, key := range map[string]string{"/products": "products.read", "/customers": "customers.read"} {
		var list struct{ Data []json.RawMessage }
		p.send(t, request{As: s.Keys[key], Path: base + path}).want(t, http.StatusOK, "").decode(t, &list)
		if len(list.Data) < 10 {
			t.Errorf("%s has %d rows", path, len(list.Data))
		}
	}
}

// checkDemoFile checks demo.json against contract section 11.
func checkDemoFile(t *testing.T, p *program) {
	path := filepath.Join(p.data, demo.FileName)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var shape struct {
		APIHost      string           `json:"api_host"`
		BaseURL      string           `json:"base_url"`
		GraphQLURL   string           `json:"graphql_url"`
		DashboardURL string           `json:"dashboard_url"`
		AdminURL     string           `json:"admin_url"`
		OAuthApp     *demo.OAuthApp   `json:"oauth_app"`
		Stores       []map[string]any `json:"stores"`
	}
	if err := json.Unmarshal(b, &shape); err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	want := []string{"admin_url", "api_host", "base_url", "dashboard_url", "graphql_url", "oauth_app", "stores"}
	if got := keys(members); !slices.Equal(got, want) {
		t.Errorf("members %q, want %q", got, want)
	}
	got := []string{shape.APIHost, shape.BaseURL, shape.GraphQLURL, shape.DashboardURL, shape.AdminURL}
	if diff := cmp.Diff([]string{p.API, p.API + base, p.API + "/graphql", p.API + "/dashboard", p.Admin}, got); diff !=
		"" {
		t.Error(diff)
	}
	if a := shape.OAuthApp; a == nil || !strings.HasPrefix(a.ID, "app_") || len(a.ClientID) < 26 || a.Name == "" ||
		!slices.Equal(a.RedirectURIs, []string{"http://127.0.0.1/callback"}) ||
		!slices.Equal(a.AllowedScopes, slices.Sorted(slices.Values(scope.Names()))) {
		t.Errorf("oauth_app: %+v", a)
	}
	for _, s := range shape.Stores {
		want := []string{"currency", "id", "keys", "name", "owner", "staff_token", "store_host"}
		if got := keys(s); !slices.Equal(got, want) {
			t.Errorf("members of a store %q, want %q", got, want)
		}
		if got := keys(s["owner"].(map[string]any)); !slices.Equal(got, []string{"email", "password"}) {
			t.Errorf("members of owner %q", got)
		}
		if got, want := keys(s["keys"].(map[string]any)),
			slices.Sorted(slices.Values(append(scope.Names(), "all"))); !slices.Equal(got, want) {
			t.Errorf("keys %q, want %q", got, want)
		}
	}
}

func keys(m map[string]any) []string {
	list := []string{}
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

var printedCommand = regexp.MustCompile(`(?m)^\s*(curl .*)$`)

// pasteCommand runs the printed command.
func pasteCommand(t *testing.T, printed string) {
	m := printedCommand.FindStringSubmatch(printed)
	if m == nil {
		t.Fatalf("no curl is printed:\n%s", printed)
	}
	out := paste(t, m[1])
	var list struct {
		Data       []struct{ ID string }
		NextCursor string `json:"next_cursor"`
	}
	if err := json.Unmarshal(out, &list); err != nil || len(list.Data) != 2 || list.NextCursor == "" {
		t.Errorf("%s\nanswers %.300s", m[1], out)
	}
}

var curl = regexp.MustCompile(`^curl -s -H '([^:]+): ([^']+)' '([^']+)'$`)

// paste runs a command in a shell or, without curl, sends its request.
func paste(t *testing.T, line string) []byte {
	t.Helper()
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return out
	}
	m := curl.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("%q is not a simple command", line)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m[3], nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(m[1], m[2])
	res, err := free.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A second start loses nothing, keeps the demo's credentials and renews its addresses; losing the
// file revokes every former credential.
func TestRestart(t *testing.T) {
	s := settings{Data: demoData(t), Args: []string{"--demo"}}
	p := start(t, s)
	was := p.demo(t)
	key := was.Stores[0].Keys["all"]
	write := request{As: key, Path: base + "/products", Body: draft("Kept", "KEPT"), Key: "before-the-restart"}
	first := p.send(t, write).want(t, http.StatusCreated, "")
	orders := p.send(t, request{As: key, Path: base + "/orders?limit=100"}).want(t, http.StatusOK, "")
	if code := p.stop(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}

	p = start(t, s)
	is := p.demo(t)
	if is.APIHost != p.API || is.AdminURL != p.Admin || is.Stores[0].StoreHost == was.Stores[0].StoreHost {
		t.Errorf("the addresses are not renewed: %+v", is)
	}
	is.APIHost, is.BaseURL, is.GraphQLURL, is.DashboardURL, is.AdminURL = was.APIHost, was.BaseURL,
		was.GraphQLURL, was.DashboardURL, was.AdminURL
	for i := range is.Stores {
		is.Stores[i].StoreHost = was.Stores[i].StoreHost
	}
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("the second start changed demo.json:\n%s", diff)
	}
	if again := p.send(t, write); !same(first, again) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the write is not replayed: %d %s", again.Status, again.Body)
	}
	if again := p.send(t, request{As: key, Path: base + "/orders?limit=100"}); !same(orders, again) {
		t.Error("the orders changed")
	}
	p.stop(t)

	if err := os.Remove(filepath.Join(s.Data, demo.FileName)); err != nil {
		t.Fatal(err)
	}
	p = start(t, s)
	fresh := p.demo(t).Stores[0]
	p.send(t, request{As: key, Path: base + "/me"}).want(t, http.StatusUnauthorized, "invalid_token")
	p.post(t, was.Stores[0].StaffToken, "{ store { id } }", nil).want(t, http.StatusUnauthorized, "invalid_token")
	if fresh.ID != was.Stores[0].ID || fresh.Owner.Password == was.Stores[0].Owner.Password {
		t.Error("the store is another one, or its password the same")
	}
	again := p.send(t, request{As: fresh.Keys["all"], Path: base + "/orders?limit=100"})
	if !same(orders, again) {
		t.Error("the orders changed")
	}
}

// Without --demo the same database is served normally.
func TestPlainServe(t *testing.T) {
	data := demoData(t)
	began := time.Now()
	p := start(t, settings{Data: data})
	ready := time.Since(began)
	a := p.send(t, request{As: p.demo(t).Stores[0].Keys["orders.read"], Path: base + "/orders?limit=20"})
	t.Logf("ready on existing data after %v, the first answer after %v", ready.Round(time.Millisecond),
		time.Since(began).Round(time.Millisecond))
	a.want(t, http.StatusOK, "")
	if strings.Contains(p.out.String(), "sfk_") {
		t.Error("a key is printed")
	}
}
