package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

type server struct {
	admin    *ent.Store          // on its own database, for creating others
	dsn      func(string) string // the address of a database
	external bool                // not started by us: leave nothing behind

	known sync.Map // the names of databases that this process has migrated
}

// createFree creates the list of migrated, empty databases, which test processes share.
const createFree = "CREATE TABLE IF NOT EXISTS mysql.storetest_free (name varchar(64) NOT NULL PRIMARY KEY)"

// shared is the server of all test processes of a go test command.
var shared = sync.OnceValues(func() (*server, error) {
	switch address := os.Getenv(EnvMySQL); {
	case strings.HasPrefix(address, "/"):
		return unpacked(address)
	case address != "":
		return external(address)
	case !mariadb.Installed():
		return unpacked(os.Getenv(EnvUnpacked))
	}
	return started(mariadb.Shared())
})

// additional is the MySQL that [Each] runs in addition to the two others, also started once.
var additional = sync.OnceValues(func() (*server, error) { return unpacked(os.Getenv(EnvUnpacked)) })

// Unpacked returns the folder of the additional MySQL that the environment names, or "".
func Unpacked() string { return os.Getenv(EnvUnpacked) }

func unpacked(folder string) (*server, error) { return started(mariadb.StartUnpacked(folder, "")) }

func started(m *mariadb.Server, err error) (*server, error) {
	if err != nil {
		return nil, err
	}
	s := &server{dsn: m.DSN}
	ctx := context.Background()
	if s.admin, err = ent.Open(ctx, ent.Config{Database: m.DSN("mysql"), MaxOpen: 4}); err != nil {
		return nil, err
	}
	return s, s.exec(ctx, createFree)
}

// external uses the server at address; the database in the address is only used to connect.
func external(address string) (*server, error) {
	admin, err := ent.Open(context.Background(), ent.Config{Database: address, MaxOpen: 4})
	if err != nil {
		return nil, err
	}
	base, params, _ := strings.Cut(address, "?")
	base = base[:strings.LastIndexByte(base, '/')+1]
	return &server{admin: admin, external: true, dsn: func(name string) string {
		if params == "" {
			return base + url.PathEscape(name)
		}
		return base + name + "?" + params
	}}, nil
}

// HaveMySQL reports whether tests on MySQL can run. It fails the test if they cannot although the
// environment requires it.
func HaveMySQL(t testing.TB) bool {
	t.Helper()
	if os.Getenv(EnvMySQL) != "" || os.Getenv(EnvUnpacked) != "" || os.Getenv(EnvVitess) != "" || mariadb.Installed() {
		return true
	}
	if os.Getenv(EnvRequire) == "1" {
		t.Fatalf("%s=1, but mariadbd is not installed and neither %s nor %s is set", EnvRequire, EnvMySQL,
			EnvUnpacked)
	}
	return false
}

// MySQL returns the address of a migrated, empty database for the duration of the test. It fails
// the test if there is no server: check [HaveMySQL] first.
func MySQL(t testing.TB) string {
	t.Helper()
	if os.Getenv(EnvVitess) != "" {
		return keyspaceOf(t)
	}
	return databaseOf(t, shared)
}

func databaseOf(t testing.TB, of func() (*server, error)) string {
	t.Helper()
	s, err := of()
	if err != nil {
		t.Fatalf("start the test server: %v", err)
	}
	name, err := s.take(context.Background())
	if err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.give(context.Background(), name); err != nil {
			t.Errorf("clean the test database: %v", err)
		}
	})
	return s.dsn(name)
}

// EmptyMySQL returns the address of a database without tables.
func EmptyMySQL(t testing.TB) string {
	t.Helper()
	if os.Getenv(EnvVitess) != "" {
		return keyspaceOf(t)
	}
	s, err := shared()
	if err != nil {
		t.Fatalf("start the test server: %v", err)
	}
	name := newName()
	if err := s.exec(t.Context(), "CREATE DATABASE `"+name+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"); err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.exec(context.Background(), "DROP DATABASE `"+name+"`"); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
	})
	return s.dsn(name)
}

func newName() string { return "storetest_" + strings.ToLower(rand.Text()[:12]) }

func (s *server) exec(ctx context.Context, statement string) error {
	return s.admin.Admin(ctx, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	})
}

// take returns a clean database, creating one if necessary.
func (s *server) take(ctx context.Context) (name string, err error) {
	if !s.external {
		name, err = s.pop(ctx)
	}
	if err == nil && name == "" {
		name = newName()
		err = s.exec(ctx, "CREATE DATABASE `"+name+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	}
	if _, known := s.known.LoadOrStore(name, true); err != nil || known {
		return name, err
	}
	return name, migrateAt(ctx, s.dsn(name))
}

// pop takes a database from the list of free ones; it returns "" if there is none.
func (s *server) pop(ctx context.Context) (name string, err error) {
	err = s.admin.Admin(ctx, func(conn *sql.Conn) error {
		for {
			err := conn.QueryRowContext(ctx, "SELECT name FROM mysql.storetest_free LIMIT 1").Scan(&name)
			if errors.Is(err, sql.ErrNoRows) {
				name, err = "", nil
			}
			if err != nil || name == "" {
				return err
			}
			result, err := conn.ExecContext(ctx, "DELETE FROM mysql.storetest_free WHERE name = ?", name)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil || n == 1 {
				return err
			}
		}
	})
	return name, err
}

// give empties a database for the next test, which takes a millisecond; creating one takes a
// hundred. On an external server it is dropped.
func (s *server) give(ctx context.Context, name string) error {
	if s.external {
		return s.exec(ctx, "DROP DATABASE `"+name+"`")
	}
	return s.admin.Admin(ctx, func(conn *sql.Conn) error {
		if err := empty(ctx, conn, name); err != nil {
			return err
		}
		_, err := conn.ExecContext(ctx, "INSERT INTO mysql.storetest_free (name) VALUES (?)", name)
		return err
	})
}

// empty deletes all rows except those of the migrations.
func empty(ctx context.Context, conn *sql.Conn, name string) error {
	tables, err := tablesOf(ctx, conn, name)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if table == "schema_revisions" || table == ent.FormatTable {
			continue
		}
		if _, err := conn.ExecContext(ctx, "DELETE FROM `"+name+"`.`"+table+"`"); err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	return nil
}

func tablesOf(ctx context.Context, conn *sql.Conn, name string) (tables []string, err error) {
	err = ent.Read(ctx, conn, func(rows *sql.Rows) error {
		var table string
		err := rows.Scan(&table)
		tables = append(tables, table)
		return err
	}, "SELECT table_name FROM information_schema.tables WHERE table_schema = ?", name)
	return tables, err
}
