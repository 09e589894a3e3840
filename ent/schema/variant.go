package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// Variant is a sellable version of a product with options, such as one size in one color. A product
// without options has no rows here: its own row is its variant. The primary key is (store_id,
// product_id, id), so the variants of a product are adjacent. They change under the version of the
// product.
type Variant struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Variant) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Variant}}
}

// Fields implements ent.Interface.
func (Variant) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		// position counts from 1.
		field.Int("position"),
		// options are its values, one for each option of the product, in their order.
		field.Bytes("options").GoType(document.Tags(nil)).SchemaType(blob),
		// combination is the digest of the options; it is unique within the product.
		field.UUID("combination", digest.Sum{}).SchemaType(bytes32),
		field.String("title").MaxRuneLen(255),
		field.Int64("price_minor"),
		field.Int64("compare_at_price_minor").Optional().Nillable(),
		field.String("sku").SchemaType(key(limit.Bytes(limit.Line))).Optional().Nillable(),
		// inventory_quantity null means untracked.
		field.Int64("inventory_quantity").Optional().Nillable(),
		field.Int64("weight_grams").Optional().Nillable(),
		// barcode and cost_minor are as of a product.
		field.String("barcode").SchemaType(key(limit.Barcode)).Optional().Nillable(),
		field.Int64("cost_minor").Optional().Nillable(),
		// sale_price_minor and prices are as of a product.
		field.Int64("sale_price_minor").Optional().Nillable(),
		field.Bytes("prices").GoType(document.Prices(nil)).SchemaType(blob).Optional(),
		// tax_category is null for that of the product.
		field.String("tax_category").SchemaType(key(limit.TaxCategory)).Optional().Nillable(),
		// image_id is the image of the product that shows this variant.
		field.UUID("image_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Annotations(Kind{xid.ProductImage}),
		field.Bytes("custom_fields").GoType(document.CustomFields(nil)).SchemaType(longBlob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Variant) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "product_id", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("store_id", "product_id", "combination").Unique(),
		index.Fields("store_id", "id"),
		index.Fields("store_id", "sku"),
	}
}
