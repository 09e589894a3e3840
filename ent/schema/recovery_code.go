package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
)

// RecoveryCode replaces a lost second factor once. Its id is the SHA-256 of its text. Using it
// deletes it.
type RecoveryCode struct{ ent.Schema }

// Fields implements ent.Interface.
func (RecoveryCode) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (RecoveryCode) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("user_id", "id").Unique().StorageKey(PrimaryKey),
	}
}
