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

// Customer is a person who buys in a store. Its counters are updated in the order's transaction.
type Customer struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Customer) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Customer}, Versioned{Synced: true}}
}

// Fields implements ent.Interface.
func (Customer) Fields() []ent.Field {
	return []ent.Field{
		// email is in lower case.
		field.String("email").SchemaType(key(1020)).Optional().Nillable(),
		field.String("phone").MaxRuneLen(64).Optional().Nillable(),
		field.String("first_name").MaxRuneLen(255).Optional().Nillable(),
		field.String("last_name").MaxRuneLen(255).Optional().Nillable(),
		field.String("status").GoType(state.CustomerStatus("")).SchemaType(key(32)),
		field.String("locale").SchemaType(key(limit.Locale)).Optional().Nillable(),
		field.String("email_marketing").GoType(state.EmailMarketing("")).SchemaType(key(32)),
		// email_marketing_at and email_marketing_source say since when that state holds and who chose
		// it; null if the previous release or an import recorded neither.
		field.Int64("email_marketing_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.String("email_marketing_source").GoType(state.ConsentSource("")).SchemaType(key(16)).
			Optional().Nillable(),
		field.Bytes("default_address").GoType(document.Address(nil)).SchemaType(blob).Optional(),
		field.Bytes("addresses").GoType(document.Addresses(nil)).SchemaType(longBlob),
		field.Bytes("tags").GoType(document.Tags(nil)).SchemaType(blob),
		field.String("note").SchemaType(text).Optional().Nillable(),
		// tax_exempt says that orders which staff create for the customer bear no tax.
		field.Bool("tax_exempt").Default(false),
		field.Int64("orders_count").Default(0),
		field.Int64("total_spent_minor").Default(0),
		field.Int64("last_order_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Bytes("custom_fields").GoType(document.CustomFields(nil)).SchemaType(longBlob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Customer) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "email").Unique(),
	}
}
