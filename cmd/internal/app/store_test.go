package app_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
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

// signalLog is a log that signals writes.
type signalLog chan struct{}

func (h signalLog) Write(b []byte) (int, error) {
	select {
	case h <- struct{}{}:
	default:
	}
	return len(b), nil
}

// TestOpenAwaitsTheServer opens the database before its server starts.
func TestOpenAwaitsTheServer(t *testing.T) {
	if !mariadb.Installed() {
		storetest.HaveMySQL(t) // servers that are given cannot be begun
		return
	}
	dir, err := os.MkdirTemp("/tmp", "sfaway") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	server, err := mariadb.Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	address, err := server.Create(t.Context(), "away")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	log := make(signalLog, 1)
	opening := func(address string) app.Opening {
		o := app.Opening{Storage: settings(t).Storage, Migrate: true, WaitFor: time.Minute,
			Logger: slog.New(slog.NewTextHandler(log, nil))}
		o.Database = address
		return o
	}
	opened := make(chan error, 1)
	go func() {
		b, err := app.Open(t.Context(), opening(address))
		if err == nil {
			err = b.Close()
		}
		opened <- err
	}()
	select {
	case <-log: // the server does not answer yet
	case err := <-opened:
		t.Fatalf("it did not wait: %v", err)
	}
	if server, err = mariadb.Start(dir); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if err := <-opened; err != nil {
		t.Error(err)
	}
	select { // lines logged while the server started
	case <-log:
	default:
	}
	for _, wrong := range []string{
		strings.Replace(address, "/away", "/nowhere", 1), strings.Replace(address, "root@", "nobody:wrong@", 1),
	} {
		if _, err = app.Open(t.Context(), opening(wrong)); err == nil || len(log) > 0 {
			t.Errorf("%s was waited for, and gave %v", wrong, err)
		}
	}
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
