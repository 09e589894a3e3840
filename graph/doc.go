// Package graph composes the operations of the domain packages below it (catalog, sales, access,
// …); each operation is a resolver method. GraphQL calls them through the generated executable
// schema, REST and the command line directly. A rule that must hold for all callers is in the
// method itself; directives apply to GraphQL only.
package graph

//go:generate go run ./internal/gen
