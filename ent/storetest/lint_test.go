package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
)

func TestLint(t *testing.T) {
	tests := []struct {
		name  string
		query string
		want  string // part of the error; empty means clean
	}{
		{"a forbidden word as a value", "SELECT 'FOR SHARE', 'it''s OFFSET' FROM `theme_packages`", ""},
		{"a forbidden word in a name", "SELECT `utc_offset` FROM `theme_packages`", ""},

		{"two statements", "DELETE FROM orders WHERE store_id = ?; DELETE FROM events WHERE store_id = ?",
			"a text is one statement"},

		{"share", "SELECT 1 FROM theme_packages FOR SHARE", "FOR SHARE"},
		{"old share", "SELECT 1 FROM theme_packages LOCK IN SHARE MODE", "shared lock"},
		{"skip locked", "SELECT 1 FROM theme_packages FOR UPDATE SKIP LOCKED", "SKIP LOCKED"},
		{"a reserved word", "UPDATE exports SET stored = 1 WHERE store_id = ?", "stored is a word"},
		{"a quoted reserved word", "UPDATE exports SET `stored` = 1 WHERE store_id = ?", ""},
		{"a function", "SELECT RANK() OVER (ORDER BY id) FROM theme_packages", ""},
		{"replace", "REPLACE INTO users (id) VALUES (?)", "REPLACE"},
		{"insert or replace", "INSERT OR REPLACE INTO users (id) VALUES (?)", "REPLACE"},
		{"returning", "INSERT INTO users (id) VALUES (?) RETURNING id", "RETURNING"},
		{"arrow", "SELECT body->>'$.a' FROM users", "->>"},
		{"lateral", "SELECT 1 FROM users, LATERAL (SELECT 1) x", "LATERAL"},
		{"json table", "SELECT 1 FROM JSON_TABLE(?, '$' COLUMNS (a int PATH '$')) j", "JSON_TABLE"},
		{"offset", "SELECT id FROM users LIMIT 10 offset 20", "OFFSET"},
		{"read only", "START TRANSACTION READ ONLY", "read-only"},
		{"get lock", "SELECT GET_LOCK('a', 1)", "GET_LOCK"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			err := Lint(ent.Statement{Query: tc.query, InTx: true})
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got %v, want clean", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestLintWriteOutsideTx(t *testing.T) {
	for _, query := range []string{
		"INSERT INTO users (id) VALUES (?)", "UPDATE users SET name = ? WHERE id = ?",
		"delete from users where id = ?", "WITH x AS (SELECT 1) DELETE FROM users WHERE id = ?",
	} {
		if err := Lint(ent.Statement{Query: query}); err == nil {
			t.Errorf("%q outside a transaction is clean", query)
		}
		if err := Lint(ent.Statement{Query: query, InTx: true}); err != nil {
			t.Errorf("%q inside: %v", query, err)
		}
	}
}

// TestTimes checks that updates of synced tables have no time from before their transaction.
func TestTimes(t *testing.T) {
	const began = micros.Time(1_800_000_000_000_000)
	for _, tc := range []struct {
		name, table string
		at          micros.Time
		clean       bool
	}{
		{"before the transaction", "products", began.Add(-time.Millisecond), false},
		{"within the transaction", "products", began, true},
		{"chosen by a test", "products", began.Add(-time.Hour), true},
		{"a table without a list of changes", "stores", began.Add(-time.Millisecond), true},
	} {
		err := lintTime(ent.Statement{Query: "UPDATE `" + tc.table + "` SET `title` = ?, `updated_at` = ? WHERE " +
			"`updated_at` = ?", Values: []any{"a", tc.at, tc.at}, InTx: true, Began: began})
		if clean := err == nil; clean != tc.clean {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// recorder is a test whose failure does not fail this one.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// TestLintFailsTheTest runs a bad statement through a store, as tests do.
func TestLintFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	s := open(r, SQLite(t))
	if _, err := s.DB(t.Context()).QueryContext(t.Context(), "SELECT id FROM orders"); err == nil || !r.failed {
		t.Errorf("got %v, test failed %t, want both", err, r.failed)
	}
}

// TestLintRemembers checks that a clean statement passes again, but no other does because of it.
func TestLintRemembers(t *testing.T) {
	r := &recorder{TB: t}
	inspect := lintInspector(r)
	s := ent.Statement{Query: "UPDATE users SET name = ? WHERE id = ?", InTx: true}
	for range 2 {
		if err := inspect(s); err != nil || r.failed {
			t.Errorf("inside a transaction: %v", err)
		}
	}
	s.InTx = false
	for range 2 {
		if r.failed = false; inspect(s) == nil || !r.failed {
			t.Error("the same statement outside a transaction passes")
		}
	}
}
