package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// DeliveryLog is a delivery that has ended, with the attempt that ended it. It is kept for 14 days.
// Earlier attempts are [Attempt]s.
type DeliveryLog struct{ ent.Schema }

// Mixin implements ent.Interface.
func (DeliveryLog) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Delivery}}
}

// Fields implements ent.Interface.
func (DeliveryLog) Fields() []ent.Field {
	return append([]ent.Field{
		field.UUID("endpoint_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.WebhookEndpoint}),
		field.Int64("sequence").Immutable(),
		field.UUID("event_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Event}),
		field.String("type").GoType(event.Type("")).SchemaType(key(64)),
		field.UUID("resource_id", xid.ID{}).SchemaType(bytes16),
		field.String("state").GoType(state.DeliveryState("")).SchemaType(key(16)),
		// attempts is the number of the last attempt; 0 if there was none.
		field.Int("attempts"),
		field.Int64("settled_at").GoType(micros.Time(0)),
		// began_at is when the last attempt began; null if the delivery ended without one.
		field.Int64("began_at").GoType(micros.Time(0)).Optional().Nillable(),
	}, attemptFields()...)
}

// Indexes implements ent.Interface.
func (DeliveryLog) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "endpoint_id", "sequence").Unique().StorageKey(PrimaryKey),
	}
}

// attemptFields returns the fields that describe the result of one attempt.
func attemptFields() []ent.Field {
	return []ent.Field{
		field.UUID("attempt_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Attempt}).Optional().Nillable(),
		// outcome is the class; status is the receiver's status code, 0 without an answer.
		field.String("outcome").SchemaType(key(32)),
		field.Int("status").Default(0),
		// duration is in microseconds, from the request to the answer's headers.
		field.Int64("duration").Default(0),
		field.String("detail").MaxRuneLen(255).Optional().Nillable(),
		// response is the first 4 KiB of the answer.
		field.Bytes("response").SchemaType(blob).Optional(),
		// request is what was sent, except for what the delivery contains.
		field.Bytes("request").SchemaType(blob).Optional(),
	}
}
