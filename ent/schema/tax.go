package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

// TaxSettings are a store's tax settings. A store has one row, with the store's id, from the first
// change on; without it nothing is taxed.
type TaxSettings struct{ ent.Schema }

// Mixin implements ent.Interface.
func (TaxSettings) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}, Versioned{}} }

// Fields implements ent.Interface.
func (TaxSettings) Fields() []ent.Field {
	return []ent.Field{
		field.Bool("prices_include_tax").Default(false),
		field.Bytes("rates").GoType(document.TaxRates(nil)).SchemaType(longBlob),
		// categories are the store's own; the others are the same everywhere (ent/state).
		field.Bytes("categories").GoType(document.TaxCategories(nil)).SchemaType(blob).Optional(),
		// vat_id is the store's own. With reverse_charge, companies in other countries of the European
		// Union that name theirs pay no tax.
		field.String("vat_id").SchemaType(key(limit.VATID)).Optional().Nillable(),
		field.Bool("reverse_charge").Default(false),
		field.String("shipping_category").SchemaType(key(limit.TaxCategory)).Default(state.TaxStandard),
	}
}

// Annotations implements ent.Interface.
func (TaxSettings) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "tax_settings"}}
}
