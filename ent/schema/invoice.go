package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Invoice is an invoice or a credit note. It holds everything that it shows, so no later change of
// the order, of products or of the store changes it.
type Invoice struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Invoice) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Invoice, Immutable: true}}
}

// Fields implements ent.Interface.
func (Invoice) Fields() []ent.Field {
	return []ent.Field{
		field.String("kind").GoType(state.InvoiceKind("")).SchemaType(key(16)).Immutable(),
		// series is the text before the number. Numbers of one series have no gap.
		field.String("series").SchemaType(key(limit.InvoicePrefix)).Immutable(),
		field.Int64("number").Immutable(),
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		// source_id is what the invoice is about: its order, or the refund of a credit note. A credit
		// note about an order credits what was never paid of a canceled order.
		field.UUID("source_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("currency").SchemaType(key(3)).Immutable(),
		field.Int64("total_minor").Immutable(),
		field.Bytes("content").GoType(document.Invoice(nil)).SchemaType(longBlob).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Invoice) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "series", "number").Unique(),
		index.Fields("store_id", "kind", "source_id").Unique(),
		index.Fields("store_id", "order_id", "id"),
	}
}

// InvoiceSeries counts the numbers of one series of invoices.
type InvoiceSeries struct{ ent.Schema }

// Mixin implements ent.Interface.
func (InvoiceSeries) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (InvoiceSeries) Fields() []ent.Field {
	return []ent.Field{
		field.String("series").SchemaType(key(limit.InvoicePrefix)).Immutable(),
		// next is raised in the transaction that issues an invoice, which locks the row.
		field.Int64("next").Default(1),
	}
}

// Indexes implements ent.Interface.
func (InvoiceSeries) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "series").Unique()}
}

// Annotations implements ent.Interface.
func (InvoiceSeries) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "invoice_series"}}
}

// InvoiceSettings are a store's settings of invoices. A store has one row, with the store's id, from
// the first change on; without it no invoices are issued.
type InvoiceSettings struct{ ent.Schema }

// Mixin implements ent.Interface.
func (InvoiceSettings) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}, Versioned{}} }

// Fields implements ent.Interface.
func (InvoiceSettings) Fields() []ent.Field {
	return []ent.Field{
		field.String("issue").GoType(state.InvoiceIssue("")).SchemaType(key(16)).Default(string(state.InvoiceManual)),
		field.String("invoice_series").SchemaType(key(limit.InvoicePrefix)),
		field.String("credit_series").SchemaType(key(limit.InvoicePrefix)),
		field.Bytes("seller").GoType(document.Seller(nil)).SchemaType(blob),
	}
}

// Annotations implements ent.Interface.
func (InvoiceSettings) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "invoice_settings"}}
}
