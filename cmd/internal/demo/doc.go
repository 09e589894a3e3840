// Package demo fills a database with two sample stores: products, customers and orders in every
// state that the state machines reach, created with the core's own mutations.
//
// The content depends only on the time of the first start; the secrets are random. Each step is one
// transaction, and the number of rows shows the progress, so an interrupted start continues where
// it stopped. The last step marks the store as a demo. [File] holds the credentials.
package demo
