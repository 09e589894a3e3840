package migrate_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
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

// TestRowsSurvive inserts a minimal and a full row into every table at each version, and finds all
// existing rows unchanged at the next version, so that each row is migrated from its version to the
// newest.
func TestRowsSurvive(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, versions := folderOf(t, s)
		var tables []*schema.Table
		before := map[string][]row{}
		for i, version := range versions {
			apply := func() (int, error) { return migrate.ApplyFolder(t.Context(), s, until(t, m, version)) }
			if i == len(versions)-1 { // as the program does it
				apply = func() (int, error) { return migrate.Apply(t.Context(), s) }
			}
			if n, err := apply(); err != nil || n != 1 {
				t.Fatalf("version %s: %d applied, error %v", version, n, err)
			}
			if diff := cmp.Diff(before, dump(t, s, tables)); diff != "" {
				t.Fatalf("rows changed on the way to version %s (-before +after):\n%s", version, diff)
			}
			tables = inspect(t, s)
			fillAll(t, s, tables, i)
			before = dump(t, s, tables)
			for _, table := range tables {
				if len(before[table.Name]) < 2 {
					t.Errorf("version %s: %d rows in %s, want 2 at least", version, len(before[table.Name]), table.Name)
				}
			}
		}
	})
}

func fillAll(t *testing.T, s *ent.Store, tables []*schema.Table, version int) {
	t.Helper()
	admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
		for _, table := range tables {
			for _, full := range []bool{false, true} {
				if err := fill(ctx, conn, table, version, full); err != nil {
					return fmt.Errorf("fill %s: %w", table.Name, err)
				}
			}
		}
		return nil
	})
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

// inspect returns all tables except the history and the formats.
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

// fill inserts a row whose values differ from those of all other rows in every column.
func fill(ctx context.Context, conn *sql.Conn, table *schema.Table, version int, full bool) error {
	var names, marks []string
	var values []any
	for i, c := range table.Columns {
		if c.Type.Null && !full {
			continue
		}
		names, marks = append(names, "`"+c.Name+"`"), append(marks, "?")
		values = append(values, value(c.Type.Type, i, version, full))
	}
	_, err := conn.ExecContext(ctx, "INSERT INTO `"+table.Name+"` ("+strings.Join(names, ", ")+") VALUES ("+
		strings.Join(marks, ", ")+")", values...)
	return err
}

// value returns a number, or its representation in the type of a column. Numbers are distinct for
// 128 columns and 128 versions, except in columns of one byte.
func value(kind schema.Type, column, version int, full bool) any {
	n := (version*2+1)<<7 + column
	if full {
		n += 1 << 7
	}
	switch k := kind.(type) {
	case *schema.BoolType:
		return full
	case *schema.IntegerType:
		if strings.HasPrefix(k.T, "tinyint") {
			return n % 128
		}
		return n
	case *schema.BinaryType:
		size := 16
		if k.Size != nil {
			size = min(*k.Size, 32)
		}
		return bytes.Repeat(binary.BigEndian.AppendUint16(nil, uint16(n)), 16)[:size]
	case *schema.StringType:
		text := fmt.Sprintf("%03s", strconv.FormatInt(int64(n), 36))
		if k.Size > 0 && k.Size < len(text) {
			return text[len(text)-k.Size:]
		}
		return text
	}
	return fmt.Sprint(n)
}

type row map[string]string

// dump reads the columns of tables as inspected before, as texts. A column that a later version
// drops fails the test: rows must not lose values silently.
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

// TestKeys checks the result of the hook: every key and unique index of a store-owned table starts
// with the store, and there are no foreign keys.
func TestKeys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for _, table := range inspect(t, s) {
			if len(table.ForeignKeys) > 0 {
				t.Errorf("%s has foreign keys", table.Name)
			}
			_, owned := table.Column("store_id")
			if _, id := table.Column("id"); !owned || !id {
				continue // not store-owned, or a directory
			}
			_, bucketed := table.Column("bucket")
			for _, index := range append([]*schema.Index{table.PrimaryKey}, table.Indexes...) {
				// Background work is found by bucket, on one shard.
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

// Staff from before there was a directory of memberships are entered into it.
func TestMembershipsAreBackfilled(t *testing.T) {
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
