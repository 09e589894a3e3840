package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// InventoryChange is a change of the stock of a variant by an adjustment or an edit of its product.
// Orders change stock too, and are their own record. A product without options is its own variant.
// The primary key is (store_id, product_id, variant_id, id).
type InventoryChange struct{ ent.Schema }

// Mixin implements ent.Interface.
func (InventoryChange) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (InventoryChange) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		field.UUID("variant_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Variant}),
		// before and after are null while stock is not tracked.
		field.Int64("before").Optional().Nillable().Immutable(),
		field.Int64("after").Optional().Nillable().Immutable(),
		// location_id is where it changed; null for the default location.
		field.UUID("location_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable().
			Annotations(Kind{xid.Location}),
		field.String("reason").MaxRuneLen(255).Optional().Nillable().Immutable(),
		field.String("reference").MaxRuneLen(255).Optional().Nillable().Immutable(),
		field.String("actor_type").GoType(viewer.Kind("")).SchemaType(key(16)).Immutable(),
		field.UUID("actor_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("actor_name").MaxRuneLen(255).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (InventoryChange) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "product_id", "variant_id", "id").Unique().StorageKey(PrimaryKey),
		// An import looks whether a difference with a reference was applied before.
		index.Fields("store_id", "variant_id", "reference"),
	}
}

// InventoryMark says that the stock of a variant, by its id, has changed and that no event reported it
// yet (graph/engine/stock). Only stores with stock_events have marks. The primary key is
// (store_id, product_id, id).
type InventoryMark struct{ ent.Schema }

// Mixin implements ent.Interface.
func (InventoryMark) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (InventoryMark) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		// due_at is a second after the first change that the event will report.
		field.Int64("due_at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (InventoryMark) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "product_id", "id").Unique().StorageKey(PrimaryKey),
	}
}
