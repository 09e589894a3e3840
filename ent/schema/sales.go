package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/xid"
)

// SalesInterval is what the orders of a quarter of an hour come to, cancelled ones left out.
// Its id is the first that an order of that time can have, so that a day of any time zone is
// a range of both tables. An interval without orders has no row. All orders of a store have
// the store's currency.
type SalesInterval struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SalesInterval) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SalesInterval) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("orders"),
		// The sum of the totals is in two parts (graph/engine/rollup), of which none can run over.
		field.Int64("total_high"),
		field.Int64("total_low"),
	}
}

// SalesPending is an interval, by the id of its row, of which events were relayed since it
// was last summed up. Until it is summed up again, reports read its orders.
type SalesPending struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SalesPending) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SalesPending) Fields() []ent.Field {
	return []ent.Field{
		// token is another one with each event: whoever sums up removes the row as it was before
		// the orders were read.
		field.UUID("token", xid.ID{}).SchemaType(bytes16),
	}
}

// SalesWalk is how far the orders that a store had before are noted to be summed up. Its id
// is the store's own, so a store has one such row at most.
type SalesWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SalesWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SalesWalk) Fields() []ent.Field {
	return []ent.Field{
		// behind is where it goes on.
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		// token is another one with each step, and where it begins again.
		field.UUID("token", xid.ID{}).SchemaType(bytes16),
		field.Bool("done").Default(false),
	}
}
