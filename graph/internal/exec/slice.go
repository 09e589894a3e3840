// Package exec is the executable schema that gqlgen generates. No other layer
// sees it.
package exec

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// marshalSlice marshals the elements of a list in their order; it stands in for
// the function of that signature in gqlgen, which starts a goroutine for each.
// The field context gives errors their path.
func marshalSlice(ctx context.Context, length int, _ int64, _ bool,
	element func(ctx context.Context, i int) graphql.Marshaler,
) graphql.Array {
	ret := make(graphql.Array, length)
	fields, indexes := make([]graphql.FieldContext, length), make([]int, length)
	for i := range ret {
		indexes[i], fields[i].Index = i, &indexes[i]
		ret[i] = marshalElement(graphql.WithFieldContext(ctx, &fields[i]), i, element)
		if ret[i] == nil {
			return nil
		}
	}
	return ret
}

// marshalElement turns a panic into the error of its element.
func marshalElement(ctx context.Context, i int,
	element func(ctx context.Context, i int) graphql.Marshaler,
) (m graphql.Marshaler) {
	defer func() {
		if p := recover(); p != nil {
			graphql.AddError(ctx, graphql.Recover(ctx, p))
			m = nil
		}
	}()
	return element(ctx, i)
}
