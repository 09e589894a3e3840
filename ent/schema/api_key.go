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

// APIKey is a credential of a store. Rotation adds a second live key to the lineage; the unique
// slot makes a third impossible (contract, section 7).
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
		// scopes are the granted names, separated by spaces.
		field.String("scopes").SchemaType(key(1024)),
		field.UUID("created_by", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// superseded_at is when the next key of the lineage was created.
		field.Int64("superseded_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("expires_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("revoked_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("last_used_at").GoType(micros.Time(0)).Optional().Nillable(),
		// retires_at is when a rotated key expires. It is separate from expires_at, which the next
		// key of the lineage inherits.
		field.Int64("retires_at").GoType(micros.Time(0)).Optional().Nillable(),
		// networks are the networks that the key may be used from, separated by spaces; null means
		// any.
		field.String("networks").SchemaType(key(1024)).Optional().Nillable(),
		// unlimited_refunds says that the key may refund more than the sum above which the store wants
		// people to confirm their identity.
		field.Bool("unlimited_refunds").Default(false).Immutable(),
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
