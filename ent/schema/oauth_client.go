package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/xid"
)

// OAuthClient is the directory of client ids, globally unique by its primary key. An entry has no
// meaning until the app's row exists.
type OAuthClient struct{ ent.Schema }

// Fields implements ent.Interface.
func (OAuthClient) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("client_id").SchemaType(key(64)),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
		field.UUID("app_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Annotations implements ent.Interface.
func (OAuthClient) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "oauth_clients"}}
}
