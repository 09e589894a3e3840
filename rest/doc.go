// Package rest is the public REST API, version 1: a route table, one fixed
// pipeline and the mapping between the wire and the core's resolver methods.
// Handlers never build queries.
package rest
