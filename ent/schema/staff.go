package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Staff is a person's membership in a store; its id is the person's.
type Staff struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Staff) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.User}, Versioned{}}
}

// Fields implements ent.Interface.
func (Staff) Fields() []ent.Field {
	return []ent.Field{
		field.String("role").GoType(viewer.Role("")).SchemaType(key(16)),
		// orders_muted_at is when the person turned off emails about new orders; null if they are
		// on.
		field.Int64("orders_muted_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Annotations implements ent.Interface.
func (Staff) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "staff"}}
}
