package ent

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"path/filepath"
	"testing"
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
