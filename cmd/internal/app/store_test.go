package app_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestFindStore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		b := &app.Base{Store: s}
		fails := func(name, want string) {
			t.Helper()
			if _, err := b.FindStore(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("FindStore(%q) = %v, want %q in the error", name, err, want)
			}
		}
		fails("", "store create")
		_, first := storetest.Merchant(t, s)
		for _, name := range []string{"", first.Handle, xid.Store.Format(first.ID)} {
			if got, err := b.FindStore(t.Context(), name); err != nil || got.ID != first.ID {
				t.Errorf("FindStore(%q) = %v, %v", name, got, err)
			}
		}
		storetest.Merchant(t, s)
		fails("", "--store")
		fails("nobody", `"nobody"`)
		fails(xid.Store.Format(xid.New()), "no store")
		if all, err := b.Stores(t.Context()); err != nil || len(all) != 2 || all[0].ID != first.ID {
			t.Errorf("Stores = %v, %v; want both, the older one first", all, err)
		}
	})
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	c := settings(t)
	b, err := app.Open(t.Context(), app.Opening{Storage: c.Storage, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, f := range mustRead(t, c.Data) {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", f.Name(), info.Mode())
		}
	}
}
