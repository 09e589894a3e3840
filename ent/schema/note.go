package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Note is a text added to an order; it is never changed.
type Note struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Note) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Note}}
}

// Fields implements ent.Interface.
func (Note) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}),
		field.String("body").SchemaType(text),
		field.String("visibility").GoType(state.NoteVisibility("")).SchemaType(key(32)),
		field.String("author_type").GoType(viewer.Kind("")).SchemaType(key(16)),
		field.UUID("author_id", xid.ID{}).SchemaType(bytes16),
		field.String("author_name").MaxRuneLen(255),
	}
}

// Indexes implements ent.Interface.
func (Note) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
	}
}
