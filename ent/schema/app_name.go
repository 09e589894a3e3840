package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/xid"
)

// AppName is the directory of the names of verified apps, folded so that confusable names are
// equal. The primary key makes them globally unique, so no app passes for another.
type AppName struct{ ent.Schema }

// Fields implements ent.Interface.
func (AppName) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("name").SchemaType(key(1020)),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
		field.UUID("app_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Annotations implements ent.Interface.
func (AppName) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "app_names"}}
}
