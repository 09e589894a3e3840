package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
)

// ShippingZone is a group of countries that a store ships to at the same rates.
type ShippingZone struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShippingZone) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.ShippingZone}, Versioned{}}
}

// Fields implements ent.Interface.
func (ShippingZone) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxRuneLen(255),
		field.Bytes("rates").GoType(document.ShippingRates(nil)).SchemaType(longBlob),
	}
}

// ShippingCountry assigns a country to a zone. Its primary key is (store_id, country), so a country
// is in one zone of a store.
type ShippingCountry struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShippingCountry) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ShippingCountry) Fields() []ent.Field {
	return []ent.Field{
		// country is an ISO 3166-1 alpha-2 code, or * for the rest of the world.
		field.String("country").SchemaType(key(2)).Immutable(),
		field.UUID("zone_id", xid.ID{}).SchemaType(bytes16).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ShippingCountry) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "country").Unique().StorageKey(PrimaryKey)}
}

// Annotations implements ent.Interface.
func (ShippingCountry) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "shipping_countries"}}
}
