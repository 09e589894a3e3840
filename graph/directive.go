package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/internal/exec"
)

// refusal is what a directive answers. Unlike the faults of a method it never
// becomes a user error: the field did not run.
type refusal struct{ fault *fault.Error }

func (r refusal) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r refusal) Unwrap() error { return r.fault }

// directives gates the fields of the schema.
func directives() exec.DirectiveRoot {
	return exec.DirectiveRoot{Scope: requireScope, Dashboard: requireRole}
}

// requireScope implements @scope.
func requireScope(ctx context.Context, _ any, next graphql.Resolver, name string) (any, error) {
	v, err := asker(ctx)
	if err != nil {
		return nil, err
	}
	if !v.Scopes.Has(name) {
		return nil, refusal{&fault.Error{Kind: fault.InsufficientScope, Scope: name,
			Detail: "The credential lacks the scope " + name + "."}}
	}
	return next(ctx)
}

// requireRole implements @dashboard: people by their role, and the operator.
func requireRole(ctx context.Context, _ any, next graphql.Resolver, roles []viewer.Role) (any, error) {
	v, err := asker(ctx)
	switch {
	case err != nil:
		return nil, err
	case v.Kind == viewer.System:
		return next(ctx)
	case !v.IsPerson():
		return nil, refusal{fault.New(fault.Forbidden, "This field is for people: sign in or use a staff token.")}
	case !slices.Contains(roles, v.Role):
		return nil, refusal{fault.New(fault.Forbidden, "Your role in this store does not reach this field.")}
	}
	return next(ctx)
}
