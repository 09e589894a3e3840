// Package vitess checks the statements of tests against the rules that let the service grow beyond
// one machine. [Vitess] splits a MySQL by the owner of each row. A program that breaks these rules
// works on SQLite and on one MySQL, and fails on shards, so tests on SQLite check them too. If a
// test was refused with a reference to this page, the rule and the way out are below.
//
// # Why
//
// All rows of a store are on one shard, by the hash of its id, and so are all rows of a person. Rows
// that belong to nobody, such as the marketplace, are on the first shard. A statement that names no
// owner goes to every shard, and takes as long as the slowest. A transaction that writes on two
// shards can commit on one and fail on the other. So Vitess is run in a mode that refuses both.
//
// # Rule 1: a statement names the owner of its rows
//
// A read, update or delete compares the column that finds the shard, mostly store_id, with a value
// or a list, and an insert names it. [Shard] checks it. Of joined tables, one that has it is enough,
// if the others are joined by it:
//
//	SELECT id FROM orders WHERE id = ?                   refused
//	SELECT id FROM orders WHERE store_id = ? AND id = ?  fine
//
// Ent's builders add the condition by themselves in a store's context. In text form, write it.
// Background work that looks for due rows of all stores reads with [ent.Store.Seek] inside
// [ent.Store.EachShard], outside of transactions.
//
// # Rule 2: a transaction writes rows of one owner
//
// [Owners] checks it. There are three ways out:
//
//   - To read rows of another owner, such as the person behind a store's staff, use the context of
//     [ent.Store.Aside].
//   - To write rows of another owner, add a task (graph/engine/task) in the transaction. It runs
//     exactly once after the commit.
//   - Background work that writes rows of many stores splits them with [ent.ByShard], or works in
//     [ent.Store.EachShard].
//
// # A new table
//
// A table of stores, with the key (store_id, id), needs nothing. For any other, say in
// ent/migrate/internal/vschema/place.go which column is the hash of its owner, or that all of it is
// on the first shard. Then run go generate ./ent/migrate.
//
// [Vitess]: https://vitess.io
package vitess
