package storetest

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
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
		{"a keyset tuple", "SELECT id FROM orders WHERE (store_id, id) > (?, ?)", ""},
		{"an insert", "INSERT INTO `orders` (`store_id`, `id`) VALUES (?, ?)", ""},
		{"the buckets of a shard", "SELECT store_id, id FROM webhook_queues WHERE bucket IN (0, 1) AND due_at <= ?",
			""},
		{"a directory", "SELECT `store_id` FROM `store_handles` WHERE `handle` = ?", ""},
		{"a table of no store", "SELECT `id` FROM `users` WHERE `id` = ?", ""},
		{"a forbidden word as a value", "SELECT 'FOR SHARE', 'it''s OFFSET' FROM `users`", ""},
		{"a forbidden word in a name", "SELECT `utc_offset` FROM `users`", ""},

		{"bucket, not chosen", "SELECT bucket FROM webhook_queues WHERE due_at <= ?", "webhook_queues is store-owned"},
		{"bucket of another table", "SELECT bucket FROM orders WHERE bucket = ?", "orders is store-owned"},
		{"selected, not chosen", "SELECT `store_id`, `id` FROM `orders` WHERE `id` = ?", "orders is store-owned"},
		{"ordered, not chosen", "SELECT `id` FROM `orders` WHERE `id` = ? ORDER BY `store_id`, `id`",
			"orders is store-owned"},
		{"assigned, not chosen", "UPDATE `notes` SET `store_id` = ? WHERE `id` = ?", "notes is store-owned"},
		{"everything", "DELETE FROM `events`", "events is store-owned"},
		{"a joined table", "SELECT 1 FROM `users` JOIN `staff` ON `staff`.`id` = `users`.`id`", "staff is store-owned"},
		{"an insert without", "INSERT INTO `orders` (`id`) VALUES (?)", "orders is store-owned"},
		{"unquoted", "select id from orders where id = ?", "orders is store-owned"},

		{"share", "SELECT 1 FROM users FOR SHARE", "FOR SHARE"},
		{"old share", "SELECT 1 FROM users LOCK IN SHARE MODE", "shared lock"},
		{"skip locked", "SELECT 1 FROM users FOR UPDATE SKIP LOCKED", "SKIP LOCKED"},
		{"a word of MySQL's", "UPDATE exports SET stored = 1 WHERE store_id = ?", "stored is a word"},
		{"a word of MySQL's, quoted", "UPDATE exports SET `stored` = 1 WHERE store_id = ?", ""},
		{"a function", "SELECT RANK() OVER (ORDER BY id) FROM users", ""},
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
		"INSERT INTO users (id) VALUES (?)", "UPDATE users SET name = ?", "delete from users",
		"WITH x AS (SELECT 1) DELETE FROM users",
	} {
		if err := Lint(ent.Statement{Query: query}); err == nil {
			t.Errorf("%q outside a transaction is clean", query)
		}
		if err := Lint(ent.Statement{Query: query, InTx: true}); err != nil {
			t.Errorf("%q inside: %v", query, err)
		}
	}
}

// TestLintKnowsTheSchema: the list of tables is derived, and not empty.
func TestLintKnowsTheSchema(t *testing.T) {
	for _, name := range []string{
		"orders", "order_lines", "products", "customers", "events", "idempotency_keys", "staff",
	} {
		if !owned[name] {
			t.Errorf("%s is not known as store-owned", name)
		}
	}
	for _, name := range []string{"stores", "users", "store_handles", "credentials", "user_emails"} {
		if owned[name] {
			t.Errorf("%s is taken for store-owned", name)
		}
	}
}

func TestAcrossHasReasons(t *testing.T) {
	for _, a := range across {
		if a.prefix == "" || len(a.reason) < 10 {
			t.Errorf("%q: give a statement's beginning and the reason", a.prefix)
		}
	}
}

// recorder is a test that can fail without failing this one.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// TestLintFailsTheTest runs a bad statement through a store as tests do.
func TestLintFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	s := open(r, SQLite(t))
	if _, err := s.DB(t.Context()).QueryContext(t.Context(), "SELECT id FROM orders"); err == nil || !r.failed {
		t.Errorf("got %v, test failed %t, want both", err, r.failed)
	}
}

// TestLintRemembers: what passed once passes again, and nothing else with it.
func TestLintRemembers(t *testing.T) {
	r := &recorder{TB: t}
	inspect := failing(r)
	s := ent.Statement{Query: "UPDATE users SET name = ?", InTx: true}
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
