package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// PriceChange is the end of the prices of a variant: what its row and its product said until the
// time in the id. The present prices are in those rows. Rows are only added, in the transaction of
// the change. A product without options is its own variant. The primary key is (store_id,
// product_id, id).
type PriceChange struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PriceChange) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PriceChange) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		field.UUID("variant_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Variant}),
		// offered says that the product was active, so that shoppers saw these prices.
		field.Bool("offered").Immutable(),
		field.Int64("price_minor").Immutable(),
		field.Int64("compare_at_price_minor").Optional().Nillable().Immutable(),
		field.Int64("sale_price_minor").Optional().Nillable().Immutable(),
		field.Int64("sale_starts_at").GoType(micros.Time(0)).Optional().Nillable().Immutable(),
		field.Int64("sale_ends_at").GoType(micros.Time(0)).Optional().Nillable().Immutable(),
	}
}

// Indexes implements ent.Interface.
func (PriceChange) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "product_id", "id").Unique().StorageKey(PrimaryKey)}
}

// ScheduledPrice says when the price of a product changes next because its sale begins or ends. Its
// id is the product's.
type ScheduledPrice struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ScheduledPrice) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ScheduledPrice) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("tries").Default(0),
	}
}

// Indexes implements ent.Interface.
func (ScheduledPrice) Indexes() []ent.Index { return []ent.Index{index.Fields("bucket", "due_at")} }
