// Package ent is the domain and its store: the schema, the tenant policy, the transactions and the
// migrations. It knows neither HTTP nor GraphQL.
//
// The packages below it: schema declares the entities, db is generated from it, rule and viewer
// keep stores apart, and xid, micros, scope, fault, event, state, document and currency are the
// vocabulary that all layers share.
//
// # Engines
//
// Tests run on SQLite, on MariaDB 10.11 and on MySQL 9.7 (.ci/mysql). MySQL and MariaDB differ in:
//
//   - Isolation. Both default to REPEATABLE READ. MariaDB from 11.6 on answers a write to a row
//     that changed since the snapshot with 1020, where others write to the newest version: it
//     is a conflict like 1213, and the transaction runs again.
//   - Deadlocks are 1213 and lock waits 1205 on both, but the texts differ: errors are
//     classified by number only (dialect.go).
//   - Idle transactions. MariaDB ends the session after idle_transaction_timeout; MySQL has only
//     wait_timeout, which applies to every idle session. Each reads its setting from its own
//     kind of comment.
//   - Collations. MySQL's default is utf8mb4_0900_ai_ci, which MariaDB 10.11 lacks, and the
//     0900 collations do not pad with spaces. Tables are utf8mb4_bin, and compared columns are
//     VARBINARY, so neither default applies; sessions are utf8mb4_bin too.
//   - Passwords. MySQL has only caching_sha2_password, whose first connection needs TLS, a
//     socket or the server's public key; without TLS the driver requests the key. MariaDB has
//     mysql_native_password.
//   - Read-only. Both have @@read_only, which MySQL's super_read_only implies. The status
//     wsrep_ready is OFF on a MariaDB without Galera: it counts only if wsrep_on is on.
//   - KILL HARD and KILL SOFT are MariaDB's; both understand KILL CONNECTION.
//   - DDL commits on both. One ALTER of one table is atomic; a migration of many statements
//     continues where it stopped.
//   - EXPLAIN of MySQL 9 prints a tree unless explain_format is set; tests count rows by
//     Handler_read, which both have.
package ent
