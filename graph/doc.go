// Package graph is the core: every operation of the service is a resolver
// method here. GraphQL reaches them through the generated executable schema,
// REST and the command line by plain calls, so a rule that must hold for all of
// them stands in the method itself; directives gate GraphQL alone.
package graph

//go:generate go run ./internal/gen
