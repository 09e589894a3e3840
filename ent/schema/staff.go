package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/document"
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
		// orders_muted_at is when the person turned off emails about each new order; null if they
		// are on. The choice of a digest also sets it.
		field.Int64("orders_muted_at").GoType(micros.Time(0)).Optional().Nillable(),
		// alerts are the person's other choices of what they are notified of; null for the defaults.
		field.Bytes("alerts").GoType(document.Alerts(nil)).SchemaType(blob).Optional(),
		// digest_at is the end of the period that the last daily digest covered; null before the
		// first.
		field.Int64("digest_at").GoType(micros.Time(0)).Optional().Nillable(),
		// views are the filters of lists that the person saved.
		field.Bytes("views").GoType(document.Views(nil)).SchemaType(longBlob).Optional(),
	}
}

// Annotations implements ent.Interface.
func (Staff) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "staff"}}
}
