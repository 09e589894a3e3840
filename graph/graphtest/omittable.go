package graphtest

import (
	"github.com/99designs/gqlgen/graphql"
)

// Given returns a member of an update input that is not omitted; v may be null.
func Given[T any](v T) graphql.Omittable[T] { return graphql.OmittableOf(v) }
