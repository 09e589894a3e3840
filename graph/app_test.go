package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/oauthclient"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// bridge is an input for an app that may read products.
func bridge() model.AppCreateInput {
	return model.AppCreateInput{Name: "Bridge", RedirectUris: []string{"https://bridge.example/cb"}, Scopes: []string{"products.read"}}
}

// newApp registers an app with the scopes.
func (p *shop) newApp(t testing.TB, scopes ...string) *model.App {
	t.Helper()
	in := bridge()
	in.Scopes = scopes
	return must[*model.AppPayload](t)(p.Mutation().AppCreate(p.ctx, in)).App
}

func TestAppCreate(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		_, developer := p.member(t, viewer.Developer)
		in := model.AppCreateInput{Name: "Bridge", Website: new("https://bridge.example/"), Scopes: []string{"themes.read", "products.write", "themes.read"},
			RedirectUris: []string{"https://bridge.example/cb?x=1", "http://127.0.0.1/callback", "http://[::1]:7000/", "com.example.app:/callback", "http://127.0.0.1/callback"}}
		a := must[*model.AppPayload](t)(p.Mutation().AppCreate(developer, in)).App
		if len(a.ClientID) < 26 || a.ClientID != strings.ToLower(a.ClientID) || a.Developer != "Corner shop" || *a.Website != *in.Website ||
			a.Version != 1 || a.Legacy || a.DisabledAt != nil {
			t.Errorf("made %v", a.App)
		}
		if d := cmp.Diff([]string{"products.write", "themes.read"}, a.Scopes()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(in.RedirectUris[:4], a.RedirectURIs()); d != "" {
			t.Errorf("redirect URIs, without what came twice: %s", d)
		}
		entry := p.client(p.ctx).OAuthClient.Query().Where(oauthclient.ID(a.ClientID)).OnlyX(p.ctx)
		if entry.StoreID != p.store.ID || entry.AppID != a.ID {
			t.Errorf("the directory leads to %v", entry)
		}
		if read := must[*model.App](t)(p.Query().App(developer, a.PublicID())); read.App.String() != a.App.String() {
			t.Errorf("stored %v, returned %v", read, a)
		}
		in.Developer = new("Bridge Inc.")
		second := must[*model.AppPayload](t)(p.Mutation().AppCreate(developer, in)).App
		if second.Developer != "Bridge Inc." || second.ClientID == a.ClientID {
			t.Errorf("second %v", second.App)
		}
		list := must[*model.AppConnection](t)(p.Query().Apps(developer, nil, nil)).Nodes
		if len(list) != 2 || list[0].ID != second.ID || list[1].ID != a.ID {
			t.Errorf("list %v", list)
		}
		if got, want := p.audited(t), "store.create staff.add app.create app.create"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// Everything that is wrong is said at once, by its place.
func TestAppChecks(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		_, err := p.Mutation().AppCreate(p.ctx, model.AppCreateInput{Name: " ", Developer: new(strings.Repeat("x", 256)),
			Website: new("http://bridge.example"), Scopes: []string{"products.read", "all"},
			RedirectUris: []string{"https://ok.example/", "http://localhost/cb", "https://u:p@x.example/", "https://x.example/#f",
				"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "myapp:/cb", "http://127.0.0.1.evil.example/", "/cb", "",
				"https://x.example/a b", "https://x.example/\u00a0", "https://x.example/" + strings.Repeat("x", 2048)}})
		want := map[string]string{"#/name": "too_short", "#/developer": "too_long", "#/website": "invalid_format", "#/scopes/1": "unknown_value",
			"#/redirect_uris/13": "too_long"}
		for i := 1; i < 13; i++ {
			want[fmt.Sprint("#/redirect_uris/", i)] = "invalid_format"
		}
		got := map[string]string{}
		if f, ok := errors.AsType[*fault.Error](err); ok {
			for _, field := range f.Fields {
				got[field.Pointer] = field.Code
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		many := make([]string, maxRedirects+1)
		for _, tc := range []struct {
			change func(*model.AppCreateInput)
			want   string
		}{
			{func(in *model.AppCreateInput) { in.RedirectUris = nil }, "#/redirect_uris too_short"},
			{func(in *model.AppCreateInput) { in.RedirectUris = many }, "#/redirect_uris too_long"},
			{func(in *model.AppCreateInput) { in.Scopes = nil }, "#/scopes too_short"},
			{func(in *model.AppCreateInput) { in.Name = strings.Repeat("é", 256) }, "#/name too_long"},
			{func(in *model.AppCreateInput) { in.Developer = new("") }, "#/developer too_short"},
			{func(in *model.AppCreateInput) { in.Website = new("https://x.example/" + strings.Repeat("x", 2048)) }, "#/website too_long"},
		} {
			in := bridge()
			tc.change(&in)
			if _, err := p.Mutation().AppCreate(p.ctx, in); fieldOf(err) != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		}
		if n := p.client(p.ctx).OAuthClient.Query().CountX(p.ctx); n != 0 {
			t.Errorf("refused registrations left %d client ids", n)
		}
	})
}

// Nobody registers a scope that he lacks, adds one, or takes over the answers of
// an app that has one.
func TestAppScopesOfTheCaller(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		_, developer := p.member(t, viewer.Developer)
		in := bridge()
		in.Scopes = []string{"products.read", "orders.read"}
		if _, err := m.AppCreate(developer, in); faultOf(err) != "insufficient_scope" {
			t.Errorf("create: %v", err)
		}
		mine := p.newApp(t, "products.read").PublicID()
		all := p.newApp(t, scope.Names()...).PublicID()
		for _, tc := range []struct {
			name string
			id   string
			in   model.AppUpdateInput
			want string
		}{
			{"one he lacks", mine, model.AppUpdateInput{Scopes: said([]string{"products.read", "customers.read"})}, "insufficient_scope"},
			{"others' answers", all, model.AppUpdateInput{RedirectUris: said([]string{"https://evil.example/"})}, "insufficient_scope"},
			{"one he has", mine, model.AppUpdateInput{Scopes: said([]string{"products.write"})}, ""},
			{"fewer of what he has", all, model.AppUpdateInput{Scopes: said([]string{"products.read", "orders.read"})}, ""},
		} {
			if _, err := m.AppUpdate(developer, tc.id, 1, tc.in); faultOf(err) != tc.want {
				t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
			}
		}
	})
}

func TestAppUpdate(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		id := p.newApp(t, "orders.write", "products.read").PublicID()
		version := int64(1)
		update := func(want string, in model.AppUpdateInput) *model.App {
			t.Helper()
			got, err := m.AppUpdate(p.ctx, id, version, in)
			if faultOf(err) != want && fieldOf(err) != want {
				t.Fatalf("%v, want %q", err, want)
			}
			if err != nil {
				return must[*model.App](t)(p.Query().App(p.ctx, id))
			}
			version = got.App.Version
			return got.App
		}
		a := update("", model.AppUpdateInput{Name: said(new("Ramp")), Developer: said(new("Ramp Ltd")), Website: said(new("https://ramp.example")),
			RedirectUris: said([]string{"com.ramp:/cb", "com.ramp:/cb"}), Scopes: said([]string{"products.read"})})
		if a.Name != "Ramp" || a.Developer != "Ramp Ltd" || *a.Website != "https://ramp.example" || a.App.RedirectUris != "com.ramp:/cb" ||
			a.App.Scopes != "products.read" || a.Version != 2 {
			t.Errorf("changed to %v", a.App)
		}
		if same := update("", model.AppUpdateInput{Name: said(new("Ramp"))}); same.Version != 2 {
			t.Errorf("no change made version %d", same.Version)
		}
		if a = update("", model.AppUpdateInput{Website: said[*string](nil)}); a.Website != nil || a.Name != "Ramp" {
			t.Errorf("emptied to %v", a.App)
		}
		update("#/name required", model.AppUpdateInput{Name: said[*string](nil)})
		update("#/developer required", model.AppUpdateInput{Developer: said[*string](nil)})
		update("#/developer too_short", model.AppUpdateInput{Developer: said(new(" "))})
		update("#/redirect_uris too_short", model.AppUpdateInput{RedirectUris: said[[]string](nil)})
		update("#/redirect_uris/0 invalid_format", model.AppUpdateInput{RedirectUris: said([]string{"http://localhost/"})})
		update("#/scopes too_short", model.AppUpdateInput{Scopes: said([]string{})})
		version = 2
		if a = update("version_mismatch", model.AppUpdateInput{Name: said(new("X"))}); a.Name != "Ramp" || a.Version != 3 {
			t.Errorf("a refused change left %v", a.App)
		}
		if read := must[*model.App](t)(p.Query().App(p.ctx, id)); read.App.String() != a.App.String() {
			t.Errorf("stored %v, returned %v", read, a)
		}
		if got, want := p.audited(t), "store.create app.create app.update app.update"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

func TestAppStates(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		m, owner, admin := p.Mutation(), p.as(p.owner.ID, viewer.Owner), p.as(p.owner.ID, viewer.Admin)
		id := p.newApp(t, "products.read").PublicID()
		legacy := func(on bool) func(context.Context, string, int64) (*model.AppPayload, error) {
			return func(ctx context.Context, id string, v int64) (*model.AppPayload, error) {
				return m.AppSetLegacy(ctx, id, v, on)
			}
		}
		for _, step := range []struct {
			name    string
			call    func(context.Context, string, int64) (*model.AppPayload, error)
			ctx     context.Context
			version int64
			want    string
			then    func(*model.App) bool
		}{
			{"enable an enabled one", m.AppEnable, admin, 1, "invalid_transition", nil},
			{"disable a version of before", m.AppDisable, admin, 9, "version_mismatch", nil},
			{"disable", m.AppDisable, admin, 1, "", func(a *model.App) bool { return a.DisabledAt != nil && a.Version == 2 }},
			{"again", m.AppDisable, admin, 2, "invalid_transition", nil},
			{"enable", m.AppEnable, admin, 2, "", func(a *model.App) bool { return a.DisabledAt == nil && a.Version == 3 }},
			{"legacy by an admin", legacy(true), admin, 3, "forbidden", nil},
			{"legacy by nobody", legacy(true), t.Context(), 3, "authentication_required", nil},
			{"legacy", legacy(true), owner, 3, "", func(a *model.App) bool { return a.Legacy && a.Version == 4 }},
			{"legacy as before", legacy(true), owner, 4, "", func(a *model.App) bool { return a.Legacy && a.Version == 4 }},
			{"legacy off by the operator", legacy(false), p.ctx, 4, "", func(a *model.App) bool { return !a.Legacy && a.Version == 5 }},
		} {
			got, err := step.call(step.ctx, id, step.version)
			if faultOf(err) != step.want {
				t.Fatalf("%s: %v, want %q", step.name, err, step.want)
			}
			read := must[*model.App](t)(p.Query().App(p.ctx, id))
			if step.then != nil && (!step.then(got.App) || got.App.App.String() != read.App.String()) {
				t.Errorf("%s: returned %v, stored %v", step.name, got.App, read)
			}
		}
		want := "store.create app.create app.disable app.enable app.set_legacy app.set_legacy"
		if got := p.audited(t); got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// Another store's app is as unknown as none at all, whatever is asked of it.
func TestAppOfAnotherStore(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		other := newShop(t, p.Resolver)
		m, theirs := p.Mutation(), other.newApp(t, "products.read")
		for _, id := range []string{theirs.PublicID(), xid.App.Format(xid.New()), "app_x", ""} {
			for name, call := range map[string]func() error{
				"read": func() error { _, err := p.Query().App(p.ctx, id); return err },
				"update": func() error {
					_, err := m.AppUpdate(p.ctx, id, 1, model.AppUpdateInput{Name: said(new("X"))})
					return err
				},
				"disable": func() error { _, err := m.AppDisable(p.ctx, id, 1); return err },
				"enable":  func() error { _, err := m.AppEnable(p.ctx, id, 1); return err },
				"legacy":  func() error { _, err := m.AppSetLegacy(p.ctx, id, 1, true); return err },
			} {
				if err := call(); faultOf(err) != "not_found" {
					t.Errorf("%s %q: %v", name, id, err)
				}
			}
		}
		if list := must[*model.AppConnection](t)(p.Query().Apps(p.ctx, nil, nil)).Nodes; len(list) != 0 {
			t.Errorf("list %v", list)
		}
		if read := must[*model.App](t)(p.Query().App(other.ctx, theirs.PublicID())); read.Version != 1 {
			t.Errorf("it was changed: %v", read.App)
		}
	})
}

// Of many changes of one version at once, one takes effect.
func TestAppUpdateRace(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		id := p.newApp(t, "products.read").PublicID()
		errs := make([]error, 12)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = p.Mutation().AppUpdate(p.ctx, id, 1, model.AppUpdateInput{Name: said(new(fmt.Sprint("Name ", i)))})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if faultOf(err) != "version_mismatch" {
				t.Error(err)
			}
		}
		if a := must[*model.App](t)(p.Query().App(p.ctx, id)); won != 1 || a.Version != 2 {
			t.Errorf("%d won, version %d", won, a.Version)
		}
	})
}

// The hundredth app is the last, also for many who register at once.
func TestAppLimit(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		err := p.Resolver.Store.InTx(p.ctx, func(ctx context.Context) error {
			rows := make([]*db.AppCreate, maxApps-2)
			for i := range rows {
				id := xid.New()
				rows[i] = p.client(ctx).App.Create().SetID(id).SetClientID(id.String()).SetName("Planted").SetDeveloper("X").
					SetRedirectUris("https://x.example/").SetScopes("products.read").SetUpdatedAt(id.Time())
			}
			return p.client(ctx).App.CreateBulk(rows...).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = p.Mutation().AppCreate(p.ctx, bridge()) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if faultOf(err) != "limit_reached" {
				t.Error(err)
			}
		}
		if n := p.client(p.ctx).App.Query().CountX(p.ctx); made != 2 || n != maxApps {
			t.Errorf("%d made, %d there", made, n)
		}
		// It is each store's own.
		newShop(t, p.Resolver).newApp(t, "products.read")
	})
}

func TestStoreSetLegacy(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		m, owner := p.Mutation(), p.as(p.owner.ID, viewer.Owner)
		key := p.newKey(t, owner, "products.read")
		knows := func() bool {
			return must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(), *key.Secret, "sfk_")).Legacy
		}
		if knows() {
			t.Fatal("on the list from the start")
		}
		if _, err := m.StoreSetLegacy(p.as(p.owner.ID, viewer.Admin), 1, true); faultOf(err) != "forbidden" {
			t.Errorf("admin: %v", err)
		}
		if _, err := m.StoreSetLegacy(owner, 7, true); faultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		s := must[*model.StorePayload](t)(m.StoreSetLegacy(owner, 1, true)).Store
		if !s.Legacy || s.Version != 2 || !knows() {
			t.Errorf("changed to %v", s)
		}
		if s = must[*model.StorePayload](t)(m.StoreSetLegacy(p.ctx, 2, true)).Store; s.Version != 2 {
			t.Errorf("no change made version %d", s.Version)
		}
		if s = must[*model.StorePayload](t)(m.StoreSetLegacy(p.ctx, 2, false)).Store; s.Legacy || knows() {
			t.Errorf("taken off the list: %v", s)
		}
		if got, want := p.audited(t), "store.create api_key.create store.set_legacy store.set_legacy"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}
