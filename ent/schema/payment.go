package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Payment is a row of an order's ledger: money taken or given back. It is never changed.
type Payment struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Payment) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Payment}}
}

// Fields implements ent.Interface.
func (Payment) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}),
		field.String("kind").GoType(state.PaymentKind("")).SchemaType(key(16)),
		field.Int64("amount_minor"),
		field.String("currency").SchemaType(key(3)),
		field.String("method").MaxRuneLen(64).Optional().Nillable(),
		field.String("reference").MaxRuneLen(255).Optional().Nillable(),
		field.String("reason").MaxRuneLen(255).Optional().Nillable(),
		// lines are the order lines that a refund took back.
		field.Bytes("lines").GoType(document.Lines(nil)).SchemaType(longBlob),
	}
}

// Indexes implements ent.Interface.
func (Payment) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
	}
}
