package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// FormerHandle is a previous handle of a product, collection or page, so that its old URLs redirect
// to the new one. A resource that has the handle now takes precedence.
type FormerHandle struct{ ent.Schema }

// Mixin implements ent.Interface.
func (FormerHandle) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (FormerHandle) Fields() []ent.Field {
	return []ent.Field{
		// kind is the id prefix of the resource: prod, col or pag.
		field.String("kind").GoType(xid.Kind("")).SchemaType(key(8)).Immutable(),
		field.String("handle").SchemaType(key(limit.Handle)).Immutable(),
		field.UUID("resource_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Indexes implements ent.Interface.
func (FormerHandle) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "kind", "handle").Unique(),
		index.Fields("store_id", "resource_id", "id"),
	}
}
