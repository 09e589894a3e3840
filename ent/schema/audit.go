package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Audit records who did what to which resource. It is written in the transaction of the change.
type Audit struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Audit) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Audit}}
}

// Fields implements ent.Interface.
func (Audit) Fields() []ent.Field {
	return []ent.Field{
		field.String("actor_type").GoType(viewer.Kind("")).SchemaType(key(16)),
		field.UUID("actor_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		field.String("actor_name").MaxRuneLen(255),
		field.String("action").SchemaType(key(64)),
		field.String("resource_type").SchemaType(key(32)),
		field.UUID("resource_id", xid.ID{}).SchemaType(bytes16),
		// detail is a short public text, without personal data.
		field.String("detail").MaxRuneLen(255).Optional().Nillable(),
		// address and agent are the IP address and the user agent of the request.
		field.String("address").SchemaType(key(45)).Optional().Nillable(),
		field.String("agent").MaxRuneLen(255).Optional().Nillable(),
		field.String("request_id").SchemaType(key(30)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Audit) Indexes() []ent.Index {
	return []ent.Index{
		// For the timeline of an order.
		index.Fields("store_id", "resource_id", "id"),
	}
}

// Annotations implements ent.Interface.
func (Audit) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "audit_log"}}
}
