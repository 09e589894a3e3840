// Package openapitest holds recorded HTTP exchanges against the OpenAPI
// document, so that what is served and what is published cannot drift apart.
//
// Responses are always checked: the status is documented, the documented headers
// are there and well-formed, the media type and the body match the schema, and
// the body has no member that the document does not know (the published
// schemas stay open, since v1 may grow; the checked ones are closed here). A
// request is checked only when it was accepted: refused ones are bad on purpose.
package openapitest
