// Package oauth is the authorisation server: OAuth 2.0 for public clients with
// PKCE (contract, section 7).
//
// One consent makes one grant, and the grant is the whole family: the code and
// the refresh token are steps of its row, every access token is valid only with
// it, and ending it is one update. Each step is a compare-and-set, so of any
// number of requests at once at most one takes it; all others present something
// that was used, and that ends the family before they are answered.
//
// It speaks in parameters and errors of RFC 6749; its HTTP handlers are in rest.
package oauth
