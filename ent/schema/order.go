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

// Order is a sale: its amounts, its items and where they are sent.
type Order struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Order) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Order}, Versioned{Synced: true}}
}

// Fields implements ent.Interface.
func (Order) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("number"),
		field.String("status").GoType(state.OrderStatus("")).SchemaType(key(32)),
		field.String("financial_status").GoType(state.FinancialStatus("")).SchemaType(key(32)),
		field.String("fulfillment_status").GoType(state.FulfillmentStatus("")).SchemaType(key(32)),
		field.String("currency").SchemaType(key(3)),
		field.Int64("subtotal_minor"),
		field.Int64("discount_minor"),
		field.Int64("shipping_minor"),
		field.Int64("tax_minor"),
		field.Int64("total_minor"),
		field.Int64("paid_minor"),
		field.Int64("refunded_minor"),
		field.UUID("customer_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Customer}).Optional().Nillable(),
		field.String("email").SchemaType(key(1020)).Optional().Nillable(),
		field.Bytes("billing_address").GoType(document.Address(nil)).SchemaType(blob).Optional(),
		field.Bytes("shipping_address").GoType(document.Address(nil)).SchemaType(blob).Optional(),
		field.Int64("notes_count").Default(0),
		// external_number is the number that the order has in its system of origin, as displayed
		// there: "#1007". It need not be unique.
		field.String("external_number").SchemaType(key(4 * limit.Label)).Optional().Nillable().Immutable(),
		field.Bytes("tags").GoType(document.Tags(nil)).SchemaType(blob),
		field.String("source").SchemaType(key(limit.Source)),
		field.Int64("placed_at").GoType(micros.Time(0)),
		field.Int64("paid_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("fulfilled_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("cancelled_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("completed_at").GoType(micros.Time(0)).Optional().Nillable(),
		// included_tax_minor is the tax included in the prices; it is not part of any sum. Null is
		// 0.
		field.Int64("included_tax_minor").Optional().Nillable(),
		// taxes are the parts of tax_minor and included_tax_minor, by tax and line. Null means that
		// they are unknown, or that there is none.
		field.Bytes("taxes").GoType(document.OrderTaxes(nil)).SchemaType(longBlob).Optional().Immutable(),
		// vat_id is the buyer's, and tax_relief why the order bears no tax, null if that is by its place
		// and categories alone.
		field.String("vat_id").SchemaType(key(limit.VATID)).Optional().Nillable(),
		field.String("vat_consultation").SchemaType(key(64)).Optional().Nillable(),
		field.String("tax_relief").GoType(state.TaxRelief("")).SchemaType(key(32)).Optional().Nillable().Immutable(),
		// cart_id is the cart that a shopper placed. The cart's own row ensures that it becomes
		// only one order.
		field.UUID("cart_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		// exchange_of is the order that had a return in exchange for which this one was placed.
		field.UUID("exchange_of", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).
			Optional().Nillable().Immutable(),
		field.UUID("discount_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.String("discount_code").SchemaType(key(limit.Code)).Optional().Nillable().Immutable(),
		// shipping_method is the name that the rate had, payment_method the shopper's intended
		// method of payment, language the language of their storefront.
		field.String("shipping_method").MaxRuneLen(255).Optional().Nillable().Immutable(),
		field.String("payment_method").GoType(state.PaymentMethod("")).SchemaType(key(32)).
			Optional().Nillable().Immutable(),
		field.String("language").GoType(state.Language("")).SchemaType(key(16)).Optional().Nillable().Immutable(),
		// line_set holds the order's lines as packed by ent/lineset, which saves a list its second
		// statement. It is valid if line_set_version equals version: a write of line_set sets
		// line_set_version, and every other change raises both by one. The previous release raises
		// only version, so the lines of orders that it changed are read from their own rows.
		field.Bytes("line_set").SchemaType(longBlob).Optional(),
		field.Int64("line_set_version").Optional().Nillable(),
		// allocations are the locations that its stock was taken from; null before the store had several.
		field.Bytes("allocations").GoType(document.Allocations(nil)).SchemaType(longBlob).Optional(),
		field.Bytes("custom_fields").GoType(document.CustomFields(nil)).SchemaType(longBlob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Order) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "number").Unique(),
		// Lists filtered by any of the three states merge ranges of these indexes, each with one
		// value of all three (graph/domain/sales/order_list.go).
		index.Fields("store_id", "status", "financial_status", "fulfillment_status", "id").
			StorageKey("order_states_id"),
		index.Fields("store_id", "status", "financial_status", "fulfillment_status", "updated_at", "id").
			StorageKey("order_states_updated_at_id"),
		index.Fields("store_id", "customer_id", "id"),
		index.Fields("store_id", "external_number", "id"),
		index.Fields("store_id", "email", "id"), // the orders in a shopper's account
	}
}
