package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// StoreHandle is the directory of store handles, globally unique by its primary key. An entry has
// no meaning until the store's row exists.
type StoreHandle struct{ ent.Schema }

// Fields implements ent.Interface.
func (StoreHandle) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("handle").SchemaType(key(limit.Handle)),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Annotations implements ent.Interface.
func (StoreHandle) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "store_handles"}}
}
