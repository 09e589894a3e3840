// Package wire reads and writes the public JSON of the API.
//
// Writing: the public representation of every resource (contract, section 5), the same bytes for
// REST, events and exports. It appends JSON by hand, since the reflection of encoding/json costs
// more than reading the rows.
//
// Reading: encoding/json keeps the last of two equal members, matches names in any case and
// replaces invalid UTF-8, so a document can have two meanings. [Parse] refuses ambiguous input
// (contract section 1): duplicate members, trailing data, invalid UTF-8, lone surrogates, nesting
// over [MaxDepth]. Its result is a flat list of nodes over the input. [Reader] reads the typed
// members of a request and reports all errors at once. [Body.Fingerprint] compares two requests by
// meaning (contract section 3).
//
// Errors: [Problems] is the one table of how errors are answered (contract, section 2): the HTTP
// status, the documented text, and whether the answer is stored with an idempotency key.
package wire
