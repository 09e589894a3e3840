package access_test

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
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestAppCreate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, developer := p.Member(t, viewer.Developer)
		in := model.AppCreateInput{Name: "Bridge", Website: new("https://bridge.example/"),
			Scopes: []string{"themes.read", "products.write", "themes.read"},
			RedirectUris: []string{"https://bridge.example/cb?x=1", "http://127.0.0.1/callback", "http://[::1]:7000/",
				"com.example.app:/callback", "http://127.0.0.1/callback"}}
		a := graphtest.Must[*model.AppPayload](t)(p.Mutation().AppCreate(developer, in)).App
		if len(a.ClientID) < 26 || a.ClientID != strings.ToLower(a.ClientID) || a.Developer != "Corner shop" ||
			*a.Website != *in.Website || a.Version != 1 || a.Legacy || a.DisabledAt != nil {
			t.Errorf("made %v", a.App)
		}
		if d := cmp.Diff([]string{"products.write", "themes.read"}, a.Scopes()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(in.RedirectUris[:4], a.RedirectURIs()); d != "" {
			t.Errorf("redirect URIs without duplicates: %s", d)
		}
		entry := p.Client(p.Ctx).OAuthClient.Query().Where(oauthclient.ID(a.ClientID)).OnlyX(p.Ctx)
		if entry.StoreID != p.Model.ID || entry.AppID != a.ID {
			t.Errorf("the directory leads to %v", entry)
		}
		if read := graphtest.Must[*model.App](t)(p.Query().App(developer,
			a.PublicID())); read.App.String() != a.App.String() {
			t.Errorf("stored %v, returned %v", read, a)
		}
		in.Developer = new("Bridge Inc.")
		second := graphtest.Must[*model.AppPayload](t)(p.Mutation().AppCreate(developer, in)).App
		if second.Developer != "Bridge Inc." || second.ClientID == a.ClientID {
			t.Errorf("second %v", second.App)
		}
		list := graphtest.Must[*model.AppConnection](t)(p.Query().Apps(developer, nil, nil)).Nodes
		if len(list) != 2 || list[0].ID != second.ID || list[1].ID != a.ID {
			t.Errorf("list %v", list)
		}
		if got, want := p.Audited(t), "store.create staff.join app.create app.create"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// All faults are reported at once, with their pointers.
func TestAppChecks(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, err := p.Mutation().AppCreate(p.Ctx,
			model.AppCreateInput{Name: " ", Developer: new(strings.Repeat("x", 256)),
				Website: new("http://bridge.example"), Scopes: []string{"products.read", "all"},
				RedirectUris: []string{"https://ok.example/", "http://localhost/cb", "https://u:p@x.example/",
					"https://x.example/#f", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
					"myapp:/cb", "http://127.0.0.1.evil.example/", "/cb", "", "https://x.example/a b",
					"https://x.example/\u00a0", "https://x.example/" + strings.Repeat("x", 2048)}})
		want := map[string]string{"#/name": "too_short", "#/developer": "too_long", "#/website": "invalid_format",
			"#/scopes/1": "unknown_value", "#/redirect_uris/13": "too_long"}
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
		many := make([]string, access.MaxRedirects+1)
		for _, tc := range []struct {
			change func(*model.AppCreateInput)
			want   string
		}{
			{func(in *model.AppCreateInput) { in.RedirectUris = nil }, "#/redirect_uris too_short"},
			{func(in *model.AppCreateInput) { in.RedirectUris = many }, "#/redirect_uris too_long"},
			{func(in *model.AppCreateInput) { in.Scopes = nil }, "#/scopes too_short"},
			{func(in *model.AppCreateInput) { in.Name = strings.Repeat("é", 256) }, "#/name too_long"},
			{func(in *model.AppCreateInput) { in.Developer = new("") }, "#/developer too_short"},
			{func(in *model.AppCreateInput) { in.Website = new("https://x.example/" + strings.Repeat("x", 2048)) },
				"#/website too_long"},
		} {
			in := graphtest.Bridge()
			tc.change(&in)
			if _, err := p.Mutation().AppCreate(p.Ctx, in); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		}
		c, all := storetest.AllStores(t, p.Store)
		if n := c.OAuthClient.Query().CountX(all); n != 0 {
			t.Errorf("refused registrations left %d client ids", n)
		}
	})
}

// Callers can neither register nor add a scope that they lack, nor redirect the codes of an app
// that has one.
func TestAppScopesOfTheCaller(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		_, developer := p.Member(t, viewer.Developer)
		in := graphtest.Bridge()
		in.Scopes = []string{"products.read", "orders.read"}
		if _, err := m.AppCreate(developer, in); graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("create: %v", err)
		}
		mine := p.NewApp(t, "products.read").PublicID()
		all := p.NewApp(t, scope.Names()...).PublicID()
		for _, tc := range []struct {
			name string
			id   string
			in   model.AppUpdateInput
			want string
		}{
			{name: "one they lack", id: mine,
				in:   model.AppUpdateInput{Scopes: graphtest.Given([]string{"products.read", "customers.read"})},
				want: "insufficient_scope"},
			{name: "others' answers", id: all,
				in:   model.AppUpdateInput{RedirectUris: graphtest.Given([]string{"https://evil.example/"})},
				want: "insufficient_scope"},
			{name: "one they have", id: mine,
				in: model.AppUpdateInput{Scopes: graphtest.Given([]string{"products.write"})}},
			{name: "fewer of what they have", id: all,
				in: model.AppUpdateInput{Scopes: graphtest.Given([]string{"products.read", "orders.read"})}},
		} {
			if _, err := m.AppUpdate(developer, tc.id, 1, tc.in); graphtest.FaultOf(err) != tc.want {
				t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
			}
		}
	})
}

func TestAppUpdate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		id := p.NewApp(t, "orders.write", "products.read").PublicID()
		version := int64(1)
		update := func(want string, in model.AppUpdateInput) *model.App {
			t.Helper()
			got, err := m.AppUpdate(p.Ctx, id, version, in)
			if graphtest.FaultOf(err) != want && graphtest.FieldOf(err) != want {
				t.Fatalf("%v, want %q", err, want)
			}
			if err != nil {
				return graphtest.Must[*model.App](t)(p.Query().App(p.Ctx, id))
			}
			version = got.App.Version
			return got.App
		}
		a := update("", model.AppUpdateInput{Name: graphtest.Given(new("Ramp")),
			Developer: graphtest.Given(new("Ramp Ltd")), Website: graphtest.Given(new("https://ramp.example")),
			RedirectUris: graphtest.Given([]string{"com.ramp:/cb", "com.ramp:/cb"}),
			Scopes:       graphtest.Given([]string{"products.read"})})
		if a.Name != "Ramp" || a.Developer != "Ramp Ltd" || *a.Website != "https://ramp.example" ||
			a.App.RedirectUris != "com.ramp:/cb" || a.App.Scopes != "products.read" || a.Version != 2 {
			t.Errorf("changed to %v", a.App)
		}
		if same := update("", model.AppUpdateInput{Name: graphtest.Given(new("Ramp"))}); same.Version != 2 {
			t.Errorf("no change created version %d", same.Version)
		}
		if a = update("", model.AppUpdateInput{Website: graphtest.Given[*string](nil)}); a.Website != nil ||
			a.Name != "Ramp" {
			t.Errorf("emptied to %v", a.App)
		}
		update("#/name required", model.AppUpdateInput{Name: graphtest.Given[*string](nil)})
		update("#/developer required", model.AppUpdateInput{Developer: graphtest.Given[*string](nil)})
		update("#/developer too_short", model.AppUpdateInput{Developer: graphtest.Given(new(" "))})
		update("#/redirect_uris too_short", model.AppUpdateInput{RedirectUris: graphtest.Given[[]string](nil)})
		update("#/redirect_uris/0 invalid_format",
			model.AppUpdateInput{RedirectUris: graphtest.Given([]string{"http://localhost/"})})
		update("#/scopes too_short", model.AppUpdateInput{Scopes: graphtest.Given([]string{})})
		version = 2
		if a = update("version_mismatch", model.AppUpdateInput{Name: graphtest.Given(new("X"))}); a.Name != "Ramp" ||
			a.Version != 3 {
			t.Errorf("a refused change left %v", a.App)
		}
		if read := graphtest.Must[*model.App](t)(p.Query().App(p.Ctx, id)); read.App.String() != a.App.String() {
			t.Errorf("stored %v, returned %v", read, a)
		}
		if got, want := p.Audited(t), "store.create app.create app.update app.update"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

func TestAppStates(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, owner, admin := p.Mutation(), p.As(p.Owner.ID, viewer.Owner), p.As(p.Owner.ID, viewer.Admin)
		id := p.NewApp(t, "products.read").PublicID()
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
			{name: "enable an enabled one", call: m.AppEnable, ctx: admin, version: 1, want: "invalid_transition"},
			{name: "disable an old version", call: m.AppDisable, ctx: admin, version: 9, want: "version_mismatch"},
			{name: "disable", call: m.AppDisable, ctx: admin, version: 1,
				then: func(a *model.App) bool { return a.DisabledAt != nil && a.Version == 2 }},
			{name: "again", call: m.AppDisable, ctx: admin, version: 2, want: "invalid_transition"},
			{name: "enable", call: m.AppEnable, ctx: admin, version: 2,
				then: func(a *model.App) bool { return a.DisabledAt == nil && a.Version == 3 }},
			{name: "legacy by an admin", call: legacy(true), ctx: admin, version: 3, want: "forbidden"},
			{name: "legacy by nobody", call: legacy(true), ctx: t.Context(), version: 3,
				want: "authentication_required"},
			{name: "legacy", call: legacy(true), ctx: owner, version: 3,
				then: func(a *model.App) bool { return a.Legacy && a.Version == 4 }},
			{name: "legacy as before", call: legacy(true), ctx: owner, version: 4,
				then: func(a *model.App) bool { return a.Legacy && a.Version == 4 }},
			{name: "legacy off by the operator", call: legacy(false), ctx: p.Ctx, version: 4,
				then: func(a *model.App) bool { return !a.Legacy && a.Version == 5 }},
		} {
			got, err := step.call(step.ctx, id, step.version)
			if graphtest.FaultOf(err) != step.want {
				t.Fatalf("%s: %v, want %q", step.name, err, step.want)
			}
			read := graphtest.Must[*model.App](t)(p.Query().App(p.Ctx, id))
			if step.then != nil && (!step.then(got.App) || got.App.App.String() != read.App.String()) {
				t.Errorf("%s: returned %v, stored %v", step.name, got.App, read)
			}
		}
		want := "store.create app.create app.disable app.enable app.set_legacy app.set_legacy"
		if got := p.Audited(t); got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// An app of another store is reported as missing by every operation.
func TestAppOfAnotherStore(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := graphtest.NewShop(t, p.Resolver)
		m, theirs := p.Mutation(), other.NewApp(t, "products.read")
		for _, id := range []string{theirs.PublicID(), xid.App.Format(xid.New()), "app_x", ""} {
			for name, call := range map[string]func() error{
				"read": func() error { _, err := p.Query().App(p.Ctx, id); return err },
				"update": func() error {
					_, err := m.AppUpdate(p.Ctx, id, 1, model.AppUpdateInput{Name: graphtest.Given(new("X"))})
					return err
				},
				"disable": func() error { _, err := m.AppDisable(p.Ctx, id, 1); return err },
				"enable":  func() error { _, err := m.AppEnable(p.Ctx, id, 1); return err },
				"legacy":  func() error { _, err := m.AppSetLegacy(p.Ctx, id, 1, true); return err },
			} {
				if err := call(); graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s %q: %v", name, id, err)
				}
			}
		}
		if list := graphtest.Must[*model.AppConnection](t)(p.Query().Apps(p.Ctx, nil, nil)).Nodes; len(list) != 0 {
			t.Errorf("list %v", list)
		}
		if read := graphtest.Must[*model.App](t)(p.Query().App(other.Ctx, theirs.PublicID())); read.Version != 1 {
			t.Errorf("it was changed: %v", read.App)
		}
	})
}

// Of concurrent changes of one version, one succeeds.
func TestAppUpdateRace(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		id := p.NewApp(t, "products.read").PublicID()
		errs := make([]error, 12)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = p.Mutation().AppUpdate(p.Ctx, id, 1,
					model.AppUpdateInput{Name: graphtest.Given(new(fmt.Sprint("Name ", i)))})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if graphtest.FaultOf(err) != "version_mismatch" {
				t.Error(err)
			}
		}
		if a := graphtest.Must[*model.App](t)(p.Query().App(p.Ctx, id)); won != 1 || a.Version != 2 {
			t.Errorf("%d won, version %d", won, a.Version)
		}
	})
}

// The limit of apps also holds for concurrent registrations.
func TestAppLimit(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		p.Limits[limit.Apps] = 5
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			rows := make([]*db.AppCreate, 3)
			for i := range rows {
				id := xid.New()
				rows[i] = p.Client(ctx).App.Create().SetID(id).SetClientID(id.String()).SetName("Planted").
					SetDeveloper("X").SetRedirectUris("https://x.example/").SetScopes("products.read").
					SetUpdatedAt(id.Time())
			}
			return p.Client(ctx).App.CreateBulk(rows...).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = p.Mutation().AppCreate(p.Ctx, graphtest.Bridge()) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if graphtest.FaultOf(err) != "limit_reached" {
				t.Error(err)
			}
		}
		if n := p.Client(p.Ctx).App.Query().CountX(p.Ctx); made != 2 || n != 5 {
			t.Errorf("%d created, %d exist", made, n)
		}
		// The limit is per store.
		graphtest.NewShop(t, p.Resolver).NewApp(t, "products.read")
	})
}

func TestStoreSetLegacy(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, owner := p.Mutation(), p.As(p.Owner.ID, viewer.Owner)
		key := p.NewKey(t, owner, "products.read")
		knows := func() bool {
			return graphtest.Must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(), *key.Secret, "sfk_")).Legacy
		}
		if knows() {
			t.Fatal("legacy from the start")
		}
		if _, err := m.StoreSetLegacy(p.As(p.Owner.ID, viewer.Admin), 1, true); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("admin: %v", err)
		}
		if _, err := m.StoreSetLegacy(owner, 7, true); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		s := graphtest.Must[*model.StorePayload](t)(m.StoreSetLegacy(owner, 1, true)).Store
		if !s.Legacy || s.Version != 2 || !knows() {
			t.Errorf("changed to %v", s)
		}
		if s = graphtest.Must[*model.StorePayload](t)(m.StoreSetLegacy(p.Ctx, 2, true)).Store; s.Version != 2 {
			t.Errorf("no change created version %d", s.Version)
		}
		if s = graphtest.Must[*model.StorePayload](t)(m.StoreSetLegacy(p.Ctx, 2, false)).Store; s.Legacy || knows() {
			t.Errorf("no longer legacy: %v", s)
		}
		if got, want := p.Audited(t), "store.create api_key.create store.set_legacy store.set_legacy"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}
