package core

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
)

// Selects reports whether the GraphQL field that ctx resolves has a field of the
// name below it; a call from elsewhere gets everything.
func Selects(ctx context.Context, name string) bool {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !graphql.HasOperationContext(ctx) {
		return true
	}
	return below(graphql.GetOperationContext(ctx), field.Field, name)
}

func below(op *graphql.OperationContext, field graphql.CollectedField, name string) bool {
	return slices.ContainsFunc(graphql.CollectFields(op, field.Selections, nil), func(f graphql.CollectedField) bool {
		return f.Name == name || below(op, f, name)
	})
}
