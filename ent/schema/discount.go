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

// Discount is a discount code. Amounts are in the store's currency.
type Discount struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Discount) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Discount}, Versioned{}}
}

// Fields implements ent.Interface.
func (Discount) Fields() []ent.Field {
	return []ent.Field{
		// code is in upper case, as is the shopper's input that is compared with it.
		field.String("code").SchemaType(key(limit.Code)),
		field.String("kind").GoType(state.DiscountKind("")).SchemaType(key(16)),
		// basis_points is set for a percentage, amount_minor for an amount.
		field.Int64("basis_points").Optional().Nillable(),
		field.Int64("amount_minor").Optional().Nillable(),
		// starts_at is inclusive, ends_at exclusive.
		field.Int64("starts_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("ends_at").GoType(micros.Time(0)).Optional().Nillable(),
		// least_minor is the minimum subtotal.
		field.Int64("least_minor").Optional().Nillable(),
		field.Int64("uses_max").Optional().Nillable(),
		field.Int64("customer_uses_max").Optional().Nillable(),
		// uses counts the orders that have the discount; a use does not raise the version.
		field.Int64("uses").Default(0),
		field.Bool("active").Default(true),
		// collections are the public ids of the collections whose products it applies to; absent
		// for all products.
		field.Bytes("collections").GoType(document.Tags(nil)).SchemaType(blob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Discount) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "code").Unique()}
}

// DiscountUse counts the orders of one customer that have a discount. Its primary key is (store_id,
// discount_id, customer_id).
type DiscountUse struct{ ent.Schema }

// Mixin implements ent.Interface.
func (DiscountUse) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (DiscountUse) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("discount_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("customer_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("uses"),
	}
}

// Indexes implements ent.Interface.
func (DiscountUse) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "discount_id", "customer_id").Unique().StorageKey(PrimaryKey),
	}
}
