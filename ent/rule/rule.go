// Package rule isolates the rows of each store.
//
// Its policy runs inside every query and mutation of a store-owned entity: it adds the viewer's
// store to the predicate, sets it on new rows and denies access without a viewer, so that the
// layers above cannot forget it. The package imports nothing generated, so that the schema can be
// generated from scratch.
package rule

import (
	"context"
	"errors"
	"fmt"

	"entgo.io/ent"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// ErrDenied is returned for access without a viewer, and for a write to a row of another store.
var ErrDenied = errors.New("denied by the tenant policy")

// Tenant returns the policy that filters by the column store_id and sets it on new rows.
func Tenant() ent.Policy { return tenant{column: "store_id", stamp: true} }

// Immutable returns the policy of [Tenant] for rows that are neither changed nor deleted.
func Immutable() ent.Policy { return tenant{column: "store_id", stamp: true, immutable: true} }

// Self returns the policy of the stores table, whose rows are their own tenants.
func Self() ent.Policy { return tenant{column: "id"} }

type tenant struct {
	column string
	stamp  bool // new rows get the viewer's store
	// immutable denies every change but a new row.
	immutable bool
}

// filterer is the method of generated queries and mutations that adds predicates.
type filterer interface {
	WhereP(...func(*sql.Selector))
}

// EvalQuery implements ent.Policy.
func (t tenant) EvalQuery(ctx context.Context, q ent.Query) error {
	v := viewer.From(ctx)
	if v == nil {
		return fmt.Errorf("%w: no viewer", ErrDenied)
	}
	if v.Everywhere {
		return nil
	}
	return t.filter(q, v.Store)
}

// EvalMutation implements ent.Policy.
func (t tenant) EvalMutation(ctx context.Context, m ent.Mutation) error {
	v := viewer.From(ctx)
	switch {
	case v == nil:
		return fmt.Errorf("%w: no viewer", ErrDenied)
	case m.Op().Is(ent.OpUpdateOne | ent.OpDeleteOne):
		// After UpdateOne, ent reads the row back by id alone, without the filter.
		return fmt.Errorf("%w: %s of one %s: use the bulk form", ErrDenied, m.Op(), m.Type())
	case t.immutable && !m.Op().Is(ent.OpCreate):
		return fmt.Errorf("%w: %s of %s: its rows are immutable", ErrDenied, m.Op(), m.Type())
	case !m.Op().Is(ent.OpCreate):
		if v.Everywhere {
			return nil
		}
		return t.filter(m, v.Store)
	case t.stamp && !v.Everywhere:
		return stamp(m, v.Store)
	}
	return nil
}

// Stamp returns the viewer's store, for a new row in a handwritten statement, for which no policy
// runs. It fails without a viewer and for a viewer without a single store.
func Stamp(ctx context.Context) (xid.ID, error) {
	v := viewer.From(ctx)
	switch {
	case v == nil:
		return xid.Nil, fmt.Errorf("%w: no viewer", ErrDenied)
	case v.Everywhere || v.Store.IsNil():
		return xid.Nil, fmt.Errorf("%w: a new row of no store", ErrDenied)
	}
	return v.Store, nil
}

func (t tenant) filter(f any, store xid.ID) error {
	q, ok := f.(filterer)
	if !ok {
		return fmt.Errorf("%w: %T takes no predicate", ErrDenied, f)
	}
	q.WhereP(sql.FieldEQ(t.column, store))
	return nil
}

func stamp(m ent.Mutation, store xid.ID) error {
	if set, ok := m.Field("store_id"); ok && set != store {
		return fmt.Errorf("%w: a new %s for another store", ErrDenied, m.Type())
	}
	return m.SetField("store_id", store)
}
