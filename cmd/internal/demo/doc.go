// Package demo fills a database with two invented stores that can be tried at
// once: products, customers and orders in every state that the state machines
// reach, made through the core's own mutations.
//
// The content depends on the time of the first start alone; the secrets are
// random. Each step is one transaction, and the number of rows says where the
// work stands, so a start that was interrupted is taken up where it stopped. A
// store's demo mark is its last step. The credentials stand in [File].
package demo
