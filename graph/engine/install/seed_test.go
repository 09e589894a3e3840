package install

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/db/store"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// active returns the active theme of the store.
func (m *merchant) active() *db.Theme {
	m.t.Helper()
	s, err := m.Store.DB(m.ctx).Store.Query().Where(store.ID(m.row.ID)).Only(m.ctx)
	if err != nil || s.ActiveThemeID == nil {
		m.t.Fatalf("no theme is active: %v", err)
	}
	return m.now(&db.Theme{ID: *s.ActiveThemeID})
}

// However often and concurrently Seed runs, the samples are offered once, and every store has one
// active theme.
func TestSeed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var shops []*merchant
		for range 3 {
			shops = append(shops, newMerchant(t, s))
		}
		m := shops[0]
		var wg sync.WaitGroup
		for range 4 {
			k := m.another(s, m.folder)
			wg.Go(func() {
				for range 2 {
					if err := k.Seed(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		m.wantCounts("marketplace_themes 2, theme_packages 2, themes 3, theme_assets 6, events 0, audit_log 0")
		listing, err := s.DB(t.Context()).MarketplaceTheme.Query().Where(marketplacetheme.Slug("plain")).
			Only(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(listing.Name, ", ", listing.Author, ", ", listing.ThemeVersion, ", ", listing.PriceMinor,
			" ", listing.Currency, ", ", listing.Categories, ", ", listing.Status, ", ", listing.SubmitterID, ", ",
			*listing.Tagline); got != "plain, Storefront, 1.0.0, 0 EUR, free small, published, <nil>, A theme." {
			t.Errorf("offered as %s", got)
		}
		for _, p := range shops {
			th := p.active()
			if th.Name != "plain" || th.Source != state.ThemeMarketplace || *th.MarketplaceThemeID != listing.ID ||
				th.ActivatedAt == nil || th.Status != state.ThemeInactive {
				t.Errorf("the store has %v", th)
			}
			m.in(p).check(th)
		}
	})
}

// A store that chose a theme keeps it. A store that the command line created before the first start
// has its theme, whose bytes come with the start.
func TestSeedAfterFirst(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		var first *db.Theme
		if err := m.Offer(t.Context()); err != nil {
			t.Fatal(err)
		}
		begin := func(ctx context.Context) error {
			th, err := m.First(ctx)
			if err == nil {
				first = th
			}
			return err
		}
		if err := s.InTx(m.ctx, begin); err != nil {
			t.Fatal(err)
		}
		if got := m.active(); got.ID != first.ID || len(m.blobs()) != 0 ||
			m.count("marketplace_themes") != "marketplace_themes 1" {
			t.Errorf("active %v, %d blobs, %s", got, len(m.blobs()), m.count("marketplace_themes"))
		}
		if err := s.InTx(m.ctx, begin); !errors.Is(err, errLost) {
			t.Errorf("a store got its first theme twice: %v", err)
		}
		if err := m.Seed(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.check(m.active())
		m.wantCounts("marketplace_themes 2, theme_packages 2, themes 1, theme_assets 2")
		if m.active().ID != first.ID {
			t.Errorf("active %v", m.active())
		}
	})
}

// A start reads the samples only if something of them is missing.
func TestSeedOfWhatIsThere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		if err := m.Seed(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := m.samples()
		if err != nil {
			t.Fatal(err)
		}
		again := m.another(s, m.folder)
		for i := range again.Samples {
			again.Samples[i].Sum, again.Samples[i].Files = all[i].sum, fstest.MapFS{} // not a theme
		}
		if err := again.Seed(t.Context()); err != nil {
			t.Fatal(err)
		}
		missing := m.another(s, t.TempDir())
		copy(missing.Samples, again.Samples)
		for name, k := range map[string]func() *Keeper{
			"no bytes":         func() *Keeper { return missing },
			"no checksum":      func() *Keeper { again.Samples[1].Sum = digest.Sum{}; return again },
			"another checksum": func() *Keeper { again.Samples[1].Sum = digest.Of(nil); return again },
		} {
			if err := k().Seed(t.Context()); err == nil {
				t.Errorf("%s: nothing was read", name)
			}
		}
	})
}

// version returns a keeper of a program with another version of a sample.
func (m *merchant) version(version string) *Keeper {
	m.t.Helper()
	k := m.another(m.Store, m.folder)
	folder := fstest.MapFS{}
	for path, text := range files(m.t, "plain", version) {
		if path == "theme.json" {
			text = strings.Replace(text, "{", `{"version": "`+version+`", `, 1)
		}
		folder[path] = &fstest.MapFile{Data: []byte(text)}
	}
	list := samples(m.t)[:1]
	list[0].Files = folder
	k.Samples = list
	return k
}

// Programs of several versions start repeatedly and at once: the latest version is in the
// marketplace, no store's theme has changed, and a new store gets the latest.
func TestSeedRenews(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		old := m.version("1.9.0")
		if err := old.Seed(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := m.active()
		var all sync.WaitGroup
		for _, v := range []string{"1.10.0", "1.9.0", "1.2.0", "1.10.0", "1.9.1", "1.9.0"} {
			k := m.version(v)
			all.Go(func() {
				for range 2 {
					if err := k.Seed(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if err := old.Seed(t.Context()); err != nil { // the old one comes last
			t.Fatal(err)
		}
		listing, err := s.DB(t.Context()).MarketplaceTheme.Query().Only(t.Context())
		if err != nil || listing.ThemeVersion != "1.10.0" || listing.Checksum == before.Checksum {
			t.Errorf("offered %v (%v)", listing, err)
		}
		if now := m.active(); now.ID != before.ID || now.Checksum != before.Checksum {
			t.Errorf("the store has %v", now)
		}
		fresh := newMerchant(t, s)
		if err := s.InTx(fresh.ctx, func(ctx context.Context) error {
			_, err := old.First(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if th := fresh.active(); *th.ThemeVersion != "1.10.0" || th.Checksum != listing.Checksum {
			t.Errorf("a new store has %v", th)
		}
		m.in(fresh).check(fresh.active())
	})
}

// Without samples a store begins without a theme.
func TestSeedNothing(t *testing.T) {
	s := storetest.Open(t)
	m := newMerchant(t, s)
	k, err := New(Config{Store: s, Blobs: m.Blobs, Samples: []sample.Sample{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Seed(t.Context()); err != nil {
		t.Error(err)
	}
	if th, err := k.First(m.ctx); th != nil || err != nil {
		t.Errorf("got %v, %v", th, err)
	}
}

// A store whose theme was chosen meanwhile keeps it.
func TestSeedLoses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		row := m.accept("Linen", "a")
		m.round(m.Keeper)
		err := s.InTx(m.ctx, func(ctx context.Context) error {
			return s.DB(ctx).Store.Update().Where(store.ID(m.row.ID)).SetActiveThemeID(row.ID).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Seed(t.Context()); err != nil {
			t.Fatal(err)
		}
		themes, err := s.DB(m.ctx).Theme.Query().Where(dbtheme.IDNEQ(row.ID)).All(m.ctx)
		if d := cmp.Diff(0, len(themes)); m.active().ID != row.ID || err != nil || d != "" {
			t.Errorf("other themes: %s, %v", d, err)
		}
	})
}
