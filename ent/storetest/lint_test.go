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
		{"a page", "SELECT `orders`.`id` FROM `orders` WHERE `orders`.`store_id` = ? AND `orders`.`id` < ? ORDER BY " +
			"`orders`.`id` DESC LIMIT 21", ""},
		{"a hinted page", "SELECT `id` FROM `orders` FORCE INDEX (`i`) WHERE `store_id` = ? AND `status` = 'paid'", ""},
		{"a tuple", "UPDATE `orders` SET `version` = `version` + 1 WHERE (`store_id`, `id`, `version`) IN ((?, ?, ?))",
			""},
		{"an insert", "INSERT INTO `orders` (`store_id`, `id`) VALUES (?, ?)", ""},
		{"a list of owners", "SELECT id FROM orders WHERE store_id IN (?, ?)", ""},
		{"a table without owners", "SELECT `id` FROM `marketplace_themes` WHERE `slug` = ?", ""},
		{"a directory by person", "SELECT `store_id` FROM `memberships` WHERE `user_id` = ?", ""},
		{"a directory", "SELECT `store_id` FROM `store_handles` WHERE `handle` = ?", ""},
		{"a person", "SELECT `id` FROM `users` WHERE `id` = ?", ""},
		{"a forbidden word as a value", "SELECT 'FOR SHARE', 'it''s OFFSET' FROM `theme_packages`", ""},
		{"a forbidden word in a name", "SELECT `utc_offset` FROM `theme_packages`", ""},

		{"two statements", "DELETE FROM orders WHERE store_id = ?; DELETE FROM events WHERE store_id = ?",
			"a text is one statement"},
		{"bucket selected, not compared", "SELECT bucket FROM webhook_queues WHERE due_at <= ?", "webhook_queues: no condition"},
		{"all buckets", "SELECT store_id, id FROM webhook_queues WHERE bucket IN (0, 1) AND due_at <= ?",
			"webhook_queues: no condition"},
		{"a range of stores", "SELECT id FROM orders WHERE (store_id, id) > (?, ?)", "orders: no condition"},
		{"all people", "SELECT id FROM users", "users: no condition"},
		{"a range of a directory", "SELECT `store_id` FROM `store_handles` WHERE `handle` > ?",
			"store_handles: no condition"},
		{"bucket of another table", "SELECT bucket FROM orders WHERE bucket = ?", "orders: no condition"},
		{"selected, not compared", "SELECT `store_id`, `id` FROM `orders` WHERE `id` = ?", "orders: no condition"},
		{"ordered, not compared", "SELECT `id` FROM `orders` WHERE `id` = ? ORDER BY `store_id`, `id`",
			"orders: no condition"},
		{"assigned, not compared", "UPDATE `notes` SET `store_id` = ? WHERE `id` = ?", "notes: no condition"},
		{"all rows", "DELETE FROM `events`", "events: no condition"},
		{"a joined table", "SELECT 1 FROM `users` JOIN `staff` ON `staff`.`id` = `users`.`id` WHERE `users`.`id` = ?", "staff: no condition"},
		{"an insert without", "INSERT INTO `orders` (`id`) VALUES (?)", "orders: no condition"},
		{"unquoted", "select id from orders where id = ?", "orders: no condition"},

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

// A search for work may cover all stores of a shard.
func TestLintSeeks(t *testing.T) {
	if err := Lint(ent.Statement{Query: "SELECT id FROM orders", Seeks: true}); err != nil {
		t.Error(err)
	}
}

// One transaction writes rows of one owner.
func TestOwners(t *testing.T) {
	mine, yours := []byte{1}, []byte{2}
	const (
		note    = "INSERT INTO `notes` (`id`, `store_id`) VALUES (?, ?)"
		order   = "UPDATE `orders` SET `version` = ? WHERE `store_id` = ? AND `id` = ?"
		all     = "DELETE FROM `notes` WHERE (`id`, `store_id`) IN ((?, ?), (?, ?))"
		values  = "DELETE FROM notes WHERE (store_id, id) IN (VALUES (?, ?), (?, ?))"
		many    = "INSERT INTO `notes` (`store_id`, `id`) VALUES (?, ?), (?, ?) ON CONFLICT (`id`) DO UPDATE SET `id` = ?"
		person  = "UPDATE `users` SET `name` = ? WHERE `id` = ?"
		global  = "DELETE FROM `theme_packages` WHERE `checksum` = ?"
		queues  = "UPDATE webhook_queues SET wake = ? WHERE store_id IN (?, ?)"
		pending = "DELETE FROM outbox WHERE store_id IN (?, ?)"
		task    = "DELETE FROM `tasks` WHERE `home` = ? AND `id` = ?"
		receipt = "INSERT INTO `task_receipts` (`home`, `id`) VALUES (?, ?)"
		find    = "DELETE FROM `store_handles` WHERE `handle` = ?"
	)
	type step struct {
		query  string
		values []any
	}
	for name, tc := range map[string]struct {
		steps []step
		clean bool
	}{
		"one store":              {[]step{{note, []any{1, mine}}, {order, []any{1, mine, 2}}}, true},
		"two stores":             {[]step{{note, []any{1, mine}}, {order, []any{1, yours, 2}}}, false},
		"two in a list":          {[]step{{all, []any{1, mine, 2, yours}}}, false},
		"one in a list":          {[]step{{all, []any{1, mine, 2, mine}}}, true},
		"two in a list of rows":  {[]step{{values, []any{mine, 1, yours, 2}}}, false},
		"two inserted":           {[]step{{many, []any{mine, 1, yours, 2, 3}}}, false},
		"one inserted":           {[]step{{many, []any{mine, 1, mine, 2, 3}}}, true},
		"two people":             {[]step{{person, []any{"", mine}}, {person, []any{"", yours}}}, false},
		"a store and a person":   {[]step{{note, []any{1, mine}}, {person, []any{"", yours}}}, false},
		"a store and no owner":   {[]step{{note, []any{1, mine}}, {global, []any{yours}}}, false},
		"no owner's home":        {[]step{{receipt, []any{ent.NoOwner[:], 1}}, {global, []any{yours}}}, true},
		"a store's task":         {[]step{{task, []any{mine, 1}}, {note, []any{1, mine}}}, true},
		"a batch split by shard": {[]step{{queues, []any{1, mine, yours}}}, true},
		"a batch":                {[]step{{pending, []any{mine, yours}}}, false},
		"an unknown owner":       {[]step{{find, []any{"a"}}, {note, []any{1, mine}}}, false},
		"one unknown owner each": {[]step{{find, []any{"a"}}, {find, []any{"b"}}}, true},
	} {
		var l ledger
		var err error
		for _, s := range tc.steps {
			if failed := l.note(ent.Statement{Query: s.query, Values: s.values, InTx: true, Tx: t}); failed != nil {
				err = failed
			}
		}
		if clean := err == nil; clean != tc.clean {
			t.Errorf("%s: %v", name, err)
		}
	}
	var l ledger
	batch := ent.Statement{Query: pending, Values: []any{mine, yours}, InTx: true, Tx: t, OnShard: true}
	if err := l.note(batch); err != nil {
		t.Errorf("a batch of background work on a shard: %v", err)
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
