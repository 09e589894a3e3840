// Package shopify brings the products, customers and orders of Shopify's CSV exports into
// a store.
//
// Each record is one transaction of the core's own operations, so limits, the audit log
// and events hold as for whoever types it in, with one row more: that of the record's own
// key at Shopify, which makes a second run pass over it. A dry run does all of that and
// rolls it back.
//
// A record comes over as far as it can: a part that has no place here, or is too long, is clipped
// or left out, and the report says so. A record that would be wrong, such as one in another
// currency, is left out whole, and reported with its file, its line and the reason.
package shopify
