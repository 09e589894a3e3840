package core

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Selects reports whether the GraphQL field that ctx resolves selects a field with the name, at any
// depth. Outside of GraphQL it returns true.
func Selects(ctx context.Context, name string) bool {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !graphql.HasOperationContext(ctx) {
		return true
	}
	return below(graphql.GetOperationContext(ctx), field.Field.Selections, name)
}

// below searches the selections as they were written; an operation has few. Collecting the fields
// as the executor does costs as much as writing two orders.
func below(op *graphql.OperationContext, list ast.SelectionSet, name string) bool {
	return slices.ContainsFunc(list, func(s ast.Selection) bool {
		switch s := s.(type) {
		case *ast.Field:
			return included(op, s.Directives) && (s.Name == name || below(op, s.SelectionSet, name))
		case *ast.InlineFragment:
			return included(op, s.Directives) && below(op, s.SelectionSet, name)
		case *ast.FragmentSpread:
			return included(op, s.Directives) && below(op, op.Doc.Fragments.ForName(s.Name).SelectionSet, name)
		}
		return false
	})
}

// included evaluates @skip and @include (GraphQL, section 3.13).
func included(op *graphql.OperationContext, directives ast.DirectiveList) bool {
	for _, d := range directives {
		switch v, _ := d.ArgumentMap(op.Variables)["if"].(bool); {
		case d.Name == "skip" && v, d.Name == "include" && !v:
			return false
		}
	}
	return true
}
