package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/internal/exec"
	"github.com/storefront-go/storefront/graph/model"
)

// Refusal is the error of a directive. Unlike faults of a method it never becomes a user error,
// because the field did not run.
type Refusal struct{ Fault *fault.Error }

func (r Refusal) Error() string { return r.Fault.Error() }

// Unwrap returns the fault.
func (r Refusal) Unwrap() error { return r.Fault }

// directives returns the implementations of the schema's directives.
func directives() exec.DirectiveRoot {
	return exec.DirectiveRoot{Scope: requireScope, Dashboard: RequireRole, Fresh: requireProof}
}

// requireScope implements @scope.
func requireScope(ctx context.Context, _ any, next graphql.Resolver, name string, roles []viewer.Role) (any, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if v.LacksFactor {
		return nil, lacksFactor()
	}
	if !v.Scopes.Has(name) && (!v.IsPerson() || !slices.Contains(roles, v.Role)) {
		return nil, Refusal{&fault.Error{Kind: fault.InsufficientScope, Scope: name,
			Detail: "The credential lacks the scope " + name + "."}}
	}
	return next(ctx)
}

// lacksFactor returns the refusal for a person without the second factor that the store requires.
func lacksFactor() error {
	return Refusal{fault.New(fault.SecondFactorRequired,
		"This store requires a second factor of its people: set one up on the page Security.")}
}

// RequireRole implements @dashboard: it admits the operator, and people with one of the roles.
func RequireRole(ctx context.Context, _ any, next graphql.Resolver, roles []viewer.Role, withoutFactor bool,
) (any, error) {
	v, err := core.Caller(ctx)
	switch {
	case err != nil:
		return nil, err
	case v.Kind == viewer.System:
		return next(ctx)
	case !v.IsPerson():
		return nil, Refusal{fault.New(fault.Forbidden, "This field is for people: sign in or use a staff token.")}
	case v.LacksFactor && !withoutFactor:
		return nil, lacksFactor()
	case !slices.Contains(roles, v.Role):
		return nil, Refusal{fault.New(fault.Forbidden, "Your role in this store has no access to this field.")}
	}
	return next(ctx)
}

// requireProof implements @fresh.
func requireProof(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
	if f, ok := errors.AsType[*fault.Error](core.RequireProof(ctx)); ok {
		return nil, Refusal{f}
	}
	return next(ctx)
}

// Admit returns the refusal of a field's directives for the viewer of ctx without running the
// field, for stored answers.
func Admit(ctx context.Context, field *ast.FieldDefinition) error {
	pass := func(context.Context) (any, error) { return nil, nil }
	if d := field.Directives.ForName("scope"); d != nil {
		name, _ := d.ArgumentMap(nil)["name"].(string)
		roles, err := rolesOf(field, d)
		if err != nil {
			return err
		}
		if _, err := requireScope(ctx, nil, pass, name, roles); err != nil {
			return err
		}
	}
	if d := field.Directives.ForName("dashboard"); d != nil {
		roles, err := rolesOf(field, d)
		if err != nil {
			return err
		}
		without, _ := d.ArgumentMap(nil)["withoutFactor"].(bool)
		if _, err := RequireRole(ctx, nil, pass, roles, without); err != nil {
			return err
		}
	}
	if field.Directives.ForName("fresh") != nil {
		_, err := requireProof(ctx, nil, pass)
		return err
	}
	return nil
}

// rolesOf returns the roles that a directive of a field names.
func rolesOf(field *ast.FieldDefinition, d *ast.Directive) ([]viewer.Role, error) {
	names, _ := d.ArgumentMap(nil)["roles"].([]any)
	roles := make([]viewer.Role, len(names))
	for i, name := range names {
		role, err := model.UnmarshalStaffRole(name)
		if err != nil {
			return nil, fmt.Errorf("@%s of %s: %w", d.Name, field.Name, err)
		}
		roles[i] = role
	}
	return roles, nil
}
