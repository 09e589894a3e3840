package access_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// accessed creates an access token of the grant.
func accessed(p *graphtest.Shop, t testing.TB, g *db.Grant) string {
	t.Helper()
	secret, id := apikey.Mint(apikey.Access), xid.New()
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		if err := access.Register(ctx, p.Core, secret, id); err != nil {
			return err
		}
		return p.Client(ctx).AccessToken.Create().SetID(id).SetGrantID(g.ID).SetHint("x").
			SetExpiresAt(micros.Now().Add(time.Hour)).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// opens returns the scopes of an access token, "" if it is invalid.
func opens(p *graphtest.Shop, t testing.TB, token string) string {
	t.Helper()
	v, err := p.Keys.Authenticate(t.Context(), token, apikey.Access)
	if err != nil && graphtest.FaultOf(err) != "invalid_token" {
		t.Fatal(err)
	}
	if v == nil {
		return ""
	}
	return v.Scopes.String()
}

// The SQL condition and the Go condition agree.
func TestGrantStands(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		a := p.NewApp(t, "products.read")
		now := micros.Now()
		times := []*micros.Time{nil, new(now - 1), new(now), new(now + 1)}
		var made int
		for _, revoked := range times[:2] {
			for _, expires := range times[1:] {
				for _, used := range times[:2] {
					for _, code := range times[1:] {
						for _, refresh := range times {
							p.AddGrants(t, a, 1, func(_ int, g *db.GrantCreate) {
								graphtest.Unredeemed(0, g)
								g.SetNillableRevokedAt(revoked).SetExpiresAt(*expires).SetNillableCodeUsedAt(used).
									SetCodeExpiresAt(*code).SetNillableRefreshExpiresAt(refresh)
							})
							made++
						}
					}
				}
			}
		}
		rows := p.Client(p.Ctx).Grant.Query().AllX(p.Ctx)
		var want []xid.ID
		for _, g := range rows {
			if access.Stands(g, now) {
				want = append(want, g.ID)
			}
		}
		list, err := access.Installs(p.Ctx, p.Core, []xid.ID{a.ID}, now)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		var got []xid.ID
		for _, g := range slices.Backward(list[0].Grants) {
			got = append(got, g.ID)
		}
		if d := cmp.Diff(want, got); d != "" || len(rows) != made {
			t.Errorf("%d grants (-want +got):\n%s", len(rows), d)
		}
		// Live to the microsecond: redeemed with a refresh token, or unredeemed with a code.
		if len(want) != 6+3 {
			t.Errorf("%d standing grants", len(want))
		}
	})
}

func TestGrants(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		q, maker := p.Query(), graphtest.NewShop(t, p.Resolver)
		mine, theirs, third := p.NewApp(t, "products.read"), maker.NewApp(t, scope.Names()...),
			graphtest.NewShop(t, p.Resolver).NewApp(t, "orders.read")
		var want []string
		for _, a := range []*model.App{mine, theirs, third, theirs, mine, mine} {
			want = append(want, p.AddGrants(t, a, 1, nil)[0].PublicID())
		}
		p.AddGrants(t, theirs, 1, graphtest.EndedGrants["revoked"])
		slices.Reverse(want)
		for _, size := range []int{1, 5} {
			counted, n := ent.CountStatements(p.Ctx)
			graphtest.Must[*model.GrantConnection](t)(q.Grants(counted, &size, nil, nil))
			if n.N() != 2 {
				t.Errorf("a page of %d cost %d statements, want 2", size, n.N())
			}
		}
		var seen []string
		var after *string
		for {
			c := graphtest.Must[*model.GrantConnection](t)(q.Grants(p.Ctx, new(2), after, nil))
			for _, g := range c.Nodes {
				seen = append(seen, g.PublicID())
				if (g.App.ID == theirs.ID) != (g.App.StoreID == maker.Model.ID) || g.Live != (g.RevokedAt == nil) ||
					g.User().Name != "Olive" {
					t.Errorf("%v with the app %v, live %t", g.Grant, g.App, g.Live)
				}
			}
			if after = &c.Next; c.Next == "" {
				break
			}
		}
		if d := cmp.Diff(want, seen[1:]); d != "" {
			t.Errorf("the walk (-want +got):\n%s", d)
		}
		of := func(id string) int {
			return len(graphtest.Must[*model.GrantConnection](t)(q.Grants(p.Ctx, nil, nil,
				&model.GrantFilter{AppID: &id})).Nodes)
		}
		if a, b, c := of(mine.PublicID()), of(theirs.PublicID()), of(xid.App.Format(xid.New())); a != 3 || b != 3 ||
			c != 0 {
			t.Errorf("by app: %d, %d and %d", a, b, c)
		}
		if _, err := q.Grants(p.Ctx, nil, nil,
			&model.GrantFilter{AppID: new("app_x")}); graphtest.FieldOf(err) != "app_id invalid_format" {
			t.Errorf("malformed filter: %v", err)
		}
		graphtest.Must[*model.AppPayload](t)(maker.Mutation().AppDisable(maker.Ctx, theirs.PublicID(), 1))
		one := graphtest.Must[*model.Grant](t)(q.Grant(p.Ctx, want[2]))
		if !one.App.Disabled() || one.Live {
			t.Errorf("of a disabled app: %v, live %t", one.App, one.Live)
		}
	})
}

// A grant belongs to the store that gave it: not even the app's store sees who installed it.
func TestGrantOfAnotherStore(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		maker, m := graphtest.NewShop(t, p.Resolver), p.Mutation()
		a := maker.NewApp(t, "products.read")
		id := p.AddGrants(t, a, 1, nil)[0].PublicID()
		for name, ctx := range map[string]context.Context{
			"the maker": maker.Ctx, "a stranger": graphtest.NewShop(t, p.Resolver).Ctx,
		} {
			for call, err := range map[string]error{
				"read":      graphtest.ErrOf(p.Query().Grant(ctx, id)),
				"revoke":    graphtest.ErrOf(m.GrantRevoke(ctx, id)),
				"uninstall": graphtest.ErrOf(m.InstalledAppRevoke(ctx, a.PublicID())),
			} {
				if graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s, %s: %v", name, call, err)
				}
			}
			grants := graphtest.Must[*model.GrantConnection](t)(p.Query().Grants(ctx, nil, nil, nil)).Nodes
			installed := graphtest.Must[*model.InstalledAppConnection](t)(p.Query().InstalledApps(ctx, nil, nil)).Nodes
			if len(grants)+len(installed) != 0 {
				t.Errorf("%s sees %v, %v", name, grants, installed)
			}
		}
		for _, malformed := range []string{"", "grt_x", xid.Grant.Format(xid.New()), a.PublicID()} {
			if _, err := m.GrantRevoke(p.Ctx, malformed); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("revoke %q: %v", malformed, err)
			}
		}
		for _, malformed := range []string{"", "app_x", xid.App.Format(xid.New()), id} {
			if _, err := m.InstalledAppRevoke(p.Ctx, malformed); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("uninstall %q: %v", malformed, err)
			}
		}
		if g := graphtest.Must[*model.Grant](t)(p.Query().Grant(p.Ctx, id)); !g.Live {
			t.Error("the grant was ended")
		}
	})
}

func TestInstalledApps(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		q, maker := p.Query(), graphtest.NewShop(t, p.Resolver)
		var apps []*model.App
		for i := range 5 {
			from := []*graphtest.Shop{p, maker}[i%2]
			apps = append(apps, from.NewApp(t, "orders.read", "themes.read"))
		}
		used := micros.Now()
		first := p.AddGrants(t, apps[0], 2, func(i int, g *db.GrantCreate) {
			g.SetScopes([]string{"orders.read", "products.write"}[i])
			if i == 0 {
				g.SetLastUsedAt(used)
			}
		})
		p.AddGrants(t, apps[1], 1, graphtest.Unredeemed)
		p.AddGrants(t, apps[3], 101, nil)
		p.AddGrants(t, apps[4], 1, nil)
		for _, end := range graphtest.EndedGrants {
			p.AddGrants(t, apps[2], 1, end)
			p.AddGrants(t, apps[4], 1, end)
		}
		maker.AddGrants(t, apps[2], 1, nil) // in another store
		var seen []xid.ID
		var after *string
		for {
			counted, n := ent.CountStatements(p.Ctx)
			c := graphtest.Must[*model.InstalledAppConnection](t)(q.InstalledApps(counted, new(3), after))
			if n.N() != 3 {
				t.Errorf("a page of %d cost %d statements, want 3", len(c.Nodes), n.N())
			}
			if c.Next != "" && len(c.Nodes) != 3 {
				t.Errorf("a page of %d has a next page", len(c.Nodes))
			}
			for _, i := range c.Nodes {
				seen = append(seen, i.App.ID)
			}
			if after = &c.Next; c.Next == "" {
				break
			}
		}
		if d := cmp.Diff([]xid.ID{apps[4].ID, apps[3].ID, apps[1].ID, apps[0].ID}, seen); d != "" {
			t.Errorf("the walk (-want +got):\n%s", d)
		}
		list := graphtest.Must[*model.InstalledAppConnection](t)(q.InstalledApps(p.Ctx, nil, nil)).Nodes
		if got := []int{len(list[0].Grants), len(list[1].Grants), len(list[2].Grants),
			len(list[3].Grants)}; !slices.Equal(got, []int{1, access.MaxInstalled, 1, 2}) {
			t.Errorf("grants: %v", got)
		}
		last := list[3]
		if last.Grants[0].ID != first[1].ID || last.FirstConsentedAt() != first[0].CreatedAt() ||
			*last.LastUsedAt() != used || !slices.Equal(last.Scopes(), []string{"orders.read"}) {
			t.Errorf("got %v, %v, %v", last.FirstConsentedAt(), last.LastUsedAt(), last.Scopes())
		}
		// The app is disabled by its store: it stays in the list, marked as disabled.
		graphtest.Must[*model.AppPayload](t)(maker.Mutation().AppDisable(maker.Ctx, apps[3].PublicID(), 1))
		list = graphtest.Must[*model.InstalledAppConnection](t)(q.InstalledApps(p.Ctx, nil, nil)).Nodes
		if len(list) != 4 || !list[1].App.Disabled() || list[1].Grants[0].Live || list[0].App.Disabled() {
			t.Errorf("with a disabled app: %v", list)
		}
		graphtest.Must[*model.InstalledAppRevokePayload](t)(p.Mutation().InstalledAppRevoke(p.Ctx, apps[3].PublicID()))
		if list = graphtest.Must[*model.InstalledAppConnection](t)(q.InstalledApps(p.Ctx, nil,
			nil)).Nodes; len(list) != 3 {
			t.Errorf("it cannot be uninstalled: %v", list)
		}
	})
}

func TestGrantRevoke(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, developer := p.Member(t, viewer.Developer)
		a := graphtest.NewShop(t, p.Resolver).NewApp(t, "orders.read", "products.read")
		rows := p.AddGrants(t, a, 2, nil)
		token, other := accessed(p, t, rows[0]), accessed(p, t, rows[1])
		if opens(p, t, token) != "orders.read products.read" || opens(p, t, other) == "" {
			t.Fatal("invalid from the start")
		}
		got := graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(developer, rows[0].PublicID())).Grant
		if got.RevokedAt == nil || *got.RevokedReason != state.GrantEndedByStore || got.Live || got.Version != 2 ||
			got.App.ID != a.ID {
			t.Errorf("ended %v", got.Grant)
		}
		if opens(p, t, token) != "" || opens(p, t, other) == "" {
			t.Error("not exactly the grant's tokens ended")
		}
		if read := graphtest.Must[*model.Grant](t)(p.Query().Grant(p.Ctx,
			got.PublicID())); read.Grant.String() != got.Grant.String() {
			t.Errorf("stored %v, returned %v", read, got)
		}
		if _, err := p.Mutation().GrantRevoke(p.Ctx, got.PublicID()); graphtest.FaultOf(err) != "already_revoked" {
			t.Errorf("again: %v", err)
		}
		checkRevoked(t, p, got, a)
		if got, want := p.Audited(t), "store.create staff.join grant.revoke"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// checkRevoked compares the event of the grant's end with its contract.
func checkRevoked(t *testing.T, p *graphtest.Shop, g *model.Grant, a *model.App) {
	t.Helper()
	e := p.Client(p.Ctx).Event.Query().OnlyX(p.Ctx)
	var body struct {
		Type     event.Type
		Sequence int64
		Changed  []string `json:"changed_fields"`
		Resource struct {
			Type, ID string
			Version  int64
		}
		Data struct{ Object map[string]any }
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.Type != event.AppGrantRevoked || e.Type != body.Type || body.Sequence != 1 || body.Changed != nil ||
		body.Resource.Type != "grant" || body.Resource.ID != g.PublicID() || body.Resource.Version != 2 ||
		bytes.Contains(e.Body, []byte("redirect")) {
		t.Errorf("event %s", e.Body)
	}
	want := map[string]any{"id": g.PublicID(),
		"app":          map[string]any{"id": a.PublicID(), "name": a.Name, "client_id": a.ClientID},
		"scopes":       []any{"orders.read", "products.read"},
		"consented_by": map[string]any{"id": xid.User.Format(p.Owner.ID), "name": "Olive"},
		"consented_at": g.CreatedAt().String(), "expires_at": g.ExpiresAt.String(), "revoked_at": g.RevokedAt.String(),
		"revoked_reason": "store"}
	if d := cmp.Diff(want, body.Data.Object); d != "" {
		t.Errorf("object (-want +got):\n%s", d)
	}
}

// Of concurrent revocations of a grant one succeeds, with one event.
func TestGrantRevokeRace(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		a := p.NewApp(t, "products.read")
		g := p.AddGrants(t, a, 1, nil)[0]
		errs := make([]error, 12)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				if i%3 == 0 {
					_, errs[i] = p.Mutation().InstalledAppRevoke(p.Ctx, a.PublicID())
				} else {
					_, errs[i] = p.Mutation().GrantRevoke(p.Ctx, g.PublicID())
				}
			})
		}
		wg.Wait()
		ended := 0
		for _, err := range errs {
			if err == nil {
				ended++
			} else if graphtest.FaultOf(err) != "already_revoked" {
				t.Error(err)
			}
		}
		read := graphtest.Must[*model.Grant](t)(p.Query().Grant(p.Ctx, g.PublicID()))
		if n := p.Client(p.Ctx).Event.Query().CountX(p.Ctx); ended != 1 || n != 1 || read.Version != 2 ||
			read.EventSequence != 1 {
			t.Errorf("%d succeeded, %d events, %v", ended, n, read.Grant)
		}
	})
}

func TestInstalledAppRevoke(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		a, other := graphtest.NewShop(t, p.Resolver).NewApp(t, "products.read"), p.NewApp(t, "products.read")
		live := p.AddGrants(t, a, 2, nil)
		live = append(live, p.AddGrants(t, a, 1, graphtest.Unredeemed)...)
		for _, end := range graphtest.EndedGrants {
			p.AddGrants(t, a, 1, end)
		}
		kept := p.AddGrants(t, other, 1, nil)[0]
		token, stays := accessed(p, t, live[0]), accessed(p, t, kept)
		if opens(p, t, token) == "" || opens(p, t, stays) == "" {
			t.Fatal("invalid from the start")
		}
		got := graphtest.Must[*model.InstalledAppRevokePayload](t)(m.InstalledAppRevoke(p.Ctx, a.PublicID())).RevokedIds
		var want []string
		for _, g := range live {
			want = append(want, g.PublicID())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("ended (-want +got):\n%s", d)
		}
		if opens(p, t, token) != "" || opens(p, t, stays) == "" {
			t.Error("not exactly the app's tokens ended")
		}
		if n := p.Client(p.Ctx).Event.Query().CountX(p.Ctx); n != 3 {
			t.Errorf("%d events", n)
		}
		if _, err := m.InstalledAppRevoke(p.Ctx, a.PublicID()); graphtest.FaultOf(err) != "already_revoked" {
			t.Errorf("again: %v", err)
		}
		if _, err := m.InstalledAppRevoke(p.Ctx,
			p.NewApp(t, "products.read").PublicID()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("one that was never installed: %v", err)
		}
		// More grants than one transaction ends.
		p.AddGrants(t, a, 2*access.MaxEnded+1, nil)
		got = graphtest.Must[*model.InstalledAppRevokePayload](t)(m.InstalledAppRevoke(p.Ctx, a.PublicID())).RevokedIds
		if len(got) != 2*access.MaxEnded+1 || len(slices.Compact(got)) != len(got) {
			t.Errorf("%d of %d ended", len(got), 2*access.MaxEnded+1)
		}
		if n := len(graphtest.Must[*model.InstalledAppConnection](t)(p.Query().InstalledApps(p.Ctx, nil,
			nil)).Nodes); n != 1 {
			t.Errorf("%d apps are left, want the other one", n)
		}
	})
}

// An app has the scopes of its grant that the app still requests, at once.
func TestAppChangesHoldForTokens(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		maker := graphtest.NewShop(t, p.Resolver)
		m, a := maker.Mutation(), maker.NewApp(t, "orders.read", "products.read")
		token := accessed(p, t, p.AddGrants(t, a, 1, nil)[0])
		for i, step := range []struct {
			change func(version int64) error
			want   string
		}{
			{func(int64) error { return nil }, "orders.read products.read"},
			{func(v int64) error {
				return graphtest.ErrOf(m.AppUpdate(maker.Ctx, a.PublicID(), v,
					model.AppUpdateInput{Scopes: graphtest.Given([]string{"products.read"})}))
			}, "products.read"},
			{func(v int64) error { return graphtest.ErrOf(m.AppDisable(maker.Ctx, a.PublicID(), v)) }, ""},
			{func(v int64) error { return graphtest.ErrOf(m.AppEnable(maker.Ctx, a.PublicID(), v)) }, "products.read"},
		} {
			if err := step.change(int64(max(i, 1))); err != nil {
				t.Fatal(err)
			}
			if got := opens(p, t, token); got != step.want {
				t.Errorf("step %d: opens %q, want %q", i, got, step.want)
			}
		}
	})
}
