package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// ProductImage is an image that the merchant uploaded, for a product or for the media library. Its
// bytes are in the blob store and never change; derived images are named by object_id too. The
// images of a product change under the version of the product.
type ProductImage struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ProductImage) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.ProductImage}}
}

// Fields implements ent.Interface.
func (ProductImage) Fields() []ent.Field {
	return []ent.Field{
		// product_id is [xid.Nil] for a file of the media library. A product that shows such a file
		// has a row of its own, with the same object_id and no size.
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		// position counts from 1.
		field.Int("position"),
		// alt is "" if there is no description.
		field.String("alt").MaxRuneLen(limit.ImageAlt).Default(""),
		// filename is the name of the uploaded file.
		field.String("filename").MaxRuneLen(limit.Line).Default(""),
		field.UUID("object_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("content_type").SchemaType(key(64)).Immutable(),
		// width and height are in pixels, as displayed.
		field.Int("width").Immutable(),
		field.Int("height").Immutable(),
		field.Int64("size_bytes").Immutable(),
		// source_id is the first 16 bytes of the SHA-256 of the address that an import fetched the image
		// from, and source_position its place in the file.
		field.UUID("source_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Int("source_position").Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (ProductImage) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "product_id", "position", "id"),
		index.Fields("store_id", "object_id"),
	}
}
