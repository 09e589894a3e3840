package demo_test

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/model"
)

// The app keeps its client id over all starts, also when the file is lost, and changes by people
// are undone.
func TestAppStays(t *testing.T) {
	s := storetest.Open(t)
	c := config(t, s, 1)
	f := prepare(t, c)
	first := f.OAuthApp
	if first == nil || !slices.Equal(first.RedirectURIs, []string{"http://127.0.0.1/callback"}) ||
		len(first.ClientID) < 26 ||
		!slices.Equal(first.AllowedScopes, slices.Sorted(slices.Values(scope.Names()))) {
		t.Fatalf("made %+v", first)
	}
	ctx, m := within(t, f.Stores[0]), c.Core.Mutation()
	if _, err := m.AppCreate(ctx, model.AppCreateInput{Name: first.Name,
		RedirectUris: []string{"https://x.example/"}, Scopes: []string{"orders.read"}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		change func(version int64) error
	}{
		{"nothing", func(int64) error { return nil }},
		{"a lost file", func(int64) error { return os.Remove(c.Path) }},
		{"disabled", func(v int64) error { _, err := m.AppDisable(ctx, first.ID, v); return err }},
		{"changed", func(v int64) error {
			_, err := m.AppUpdate(ctx, first.ID, v, model.AppUpdateInput{Name: model.Some("Other"),
				Scopes:       model.Given([]string{"themes.read"}),
				RedirectUris: model.Given([]string{"https://other.example/"})})
			return err
		}},
	} {
		a, err := c.Core.Query().App(ctx, first.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.change(a.Version); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, prepare(t, c).OAuthApp); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
		if a, err = c.Core.Query().App(ctx, first.ID); err != nil || a.DisabledAt != nil {
			t.Errorf("%s: %v, %v", tc.name, a, err)
		}
	}
	apps, err := c.Core.Query().Apps(ctx, nil, nil)
	if err != nil || len(apps.Nodes) != 2 {
		t.Errorf("%d apps, %v; want the demo's and the other one", len(apps.Nodes), err)
	}
}
