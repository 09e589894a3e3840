package appearance_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// activeOnes returns the ids of the themes that a list shows as active.
func activeOnes(p *graphtest.Shop, t testing.TB) (found []string) {
	t.Helper()
	for _, th := range graphtest.Must[*model.ThemeConnection](t)(p.Query().Themes(p.Ctx, new(100), nil)).Nodes {
		if th.Status() == state.ThemeActive {
			found = append(found, th.PublicID())
		}
	}
	return found
}

func TestThemeActivate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p, log := graphtest.NewShop(t, graphtest.NewCore(t, s)), new(storetest.Log)
		first := activeOnes(p, t)
		th := p.ImportTheme(t, "Linen")
		log.Mark(t, s)
		before := p.Audited(t)
		done := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, th.PublicID())).Theme
		if done.Status() != state.ThemeActive || done.ActivatedAt == nil || done.UpdatedAt <= th.UpdatedAt ||
			done.Version != th.Version+1 {
			t.Errorf("activated %+v", done.Theme)
		}
		emitted := log.Next(t, s)
		if len(emitted) != 1 {
			t.Fatalf("%d events", len(emitted))
		}
		var body struct {
			Data struct{ Object json.RawMessage }
		}
		if err := json.Unmarshal(emitted[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		// The event carries the representation of a read, including the new status.
		now := p.ThemeNow(t, th)
		if want := string(wire.AppendTheme(nil, now.Theme, state.ThemeActive,
			now.PreviewURL)); string(body.Data.Object) != want || now.PreviewURL == nil {
			t.Errorf("emitted %s, shown %s", body.Data.Object, want)
		}
		if got := p.Audited(t); got != before+" theme.activate" {
			t.Errorf("the audit log: %s", got)
		}
		// Repeated: the same theme, and no change.
		again := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, th.PublicID())).Theme
		if d := cmp.Diff(shownRow(now.Theme), shownRow(again.Theme)); d != "" || again.Status() != state.ThemeActive {
			t.Errorf("the second time: %s", d)
		}
		if got := log.Since(t, s); got != "" || p.Audited(t) != before+" theme.activate" {
			t.Errorf("the second time emitted %q, %s", got, p.Audited(t))
		}
		if got := activeOnes(p, t); len(first) != 1 || len(got) != 1 || got[0] != th.PublicID() {
			t.Errorf("active: %v, before %v", got, first)
		}
		if got := graphtest.FaultOf(last(p.Mutation().ThemeDelete(p.Ctx, th.PublicID()))); got != "theme_active" {
			t.Errorf("the active theme is deleted: %s", got)
		}
		graphtest.Must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.Ctx, first[0]))
	})
}

// shownRow returns a theme as serialized, with its counters.
func shownRow(t *db.Theme) string {
	return string(wire.AppendTheme(nil, t, t.Status, nil)) + " " + xid.Theme.Format(t.ID) + " " +
		string(rune('0'+t.Version)) + string(rune('0'+t.EventSequence))
}

// Every read shows exactly one active theme, however many activations run concurrently, and every
// activation succeeds.
func TestThemeActivations(t *testing.T) {
	const clients, each = 8, 5
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		themes := []string{activeOnes(p, t)[0], p.ImportTheme(t, "Linen").PublicID(), p.ImportTheme(t,
			"Atelier").PublicID()}
		before := p.Audited(t)
		ctx, stop := context.WithCancel(t.Context())
		var readers, writers sync.WaitGroup
		readers.Go(func() {
			for ctx.Err() == nil {
				if found := activeOnes(p, t); len(found) != 1 {
					t.Errorf("%d active themes", len(found))
				}
			}
		})
		for c := range clients {
			writers.Go(func() {
				for i := range each {
					if _, err := p.Mutation().ThemeActivate(p.Ctx, themes[(c+i)%len(themes)]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		stop()
		readers.Wait()
		// Each change of the pointer has one event and one audit row.
		changes := strings.Count(p.Audited(t)[len(before):], "theme.activate")
		events, sequences := 0, int64(0)
		if err := p.Store.Raw().
			QueryRowContext(t.Context(), "SELECT COUNT(*) FROM events WHERE type = 'theme.activated'").
			Scan(&events); err != nil {
			t.Fatal(err)
		}
		for _, id := range themes {
			th := graphtest.Must[*model.Theme](t)(p.Query().Theme(p.Ctx, id))
			sequences += th.EventSequence
		}
		// Two of the three themes have an event from their processing.
		if changes == 0 || events != changes || sequences != int64(changes)+2 {
			t.Errorf("%d changes, %d events, the sequences are %d", changes, events, sequences)
		}
	})
}

// Of a concurrent activation and deletion of a theme, one succeeds.
func TestThemeActivateOrDelete(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for range 5 {
			th := p.ImportTheme(t, "Linen")
			var wg sync.WaitGroup
			var activated, deleted error
			wg.Go(func() { _, activated = p.Mutation().ThemeActivate(p.Ctx, th.PublicID()) })
			wg.Go(func() { _, deleted = p.Mutation().ThemeDelete(p.Ctx, th.PublicID()) })
			wg.Wait()
			if got := graphtest.FaultOf(activated) + graphtest.FaultOf(deleted); got != "not_found" &&
				got != "theme_active" {
				t.Errorf("activated: %v, deleted: %v", activated, deleted)
			}
			if got := activeOnes(p, t); len(got) != 1 {
				t.Errorf("active: %v", got)
			}
		}
	})
}

func TestThemeRename(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th := p.ImportTheme(t, "Linen")
		before := p.Audited(t)
		renamed := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeRename(p.Ctx, th.PublicID(),
			"Ours 2")).Theme
		if now := p.ThemeNow(t, th); now.Name != "Ours 2" || renamed.Name != "Ours 2" || now.Version != th.Version+1 ||
			now.EventSequence != th.EventSequence || now.UpdatedAt <= th.UpdatedAt {
			t.Errorf("renamed %+v", now.Theme)
		}
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeRename(p.Ctx, th.PublicID(), "Ours 2"))
		if got := p.Audited(t); got != before+" theme.rename" {
			t.Errorf("the audit log: %s", got)
		}
		for name, want := range map[string]string{
			"": "#/name too_short", "a\tb": "#/name invalid_format", strings.Repeat("x", 256): "#/name too_long",
		} {
			if got := graphtest.FieldOf(last(p.Mutation().ThemeRename(p.Ctx, th.PublicID(), name))); got != want {
				t.Errorf("%q: %s", name, got)
			}
		}
	})
}

func TestThemeDuplicate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th := p.ImportTheme(t, "Linen")
		copied := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeDuplicate(p.Ctx, th.PublicID(), nil)).Theme
		if copied.Name != "Copy of Linen" || copied.Source != state.ThemeDuplicate ||
			copied.Status() != state.ThemeInactive || copied.ActivatedAt != nil ||
			copied.Checksum() != th.Checksum() || copied.AssetCount != th.AssetCount ||
			copied.SizeBytes != th.SizeBytes || *copied.PreviewImageURL != *th.PreviewImageURL ||
			*copied.PreviewURL == *th.PreviewURL || copied.MarketplaceThemeID != nil {
			t.Errorf("copied %+v of %+v", copied.Theme, th.Theme)
		}
		if d := cmp.Diff(keys(p, t, th.PublicID()), keys(p, t, copied.PublicID())); d != "" {
			t.Error(d)
		}
		named := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeDuplicate(p.Ctx, th.PublicID(),
			new("Twin"))).Theme
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeRename(p.Ctx, th.PublicID(), strings.Repeat("ü", 255)))
		long := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeDuplicate(p.Ctx, th.PublicID(), nil)).Theme
		if named.Name != "Twin" || long.Name != "Copy of "+strings.Repeat("ü", 246)+"…" {
			t.Errorf("the names are %q and %q", named.Name, long.Name)
		}
		// The copy is independent of the original.
		graphtest.Must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.Ctx, th.PublicID()))
		if got := keys(p, t, copied.PublicID()); len(got) != 3 {
			t.Errorf("the copy has %v", got)
		}
	})
}

// keys returns the paths of a theme's assets.
func keys(p *graphtest.Shop, t testing.TB, id string) (paths []string) {
	t.Helper()
	for _, a := range graphtest.Must[*model.ThemeAssetConnection](t)(p.Query().ThemeAssets(p.Ctx, id, new(100),
		nil)).Nodes {
		paths = append(paths, a.Path+" "+a.Checksum())
	}
	return paths
}

// A deleted theme leaves only audit rows in the database.
func TestThemeDelete(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		themes := []*model.Theme{p.ImportTheme(t, "Linen"), p.ImportUnprocessed(t)}
		for _, th := range themes {
			graphtest.Must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.Ctx, th.PublicID()))
			for name, err := range map[string]error{
				"read":   last(p.Query().Theme(p.Ctx, th.PublicID())),
				"assets": last(p.Query().ThemeAssets(p.Ctx, th.PublicID(), nil, nil)),
				"delete": last(p.Mutation().ThemeDelete(p.Ctx, th.PublicID())),
			} {
				if graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s of a deleted theme: %v", name, err)
				}
			}
		}
		if err := p.Themes.Round(t.Context()); err != nil {
			t.Error(err)
		}
		// The initial theme of the store remains, with its three assets.
		if got := leftovers(p, t); !strings.Contains(got, "themes 1, theme_uploads 0, theme_assets 3,") {
			t.Errorf("remaining: %s", got)
		}
	})
}

// Themes of other stores are reported as missing.
func TestThemeIsolation(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th, other := p.ImportTheme(t, "Linen"), p.Other(t)
		id, m, q, ctx := th.PublicID(), other.Mutation(), other.Query(), other.Ctx
		for name, err := range map[string]error{
			"read": last(q.Theme(ctx, id)), "assets": last(q.ThemeAssets(ctx, id, nil, nil)),
			"activate": last(m.ThemeActivate(ctx, id)), "rename": last(m.ThemeRename(ctx, id, "Theirs")),
			"duplicate": last(m.ThemeDuplicate(ctx, id, nil)), "delete": last(m.ThemeDelete(ctx, id)),
			"update":       last(m.ThemeUpdate(ctx, id)),
			"malformed":    last(m.ThemeActivate(ctx, "thm_1")),
			"another kind": last(q.Theme(ctx, xid.Product.Format(th.ID))),
			"unknown":      last(q.ThemeAssets(ctx, xid.Theme.Format(xid.New()), nil, nil)),
		} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := graphtest.Must[*model.ThemeConnection](t)(q.Themes(ctx, nil, nil)); len(got.Nodes) != 1 ||
			got.Nodes[0].Status() != state.ThemeActive {
			t.Errorf("the other store has %d themes", len(got.Nodes))
		}
		if now := p.ThemeNow(t, th); shownRow(now.Theme) != shownRow(th.Theme) {
			t.Errorf("it was changed: %s", shownRow(now.Theme))
		}
	})
}

// A new store has one active theme, without events.
func TestNewStoreHasATheme(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		core, log := graphtest.NewCore(t, s), new(storetest.Log)
		one, two := graphtest.NewShop(t, core), graphtest.NewShop(t, core)
		if got := log.Since(t, s); got != "" {
			t.Errorf("emitted: %s", got)
		}
		for _, p := range []*graphtest.Shop{one, two} {
			list := graphtest.Must[*model.ThemeConnection](t)(p.Query().Themes(p.Ctx, nil, nil))
			th := list.Nodes[0]
			if len(list.Nodes) != 1 || th.Status() != state.ThemeActive || th.Name != "Plain" ||
				th.Source != state.ThemeMarketplace || th.ActivatedAt == nil ||
				*p.Model.ActiveThemeID != th.ID ||
				*graphtest.Must[*db.Store](t)(s.DB(p.Ctx).Store.Query().Where(store.ID(p.Model.ID)).
					Only(p.Ctx)).ActiveThemeID != th.ID {
				t.Errorf("%d themes, the first is %+v", len(list.Nodes), th.Theme)
			}
			listed := graphtest.Must[*model.MarketplaceThemeConnection](t)(p.Query().MarketplaceThemes(p.Ctx, nil, nil))
			if len(listed.Nodes) != 1 || *listed.Nodes[0].InstalledThemeID() != th.PublicID() ||
				listed.Nodes[0].InstallsCount != 0 {
				t.Errorf("the marketplace has %d themes", len(listed.Nodes))
			}
		}
	})
}
