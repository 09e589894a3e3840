// Package openapitest checks HTTP exchanges against the OpenAPI document, so that the service and
// its documentation cannot drift apart.
//
// Responses are always checked: the status is documented, the documented headers are present and
// well-formed, and media type and body match the schema. The body may have no undocumented members:
// the published schemas are open, because v1 may grow, but are closed here. A request is checked
// only if it was accepted, because refused ones are invalid on purpose.
package openapitest
