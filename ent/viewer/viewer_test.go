package viewer_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestFrom(t *testing.T) {
	if v := viewer.From(t.Context()); v != nil {
		t.Errorf("got %v without a viewer", v)
	}
	id := xid.New()
	ctx := viewer.Operator(t.Context(), id)
	if v := viewer.From(ctx); v == nil || v.Store != id || v.Everywhere || v.IsPerson() {
		t.Errorf("got %+v", v)
	}
	if v := viewer.From(viewer.Visitor(ctx, id)); v.Store != id || v.Everywhere || v.IsPerson() || v.Scopes != 0 ||
		v.Granted != 0 || v.Role != "" {
		t.Errorf("a visitor is %+v", v)
	}
	if v := viewer.From(viewer.Everywhere(ctx)); !v.Everywhere || !v.Store.IsNil() {
		t.Errorf("got %+v", v)
	}
	if got := viewer.Request(viewer.WithOrigin(ctx, viewer.Origin{Request: "req_1"})); got != "req_1" {
		t.Errorf("got request %q", got)
	}
}

// The roles of contract section 6, as scopes.
func TestRoles(t *testing.T) {
	for _, tc := range []struct {
		role   viewer.Role
		has    []string
		hasNot []string
	}{
		{viewer.Owner, scope.Names(), nil},
		{viewer.Admin, scope.Names(), nil},
		{viewer.Developer, []string{scope.ProductsWrite, scope.ThemesWrite, scope.WebhooksWrite, scope.InventoryWrite},
			[]string{scope.OrdersRead, scope.CustomersRead, scope.ExportsRead, scope.FulfillmentsWrite,
				scope.DiscountsRead, scope.CollectionsWrite}},
		{viewer.Support, []string{scope.OrdersWrite, scope.CustomersRead, scope.ProductsRead, scope.FulfillmentsWrite,
			scope.DiscountsRead, scope.InventoryRead, scope.CustomFieldsRead},
			[]string{scope.InventoryWrite, scope.ProductsWrite,
				scope.CustomFieldsWrite,
				scope.ExportsRead, scope.WebhooksRead, scope.SalesWrite, scope.RefundsWrite,
				scope.CustomersWrite, scope.DiscountsWrite}},
		{"", nil, scope.Names()},
		{"root", nil, scope.Names()},
	} {
		t.Run(string(tc.role), func(t *testing.T) {
			for _, s := range tc.has {
				if !tc.role.Scopes().Has(s) {
					t.Errorf("lacks %s", s)
				}
			}
			for _, s := range tc.hasNot {
				if tc.role.Scopes().Has(s) {
					t.Errorf("has %s", s)
				}
			}
			if tc.role.Known() != (tc.has != nil) {
				t.Errorf("known: %v", tc.role.Known())
			}
		})
	}
}

func TestProgram(t *testing.T) {
	for text, want := range map[string]string{
		"Mozilla/5.0": "Mozilla/5.0", "a\x00b\nc": "abc", "\xffx": "x",
		strings.Repeat("ä", 300): strings.Repeat("ä", 255),
	} {
		if got := (viewer.Origin{Agent: text}).Program(); got == nil || *got != want {
			t.Errorf("%q becomes %v", text, got)
		}
	}
	if got := (viewer.Origin{Agent: "\n"}).Program(); got != nil {
		t.Errorf("nothing to show becomes %q", *got)
	}
}
