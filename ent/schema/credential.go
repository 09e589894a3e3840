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

// Credential is the directory of credentials by the SHA-256 of their text: it says
// whose store and which row, which for authorization codes and refresh tokens is
// the grant. The text itself is never stored.
type Credential struct{ ent.Schema }

// Fields implements ent.Interface.
func (Credential) Fields() []ent.Field {
	return []ent.Field{
		// The hash as 64 hexadecimal digits would double the key: it is kept as bytes.
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
		field.UUID("credential_id", xid.ID{}).SchemaType(bytes16),
		field.String("kind").SchemaType(key(8)),
	}
}

// Indexes implements ent.Interface.
func (Credential) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "credential_id"), // to forget what a dead token or grant left behind
	}
}

// Annotations implements ent.Interface.
func (Credential) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "credentials"}}
}
