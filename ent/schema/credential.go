package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
)

// Credential is the directory of credentials by the SHA-256 of their text. It leads to the store
// and the row, which is the grant for authorization codes and refresh tokens. The text itself is
// never stored.
type Credential struct{ ent.Schema }

// Fields implements ent.Interface.
func (Credential) Fields() []ent.Field {
	return []ent.Field{
		// Stored as bytes: 64 hexadecimal digits would double the size of the key.
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
		field.UUID("credential_id", xid.ID{}).SchemaType(bytes16),
		field.String("kind").SchemaType(key(8)),
	}
}

// Indexes implements ent.Interface.
func (Credential) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "credential_id"), // for deleting the entries of a dead token or grant
	}
}

// Annotations implements ent.Interface.
func (Credential) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "credentials"}}
}
