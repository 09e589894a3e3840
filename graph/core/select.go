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

type packed struct{}

// WithPacked returns a context in which an order whose row holds its lines comes without
// them: its caller unpacks them when it writes the order.
func WithPacked(ctx context.Context) context.Context { return context.WithValue(ctx, packed{}, true) }

// Packed reports whether ctx is one of [WithPacked].
func Packed(ctx context.Context) bool { return ctx.Value(packed{}) != nil }
