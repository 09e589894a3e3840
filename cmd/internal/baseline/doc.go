// Package baseline answers five requests of the REST API and those of the token
// endpoint, and places carts, with as little as that can be done with: net/http,
// database/sql and JSON appended by hand; and it serves the assets of themes from a
// folder. It is the yardstick of the benchmarks and of cmd/loadgen; nobody serves it.
//
// The comparison is honest where it costs the same on both sides. So the
// baseline shares with the service what is no layer of it: the pools and their
// settings, the text of every statement (a test compares them), the look-up of
// credentials (apikey.Keeper), the cursor codec, the text of ids and times, the
// function that computes a cart and the signature of an order's address.
// A page's cursor is checked and signed with the same HMAC: a position in the
// clear would be another API. It leaves out all else: no ent, no gqlgen, no
// routing table, request ids, rates, ETags, metrics, strict JSON, encryption of
// stored answers, retries, or checks of what it is sent. Codes and refresh tokens
// it does check, as the service does: that is their exchange.
//
// Its bodies are byte for byte those of the service; only new ids differ.
package baseline
