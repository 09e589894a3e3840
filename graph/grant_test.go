package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
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
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/model"
)

// gave writes n grants of the store to an app, taken up and live unless edit
// says else, and returns them, the oldest first.
func (p *shop) gave(t testing.TB, a *model.App, n int, edit func(i int, g *db.GrantCreate)) []*db.Grant {
	t.Helper()
	var rows []*db.Grant
	err := p.Resolver.Store.InTx(p.ctx, func(ctx context.Context) (err error) {
		made := make([]*db.GrantCreate, n)
		for i := range made {
			now := micros.Now()
			made[i] = p.client(ctx).Grant.Create().SetID(xid.At(now)).SetAppStoreID(a.StoreID).SetAppID(a.ID).SetUserID(p.owner.ID).
				SetUserName(p.owner.Name).SetScopes("orders.read products.read").SetRedirectURI("https://bridge.example/cb").
				SetCodeChallenge(strings.Repeat("c", 43)).SetCodeExpiresAt(now.Add(time.Minute)).SetCodeUsedAt(now).
				SetRefreshExpiresAt(now.Add(time.Hour)).SetExpiresAt(now.Add(2 * time.Hour)).SetUpdatedAt(now)
			if edit != nil {
				edit(i, made[i])
			}
		}
		rows, err = p.client(ctx).Grant.CreateBulk(made...).Save(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// dead are the ways in which a grant has ended.
var dead = map[string]func(int, *db.GrantCreate){
	"revoked":   func(_ int, g *db.GrantCreate) { g.SetRevokedAt(micros.Now()).SetRevokedReason(state.GrantEndedByApp) },
	"expired":   func(_ int, g *db.GrantCreate) { g.SetExpiresAt(micros.Now()) },
	"idle":      func(_ int, g *db.GrantCreate) { g.SetRefreshExpiresAt(micros.Now()) },
	"abandoned": func(_ int, g *db.GrantCreate) { unredeemed(0, g); g.Mutation().SetCodeExpiresAt(micros.Now()) },
}

// unredeemed is a grant whose code is on its way.
func unredeemed(_ int, g *db.GrantCreate) {
	g.Mutation().ResetCodeUsedAt()
	g.Mutation().ResetRefreshExpiresAt()
}

// accessed makes an access token of the grant.
func (p *shop) accessed(t testing.TB, g *db.Grant) string {
	t.Helper()
	secret, id := apikey.Mint(apikey.Access), xid.New()
	err := p.Resolver.Store.InTx(p.ctx, func(ctx context.Context) error {
		if err := p.register(ctx, secret, id); err != nil {
			return err
		}
		return p.client(ctx).AccessToken.Create().SetID(id).SetGrantID(g.ID).SetHint("x").
			SetExpiresAt(micros.Now().Add(time.Hour)).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// opens returns what an access token opens, "" when it is dead.
func (p *shop) opens(t testing.TB, token string) string {
	t.Helper()
	v, err := p.Keys.Authenticate(t.Context(), token, apikey.Access)
	if err != nil && faultOf(err) != "invalid_token" {
		t.Fatal(err)
	}
	if v == nil {
		return ""
	}
	return v.Scopes.String()
}

// The condition in the database and the one in Go agree.
func TestGrantStands(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		a := p.newApp(t, "products.read")
		now := micros.Now()
		times := []*micros.Time{nil, new(now - 1), new(now), new(now + 1)}
		var made int
		for _, revoked := range times[:2] {
			for _, expires := range times[1:] {
				for _, used := range times[:2] {
					for _, code := range times[1:] {
						for _, refresh := range times {
							p.gave(t, a, 1, func(_ int, g *db.GrantCreate) {
								unredeemed(0, g)
								g.SetNillableRevokedAt(revoked).SetExpiresAt(*expires).SetNillableCodeUsedAt(used).
									SetCodeExpiresAt(*code).SetNillableRefreshExpiresAt(refresh)
							})
							made++
						}
					}
				}
			}
		}
		rows := p.client(p.ctx).Grant.Query().AllX(p.ctx)
		var want []xid.ID
		for _, g := range rows {
			if stands(g, now) {
				want = append(want, g.ID)
			}
		}
		list, err := p.installs(p.ctx, []xid.ID{a.ID}, now)
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
		// Live to the microsecond: used with a refresh token, or not used with a code.
		if len(want) != 6+3 {
			t.Errorf("%d stand", len(want))
		}
	})
}

func TestGrants(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		q, maker := p.Query(), newShop(t, p.Resolver)
		mine, theirs, third := p.newApp(t, "products.read"), maker.newApp(t, scope.Names()...), newShop(t, p.Resolver).newApp(t, "orders.read")
		var want []string
		for _, a := range []*model.App{mine, theirs, third, theirs, mine, mine} {
			want = append(want, p.gave(t, a, 1, nil)[0].PublicID())
		}
		p.gave(t, theirs, 1, dead["revoked"])
		slices.Reverse(want)
		for _, size := range []int{1, 5} {
			counted, n := ent.CountStatements(p.ctx)
			must[*model.GrantConnection](t)(q.Grants(counted, &size, nil, nil))
			if n.N() != 2 {
				t.Errorf("a page of %d cost %d statements, want 2", size, n.N())
			}
		}
		var seen []string
		var after *string
		for {
			c := must[*model.GrantConnection](t)(q.Grants(p.ctx, new(2), after, nil))
			for _, g := range c.Nodes {
				seen = append(seen, g.PublicID())
				if (g.App.ID == theirs.ID) != (g.App.StoreID == maker.store.ID) || g.Live != (g.RevokedAt == nil) || g.User().Name != "Olive" {
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
			return len(must[*model.GrantConnection](t)(q.Grants(p.ctx, nil, nil, &model.GrantFilter{AppID: &id})).Nodes)
		}
		if a, b, c := of(mine.PublicID()), of(theirs.PublicID()), of(xid.App.Format(xid.New())); a != 3 || b != 3 || c != 0 {
			t.Errorf("by app: %d, %d and %d", a, b, c)
		}
		if _, err := q.Grants(p.ctx, nil, nil, &model.GrantFilter{AppID: new("app_x")}); fieldOf(err) != "app_id invalid_format" {
			t.Errorf("malformed filter: %v", err)
		}
		must[*model.AppPayload](t)(maker.Mutation().AppDisable(maker.ctx, theirs.PublicID(), 1))
		one := must[*model.Grant](t)(q.Grant(p.ctx, want[2]))
		if !one.App.Disabled() || one.Live {
			t.Errorf("of a disabled app: %v, live %t", one.App, one.Live)
		}
	})
}

// A grant belongs to the store that gave it: the app's makers, too, see nothing
// of who installed it.
func TestGrantOfAnotherStore(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		maker, m := newShop(t, p.Resolver), p.Mutation()
		a := maker.newApp(t, "products.read")
		id := p.gave(t, a, 1, nil)[0].PublicID()
		for name, ctx := range map[string]context.Context{"the maker": maker.ctx, "a stranger": newShop(t, p.Resolver).ctx} {
			for call, err := range map[string]error{
				"read":      errOf(p.Query().Grant(ctx, id)),
				"revoke":    errOf(m.GrantRevoke(ctx, id)),
				"uninstall": errOf(m.InstalledAppRevoke(ctx, a.PublicID())),
			} {
				if faultOf(err) != "not_found" {
					t.Errorf("%s, %s: %v", name, call, err)
				}
			}
			grants := must[*model.GrantConnection](t)(p.Query().Grants(ctx, nil, nil, nil)).Nodes
			installed := must[*model.InstalledAppConnection](t)(p.Query().InstalledApps(ctx, nil, nil)).Nodes
			if len(grants)+len(installed) != 0 {
				t.Errorf("%s sees %v, %v", name, grants, installed)
			}
		}
		for _, malformed := range []string{"", "grt_x", xid.Grant.Format(xid.New()), a.PublicID()} {
			if _, err := m.GrantRevoke(p.ctx, malformed); faultOf(err) != "not_found" {
				t.Errorf("revoke %q: %v", malformed, err)
			}
		}
		for _, malformed := range []string{"", "app_x", xid.App.Format(xid.New()), id} {
			if _, err := m.InstalledAppRevoke(p.ctx, malformed); faultOf(err) != "not_found" {
				t.Errorf("uninstall %q: %v", malformed, err)
			}
		}
		if g := must[*model.Grant](t)(p.Query().Grant(p.ctx, id)); !g.Live {
			t.Error("it was ended by somebody")
		}
	})
}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }

func TestInstalledApps(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		q, maker := p.Query(), newShop(t, p.Resolver)
		var apps []*model.App
		for i := range 5 {
			from := []*shop{p, maker}[i%2]
			apps = append(apps, from.newApp(t, "orders.read", "themes.read"))
		}
		used := micros.Now()
		first := p.gave(t, apps[0], 2, func(i int, g *db.GrantCreate) {
			g.SetScopes([]string{"orders.read", "products.write"}[i])
			if i == 0 {
				g.SetLastUsedAt(used)
			}
		})
		p.gave(t, apps[1], 1, unredeemed)
		p.gave(t, apps[3], 101, nil)
		p.gave(t, apps[4], 1, nil)
		for _, end := range dead {
			p.gave(t, apps[2], 1, end)
			p.gave(t, apps[4], 1, end)
		}
		maker.gave(t, apps[2], 1, nil) // in another store
		var seen []xid.ID
		var after *string
		for {
			counted, n := ent.CountStatements(p.ctx)
			c := must[*model.InstalledAppConnection](t)(q.InstalledApps(counted, new(3), after))
			if n.N() != 3 {
				t.Errorf("a page of %d cost %d statements, want 3", len(c.Nodes), n.N())
			}
			if c.Next != "" && len(c.Nodes) != 3 {
				t.Errorf("a page of %d, and another follows", len(c.Nodes))
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
		list := must[*model.InstalledAppConnection](t)(q.InstalledApps(p.ctx, nil, nil)).Nodes
		if got := []int{len(list[0].Grants), len(list[1].Grants), len(list[2].Grants), len(list[3].Grants)}; !slices.Equal(got, []int{1, maxInstalled, 1, 2}) {
			t.Errorf("grants: %v", got)
		}
		last := list[3]
		if last.Grants[0].ID != first[1].ID || last.FirstConsentedAt() != first[0].CreatedAt() || *last.LastUsedAt() != used ||
			!slices.Equal(last.Scopes(), []string{"orders.read"}) {
			t.Errorf("got %v, %v, %v", last.FirstConsentedAt(), last.LastUsedAt(), last.Scopes())
		}
		// Its maker stops an app: it stays, and is shown as stopped.
		must[*model.AppPayload](t)(maker.Mutation().AppDisable(maker.ctx, apps[3].PublicID(), 1))
		list = must[*model.InstalledAppConnection](t)(q.InstalledApps(p.ctx, nil, nil)).Nodes
		if len(list) != 4 || !list[1].App.Disabled() || list[1].Grants[0].Live || list[0].App.Disabled() {
			t.Errorf("with a disabled app: %v", list)
		}
		must[*model.InstalledAppRevokePayload](t)(p.Mutation().InstalledAppRevoke(p.ctx, apps[3].PublicID()))
		if list = must[*model.InstalledAppConnection](t)(q.InstalledApps(p.ctx, nil, nil)).Nodes; len(list) != 3 {
			t.Errorf("it cannot be taken off: %v", list)
		}
	})
}

func TestGrantRevoke(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		_, developer := p.member(t, viewer.Developer)
		a := newShop(t, p.Resolver).newApp(t, "orders.read", "products.read")
		rows := p.gave(t, a, 2, nil)
		token, other := p.accessed(t, rows[0]), p.accessed(t, rows[1])
		if p.opens(t, token) != "orders.read products.read" || p.opens(t, other) == "" {
			t.Fatal("dead from the start")
		}
		got := must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(developer, rows[0].PublicID())).Grant
		if got.RevokedAt == nil || *got.RevokedReason != state.GrantEndedByStore || got.Live || got.Version != 2 || got.App.ID != a.ID {
			t.Errorf("ended %v", got.Grant)
		}
		if p.opens(t, token) != "" || p.opens(t, other) == "" {
			t.Error("not just the grant's tokens end")
		}
		if read := must[*model.Grant](t)(p.Query().Grant(p.ctx, got.PublicID())); read.Grant.String() != got.Grant.String() {
			t.Errorf("stored %v, returned %v", read, got)
		}
		if _, err := p.Mutation().GrantRevoke(p.ctx, got.PublicID()); faultOf(err) != "already_revoked" {
			t.Errorf("again: %v", err)
		}
		checkRevoked(t, p, got, a)
		if got, want := p.audited(t), "store.create staff.add grant.revoke"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// checkRevoked holds the one event of the grant's end to what subscribers know.
func checkRevoked(t *testing.T, p *shop, g *model.Grant, a *model.App) {
	t.Helper()
	e := p.client(p.ctx).Event.Query().OnlyX(p.ctx)
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
	if body.Type != event.AppGrantRevoked || e.Type != body.Type || body.Sequence != 1 || body.Changed != nil || body.Resource.Type != "grant" ||
		body.Resource.ID != g.PublicID() || body.Resource.Version != 2 || bytes.Contains(e.Body, []byte("redirect")) {
		t.Errorf("event %s", e.Body)
	}
	want := map[string]any{"id": g.PublicID(), "app": map[string]any{"id": a.PublicID(), "name": a.Name, "client_id": a.ClientID},
		"scopes": []any{"orders.read", "products.read"}, "consented_by": map[string]any{"id": xid.User.Format(p.owner.ID), "name": "Olive"},
		"consented_at": g.CreatedAt().String(), "expires_at": g.ExpiresAt.String(), "revoked_at": g.RevokedAt.String(), "revoked_reason": "store"}
	if d := cmp.Diff(want, body.Data.Object); d != "" {
		t.Errorf("object (-want +got):\n%s", d)
	}
}

// Of many who end a grant at once one does, with one event.
func TestGrantRevokeRace(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		a := p.newApp(t, "products.read")
		g := p.gave(t, a, 1, nil)[0]
		errs := make([]error, 12)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				if i%3 == 0 {
					_, errs[i] = p.Mutation().InstalledAppRevoke(p.ctx, a.PublicID())
				} else {
					_, errs[i] = p.Mutation().GrantRevoke(p.ctx, g.PublicID())
				}
			})
		}
		wg.Wait()
		ended := 0
		for _, err := range errs {
			if err == nil {
				ended++
			} else if faultOf(err) != "already_revoked" {
				t.Error(err)
			}
		}
		read := must[*model.Grant](t)(p.Query().Grant(p.ctx, g.PublicID()))
		if n := p.client(p.ctx).Event.Query().CountX(p.ctx); ended != 1 || n != 1 || read.Version != 2 || read.EventSequence != 1 {
			t.Errorf("%d ended it, %d events, %v", ended, n, read.Grant)
		}
	})
}

func TestInstalledAppRevoke(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		a, other := newShop(t, p.Resolver).newApp(t, "products.read"), p.newApp(t, "products.read")
		live := p.gave(t, a, 2, nil)
		live = append(live, p.gave(t, a, 1, unredeemed)...)
		for _, end := range dead {
			p.gave(t, a, 1, end)
		}
		kept := p.gave(t, other, 1, nil)[0]
		token, stays := p.accessed(t, live[0]), p.accessed(t, kept)
		if p.opens(t, token) == "" || p.opens(t, stays) == "" {
			t.Fatal("dead from the start")
		}
		got := must[*model.InstalledAppRevokePayload](t)(m.InstalledAppRevoke(p.ctx, a.PublicID())).RevokedIds
		var want []string
		for _, g := range live {
			want = append(want, g.PublicID())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("ended (-want +got):\n%s", d)
		}
		if p.opens(t, token) != "" || p.opens(t, stays) == "" {
			t.Error("not just the app's tokens end")
		}
		if n := p.client(p.ctx).Event.Query().CountX(p.ctx); n != 3 {
			t.Errorf("%d events", n)
		}
		if _, err := m.InstalledAppRevoke(p.ctx, a.PublicID()); faultOf(err) != "already_revoked" {
			t.Errorf("again: %v", err)
		}
		if _, err := m.InstalledAppRevoke(p.ctx, p.newApp(t, "products.read").PublicID()); faultOf(err) != "not_found" {
			t.Errorf("one that was never installed: %v", err)
		}
		// More than one transaction holds.
		p.gave(t, a, 2*maxEnded+1, nil)
		got = must[*model.InstalledAppRevokePayload](t)(m.InstalledAppRevoke(p.ctx, a.PublicID())).RevokedIds
		if len(got) != 2*maxEnded+1 || len(slices.Compact(got)) != len(got) {
			t.Errorf("%d of %d ended", len(got), 2*maxEnded+1)
		}
		if n := len(must[*model.InstalledAppConnection](t)(p.Query().InstalledApps(p.ctx, nil, nil)).Nodes); n != 1 {
			t.Errorf("%d apps are left, want the other one", n)
		}
	})
}

// What an app may do is the grant's scopes that the app still has, at once.
func TestAppChangesHoldForTokens(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		maker := newShop(t, p.Resolver)
		m, a := maker.Mutation(), maker.newApp(t, "orders.read", "products.read")
		token := p.accessed(t, p.gave(t, a, 1, nil)[0])
		for i, step := range []struct {
			change func(version int64) error
			want   string
		}{
			{func(int64) error { return nil }, "orders.read products.read"},
			{func(v int64) error {
				return errOf(m.AppUpdate(maker.ctx, a.PublicID(), v, model.AppUpdateInput{Scopes: said([]string{"products.read"})}))
			}, "products.read"},
			{func(v int64) error { return errOf(m.AppDisable(maker.ctx, a.PublicID(), v)) }, ""},
			{func(v int64) error { return errOf(m.AppEnable(maker.ctx, a.PublicID(), v)) }, "products.read"},
		} {
			if err := step.change(int64(max(i, 1))); err != nil {
				t.Fatal(err)
			}
			if got := p.opens(t, token); got != step.want {
				t.Errorf("step %d: opens %q, want %q", i, got, step.want)
			}
		}
	})
}
