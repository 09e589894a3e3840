package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Attempt is an attempt after which its delivery remained pending. It is kept for 14 days. The
// attempt that ended a delivery is in its [DeliveryLog].
type Attempt struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Attempt) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Attempt) Fields() []ent.Field {
	return append([]ent.Field{
		field.UUID("endpoint_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("sequence").Immutable(),
		field.Int("number").Immutable(),
		field.Int64("began_at").GoType(micros.Time(0)),
		// next_at is when the next attempt was due; null after the last one.
		field.Int64("next_at").GoType(micros.Time(0)).Optional().Nillable(),
	}, attemptFields()...)
}

// Indexes implements ent.Interface.
func (Attempt) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "endpoint_id", "sequence", "number").Unique().StorageKey(PrimaryKey),
	}
}
