package vitess

import (
	"testing"

	"github.com/storefront-go/storefront/ent"
)

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
		var l Owners
		var err error
		for _, s := range tc.steps {
			if failed := l.Note(ent.Statement{Query: s.query, Values: s.values, InTx: true, Tx: t}); failed != nil {
				err = failed
			}
		}
		if clean := err == nil; clean != tc.clean {
			t.Errorf("%s: %v", name, err)
		}
	}
	var l Owners
	batch := ent.Statement{Query: pending, Values: []any{mine, yours}, InTx: true, Tx: t, OnShard: true}
	if err := l.Note(batch); err != nil {
		t.Errorf("a batch of background work on a shard: %v", err)
	}
}
