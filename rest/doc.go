// Package rest is the public REST API, version 1: a route table, one fixed pipeline and the mapping
// between the wire format and the resolver methods of the core. Handlers never build queries.
package rest
