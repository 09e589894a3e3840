package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Location is a place where a store keeps stock. Every store has a default location, whose id is that of
// the store. It has no row until it is changed or gets company.
type Location struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Location) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Location}, Versioned{}}
}

// Fields implements ent.Interface.
func (Location) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxRuneLen(255),
		field.Bytes("address").GoType(document.Address(nil)).SchemaType(blob).Optional(),
		// position is the order in which orders take stock, from 1.
		field.Int("position"),
		// sells_online says that the shop sells its stock. Otherwise it is not part of the number of a variant.
		field.Bool("sells_online"),
		// picks_up says that shoppers can collect orders there.
		field.Bool("picks_up").Default(false),
		field.Int64("closed_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// StockLevel is the stock of a variant at one location, whose id is its own. The default location has no
// rows: it has what is left of the variant's inventory_quantity without the other locations that sell
// online. Levels change while the row of the product is locked. A product without options is its own
// variant. The primary key is (store_id, product_id, variant_id, id).
type StockLevel struct{ ent.Schema }

// Mixin implements ent.Interface.
func (StockLevel) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (StockLevel) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		field.UUID("variant_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Variant}),
		field.Int64("quantity"),
		// sells_online is as of the location, which only changes it while it is empty.
		field.Bool("sells_online"),
	}
}

// Indexes implements ent.Interface.
func (StockLevel) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "product_id", "variant_id", "id").Unique().StorageKey(PrimaryKey),
		// A location with stock cannot be closed.
		index.Fields("store_id", "id", "quantity"),
	}
}
