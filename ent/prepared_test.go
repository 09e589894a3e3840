package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/storefront-go/storefront/ent/cell"
)

// numbers opens a database with one table that contains 1 to n.
func numbers(t *testing.T, n int) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Database: filepath.Join(t.TempDir(), "n.db"), MaxOpen: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	err = s.InTx(t.Context(), func(ctx context.Context) error {
		c := s.DB(ctx)
		if _, err := c.ExecContext(ctx, "CREATE TABLE n (v integer PRIMARY KEY)"); err != nil {
			return err
		}
		for i := range n {
			if _, err := c.ExecContext(ctx, "INSERT INTO n (v) VALUES (?)", i+1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drain(t *testing.T, rows *stdsql.Rows) (n int) {
	t.Helper()
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	rows.Close()
	return n
}

// TestPreparedInUseTwice runs a query while rows of the same query are open.
func TestPreparedInUseTwice(t *testing.T) {
	s := numbers(t, 3)
	err := s.InTx(t.Context(), func(ctx context.Context) error {
		const text = "SELECT v FROM n WHERE v > ?"
		outer, err := s.DB(ctx).QueryContext(ctx, text, 0)
		if err != nil {
			return err
		}
		seen := 0
		for outer.Next() {
			seen++
			inner, err := s.DB(ctx).QueryContext(ctx, text, 1)
			if err != nil {
				return err
			}
			if n := drain(t, inner); n != 2 {
				t.Errorf("inner: got %d rows, want 2", n)
			}
		}
		if outer.Close(); seen != 3 {
			t.Errorf("outer: got %d rows, want 3", seen)
		}
		return outer.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPreparedAbandoned closes rows early; the statement must be reset.
func TestPreparedAbandoned(t *testing.T) {
	s := numbers(t, 3)
	for range 3 {
		rows, err := s.DB(t.Context()).QueryContext(t.Context(), "SELECT v FROM n")
		if err != nil {
			t.Fatal(err)
		}
		var v int
		if rows.Next(); rows.Scan(&v) != nil || v != 1 {
			t.Errorf("got %d, want the first row", v)
		}
		rows.Close()
	}
}

func TestPreparedSeesNewSchema(t *testing.T) {
	s := numbers(t, 1)
	columns := func() int {
		rows, err := s.DB(t.Context()).QueryContext(t.Context(), "SELECT * FROM n")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := columns()
	err := s.Admin(t.Context(), func(c *stdsql.Conn) error {
		_, err := c.ExecContext(t.Context(), "ALTER TABLE n ADD COLUMN w integer")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := columns(); before != 1 || after != 2 {
		t.Errorf("got %d columns, then %d, want 1 and 2", before, after)
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
	read := func(ctx context.Context, from runner, text string) error {
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

func TestPreparedIsBounded(t *testing.T) {
	s := numbers(t, 1)
	err := s.InTx(t.Context(), func(ctx context.Context) error {
		for i := range 3 * maxPrepared {
			rows, err := s.DB(ctx).QueryContext(ctx, fmt.Sprintf("SELECT %d FROM n", i))
			if err != nil {
				return err
			}
			drain(t, rows)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Admin(t.Context(), func(c *stdsql.Conn) error {
		return c.Raw(func(raw any) error {
			p := raw.(*preparedConn)
			_, first := p.idle["SELECT 0 FROM n"]
			_, last := p.idle[fmt.Sprintf("SELECT %d FROM n", 3*maxPrepared-1)]
			if len(p.idle) != maxPrepared || first || !last {
				t.Errorf("got %d statements, first %t, last %t, want %d including the last", len(p.idle), first, last,
					maxPrepared)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkQuery is a short text query whose statement is already prepared.
func BenchmarkQuery(b *testing.B) {
	s, err := Open(b.Context(), Config{Database: filepath.Join(b.TempDir(), "n.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		rows, err := s.DB(b.Context()).QueryContext(b.Context(), "SELECT 1 FROM sqlite_master LIMIT 1")
		if err != nil {
			b.Fatal(err)
		}
		rows.Close()
	}
}
