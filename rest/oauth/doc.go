// Package oauth is the HTTP frontend of the authorization server (contract, section 7): the consent
// page, the token and revocation endpoints and the two metadata documents. It reads requests and
// writes answers; graph/engine/oauth makes the decisions.
//
// The endpoints for programs speak JSON in the format of RFC 6749, errors included. The
// authorization endpoint serves people: it answers with pages, and redirects only to an address
// registered for the app, or to the sign-in page of this host.
package oauth
