package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// OrderReturn is a request to give back items of an order. Its changes are changes of the order, so the
// version of the order guards the quantities of all its returns.
type OrderReturn struct{ ent.Schema }

// Mixin implements ent.Interface.
func (OrderReturn) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Return}, Versioned{}}
}

// Fields implements ent.Interface.
func (OrderReturn) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		field.String("state").GoType(state.ReturnState("")).SchemaType(key(16)),
		field.Bytes("lines").GoType(document.ReturnLines(nil)).SchemaType(longBlob).Immutable(),
		// by_shopper says that the shopper asked for it, and withdrawal that they withdrew from the contract;
		// other returns are from staff.
		field.Bool("by_shopper").Default(false).Immutable(),
		field.Bool("withdrawal").Default(false).Immutable(),
		// name is who withdrew, and email where the receipt went.
		field.String("name").SchemaType(text).Optional().Nillable(),
		field.String("email").SchemaType(text).Optional().Nillable(),
		field.String("note").SchemaType(text).Optional().Nillable(),
		// answer is what the store answered last: how to send the items, or why the return was declined.
		field.String("answer").SchemaType(text).Optional().Nillable(),
		field.String("label_url").SchemaType(key(limit.URL)).Optional().Nillable(),
		field.Int64("refunded_minor").Optional().Nillable(),
		// exchange_id is the order that the shopper got in exchange. The version ensures that there is one.
		// location_id is where the items were received; null if nobody said.
		field.UUID("location_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Location}).Optional().Nillable(),
		field.UUID("exchange_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (OrderReturn) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
		index.Fields("store_id", "state", "id"),
	}
}
