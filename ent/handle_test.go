package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/storefront-go/storefront/ent/cell"
)

// The writer and a reader each have their own handle, and no mutex.
func TestHandle(t *testing.T) {
	writer, readers, err := openSQLite(target{path: filepath.Join(t.TempDir(), "a.db")}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close(); readers.Close() })
	for name, pool := range map[string]*stdsql.DB{"writer": writer, "readers": readers} {
		c, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		err = c.Raw(func(driver any) error {
			p := driver.(*preparedConn)
			db := reflect.ValueOf(p.sqliteConn).Elem().FieldByName("db").Uint()
			if p.handle.db != uintptr(db) {
				t.Errorf("%s: has the handle of another connection", name)
			}
			if connection(p.handle.db).Fmutex != 0 {
				t.Errorf("%s: has a mutex", name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestScanIntoEnds reads again on the store's only reader after each way in which a read into
// entities can end: an open statement would not see rows written since.
func TestScanIntoEnds(t *testing.T) {
	s := numbers(t, 3)
	reading := &pool{store: s, db: s.readers}
	into := func(ctx context.Context, query string, dest stdsql.Scanner, row func()) error {
		return reading.Query(ctx, query, []any{1}, &cell.Target{Dest: cell.NewDest(dest), Row: row})
	}
	const text = "SELECT v FROM n WHERE v > ? ORDER BY v"
	var v cell.Int64
	want := []int64{2, 3}
	whole := func() {
		t.Helper()
		next := want[len(want)-1] + 1
		if err := s.InTx(t.Context(), func(ctx context.Context) error {
			_, err := s.DB(ctx).ExecContext(ctx, "INSERT INTO n (v) VALUES (?)", next)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		want = append(want, next)
		var seen []int64
		err := into(t.Context(), text, &v, func() { seen = append(seen, int64(v)) })
		if err != nil || !slices.Equal(seen, want) {
			t.Errorf("got %v, %v, want %v", seen, err, want)
		}
	}
	whole()

	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	err := into(ctx, text, &v, func() { rows++; cancel() })
	if !errors.Is(err, context.Canceled) || rows != 1 {
		t.Errorf("canceled in the first row: got %v after %d rows", err, rows)
	}
	whole()

	err = into(t.Context(), text, new(cell.Bytes), func() {})
	if err == nil || !strings.Contains(err.Error(), "column 1") {
		t.Errorf("a number into bytes: got %v", err)
	}
	whole()

	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of a row was swallowed")
			}
		}()
		_ = into(t.Context(), text, &v, func() { panic("a row") })
	}()
	whole()

	rows = 0
	const fails = "SELECT json_extract(CASE v WHEN 3 THEN '' ELSE '7' END, '$') FROM n WHERE v > ? ORDER BY v"
	err = into(t.Context(), fails, &v, func() { rows++ })
	if _, ok := errors.AsType[*sqlite.Error](err); !ok || rows != 1 || v != 7 {
		t.Errorf("a step that fails: got %v after %d rows, the last %d", err, rows, v)
	}
	whole()

	for query, want := range map[string]string{
		"SELECT v, v FROM n WHERE v > ?":        "2 columns, of which 1 are wanted",
		"SELECT v + 0.5 FROM n WHERE v > ?":     "column 1: SQLite's type 2",
		"SELECT v FROM n WHERE v > ? + 999":     "<nil>",
		"SELECT v FROM n WHERE v > ?; SELECT 1": "more than one statement",
	} {
		if err := into(t.Context(), query, &v, func() {}); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: got %v, want %s", query, err, want)
		}
		whole()
	}

	if err := into(t.Context(), "DELETE FROM n WHERE v > ?", &v, func() {}); !errors.Is(err, ErrNoTx) {
		t.Errorf("a write: got %v, want ErrNoTx", err)
	}
	if err := into(t.Context(), "SELECT v FROM absent WHERE v > ?", &v, func() {}); err == nil {
		t.Error("a missing table: got no error")
	}
	err = s.InTx(t.Context(), func(ctx context.Context) error {
		to := &cell.Target{Dest: cell.NewDest(&v), Row: func() {}}
		return (&pool{store: s}).Query(ctx, text, []any{1}, to)
	})
	if !errors.Is(err, ErrNoShard) {
		t.Errorf("a search for work in a transaction: got %v, want ErrNoShard", err)
	}
	whole()
}

// TestStatementEndsWithItsContext checks that an endless statement ends with its context, however
// it runs, and that its connection remains usable.
func TestStatementEndsWithItsContext(t *testing.T) {
	const endless = "(SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT v UNION ALL SELECT x + 1 FROM c) " +
		"SELECT x FROM c WHERE x > ?))"
	const text, later = "SELECT " + endless + " FROM n", "SELECT CASE v WHEN 1 THEN 1 ELSE " + endless + " END FROM n"
	s := numbers(t, 2)
	reading := &pool{store: s, db: s.readers}
	read := func(ctx context.Context, from querier, text string) error {
		rows, err := from.QueryContext(ctx, text, 1)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	for name, run := range map[string]func(ctx context.Context) error{
		"a read":         func(ctx context.Context) error { return read(ctx, reading, text) },
		"its second row": func(ctx context.Context) error { return read(ctx, reading, later) },
		"without prepare": func(ctx context.Context) error {
			return read(ctx, reading, "WITH a AS ("+text+") SELECT * FROM a")
		},
		"into entities": func(ctx context.Context) error {
			to := &cell.Target{Dest: cell.NewDest(new(cell.Int64)), Row: func() {}}
			return reading.Query(ctx, later, []any{1}, to)
		},
		"a write of the background": func(ctx context.Context) error {
			return s.InTx(Background(ctx), func(ctx context.Context) error {
				_, err := s.DB(ctx).ExecContext(ctx, "DELETE FROM n WHERE v < "+endless, 1)
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			rows, err := reading.QueryContext(t.Context(), "SELECT v FROM n")
			if err != nil {
				t.Fatal(err)
			}
			if n := drain(t, rows); n != 2 {
				t.Errorf("%d rows afterwards, want 2", n)
			}
		})
	}
}
