package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// ProductImage is a picture of a product that the merchant uploaded. Its bytes lie in
// the blob store, and never change: what the service makes of a picture is named by
// object_id too. Those of a product change under the version of the product.
type ProductImage struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ProductImage) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.ProductImage}}
}

// Fields implements ent.Interface.
func (ProductImage) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		// position counts from 1.
		field.Int("position"),
		// alt is "" where nobody has said what is to be seen.
		field.String("alt").MaxRuneLen(limit.ImageAlt).Default(""),
		// filename is what the file was called that was uploaded.
		field.String("filename").MaxRuneLen(limit.Line).Default(""),
		field.UUID("object_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("content_type").SchemaType(key(64)).Immutable(),
		// width and height are in pixels, as it is shown.
		field.Int("width").Immutable(),
		field.Int("height").Immutable(),
		field.Int64("size_bytes").Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ProductImage) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "product_id", "position", "id")}
}
