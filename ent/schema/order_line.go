package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// OrderLine is a snapshot of what was ordered. Its primary key is (store_id, order_id, position),
// so the lines of a page of orders are adjacent.
type OrderLine struct{ ent.Schema }

// Mixin implements ent.Interface.
func (OrderLine) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.OrderLine}}
}

// Fields implements ent.Interface.
func (OrderLine) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}),
		field.Int("position"),
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Product}).Optional().Nillable(),
		field.String("title").MaxRuneLen(255),
		field.String("sku").SchemaType(key(limit.Bytes(limit.Line))).Optional().Nillable(),
		field.Int64("quantity"),
		field.Int64("fulfilled_quantity").Default(0),
		field.Int64("refunded_quantity").Default(0),
		field.Int64("unit_price_minor"),
		field.Int64("discount_minor"),
		field.Int64("tax_minor"),
		field.Int64("total_minor"),
		// variant_id is set for a product with options; null means that the product was its own
		// variant.
		field.UUID("variant_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Variant}).Optional().Nillable(),
		// options are the option values of the variant; null if there are none.
		field.Bytes("options").GoType(document.Tags(nil)).SchemaType(blob).Optional(),
		// requires_shipping is copied from the product when the order is placed.
		field.Bool("requires_shipping").Default(true),
	}
}

// Indexes implements ent.Interface.
func (OrderLine) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "position").Unique().StorageKey(PrimaryKey),
	}
}

// LineWalk is the progress of the previous release's backfill of line_set. Only that release uses it;
// the next one removes it.
type LineWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (LineWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (LineWalk) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("changed").GoType(micros.Time(0)),
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
	}
}
