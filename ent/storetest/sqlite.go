package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

// template is a migrated SQLite file, created once per process and kept in memory.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := migrateAt(context.Background(), path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func migrateAt(ctx context.Context, address string) error {
	s, err := ent.Open(ctx, ent.Config{Database: address})
	if err != nil {
		return err
	}
	defer s.Close() // the last connection writes SQLite's log into the file
	_, err = migrate.Apply(ctx, s)
	return err
}

// SQLite returns the address of a migrated SQLite file that is removed after the test, for tests
// that start the program themselves.
func SQLite(t testing.TB) string {
	t.Helper()
	file, err := template()
	if err != nil {
		t.Fatalf("create the template database: %v", err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatalf("copy the template database: %v", err)
	}
	return "sqlite:" + path
}
