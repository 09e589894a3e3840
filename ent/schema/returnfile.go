package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/xid"
)

// ReturnFile is a file of a return: its label at position 0, or a photo of the shopper at position 1 and
// higher. Its bytes are in the blob store and never change.
type ReturnFile struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ReturnFile) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ReturnFile) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("return_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Return}).Immutable(),
		field.Int("position").Immutable(),
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		field.UUID("object_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("content_type").SchemaType(key(32)).Immutable(),
		field.Int64("size_bytes").Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ReturnFile) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "return_id", "position").Unique().StorageKey(PrimaryKey),
		index.Fields("store_id", "order_id"),
	}
}
