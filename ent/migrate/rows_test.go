package migrate_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	atlas "ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/mysql"
	"ariga.io/atlas/sql/schema"
	"ariga.io/atlas/sql/sqlite"
	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestRowsSurvive fills every table as it was at each version, with a bare and a
// full row, and finds the same values at the newest version.
func TestRowsSurvive(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, versions := folderOf(t, s)
		for i, version := range versions {
			t.Run(version, func(t *testing.T) {
				if i > 0 {
					s = open(t, emptyLike(t, s))
				}
				if _, err := migrate.ApplyFolder(t.Context(), s, until(t, m, version)); err != nil {
					t.Fatal(err)
				}
				survive(t, s)
			})
		}
	})
}

// emptyLike returns another database without tables, of the same engine.
func emptyLike(t *testing.T, s *ent.Store) string {
	if s.Dialect() == dialect.SQLite {
		return "sqlite:" + filepath.Join(t.TempDir(), "empty.db")
	}
	return storetest.EmptyMySQL(t)
}

func survive(t *testing.T, s *ent.Store) {
	tables := inspect(t, s)
	if len(tables) == 0 {
		t.Fatal("no tables at this version")
	}
	admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
		for _, table := range tables {
			for _, full := range []bool{false, true} {
				if err := fill(ctx, conn, table, full); err != nil {
					return fmt.Errorf("fill %s: %w", table.Name, err)
				}
			}
		}
		return nil
	})
	before := dump(t, s, tables)
	if _, err := migrate.Apply(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, dump(t, s, tables)); diff != "" {
		t.Errorf("rows changed on the way to the newest version (-before +after):\n%s", diff)
	}
	for name, rows := range before {
		if len(rows) != 2 {
			t.Errorf("%s: got %d rows, want 2", name, len(rows))
		}
	}
}

// until returns the migrations up to version.
func until(t *testing.T, m fstest.MapFS, version string) fstest.MapFS {
	part := fstest.MapFS{}
	names, err := fs.Glob(m, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if v, _, _ := strings.Cut(name, "_"); v <= version {
			part[name] = m[name]
		}
	}
	return sum(t, part)
}

func admin(t *testing.T, s *ent.Store, f func(context.Context, *sql.Conn) error) {
	t.Helper()
	if err := s.Admin(t.Context(), func(conn *sql.Conn) error { return f(t.Context(), conn) }); err != nil {
		t.Fatal(err)
	}
}

// inspect returns the tables but the history.
func inspect(t *testing.T, s *ent.Store) (tables []*schema.Table) {
	t.Helper()
	admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
		drv, err := driver(s, conn)
		if err != nil {
			return err
		}
		sc, err := drv.InspectSchema(ctx, "", nil)
		if err != nil {
			return err
		}
		tables = slices.DeleteFunc(sc.Tables, func(t *schema.Table) bool {
			return t.Name == "schema_revisions" || t.Name == ent.FormatTable
		})
		return nil
	})
	return tables
}

func driver(s *ent.Store, conn *sql.Conn) (atlas.Driver, error) {
	if s.Dialect() == dialect.SQLite {
		return sqlite.Open(conn)
	}
	return mysql.Open(conn)
}

// fill inserts a row whose values differ from the other one's in every column.
func fill(ctx context.Context, conn *sql.Conn, table *schema.Table, full bool) error {
	var names, marks []string
	var values []any
	for i, c := range table.Columns {
		if c.Type.Null && !full {
			continue
		}
		names, marks = append(names, "`"+c.Name+"`"), append(marks, "?")
		values = append(values, value(c.Type.Type, i, full))
	}
	_, err := conn.ExecContext(ctx, "INSERT INTO `"+table.Name+"` ("+strings.Join(names, ", ")+") VALUES ("+
		strings.Join(marks, ", ")+")", values...)
	return err
}

func value(kind schema.Type, column int, full bool) any {
	seed := column + 1
	if full {
		seed += 100
	}
	switch k := kind.(type) {
	case *schema.BoolType:
		return full
	case *schema.IntegerType:
		return seed
	case *schema.BinaryType:
		size := 16
		if k.Size != nil {
			size = min(*k.Size, 32)
		}
		return bytes.Repeat([]byte{byte(seed)}, size)
	case *schema.StringType:
		size := 3
		if k.Size > 0 {
			size = min(size, k.Size)
		}
		return fmt.Sprintf("%03d", seed)[:size]
	}
	return fmt.Sprintf("%03d", seed)
}

type row map[string]string

// dump reads the columns of tables as they were inspected, one text each. A
// column that a later version drops ends the test: rows may not lose values
// silently.
func dump(t *testing.T, s *ent.Store, tables []*schema.Table) map[string][]row {
	t.Helper()
	all := map[string][]row{}
	admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
		for _, table := range tables {
			rows, err := read(ctx, conn, table)
			if err != nil {
				return fmt.Errorf("read %s: %w", table.Name, err)
			}
			all[table.Name] = rows
		}
		return nil
	})
	return all
}

func read(ctx context.Context, conn *sql.Conn, table *schema.Table) ([]row, error) {
	names := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		names[i] = c.Name
	}
	key := table.PrimaryKey.Parts[0].C.Name
	found, err := conn.QueryContext(ctx,
		"SELECT `"+strings.Join(names, "`, `")+"` FROM `"+table.Name+"` ORDER BY `"+key+"`")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var rows []row
	for found.Next() {
		cells, dest := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := found.Scan(dest...); err != nil {
			return nil, err
		}
		r := row{}
		for i, name := range names {
			if cells[i].Valid {
				r[name] = cells[i].String
			}
		}
		rows = append(rows, r)
	}
	return rows, found.Err()
}

// TestKeys looks at what the hook made: store first in every key and unique
// index of a store-owned table, and no foreign keys.
func TestKeys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for _, table := range inspect(t, s) {
			if len(table.ForeignKeys) > 0 {
				t.Errorf("%s has foreign keys", table.Name)
			}
			_, owned := table.Column("store_id")
			if _, id := table.Column("id"); !owned || !id {
				continue // of no store, or a directory
			}
			_, bucketed := table.Column("bucket")
			for _, index := range append([]*schema.Index{table.PrimaryKey}, table.Indexes...) {
				// Work in the background is found by bucket, which lies on one shard.
				if got := index.Parts[0].C.Name; got != "store_id" && (!bucketed || got != "bucket") {
					t.Errorf("%s: %q starts with %s", table.Name, index.Name, got)
				}
				for _, p := range index.Parts {
					if p.Desc {
						t.Errorf("%s: %q has a descending column", table.Name, index.Name)
					}
				}
			}
			if len(table.PrimaryKey.Parts) < 2 {
				t.Errorf("%s: the key is the store alone", table.Name)
			}
		}
	})
}

// People who belonged to a store before there was a directory of it are in it.
func TestMembershipsAreEntered(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, versions := folderOf(t, s)
		if _, err := migrate.ApplyFolder(t.Context(), s, until(t, m, versions[0])); err != nil {
			t.Fatal(err)
		}
		person, store := strings.Repeat("p", 16), strings.Repeat("s", 16)
		admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
			_, err := conn.ExecContext(ctx,
				"INSERT INTO staff (store_id, id, updated_at, role) VALUES (?, ?, 1, 'owner')", []byte(store),
				[]byte(person))
			return err
		})
		if _, err := migrate.Apply(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
			var n int
			err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM memberships WHERE user_id = ? AND store_id = ?",
				[]byte(person), []byte(store)).Scan(&n)
			if n != 1 {
				t.Errorf("%d entries, want 1", n)
			}
			return err
		})
	})
}
