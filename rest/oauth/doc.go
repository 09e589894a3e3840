// Package oauth is the HTTP frontend of the authorisation server (contract, section
// 7): the consent page, the token and revocation endpoints and the two metadata
// documents. What is decided is decided in graph/engine/oauth; here requests are read
// and answers written.
//
// The endpoints that programs call speak JSON in the shape of RFC 6749, errors
// included. The authorisation endpoint speaks to people: it answers with pages,
// and sends a browser away only to an address that is registered for the app, or
// to the sign-in page of this host.
package oauth
