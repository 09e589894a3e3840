// Package shopify imports the products, customers and orders of Shopify's CSV exports into a store.
//
// Each record is one transaction of the core's own operations, so limits, the audit log and events
// apply as if a person had entered it. One more row stores the record's key at Shopify, so that a
// second run skips the record. A dry run does all of that and rolls it back.
//
// A record is imported as far as possible: parts that have no equivalent here, or are too long, are
// omitted or clipped, and reported. A record that would be wrong, such as one in another currency,
// is left out and reported with its file, line and reason.
package shopify
