// Package ent is the domain and its store: the schema, the tenant policy, the
// transactions and the migrations. It knows neither HTTP nor GraphQL.
//
// The folders beside this file: schema declares the entities, db is generated
// from it, rule and viewer keep stores apart, and id, micros, scope, fault,
// event, state, document and currency are the vocabulary that all layers share.
//
// # Engines
//
// Tests run on SQLite, on MariaDB 10.11 and on MySQL 9.7 (.ci/mysql). What differs there:
//
//   - Isolation. Both begin with REPEATABLE READ. MariaDB from 11.6 on answers a write to
//     what changed since the snapshot with 1020, where others write to the newest row: it
//     is a conflict like 1213, and the transaction runs again.
//   - Deadlocks are 1213 and waits for locks 1205 on both, their texts are not the same:
//     errors are told apart by number alone (dialect.go).
//   - A transaction that stands still: MariaDB ends the session after
//     idle_transaction_timeout; MySQL has only wait_timeout, which any silent session
//     meets. The settings stand in comments that each reads its own of.
//   - Collations. MySQL's default is utf8mb4_0900_ai_ci, which MariaDB 10.11 lacks, and the
//     0900 ones do not pad with spaces. Tables say utf8mb4_bin, and what is compared is
//     VARBINARY, so neither default is met; sessions are utf8mb4_bin too.
//   - Passwords. MySQL has caching_sha2_password alone, whose first connection needs TLS, a
//     socket or the server's public key; the driver asks for the key where there is no
//     TLS. MariaDB has mysql_native_password.
//   - Read-only. Both have @@read_only, which MySQL's super_read_only implies. The status
//     wsrep_ready is OFF on a MariaDB without Galera: it means something where wsrep_on is.
//   - KILL HARD and KILL SOFT are MariaDB's; KILL CONNECTION is understood by both.
//   - DDL commits on both. One ALTER of one table is all or nothing; a migration of many
//     statements goes on where it stopped.
//   - EXPLAIN of MySQL 9 is a tree unless explain_format says otherwise; tests count rows by
//     Handler_read, which both have.
package ent
