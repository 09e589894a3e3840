package ent_test

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
)

// TestHashedPassword: MySQL's own kind of password is sent encrypted, with TLS or, without it, by
// the server's public key, whether the server has it in its cache or not.
func TestHashedPassword(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return
	}
	address := storetest.MySQL(t)
	open := func(address string) *ent.Store {
		t.Helper()
		s, err := ent.Open(t.Context(), ent.Config{Database: address})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	admin := open(address)
	switch v, err := admin.Version(t.Context()); {
	case err != nil:
		t.Fatal(err)
	case strings.Contains(v, "MariaDB"):
		return // it has no such passwords
	}
	const password = "p@ss/word?ü"
	run := func(ctx context.Context, text string) {
		t.Helper()
		err := admin.Admin(ctx, func(conn *sql.Conn) error {
			_, err := conn.ExecContext(ctx, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := "u_" + strings.ToLower(strings.TrimPrefix(u.Path, "/storetest_"))
	run(t.Context(), "CREATE USER '"+name+"'@'%' IDENTIFIED WITH caching_sha2_password BY '"+password+"'")
	t.Cleanup(func() { run(context.Background(), "DROP USER '"+name+"'@'%'") })
	run(t.Context(), "GRANT ALL ON `"+strings.TrimPrefix(u.Path, "/")+"`.* TO '"+name+"'@'%'")
	for _, tls := range []string{"false", "skip-verify", "preferred", "false"} {
		run(t.Context(), "FLUSH PRIVILEGES") // empties the cache
		for range 2 {
			there := *u
			there.User, there.RawQuery = url.UserPassword(name, password), "tls="+tls
			s := open(there.String())
			if _, err := s.DB(t.Context()).StoreHandle.Query().Count(viewer.Everywhere(t.Context())); err != nil {
				t.Errorf("tls=%s: %v", tls, err)
			}
		}
	}
	there := *u
	there.User = url.UserPassword(name, "another")
	if s, err := ent.Open(t.Context(), ent.Config{Database: there.String()}); err == nil {
		s.Close()
		t.Error("a wrong password opens the database")
	}
}
