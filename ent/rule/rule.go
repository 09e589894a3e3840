// Package rule keeps each store's rows to itself.
//
// Its policy runs inside every query and mutation of a store-owned entity: it
// adds the viewer's store to the predicate, stamps it on new rows and denies
// whoever comes without a viewer. Nothing above has to remember it. The package
// imports nothing generated, so the schema can be generated from scratch.
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

// ErrDenied is returned when nobody asks, or a row of another store is written.
var ErrDenied = errors.New("denied by the tenant policy")

// Tenant filters and stamps the column store_id.
func Tenant() ent.Policy { return tenant{column: "store_id", stamp: true} }

// Self filters the stores table itself, whose rows are their own tenants.
func Self() ent.Policy { return tenant{column: "id"} }

type tenant struct {
	column string
	stamp  bool // a new row belongs to the viewer's store
}

// filterer is the part of a generated query or mutation that takes predicates.
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
		// ent reads the row back by id alone after UpdateOne, past the filter.
		return fmt.Errorf("%w: %s of one %s: use the bulk form", ErrDenied, m.Op(), m.Type())
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

// Stamp returns the store of the viewer, for a new row whose statement is written out: nothing of
// the policy runs for that one. Whoever acts in no single store is denied.
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
