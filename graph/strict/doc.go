// Package strict reads the JSON of request bodies and takes nothing on trust.
//
// encoding/json keeps the last of two equal members, matches names in any case
// and mends bad UTF-8. Beside money each of these is a way to say two things at
// once, so [Parse] refuses what is ambiguous (contract section 1): duplicate
// members, trailing data, bad UTF-8, lone surrogates, nesting over [MaxDepth].
//
// The parsed form is a flat list of nodes over the input. It serves two
// readers: [Reader] takes the typed members of a request and reports everything
// wrong with it at once, and [Body.Fingerprint] compares two requests by what they
// mean (contract section 3).
package strict
