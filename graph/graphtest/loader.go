package graphtest

import (
	"github.com/99designs/gqlgen/graphql"
)

// Said is a member of an update input that was given, be it as null.
func Said[T any](v T) graphql.Omittable[T] { return graphql.OmittableOf(v) }
