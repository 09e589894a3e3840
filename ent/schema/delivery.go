package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Delivery is one event to be sent to one endpoint. It is the hot table: rows are added at the end
// of an endpoint's sequence and removed when they are settled, so it has no second index.
type Delivery struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Delivery) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Delivery}}
}

// Fields implements ent.Interface.
func (Delivery) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("endpoint_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.WebhookEndpoint}),
		field.Int64("sequence").Immutable(),
		field.UUID("event_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Event}),
		// resource_id is the lane: deliveries of one resource are sent in order.
		field.UUID("resource_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int("attempts").Default(0),
		// tries counts the attempts since the 24 h began; resuming a delivery resets it.
		field.Int("tries").Default(0),
		// first_at is when the first of these attempts began, due_at when the next is due; 0 before
		// the first attempt.
		field.Int64("first_at").GoType(micros.Time(0)).Default(0),
		field.Int64("due_at").GoType(micros.Time(0)).Default(0),
		// tried_at is when due_at was set. It bounds the wait to due_at - tried_at, even if the
		// clock was changed since.
		field.Int64("tried_at").GoType(micros.Time(0)).Default(0),
		// failed marks a delivery that was given up and waits for its endpoint to be resumed.
		field.Bool("failed").Default(false),
	}
}

// Indexes implements ent.Interface.
func (Delivery) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "endpoint_id", "sequence").Unique().StorageKey(PrimaryKey),
	}
}
