package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
)

// Fulfillment is a shipment of some of an order's items.
type Fulfillment struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Fulfillment) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Fulfillment}}
}

// Fields implements ent.Interface.
func (Fulfillment) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}),
		field.Bytes("lines").GoType(document.Lines(nil)).SchemaType(longBlob),
		// location_id is where it was shipped from; null if unknown, or if there was more than one.
		field.UUID("location_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Annotations(Kind{xid.Location}),
		field.String("carrier").MaxRuneLen(255).Optional().Nillable(),
		field.String("tracking_number").MaxRuneLen(255).Optional().Nillable(),
		field.String("tracking_url").SchemaType(text).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Fulfillment) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
	}
}
