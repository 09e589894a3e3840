package export

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// The published columns of CSV files (contract, section 9). New columns are only ever added at the
// end.

// A row of orders is a line item: the columns of the order, those of the line, and then the columns
// that were added later to either.
var orderColumns = []column[*db.Order]{
	{name: "order_id", cell: func(b []byte, o *db.Order) []byte { return id(b, xid.Order, o.ID) }},
	{name: "number", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.Number) }},
	{name: "status", cell: func(b []byte, o *db.Order) []byte { return plain(b, string(o.Status)) }},
	{name: "financial_status", cell: func(b []byte, o *db.Order) []byte { return plain(b, string(o.FinancialStatus)) }},
	{name: "fulfillment_status", cell: func(b []byte, o *db.Order) []byte {
		return plain(b, string(o.FulfillmentStatus))
	}},
	{name: "currency", cell: func(b []byte, o *db.Order) []byte { return plain(b, o.Currency) }},
	{name: "subtotal_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.SubtotalMinor) }},
	{name: "discount_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.DiscountMinor) }},
	{name: "shipping_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.ShippingMinor) }},
	{name: "tax_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.TaxMinor) }},
	{name: "total_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.TotalMinor) }},
	{name: "paid_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.PaidMinor) }},
	{name: "refunded_minor", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.RefundedMinor) }},
	{name: "customer_id", cell: func(b []byte, o *db.Order) []byte { return idOpt(b, xid.Customer, o.CustomerID) }},
	{name: "email", cell: func(b []byte, o *db.Order) []byte { return textOpt(b, o.Email) }},
	{name: "billing_", address: func(o *db.Order) document.Address { return o.BillingAddress }},
	{name: "shipping_", address: func(o *db.Order) document.Address { return o.ShippingAddress }},
	{name: "tags", cell: func(b []byte, o *db.Order) []byte { return documented(b, o.Tags) }},
	{name: "source", cell: func(b []byte, o *db.Order) []byte { return text(b, o.Source) }},
	{name: "notes_count", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.NotesCount) }},
	{name: "placed_at", cell: func(b []byte, o *db.Order) []byte { return moment(b, o.PlacedAt) }},
	{name: "paid_at", cell: func(b []byte, o *db.Order) []byte { return momentOpt(b, o.PaidAt) }},
	{name: "fulfilled_at", cell: func(b []byte, o *db.Order) []byte { return momentOpt(b, o.FulfilledAt) }},
	{name: "cancelled_at", cell: func(b []byte, o *db.Order) []byte { return momentOpt(b, o.CancelledAt) }},
	{name: "completed_at", cell: func(b []byte, o *db.Order) []byte { return momentOpt(b, o.CompletedAt) }},
	{name: "version", cell: func(b []byte, o *db.Order) []byte { return integer(b, o.Version) }},
	{name: "created_at", cell: func(b []byte, o *db.Order) []byte { return moment(b, o.ID.Time()) }},
	{name: "updated_at", cell: func(b []byte, o *db.Order) []byte { return moment(b, o.UpdatedAt) }},
}

var lineColumns = []column[*db.OrderLine]{
	{name: "line_item_id", cell: func(b []byte, l *db.OrderLine) []byte { return id(b, xid.OrderLine, l.ID) }},
	{name: "line_item_product_id", cell: func(b []byte, l *db.OrderLine) []byte {
		return idOpt(b, xid.Product, l.ProductID)
	}},
	{name: "line_item_title", cell: func(b []byte, l *db.OrderLine) []byte { return text(b, l.Title) }},
	{name: "line_item_sku", cell: func(b []byte, l *db.OrderLine) []byte { return textOpt(b, l.Sku) }},
	{name: "line_item_quantity", cell: func(b []byte, l *db.OrderLine) []byte { return integer(b, l.Quantity) }},
	{name: "line_item_fulfilled_quantity", cell: func(b []byte, l *db.OrderLine) []byte {
		return integer(b, l.FulfilledQuantity)
	}},
	{name: "line_item_refunded_quantity", cell: func(b []byte, l *db.OrderLine) []byte {
		return integer(b, l.RefundedQuantity)
	}},
	{name: "line_item_unit_price_minor", cell: func(b []byte, l *db.OrderLine) []byte {
		return integer(b, l.UnitPriceMinor)
	}},
	{name: "line_item_discount_minor", cell: func(b []byte, l *db.OrderLine) []byte {
		return integer(b, l.DiscountMinor)
	}},
	{name: "line_item_tax_minor", cell: func(b []byte, l *db.OrderLine) []byte { return integer(b, l.TaxMinor) }},
	{name: "line_item_total_minor", cell: func(b []byte, l *db.OrderLine) []byte { return integer(b, l.TotalMinor) }},
	{name: "line_item_variant_id", cell: func(b []byte, l *db.OrderLine) []byte {
		return idOpt(b, xid.Variant, wire.VariantOf(l))
	}},
	{name: "line_item_options", cell: func(b []byte, l *db.OrderLine) []byte { return listed(b, l.Options) }},
}

var laterOrderColumns = []column[*db.Order]{
	{name: "included_tax_minor", cell: func(b []byte, o *db.Order) []byte { return integerOpt(b, o.IncludedTaxMinor) }},
	{name: "discount_code", cell: func(b []byte, o *db.Order) []byte { return textOpt(b, o.DiscountCode) }},
	{name: "shipping_method", cell: func(b []byte, o *db.Order) []byte { return textOpt(b, o.ShippingMethod) }},
	{name: "payment_method", cell: func(b []byte, o *db.Order) []byte {
		return textOpt(b, (*string)(o.PaymentMethod))
	}},
}

// laterLineColumns are the line's columns that were added later. They follow laterOrderColumns.
var laterLineColumns = []column[*db.OrderLine]{
	{name: "line_item_requires_shipping", cell: func(b []byte, l *db.OrderLine) []byte {
		return truth(b, l.RequiresShipping)
	}},
}

// newestOrderColumns are the order's columns that were added after those.
var newestOrderColumns = []column[*db.Order]{
	{name: "external_number", cell: func(b []byte, o *db.Order) []byte { return textOpt(b, o.ExternalNumber) }},
	{name: "taxes", cell: func(b []byte, o *db.Order) []byte { return listed(b, o.Taxes) }},
}

// customer is a customer with the currency of the store.
type customer struct {
	*db.Customer
	currency string
}

var customerColumns = []column[customer]{
	{name: "customer_id", cell: func(b []byte, c customer) []byte { return id(b, xid.Customer, c.ID) }},
	{name: "email", cell: func(b []byte, c customer) []byte { return textOpt(b, c.Email) }},
	{name: "phone", cell: func(b []byte, c customer) []byte { return textOpt(b, c.Phone) }},
	{name: "first_name", cell: func(b []byte, c customer) []byte { return textOpt(b, c.FirstName) }},
	{name: "last_name", cell: func(b []byte, c customer) []byte { return textOpt(b, c.LastName) }},
	{name: "display_name", cell: func(b []byte, c customer) []byte { return text(b, wire.DisplayName(c.Customer)) }},
	{name: "status", cell: func(b []byte, c customer) []byte { return plain(b, string(c.Status)) }},
	{name: "locale", cell: func(b []byte, c customer) []byte { return textOpt(b, c.Locale) }},
	{name: "email_marketing", cell: func(b []byte, c customer) []byte { return plain(b, string(c.EmailMarketing)) }},
	{name: "default_address_", address: func(c customer) document.Address { return c.DefaultAddress }},
	{name: "addresses", cell: func(b []byte, c customer) []byte { return documented(b, c.Addresses) }},
	{name: "tags", cell: func(b []byte, c customer) []byte { return documented(b, c.Tags) }},
	{name: "note", cell: func(b []byte, c customer) []byte { return textOpt(b, c.Note) }},
	{name: "orders_count", cell: func(b []byte, c customer) []byte { return integer(b, c.OrdersCount) }},
	{name: "total_spent_minor", cell: func(b []byte, c customer) []byte { return integer(b, c.TotalSpentMinor) }},
	{name: "currency", cell: func(b []byte, c customer) []byte { return plain(b, c.currency) }},
	{name: "last_order_at", cell: func(b []byte, c customer) []byte { return momentOpt(b, c.LastOrderAt) }},
	{name: "version", cell: func(b []byte, c customer) []byte { return integer(b, c.Version) }},
	{name: "created_at", cell: func(b []byte, c customer) []byte { return moment(b, c.ID.Time()) }},
	{name: "updated_at", cell: func(b []byte, c customer) []byte { return moment(b, c.UpdatedAt) }},
}

// attempt is an attempt of a webhook delivery.
type attempt = *wire.WebhookAttempt

var attemptColumns = []column[attempt]{
	{name: "attempt_id", cell: func(b []byte, a attempt) []byte { return id(b, xid.Attempt, a.ID) }},
	{name: "number", cell: func(b []byte, a attempt) []byte { return integer(b, a.Number) }},
	{name: "began_at", cell: func(b []byte, a attempt) []byte { return moment(b, a.BeganAt) }},
	{name: "outcome", cell: func(b []byte, a attempt) []byte { return text(b, a.Outcome) }},
	{name: "http_status", cell: func(b []byte, a attempt) []byte { return integerOpt(b, a.HTTPStatus) }},
	{name: "duration_us", cell: func(b []byte, a attempt) []byte { return integer(b, a.Duration) }},
	{name: "detail", cell: func(b []byte, a attempt) []byte { return textOpt(b, a.Detail) }},
	{name: "next_at", cell: func(b []byte, a attempt) []byte { return momentOpt(b, a.NextAt) }},
	{name: "delivery_id", cell: func(b []byte, a attempt) []byte { return id(b, xid.Delivery, a.Delivery) }},
	{name: "delivery_state", cell: func(b []byte, a attempt) []byte { return plain(b, string(a.State)) }},
	{name: "event_id", cell: func(b []byte, a attempt) []byte { return id(b, xid.Event, a.Event) }},
	{name: "event_type", cell: func(b []byte, a attempt) []byte { return plain(b, string(a.Type)) }},
	{name: "resource_type", cell: func(b []byte, a attempt) []byte { return plain(b, a.ResourceType) }},
	{name: "resource_id", cell: func(b []byte, a attempt) []byte { return plain(b, a.ResourceID()) }},
	{name: "created_at", cell: func(b []byte, a attempt) []byte { return moment(b, a.Delivery.Time()) }},
	{name: "settled_at", cell: func(b []byte, a attempt) []byte { return momentOpt(b, a.SettledAt) }},
}
