package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/xid"
)

// Membership is the directory of a person's stores, for finding them before the store is known. An
// entry has no meaning without the row of [Staff] that it leads to.
type Membership struct{ ent.Schema }

// Fields implements ent.Interface.
func (Membership) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", xid.ID{}).StorageKey("user_id").SchemaType(bytes16),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Indexes implements ent.Interface.
func (Membership) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("id", "store_id").Unique().StorageKey(PrimaryKey),
	}
}
