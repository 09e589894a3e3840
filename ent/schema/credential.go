package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
)

// Credential is the directory of bearer credentials by the SHA-256 of their text: it says
// whose store and which row. The text itself is never stored.
type Credential struct{ ent.Schema }

// Fields implements ent.Interface.
func (Credential) Fields() []ent.Field {
	return []ent.Field{
		// The hash as 64 hexadecimal digits would double the key: it is kept as bytes.
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
		field.UUID("credential_id", xid.ID{}).SchemaType(bytes16),
		field.String("kind").SchemaType(key("8")),
	}
}

// Annotations implements ent.Interface.
func (Credential) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "credentials"}}
}
