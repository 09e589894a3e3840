package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/xid"
)

// Outbox is an event for which deliveries have not been created yet; its id is the event's. The
// relay empties it.
type Outbox struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Outbox) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Outbox) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// generation is that of the first endpoint registered after the event was committed. The
		// event is not for this endpoint or later ones; 0 means all endpoints.
		field.Int64("generation").Default(0),
		// dealt_to is the last endpoint that has its delivery while other endpoints of the store
		// still lack theirs.
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
