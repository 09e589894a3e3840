package access

import (
	"context"

	"github.com/storefront-go/storefront/ent/scope"
)

// Scopes returns all scopes.
func (q Query) Scopes(context.Context) ([]*scope.Scope, error) {
	all := scope.All()
	rows := make([]*scope.Scope, len(all))
	for i := range all {
		rows[i] = &all[i]
	}
	return rows, nil
}
