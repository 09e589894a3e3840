package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Outbox is an event that was not turned into deliveries yet; its id is the
// event's. The relay empties it.
type Outbox struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Outbox) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Outbox) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Outbox) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "store_id", "id").Unique().StorageKey(PrimaryKey),
	}
}

// Annotations implements ent.Interface.
func (Outbox) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "outbox"}}
}
