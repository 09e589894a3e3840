package migrate_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io/fs"
	"regexp"
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

// TestRowsSurvive inserts a minimal and a full row into every table that a version creates or
// changes, and finds all existing rows unchanged at the next version, so that a row of each version
// of a table is migrated to the newest.
func TestRowsSurvive(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, versions := folderOf(t, s)
		tables := map[string]*schema.Table{}
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
			var changed []*schema.Table
			if names := tablesIn(t, m, version); len(names) > 0 {
				changed = inspect(t, s, names...)
			}
			fillAll(t, s, changed, i)
			for _, table := range changed {
				tables[table.Name] = table
			}
			before = dump(t, s, tables)
			for _, table := range changed {
				if len(before[table.Name]) < 2 {
					t.Errorf("version %s: %d rows in %s, want 2 at least", version, len(before[table.Name]), table.Name)
				}
			}
		}
	})
}

var tableName = regexp.MustCompile("(?i)\\bTABLE `(\\w+)`")

// tablesIn returns the tables that the file of a version creates, changes or drops.
func tablesIn(t *testing.T, m fstest.MapFS, version string) (names []string) {
	t.Helper()
	files, err := fs.Glob(m, version+"_*.sql")
	if err != nil || len(files) != 1 {
		t.Fatalf("version %s is in %v: %v", version, files, err)
	}
	for _, found := range tableName.FindAllSubmatch(m[files[0]].Data, -1) {
		names = append(names, string(found[1]))
	}
	return names
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

// inspect returns the tables of these names, or all without names, except the history and the
// formats.
func inspect(t *testing.T, s *ent.Store, names ...string) (tables []*schema.Table) {
	t.Helper()
	admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
		drv, err := driver(s, conn)
		if err != nil {
			return err
		}
		sc, err := drv.InspectSchema(ctx, "", &schema.InspectOptions{Tables: names})
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
func dump(t *testing.T, s *ent.Store, tables map[string]*schema.Table) map[string][]row {
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
