// Package graph is the core: it puts the operations of the domain together, which
// lie in the packages below it (catalog, sales, access, …), each a resolver method.
// GraphQL reaches them through the generated executable schema, REST and the
// command line by plain calls, so a rule that must hold for all of them stands in
// the method itself; directives gate GraphQL alone.
package graph

//go:generate go run ./internal/gen
