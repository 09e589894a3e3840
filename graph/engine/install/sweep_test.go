package install

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/db/themepackage"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
)

// age makes every package and every asset as old as d.
func (m *merchant) age(d time.Duration) {
	m.t.Helper()
	then := time.Now().Add(-d)
	for _, key := range m.blobs() {
		if err := os.Chtimes(filepath.Join(m.folder, filepath.FromSlash(key)), then, then); err != nil {
			m.t.Fatal(err)
		}
	}
	err := m.Store.InTx(viewer.Everywhere(m.ctx), func(ctx context.Context) error {
		return m.Store.DB(ctx).ThemePackage.Update().
			Modify(func(u *sql.UpdateBuilder) { u.Set(themepackage.FieldCreatedAt, micros.Of(then)) }).Exec(ctx)
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *merchant) delete(row *db.Theme) {
	m.t.Helper()
	err := m.Store.InTx(m.ctx, func(ctx context.Context) error {
		if _, err := m.Store.DB(ctx).ThemeAsset.Delete().Where(themeasset.ThemeID(row.ID)).Exec(ctx); err != nil {
			return err
		}
		_, err := m.Store.DB(ctx).Theme.Delete().Where(dbtheme.ID(row.ID)).Exec(ctx)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *merchant) sweep() {
	m.t.Helper()
	if err := m.Sweep(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
}

// Packages and assets that a theme of a store or of the marketplace uses stay, as does everything
// younger than two days.
func TestSweep(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m, other := newMerchant(t, s), newMerchant(t, s)
		if err := m.Seed(t.Context()); err != nil { // the second sample is in no store
			t.Fatal(err)
		}
		a, b, c := m.accept("A", "a"), m.accept("B", "b"), other.accept("B", "b")
		m.round(m.Keeper)
		const all = 2 + 1 + 2 // stylesheets of the samples, their common image, stylesheets
		if got := m.blobs(); len(got) != all || m.count("theme_packages") != "theme_packages 4" {
			t.Fatalf("%d blobs, %s", len(got), m.count("theme_packages"))
		}
		m.delete(a)
		m.delete(b) // the other store still has it
		m.age(graceTime - time.Minute)
		m.sweep()
		if got := m.blobs(); len(got) != all || m.count("theme_packages") != "theme_packages 4" {
			t.Errorf("too young: %d blobs, %s", len(got), m.count("theme_packages"))
		}
		m.age(graceTime + time.Minute)
		m.sweep()
		if got := m.blobs(); len(got) != all-1 || m.count("theme_packages") != "theme_packages 3" {
			t.Errorf("swept: %d blobs, %s", len(got), m.count("theme_packages"))
		}
		m.in(other).check(other.now(c))
		m.check(m.active())
		m.sweep()
		if got := m.blobs(); len(got) != all-1 {
			t.Errorf("swept again: %d blobs", len(got))
		}
	})
}

// A package or an asset that is stored again after the sweep collected the used ones is spared.
func TestSweepSparesWhatIsKeptAnew(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		row := m.accept("A", "a")
		m.round(m.Keeper)
		m.delete(row)
		m.age(graceTime + time.Minute)
		used := map[digest.Sum]bool{} // nothing is used
		again := m.accept("A", "a")
		m.round(m.Keeper)
		packages, err := m.sweepPackages(t.Context(), used)
		if err != nil {
			t.Fatal(err)
		}
		assets, err := m.sweepAssets(t.Context(), used)
		if err != nil || packages != 0 || assets != 0 {
			t.Errorf("swept %d packages and %d assets, %v", packages, assets, err)
		}
		m.check(m.now(again))
	})
}

// The sweep leaves other objects alone.
func TestSweepLeavesOthers(t *testing.T) {
	m := newMerchant(t, storetest.Open(t))
	for _, key := range []string{"assets/readme.txt", "exports/" + strings.Repeat("ab", 32)} {
		if err := m.Blobs.Put(t.Context(), key, "text/plain", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	m.age(graceTime + time.Hour)
	m.sweep()
	if got := m.blobs(); !slices.Equal(got, []string{"assets/readme.txt"}) {
		t.Errorf("left: %v", got)
	}
}
