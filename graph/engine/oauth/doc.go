// Package oauth is the authorization server: OAuth 2.0 for public clients with PKCE (contract,
// section 7).
//
// One consent creates one grant, and the grant is the whole token family: the code and the refresh
// token are steps of its row, every access token is valid only with it, and one update ends it.
// Each step is a compare-and-set, so that at most one of any number of concurrent requests takes
// it. All others present a used credential, which ends the family before they are answered.
//
// The package's interface is the parameters and errors of RFC 6749; its HTTP handlers are in rest.
package oauth
