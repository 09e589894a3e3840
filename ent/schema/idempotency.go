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

// Idempotency is the claim on an idempotency key and the stored answer. Its id is the first 16
// bytes of SHA-256(principal, 0, key), so it needs no unique key besides the primary key.
type Idempotency struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Idempotency) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Idempotency) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("key_hash").MaxLen(32).SchemaType(bytes32),
		field.Bytes("fingerprint").MaxLen(32).SchemaType(bytes32),
		field.Int64("created_at").GoType(micros.Time(0)),
		field.Int("status").Default(0),
		// answer is the encrypted content type, location and body. It is null while the request
		// runs, and after it was erased.
		field.Bytes("answer").SchemaType(longBlob).Optional(),
		// about_id is the customer or the order that the answer may contain.
		field.UUID("about_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Idempotency) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "created_at"),
	}
}

// Annotations implements ent.Interface.
func (Idempotency) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "idempotency_keys"}}
}
