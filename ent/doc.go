// Package ent is the domain and its store: the schema, the tenant policy, the
// transactions and the migrations. It knows neither HTTP nor GraphQL.
//
// The folders beside this file: schema declares the entities, db is generated
// from it, rule and viewer keep stores apart, and id, micros, scope, fault,
// event, state, document and currency are the vocabulary that all layers share.
//
// # Databases
//
// The tests run on SQLite, on MariaDB 10.11 and, by .ci/mysql, on MySQL 9.7. What the last two do
// differently:
//
//   - A transaction that stands still is ended by MariaDB after its own setting, and by MySQL
//     together with the session: the connection is then lost, with error 4031.
//   - A wait for a lock that is too long is error 1205 on both, which undoes the statement and
//     not the transaction; a deadlock is 1213, which undoes all of it.
//   - Both count the rows that an UPDATE changes, SQLite those that it finds: who compares and
//     sets changes something always, a version for one.
//   - Collations are named in every table and connection (utf8mb4_bin), since the servers' own
//     differ: utf8mb4_0900_ai_ci and utf8mb4_general_ci.
//   - MySQL's passwords (caching_sha2_password) are sent under TLS, or encrypted with the
//     server's public key where there is none, which trusts the network not to change the key.
//   - KILL takes no HARD on MySQL, and columns of ours that are named stored and lines have to be
//     quoted: those words are reserved there.
package ent
