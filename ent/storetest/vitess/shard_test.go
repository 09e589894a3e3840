package vitess

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
)

func TestShard(t *testing.T) {
	for _, tc := range []struct {
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
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Shard(ent.Statement{Query: tc.query, InTx: true})
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got %v, want clean", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) ||
				!strings.Contains(err.Error(), "vitess/doc.go")):
				t.Errorf("got %v, want an error with %q and the page", err, tc.want)
			}
		})
	}
}

// A search for work may cover all stores of a shard.
func TestSeek(t *testing.T) {
	if err := Shard(ent.Statement{Query: "SELECT id FROM orders", Seeks: true}); err != nil {
		t.Error(err)
	}
}
