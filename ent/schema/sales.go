package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/xid"
)

// SalesInterval is the sum of a quarter of an hour's orders without canceled ones. Its id is the
// lowest that an order of that time can have, so that a day of any time zone is a range of both
// tables. An interval without orders has no row. All orders of a store have the store's currency.
type SalesInterval struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SalesInterval) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SalesInterval) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("orders"),
		// The sum of the totals is in two parts (graph/engine/rollup), neither of which can
		// overflow.
		field.Int64("total_high"),
		field.Int64("total_low"),
	}
}

// SalesPending is an interval, by the id of its row, with events that were relayed since it was
// last summed up. Until it is summed up again, reports read its orders.
type SalesPending struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SalesPending) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SalesPending) Fields() []ent.Field {
	return []ent.Field{
		// token changes with each event: after summing up, the row is removed only if the token is
		// still the one from before the orders were read.
		field.UUID("token", xid.ID{}).SchemaType(bytes16),
	}
}

// SalesWalk is the progress of marking a store's earlier orders for summing up. Its id is the
// store's, so a store has at most one row.
type SalesWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SalesWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SalesWalk) Fields() []ent.Field {
	return []ent.Field{
		// behind is the position from which the walk continues.
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		// token changes with each step, and when the walk begins again.
		field.UUID("token", xid.ID{}).SchemaType(bytes16),
		field.Bool("done").Default(false),
	}
}
