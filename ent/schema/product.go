package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Product is something that a store sells.
type Product struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Product) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Product}, Versioned{Synced: true}}
}

// Fields implements ent.Interface.
func (Product) Fields() []ent.Field {
	return []ent.Field{
		field.String("title").MaxRuneLen(255),
		field.String("handle").SchemaType(key(limit.Handle)),
		field.String("description").SchemaType(text).Optional().Nillable(),
		field.String("description_format").GoType(state.TextFormat("")).SchemaType(key(16)).
			Default(string(state.PlainText)),
		field.String("status").GoType(state.ProductStatus("")).SchemaType(key(32)),
		field.Int64("price_minor"),
		field.Int64("compare_at_price_minor").Optional().Nillable(),
		field.String("currency").SchemaType(key(3)),
		field.String("sku").SchemaType(key(limit.Bytes(limit.Line))).Optional().Nillable(),
		field.String("vendor").MaxRuneLen(255).Optional().Nillable(),
		field.String("product_type").MaxRuneLen(255).Optional().Nillable(),
		field.Bytes("tags").GoType(document.Tags(nil)).SchemaType(blob),
		// inventory_quantity null means untracked.
		field.Int64("inventory_quantity").Optional().Nillable(),
		field.String("image_url").SchemaType(text).Optional().Nillable(),
		field.Int64("published_at").GoType(micros.Time(0)).Optional().Nillable(),
		// options null means that there is one variant: the row itself. Otherwise price_minor,
		// compare_at_price_minor and inventory_quantity are derived from the variants, and sku is
		// null.
		field.Bytes("options").GoType(document.Options(nil)).SchemaType(longBlob).Optional(),
		field.Int64("weight_grams").Optional().Nillable(),
		// max_price_minor is the highest price of the variants if it is above price_minor.
		field.Int64("max_price_minor").Optional().Nillable(),
		// requires_shipping is false for a product that is not shipped, such as a file or a
		// voucher.
		field.Bool("requires_shipping").Default(true),
		// tax_category decides its tax rates.
		field.String("tax_category").SchemaType(key(limit.TaxCategory)).Default(state.TaxStandard),
		// barcode is a GTIN; cost_minor is what the store pays for a unit. With options, both are null.
		field.String("barcode").SchemaType(key(limit.Barcode)).Optional().Nillable(),
		field.Int64("cost_minor").Optional().Nillable(),
		// maker is who is responsible for the safety of the product.
		field.Bytes("maker").GoType(document.Maker(nil)).SchemaType(blob).Optional(),
		// videos are addresses of pages that show one each.
		field.Bytes("videos").GoType(document.Tags(nil)).SchemaType(blob).Optional(),
		// size_chart_id is the page of the store that shows the sizes.
		field.UUID("size_chart_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Annotations(Kind{xid.Page}),
		// The sale of the product, from sale_starts_at until sale_ends_at; null is no bound. With options,
		// sale_price_minor is null, and each variant has its own.
		field.Int64("sale_price_minor").Optional().Nillable(),
		field.Int64("sale_starts_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("sale_ends_at").GoType(micros.Time(0)).Optional().Nillable(),
		// prices are what shoppers pay and see, if that is not just price_minor and
		// compare_at_price_minor. Package variants reads them.
		field.Bytes("prices").GoType(document.Prices(nil)).SchemaType(blob).Optional(),
		// images_count is the number of uploaded images; if it is 0 they are not queried.
		field.Int("images_count").Default(0),
		// external_reference identifies the product in another system.
		field.String("external_reference").SchemaType(key(limit.Bytes(limit.Line))).Optional().Nillable(),
		// custom_fields are those of the product, variant_custom_fields those of its only variant; with
		// options, the latter are null.
		// located says that stock_levels has rows of the product.
		field.Bool("located").Default(false),
		field.Bytes("custom_fields").GoType(document.CustomFields(nil)).SchemaType(longBlob).Optional(),
		field.Bytes("variant_custom_fields").GoType(document.CustomFields(nil)).SchemaType(longBlob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Product) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "handle").Unique(),
		index.Fields("store_id", "status", "id"),
		index.Fields("store_id", "sku", "id"),
		index.Fields("store_id", "external_reference").Unique(),
	}
}
