package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/xid"
)

// UserEmail is the directory of people's email addresses, in lower case.
type UserEmail struct{ ent.Schema }

// Fields implements ent.Interface.
func (UserEmail) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("email").SchemaType(key(1020)),
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Annotations implements ent.Interface.
func (UserEmail) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "user_emails"}}
}
