package demo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/password"
)

// config is a demo over s with its file in a folder of the test.
func config(t testing.TB, s *ent.Store, orders int) demo.Config {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("k", 32))
	if err != nil {
		t.Fatal(err)
	}
	c := graphtest.Config(t, s, ring)
	c.HostOf = func(handle string) string { return handle + ".localhost:8080" }
	core, err := graph.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return demo.Config{Core: core, Orders: orders, Path: filepath.Join(t.TempDir(), demo.FileName),
		API: "http://127.0.0.1:8080", Admin: "http://127.0.0.1:8081",
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

func prepare(t testing.TB, c demo.Config) *demo.File {
	t.Helper()
	f, err := demo.Prepare(t.Context(), c)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	return f
}

// within returns the operator's context in a demo store.
func within(t testing.TB, s demo.Store) context.Context {
	t.Helper()
	id, err := xid.Store.Parse(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	return viewer.Operator(t.Context(), id)
}

func orders(t testing.TB, s *ent.Store, of demo.Store) []*db.Order {
	t.Helper()
	ctx := within(t, of)
	list, err := s.DB(ctx).Order.Query().Order(db.Asc(order.FieldID)).All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPrepareMakesEveryState(t *testing.T) {
	s := storetest.Open(t)
	f := prepare(t, config(t, s, 27))
	if len(f.Stores) != 2 || f.Stores[0].Currency != "EUR" || f.Stores[1].Currency != "JPY" {
		t.Fatalf("stores: %+v", f.Stores)
	}
	for _, of := range f.Stores {
		states := map[string]bool{}
		for _, o := range orders(t, s, of) {
			states[fmt.Sprint(o.Status, " ", o.FinancialStatus, " ", o.FulfillmentStatus)] = true
			if age := micros.Now().Sub(o.PlacedAt); age < 0 || age > 61*24*time.Hour {
				t.Errorf("order %d was placed %s ago", o.Number, age)
			}
		}
		// 5 payment × 3 fulfillment states while open, 5 completed, 5 canceled.
		if len(states) != 25 {
			t.Errorf("%s: %d combinations, want 25: %v", of.Name, len(states), states)
		}
		t.Run(of.Currency, func(t *testing.T) { checkRows(within(t, of), t, s) })
	}
}

// checkRows checks rows other than orders.
func checkRows(ctx context.Context, t *testing.T, s *ent.Store) {
	client := s.DB(ctx)
	products := map[state.ProductStatus]int{}
	stocked := 0
	list, err := client.Product.Query().All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		products[p.Status]++
		if p.InventoryQuantity != nil {
			stocked++
		}
	}
	if diff := cmp.Diff(map[state.ProductStatus]int{state.ProductActive: 30, state.ProductDraft: 5,
		state.ProductArchived: 5}, products); diff != "" {
		t.Error(diff)
	}
	if stocked == 0 || stocked == len(list) {
		t.Errorf("%d of %d products are tracked, want some", stocked, len(list))
	}
	customers := map[state.CustomerStatus]int{}
	people, err := client.Customer.Query().All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range people {
		customers[c.Status]++
	}
	if len(people) != 120 || len(customers) != 4 {
		t.Errorf("%d customers in the states %v, want 120 in all four", len(people), customers)
	}
	visible := map[state.NoteVisibility]int{}
	notes, err := client.Note.Query().All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notes {
		visible[n.Visibility]++
	}
	if len(visible) != 2 {
		t.Errorf("notes: %v, want both visibilities", visible)
	}
}

func TestFileFollowsTheContract(t *testing.T) {
	c := config(t, storetest.Open(t), 1)
	f := prepare(t, c)
	info, err := os.Stat(c.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	b, err := os.ReadFile(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"admin_url", "api_host", "base_url", "dashboard_url", "graphql_url", "oauth_app", "stores"}
	if diff := cmp.Diff(want, members(got)); diff != "" {
		t.Error(diff)
	}
	app, _ := got["oauth_app"].(map[string]any)
	if diff := cmp.Diff([]string{"allowed_scopes", "client_id", "id", "name", "redirect_uris"}, members(app)); diff !=
		"" {
		t.Error(diff)
	}
	store, _ := got["stores"].([]any)[0].(map[string]any)
	want = []string{"currency", "id", "keys", "name", "owner", "staff_token", "store_host"}
	if diff := cmp.Diff(want, members(store)); diff != "" {
		t.Error(diff)
	}
	if f.BaseURL != c.API+"/api/public/v1" || f.GraphQLURL != c.API+"/graphql" ||
		f.Stores[0].StoreHost != "kestrel-bikes.localhost:8080" {
		t.Errorf("addresses: %+v", f)
	}
	checkCredentials(t, c, f)
}

func members(m map[string]any) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkCredentials tries every secret of the file.
func checkCredentials(t *testing.T, c demo.Config, f *demo.File) {
	t.Helper()
	for _, s := range f.Stores {
		for _, name := range append(scope.Names(), "all") {
			v, err := c.Core.Keys.Authenticate(t.Context(), s.Keys[name], apikey.Key)
			if err != nil {
				t.Errorf("%s, key %s: %v", s.Name, name, err)
				continue
			}
			want := scope.Of(name)
			if name == "all" {
				want = scope.Full()
			}
			if v.Granted != want || xid.Store.Format(v.Store) != s.ID {
				t.Errorf("key %s grants %s in %s", name, v.Granted, xid.Store.Format(v.Store))
			}
		}
		v, err := c.Core.Keys.Authenticate(t.Context(), s.StaffToken, apikey.Staff)
		if err != nil || v.Role != viewer.Owner {
			t.Errorf("staff token: %+v, %v", v, err)
			continue
		}
		people, all := storetest.AllStores(t, c.Core.Store)
		users, err := people.User.Query().All(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range users {
			if u.Email != s.Owner.Email {
				continue
			}
			if ok, err := password.Verify(t.Context(), *u.PasswordHash, s.Owner.Password); !ok || err != nil {
				t.Errorf("the password of %s does not fit: %v", u.Email, err)
			}
		}
	}
}

func TestLaterStartsKeepSecrets(t *testing.T) {
	s := storetest.Open(t)
	c := config(t, s, 1)
	first := prepare(t, c)
	c.API = "http://127.0.0.1:9999"
	second := prepare(t, c)
	if diff := cmp.Diff(first.Stores, second.Stores); diff != "" {
		t.Errorf("a later start changed the stores: %s", diff)
	}
	if second.APIHost != c.API || second.BaseURL != c.API+"/api/public/v1" {
		t.Errorf("the addresses were not renewed: %+v", second)
	}
	if n := len(orders(t, s, second.Stores[0])); n != 1 {
		t.Errorf("%d orders after the second start, want 1", n)
	}
}
