package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/xid"
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
		// generation is that of the first endpoint that was registered after the event was
		// committed, which is not for that one, nor for later ones; 0 is for all.
		field.Int64("generation").Default(0),
		// dealt_to is the last endpoint that has its delivery, while others of the store
		// are still to get theirs.
		field.UUID("dealt_to", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
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
