package migrate_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	atlas "ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/migrate/internal/plan"
	"github.com/storefront-go/storefront/ent/storetest"
)

// eachEmpty runs f on every engine with the address of a database without tables.
func eachEmpty(t *testing.T, f func(t *testing.T, address string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, "sqlite:"+filepath.Join(t.TempDir(), "empty.db")) })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) { f(t, storetest.EmptyMySQL(t)) })
	}
}

func open(t *testing.T, address string) *ent.Store {
	t.Helper()
	s, err := ent.Open(t.Context(), ent.Config{Database: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// folderOf returns the embedded migrations of the store's engine and their versions.
func folderOf(t *testing.T, s *ent.Store) (fstest.MapFS, []string) {
	t.Helper()
	f, err := migrate.Folder(s.Dialect())
	if err != nil {
		t.Fatal(err)
	}
	m, versions := fstest.MapFS{}, []string(nil)
	entries, err := fs.ReadDir(f, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := fs.ReadFile(f, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		m[e.Name()] = &fstest.MapFile{Data: b}
		if version, _, ok := strings.Cut(e.Name(), "_"); ok {
			versions = append(versions, version)
		}
	}
	return m, versions
}

// sum writes a new atlas.sum, as after editing a file.
func sum(t *testing.T, m fstest.MapFS) fstest.MapFS {
	t.Helper()
	dir := &atlas.MemDir{}
	for name, f := range m {
		if name != "atlas.sum" {
			dir.WriteFile(name, f.Data)
		}
	}
	hashes, err := dir.Checksum()
	if err != nil {
		t.Fatal(err)
	}
	text, err := hashes.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	m["atlas.sum"] = &fstest.MapFile{Data: text}
	return m
}

func TestReplayEqualsSchema(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, _ := folderOf(t, s)
		dir, err := migrate.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Admin(t.Context(), func(conn *sql.Conn) error {
			drv := entsql.NewDriver(s.Dialect(), entsql.Conn{ExecQuerier: conn})
			return plan.Diff(t.Context(), drv, dir, "difference")
		})
		if !errors.Is(err, plan.ErrNoPlan) {
			files, _ := dir.Files()
			t.Fatalf("got %v, want no plan: the schema has moved, run go generate ./ent/migrate\n%s", err,
				files[len(files)-1].Bytes())
		}
	})
}

// TestApply runs four programs at once: one applies, three find nothing to do.
func TestApply(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		var (
			wg    sync.WaitGroup
			total atomic.Int64
		)
		s := open(t, address)
		_, versions := folderOf(t, s)
		st, err := migrate.Check(t.Context(), s)
		if err != nil || st.Current != "" || !slices.Equal(st.Pending, versions) {
			t.Errorf("before: got %+v, %v, want %v pending", st, err, versions)
		}
		for range 4 {
			s := open(t, address)
			wg.Go(func() {
				n, err := migrate.Apply(t.Context(), s)
				if err != nil {
					t.Error(err)
				}
				total.Add(int64(n))
			})
		}
		wg.Wait()
		if total.Load() != int64(len(versions)) {
			t.Errorf("%d applied in all, want %d", total.Load(), len(versions))
		}
		st, err = migrate.Check(t.Context(), s)
		if err != nil || st.Current != versions[len(versions)-1] || len(st.Pending)+len(st.Unknown) > 0 ||
			st.Failed != "" {
			t.Errorf("after: got %+v, %v", st, err)
		}
	})
}

// small returns a folder of one version, which is applied sooner than the program's.
func small(t *testing.T) (m fstest.MapFS, name string) {
	t.Helper()
	name = "20200101000000_small.sql"
	return sum(t, fstest.MapFS{name: &fstest.MapFile{Data: []byte("CREATE TABLE zero (id int);\n")}}), name
}

func TestRefusals(t *testing.T) {
	const extra = "99990101000000_extra.sql"
	tests := []struct {
		name string
		edit func(t *testing.T, m fstest.MapFS, first string) // after the first Apply
		want string
	}{
		{"an edited file", func(t *testing.T, m fstest.MapFS, first string) {
			m[first] = &fstest.MapFile{Data: append([]byte("-- edited\n"), m[first].Data...)}
		}, "atlas.sum"},
		{"a file without a sum", func(t *testing.T, m fstest.MapFS, first string) {
			m[extra] = &fstest.MapFile{Data: []byte("CREATE TABLE extra (id int);\n")}
		}, "atlas.sum"},
		{"no sums", func(t *testing.T, m fstest.MapFS, first string) { delete(m, "atlas.sum") }, "atlas.sum"},
		{"an applied file edited and summed again", func(t *testing.T, m fstest.MapFS, first string) {
			m[first] = &fstest.MapFile{Data: append([]byte("-- edited\n"), m[first].Data...)}
			sum(t, m)
		}, "changed after it was applied"},
	}
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, _ := small(t)
		if _, err := migrate.ApplyFolder(t.Context(), s, m); err != nil {
			t.Fatal(err)
		}
		for _, tc := range tests {
			t.Run(tc.name, func(t *testing.T) {
				m, name := small(t)
				tc.edit(t, m, name)
				if n, err := migrate.ApplyFolder(t.Context(), s, m); n != 0 || err == nil ||
					!strings.Contains(err.Error(), tc.want) {
					t.Errorf("apply: got %d, %v, want an error with %q", n, err, tc.want)
				}
				if _, err := migrate.CheckFolder(t.Context(), s, m); err == nil ||
					!strings.Contains(err.Error(), tc.want) {
					t.Errorf("check: got %v, want an error with %q", err, tc.want)
				}
			})
		}
	})
}

func TestApplyRefusesForeignTables(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		err := s.Admin(t.Context(), func(conn *sql.Conn) error {
			_, err := conn.ExecContext(t.Context(), "CREATE TABLE theirs (id int)")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := migrate.Apply(t.Context(), s); n != 0 || err == nil {
			t.Errorf("got %d, %v, want a refusal", n, err)
		}
	})
}

// TestHalfApplied stops in the middle of a file. SQLite is unchanged; MySQL keeps what was applied,
// reports it, and continues from there.
func TestHalfApplied(t *testing.T) {
	const name = "99990101000000_extra.sql"
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, zero := small(t)
		if _, err := migrate.ApplyFolder(t.Context(), s, m); err != nil {
			t.Fatal(err)
		}
		m[name] = &fstest.MapFile{Data: []byte("CREATE TABLE one (id int);\nCREATE TABLE two (id int);\n")}
		sum(t, m)
		block(t, s, "CREATE TABLE two (id int)")
		if n, err := migrate.ApplyFolder(t.Context(), s, m); n != 0 || err == nil {
			t.Fatalf("got %d, %v, want the failure of the second statement", n, err)
		}
		st, err := migrate.CheckFolder(t.Context(), s, m)
		if err != nil || !strings.HasPrefix(zero, st.Current+"_") || len(st.Pending) != 1 {
			t.Fatalf("got %+v, %v, want one pending", st, err)
		}
		if failed := st.Failed != ""; failed != (s.Dialect() == dialect.MySQL) {
			t.Errorf("got Failed %q", st.Failed)
		}
		block(t, s, "DROP TABLE two")
		if n, err := migrate.ApplyFolder(t.Context(), s, m); n != 1 || err != nil {
			t.Errorf("after the fix: got %d, %v", n, err)
		}
	})
}

// block runs a statement that makes the migration fail.
func block(t *testing.T, s *ent.Store, statement string) {
	t.Helper()
	err := s.Admin(t.Context(), func(conn *sql.Conn) error {
		_, err := conn.ExecContext(t.Context(), statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNewerDatabase returns to an earlier release. It works if the newer one has only added to the
// schema or removed what the earlier one does not use, and writes no format that it cannot read.
func TestNewerDatabase(t *testing.T) {
	const first, second, format = "99990101000000", "99990101000001", "nobody_knows"
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, _ := folderOf(t, s)
		newer := func(version, text string) {
			t.Helper()
			m[version+"_extra.sql"] = &fstest.MapFile{Data: []byte(text)}
			if _, err := migrate.ApplyFolder(t.Context(), s, sum(t, m)); err != nil {
				t.Fatal(err)
			}
		}
		check := func(newer, unknown []string) {
			t.Helper()
			st, err := migrate.Check(t.Context(), s)
			if err != nil || len(st.Pending) > 0 || !slices.Equal(st.Newer, newer) ||
				!slices.Equal(st.Unknown, unknown) {
				t.Errorf("got %+v, %v, want %s newer and %s unknown", st, err, newer, unknown)
			}
			if n, err := migrate.Apply(t.Context(), s); n != 0 || err != nil {
				t.Errorf("got %d, %v, want nothing to do", n, err)
			}
		}
		written := func(statement string) {
			t.Helper()
			err := s.Admin(t.Context(), func(conn *sql.Conn) error {
				_, err := conn.ExecContext(t.Context(), statement)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := migrate.Apply(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		written("INSERT INTO data_formats (name, since) VALUES ('" + format + "', 1)")
		check(nil, []string{format})
		written("DELETE FROM data_formats WHERE name = '" + format + "'")
		check(nil, nil)
		newer(first, "CREATE TABLE extra (id int);\n")
		check([]string{first}, nil)
		written("INSERT INTO data_formats (name, since) VALUES ('" + format + "', 1)")
		check(nil, []string{first})
		written("DELETE FROM data_formats WHERE name = '" + format + "'")
		newer(second, "-- unused since 12345678 ("+first+"): it is always empty\nDROP TABLE extra;\n")
		check([]string{first}, []string{second})
	})
}

func TestApplyStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "empty.db"))
	cancel()
	if _, err := migrate.Apply(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}
