package access_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// An app must not be named like the service or like another, verified app.
func TestAppNames(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := graphtest.NewShop(t, p.Resolver)
		in := func(p *graphtest.Shop, name string) (*model.AppPayload, error) {
			return p.Mutation().AppCreate(p.Ctx, model.AppCreateInput{Name: name,
				RedirectUris: []string{"https://sync.example/cb"}, Scopes: []string{"orders.read"}})
		}
		create := func(name string) (*model.AppPayload, error) { return in(other, name) }
		for _, name := range []string{"Storefront", "STOREFRONT.", "St0refront", "Ѕtоrеfront Support",
			"Störefront App"} {
			if _, err := create(name); graphtest.FieldOf(err) != "#/name taken" {
				t.Errorf("%q: %v", name, err)
			}
		}
		if _, err := create("Sync \u202ekcab"); graphtest.FieldOf(err) != "#/name invalid_format" {
			t.Errorf("with a direction override: %v", err)
		}
		_, err := other.Mutation().AppCreate(other.Ctx, model.AppCreateInput{Name: "Sync",
			Developer: new("Storefront Inc."), RedirectUris: []string{"https://sync.example/cb"},
			Scopes: []string{"orders.read"}})
		if graphtest.FieldOf(err) != "#/developer taken" {
			t.Errorf("by the service: %v", err)
		}
		verify := func(p *graphtest.Shop, a *model.App, verified bool) (*model.AppPayload, error) {
			return p.Mutation().AppVerify(p.Ctx, a.PublicID(), a.Version, verified)
		}
		twin := graphtest.Must[*model.AppPayload](t)(create("Nightly-Sync")).App // before the name is reserved
		app := graphtest.Must[*model.AppPayload](t)(in(p, "Nightly sync")).App
		if _, err := p.Mutation().AppVerify(p.As(p.Owner.ID, viewer.Owner), app.PublicID(), app.Version,
			true); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("by an owner: %v", err)
		}
		app = graphtest.Must[*model.AppPayload](t)(verify(p, app, true)).App
		if app.VerifiedAt == nil || app.Version != 2 {
			t.Errorf("verified: %v", app.App)
		}
		if _, err := verify(other, twin, true); graphtest.FieldOf(err) != "#/name taken" {
			t.Errorf("the same name twice: %v", err)
		}
		rename := func(p *graphtest.Shop, a *model.App, name string) (*model.AppPayload, error) {
			return p.Mutation().AppUpdate(p.Ctx, a.PublicID(), a.Version, model.AppUpdateInput{Name: model.Some(name)})
		}
		if _, err := create("NIGHTLY SYNC!"); graphtest.FieldOf(err) != "#/name taken" {
			t.Errorf("created: %v", err)
		}
		if _, err := rename(other, twin, "Nightly Sуnc"); graphtest.FieldOf(err) != "#/name taken" {
			t.Errorf("renamed: %v", err)
		}
		// An app known by its document may not show a name that could not be registered.
		for name, may := range map[string]bool{"Helper": true, "Nightly Sync": false, "Storefront": false, "": false,
			"Sync \u202ekcab": false, strings.Repeat("x", 256): false, "a\nb": false} {
			if got, err := other.MayName(t.Context(), name); err != nil || got != may {
				t.Errorf("%q in a document: %v %v", name, got, err)
			}
		}
		// A new name is not verified, and the old one becomes available.
		app = graphtest.Must[*model.AppPayload](t)(rename(p, app, "Daily sync")).App
		if app.VerifiedAt != nil {
			t.Errorf("renamed: %v", app.App)
		}
		twin = graphtest.Must[*model.AppPayload](t)(verify(other, twin, true)).App
		graphtest.Must[*model.AppPayload](t)(verify(other, twin, false))
		graphtest.Must[*model.AppPayload](t)(create("Nightly sync"))
	})
}
