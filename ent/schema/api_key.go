package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// APIKey is a store's own credential. Rotation adds a second live key to its lineage;
// the unique slot makes a third impossible (contract, section 7).
type APIKey struct{ ent.Schema }

// Mixin implements ent.Interface.
func (APIKey) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.APIKey}}
}

// Fields implements ent.Interface.
func (APIKey) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("lineage_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.APIKey}),
		// slot is 1 or 2 while the key is live and null once it is revoked.
		field.Int("slot").Optional().Nillable(),
		field.String("name").MaxRuneLen(255),
		field.String("hint").SchemaType(key(16)),
		// scopes are the granted names parted by spaces.
		field.String("scopes").SchemaType(key(1024)),
		field.UUID("created_by", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// superseded_at is when a younger key of the lineage was made.
		field.Int64("superseded_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("expires_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("revoked_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("last_used_at").GoType(micros.Time(0)).Optional().Nillable(),
		// retires_at is when a rotated key ends by itself. It is no part of expires_at, which
		// the next key of the lineage takes over.
		field.Int64("retires_at").GoType(micros.Time(0)).Optional().Nillable(),
		// networks are those that the key may be used from, parted by spaces; without any, it
		// may be used from everywhere.
		field.String("networks").SchemaType(key(1024)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (APIKey) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "lineage_id", "slot").Unique(),
		index.Fields("store_id", "created_by"),
	}
}

// Annotations implements ent.Interface.
func (APIKey) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "api_keys"}}
}
