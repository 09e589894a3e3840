// Package shopify brings the products, customers and orders of Shopify's CSV exports into
// a store.
//
// Each record is one transaction of the core's own operations, so limits, the audit log
// and events hold as for whoever types it in, with one row more: that of the record's own
// key at Shopify, which makes a second run pass over it. A dry run does all of that and
// rolls it back.
//
// Nothing is guessed: a record that is not whole, or whose sums do not agree, is left out
// and reported with its file, its line and the reason.
package shopify
