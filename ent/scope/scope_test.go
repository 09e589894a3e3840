package scope_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
)

// The names of spec section 5, and after them those of contract section 15.
var spec = []string{
	"products.read", "products.write", "orders.read", "orders.write", "customers.read", "exports.read", "exports.write",
	"webhooks.read", "webhooks.write", "themes.read", "themes.write",
	"sales.write", "fulfillments.write", "refunds.write", "customers.write", "discounts.read", "discounts.write",
	"collections.read", "collections.write", "inventory.read", "inventory.write",
	"custom_fields.read", "custom_fields.write", "imports.read", "imports.write", "locations.read", "locations.write",
}

func TestCatalogMatchesSpec(t *testing.T) {
	if d := cmp.Diff(slices.Sorted(slices.Values(spec)), slices.Sorted(slices.Values(scope.Names()))); d != "" {
		t.Errorf("names (-spec +got):\n%s", d)
	}
	for _, s := range scope.All() {
		if s.Name != s.Resource+"."+s.Access || s.Access != "read" && s.Access != "write" {
			t.Errorf("%s: made of %q and %q", s.Name, s.Resource, s.Access)
		}
		if s.Title == "" || !strings.HasSuffix(s.Sentence, ".") {
			t.Errorf("%s: title %q, sentence %q", s.Name, s.Title, s.Sentence)
		}
	}
}

func TestAllIsACopy(t *testing.T) {
	scope.All()[0].Name = "changed"
	if !scope.Known(scope.ProductsRead) || scope.Names()[0] != scope.ProductsRead {
		t.Error("a caller changed the catalog")
	}
}

// A write implies the read of its own resource and nothing else; a read implies
// nothing (spec section 5).
func TestEffectiveOfEachScope(t *testing.T) {
	for _, s := range scope.All() {
		t.Run(s.Name, func(t *testing.T) {
			want := []string{s.Name}
			if read := s.Resource + ".read"; s.Access == "write" && scope.Known(read) {
				want = append(want, read)
			}
			slices.Sort(want)
			got := scope.Of(s.Name).Effective()
			if d := cmp.Diff(want, got.Names()); d != "" {
				t.Errorf("effective (-want +got):\n%s", d)
			}
			for _, other := range spec {
				if got.Has(other) != slices.Contains(want, other) {
					t.Errorf("Has(%s) = %v", other, got.Has(other))
				}
			}
		})
	}
}

// pairs returns the sets of at most two scopes.
func pairs() (list []scope.Set) {
	for _, a := range append(spec, "") {
		for _, b := range spec {
			list = append(list, scope.Of(a, b))
		}
	}
	return append(list, 0, scope.Full())
}

func TestEffectiveOfPairs(t *testing.T) {
	for _, s := range pairs() {
		e := s.Effective()
		if !e.Covers(s) || e.Effective() != e {
			t.Fatalf("%s: effective %s", s, e)
		}
		for _, name := range (e &^ s).Names() {
			if r, ok := strings.CutSuffix(name, ".read"); !ok || !s.Has(r+".write") {
				t.Fatalf("%s: gained %s", s, name)
			}
		}
	}
}

func TestHasIsLiteral(t *testing.T) {
	s := scope.Of(scope.OrdersWrite)
	if s.Has(scope.OrdersRead) || !s.Has(scope.OrdersWrite) {
		t.Error("Has looks at implied scopes")
	}
	if scope.Full().Has("orders.delete") || scope.Full().Has("") || scope.Set(0).Has("") {
		t.Error("Has knows a name that is not in the catalog")
	}
}

func TestStoredForm(t *testing.T) {
	for _, tc := range []struct {
		name, text, want string
	}{
		{"none", "", ""},
		{"sorted", "themes.read orders.read", "orders.read themes.read"},
		{"any white space", " orders.read\t\nthemes.read ", "orders.read themes.read"},
		{"twice", "orders.read orders.read", "orders.read"},
		{"unknown names are ignored", "orders.read orders.delete Orders.Read orders", "orders.read"},
		{"nothing is implied", "orders.write", "orders.write"},
		{"commas do not separate", "orders.read,themes.read", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := scope.Parse(tc.text).String(); got != tc.want {
				t.Errorf("Parse(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
	for _, s := range pairs() {
		if got := scope.Parse(s.String()); got != s {
			t.Fatalf("%q comes back as %q", s, got)
		}
	}
}

// The texts of the audit log have at most 255 characters, and the end of a rotated key is added.
func TestBrief(t *testing.T) {
	if got := scope.Of("orders.read", "orders.write", "themes.read").Brief(); got != "orders.write themes.read" {
		t.Errorf("brief %q", got)
	}
	if full := scope.Full().Brief(); len(full) > 200 || !strings.HasSuffix(full, " products.write and 4 more") {
		t.Errorf("%d bytes: %q", len(full), full)
	}
}

func TestFullIsEveryName(t *testing.T) {
	if full := scope.Full(); full != scope.Of(spec...) || full.Effective() != full || len(full.Names()) != len(spec) {
		t.Errorf("Full() = %s", full)
	}
	if names := scope.Set(0).Names(); names == nil || len(names) != 0 {
		t.Errorf("names of the empty set are %#v, want an empty slice", names)
	}
}

func TestCovers(t *testing.T) {
	for _, tc := range []struct {
		s, t string
		want bool
	}{
		{"orders.read", "", true},
		{"orders.read", "orders.read", true},
		{"orders.read themes.read", "themes.read", true},
		{"orders.read", "orders.write", false},
		{"orders.read", "orders.read themes.read", false},
		{"", "orders.read", false},
	} {
		if got := scope.Parse(tc.s).Covers(scope.Parse(tc.t)); got != tc.want {
			t.Errorf("%q covers %q: %v, want %v", tc.s, tc.t, got, tc.want)
		}
	}
}

func TestKnown(t *testing.T) {
	for _, name := range spec {
		if !scope.Known(name) {
			t.Errorf("%s is not known", name)
		}
	}
	for _, name := range []string{"", "orders", "orders.", "ORDERS.READ", "sales.read", "orders.read "} {
		if scope.Known(name) {
			t.Errorf("%q is known", name)
		}
	}
}

// Scopes for personal data are marked, for the consent screen.
func TestPersonal(t *testing.T) {
	var got []string
	for _, s := range scope.All() {
		if s.Personal && !slices.Contains(got, s.Resource) {
			got = append(got, s.Resource)
		}
	}
	want := []string{"orders", "sales", "fulfillments", "refunds", "customers", "exports"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("personal resources (-want +got):\n%s", d)
	}
}

// Reading the rows of an export needs one scope of the catalog.
func TestOfExport(t *testing.T) {
	for kind, want := range map[state.ExportKind]string{
		state.ExportOrders: "orders.read", state.ExportProducts: "products.read",
		state.ExportCustomers: "customers.read", state.ExportWebhookAttempts: "webhooks.read", "people": "",
	} {
		if got := scope.OfExport(kind); got != want || want != "" && !scope.Known(got) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
