package export

import (
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// The published columns of CSV files (contract, section 9). New columns are only added at the end.

type (
	attempt = *wire.WebhookAttempt
	line    struct {
		*db.OrderLine
		currency string // of the order
	}
	customer struct {
		*db.Customer
		currency string // of the store
	}
)

// A row of orders is a line item: the columns of the order, those of the line, and then the columns
// that were added later to either.
var orderColumns = []column[*db.Order]{
	{"order_id", "", func(r *row, o *db.Order) { r.id(xid.Order, o.ID) }},
	{"number", phrase.OrderColumn, func(r *row, o *db.Order) { r.integer(o.Number) }},
	{"status", phrase.StatusColumn, func(r *row, o *db.Order) { r.plain(string(o.Status)) }},
	{"financial_status", phrase.PaymentStatusColumn, func(r *row, o *db.Order) { r.plain(string(o.FinancialStatus)) }},
	{"fulfillment_status", phrase.FulfillmentStatusColumn, func(r *row, o *db.Order) {
		r.plain(string(o.FulfillmentStatus))
	}},
	{"currency", phrase.CurrencyColumn, func(r *row, o *db.Order) { r.plain(o.Currency) }},
	{"subtotal_minor", phrase.Subtotal, func(r *row, o *db.Order) { r.money(o.SubtotalMinor, o.Currency) }},
	{"discount_minor", phrase.Discount, func(r *row, o *db.Order) { r.money(o.DiscountMinor, o.Currency) }},
	{"shipping_minor", phrase.Shipping, func(r *row, o *db.Order) { r.money(o.ShippingMinor, o.Currency) }},
	{"tax_minor", phrase.Tax, func(r *row, o *db.Order) { r.money(o.TaxMinor, o.Currency) }},
	{"total_minor", phrase.Total, func(r *row, o *db.Order) { r.money(o.TotalMinor, o.Currency) }},
	{"paid_minor", phrase.PaidAmountColumn, func(r *row, o *db.Order) { r.money(o.PaidMinor, o.Currency) }},
	{"refunded_minor", phrase.RefundedAmountColumn, func(r *row, o *db.Order) { r.money(o.RefundedMinor, o.Currency) }},
	{"customer_id", "", func(r *row, o *db.Order) { r.idOpt(xid.Customer, o.CustomerID) }},
	{"email", phrase.Email, func(r *row, o *db.Order) { r.textOpt(o.Email) }},
	{"billing_", phrase.BillingAddressColumn, func(r *row, o *db.Order) { r.address(o.BillingAddress) }},
	{"shipping_", phrase.ShippingAddressColumn, func(r *row, o *db.Order) { r.address(o.ShippingAddress) }},
	{"tags", phrase.TagsColumn, func(r *row, o *db.Order) { r.list(o.Tags) }},
	{"source", phrase.SourceColumn, func(r *row, o *db.Order) { r.text(o.Source) }},
	{"notes_count", "", func(r *row, o *db.Order) { r.integer(o.NotesCount) }},
	{"placed_at", phrase.PlacedAtColumn, func(r *row, o *db.Order) { r.moment(o.PlacedAt) }},
	{"paid_at", phrase.PaidAtColumn, func(r *row, o *db.Order) { r.momentOpt(o.PaidAt) }},
	{"fulfilled_at", phrase.FulfilledAtColumn, func(r *row, o *db.Order) { r.momentOpt(o.FulfilledAt) }},
	{"cancelled_at", phrase.CancelledAtColumn, func(r *row, o *db.Order) { r.momentOpt(o.CancelledAt) }},
	{"completed_at", "", func(r *row, o *db.Order) { r.momentOpt(o.CompletedAt) }},
	{"version", "", func(r *row, o *db.Order) { r.integer(o.Version) }},
	{"created_at", "", func(r *row, o *db.Order) { r.moment(o.ID.Time()) }},
	{"updated_at", "", func(r *row, o *db.Order) { r.moment(o.UpdatedAt) }},
}

var lineColumns = []column[line]{
	{"line_item_id", "", func(r *row, l line) { r.id(xid.OrderLine, l.ID) }},
	{"line_item_product_id", "", func(r *row, l line) { r.idOpt(xid.Product, l.ProductID) }},
	{"line_item_title", phrase.Product, func(r *row, l line) { r.text(l.Title) }},
	{"line_item_sku", phrase.SKUColumn, func(r *row, l line) { r.textOpt(l.Sku) }},
	{"line_item_quantity", phrase.Quantity, func(r *row, l line) { r.integer(l.Quantity) }},
	{"line_item_fulfilled_quantity", phrase.ShippedQuantityColumn, func(r *row, l line) {
		r.integer(l.FulfilledQuantity)
	}},
	{"line_item_refunded_quantity", phrase.RefundedQuantityColumn, func(r *row, l line) {
		r.integer(l.RefundedQuantity)
	}},
	{"line_item_unit_price_minor", phrase.UnitPriceColumn, func(r *row, l line) {
		r.money(l.UnitPriceMinor, l.currency)
	}},
	{"line_item_discount_minor", phrase.LineDiscountColumn, func(r *row, l line) {
		r.money(l.DiscountMinor, l.currency)
	}},
	{"line_item_tax_minor", phrase.LineTaxColumn, func(r *row, l line) { r.money(l.TaxMinor, l.currency) }},
	{"line_item_total_minor", phrase.LineTotalColumn, func(r *row, l line) { r.money(l.TotalMinor, l.currency) }},
	{"line_item_variant_id", "", func(r *row, l line) { r.idOpt(xid.Variant, wire.VariantOf(l.OrderLine)) }},
	{"line_item_options", phrase.OptionsColumn, func(r *row, l line) { r.list(l.Options) }},
}

var laterOrderColumns = []column[*db.Order]{
	{"included_tax_minor", phrase.IncludedTaxColumn, func(r *row, o *db.Order) {
		r.moneyOpt(o.IncludedTaxMinor, o.Currency)
	}},
	{"discount_code", phrase.Code, func(r *row, o *db.Order) { r.textOpt(o.DiscountCode) }},
	{"shipping_method", phrase.ShippingMethodColumn, func(r *row, o *db.Order) { r.textOpt(o.ShippingMethod) }},
	{"payment_method", phrase.PaymentMethodColumn, func(r *row, o *db.Order) { r.textOpt((*string)(o.PaymentMethod)) }},
}

var laterLineColumns = []column[line]{
	{"line_item_requires_shipping", "", func(r *row, l line) { r.boolean(l.RequiresShipping) }},
}

var newestOrderColumns = []column[*db.Order]{
	{"external_number", phrase.ExternalNumberColumn, func(r *row, o *db.Order) { r.textOpt(o.ExternalNumber) }},
	{"taxes", phrase.TaxesColumn, (*row).taxes},
	{"vat_id", phrase.VATIDColumn, func(r *row, o *db.Order) { r.textOpt(o.VatID) }},
	{"tax_relief", "", func(r *row, o *db.Order) { r.textOpt((*string)(o.TaxRelief)) }},
	{"custom_fields", "", func(r *row, o *db.Order) { r.json(o.CustomFields) }},
}

var productColumns = []column[*db.Product]{
	{"product_id", phrase.IDColumn, func(r *row, p *db.Product) { r.id(xid.Product, p.ID) }},
	{"title", phrase.TitleColumn, func(r *row, p *db.Product) { r.text(p.Title) }},
	{"handle", phrase.HandleColumn, func(r *row, p *db.Product) { r.text(p.Handle) }},
	{"description", phrase.DescriptionColumn, func(r *row, p *db.Product) { r.textOpt(p.Description) }},
	{"status", phrase.StatusColumn, func(r *row, p *db.Product) { r.plain(string(p.Status)) }},
	{"price_minor", phrase.PriceColumn, func(r *row, p *db.Product) { r.money(p.PriceMinor, p.Currency) }},
	{"compare_at_price_minor", phrase.ComparePriceColumn, func(r *row, p *db.Product) {
		r.moneyOpt(p.CompareAtPriceMinor, p.Currency)
	}},
	{"currency", phrase.CurrencyColumn, func(r *row, p *db.Product) { r.plain(p.Currency) }},
	{"sku", phrase.SKUColumn, func(r *row, p *db.Product) { r.textOpt(p.Sku) }},
	{"vendor", phrase.VendorColumn, func(r *row, p *db.Product) { r.textOpt(p.Vendor) }},
	{"product_type", phrase.ProductTypeColumn, func(r *row, p *db.Product) { r.textOpt(p.ProductType) }},
	{"tags", phrase.TagsColumn, func(r *row, p *db.Product) { r.list(p.Tags) }},
	{"inventory_quantity", phrase.InventoryColumn, func(r *row, p *db.Product) { r.integerOpt(p.InventoryQuantity) }},
	{"image_url", phrase.PictureColumn, func(r *row, p *db.Product) { r.textOpt(p.ImageURL) }},
	{"published_at", phrase.PublishedAtColumn, func(r *row, p *db.Product) { r.momentOpt(p.PublishedAt) }},
	{"version", "", func(r *row, p *db.Product) { r.integer(p.Version) }},
	{"created_at", phrase.CreatedAtColumn, func(r *row, p *db.Product) { r.moment(p.ID.Time()) }},
	{"updated_at", phrase.UpdatedAtColumn, func(r *row, p *db.Product) { r.moment(p.UpdatedAt) }},
	{"options", "", func(r *row, p *db.Product) { r.list(p.Options) }},
	{"variants", "", func(r *row, p *db.Product) { r.json(wire.AppendVariants(nil, p)) }},
	{"images", "", func(r *row, p *db.Product) { r.json(wire.AppendImages(nil, p)) }},
	{"requires_shipping", "", func(r *row, p *db.Product) { r.boolean(p.RequiresShipping) }},
	{"tax_category", "", func(r *row, p *db.Product) { r.plain(p.TaxCategory) }},
	{"description_format", "", func(r *row, p *db.Product) { r.plain(string(p.DescriptionFormat)) }},
	{"barcode", "", func(r *row, p *db.Product) { r.textOpt(p.Barcode) }},
	{"maker", "", func(r *row, p *db.Product) { r.json(p.Maker) }},
	{"videos", "", func(r *row, p *db.Product) { r.list(p.Videos) }},
	{"custom_fields", "", func(r *row, p *db.Product) { r.json(p.CustomFields) }},
}

var customerColumns = []column[customer]{
	{"customer_id", phrase.IDColumn, func(r *row, c customer) { r.id(xid.Customer, c.ID) }},
	{"email", phrase.Email, func(r *row, c customer) { r.textOpt(c.Email) }},
	{"phone", phrase.Phone, func(r *row, c customer) { r.textOpt(c.Phone) }},
	{"first_name", phrase.FirstNameColumn, func(r *row, c customer) { r.textOpt(c.FirstName) }},
	{"last_name", phrase.LastNameColumn, func(r *row, c customer) { r.textOpt(c.LastName) }},
	{"display_name", phrase.Name, func(r *row, c customer) { r.text(wire.DisplayName(c.Customer)) }},
	{"status", phrase.StatusColumn, func(r *row, c customer) { r.plain(string(c.Status)) }},
	{"locale", phrase.LanguageColumn, func(r *row, c customer) { r.textOpt(c.Locale) }},
	{"email_marketing", phrase.MarketingColumn, func(r *row, c customer) { r.plain(string(c.EmailMarketing)) }},
	{"default_address_", phrase.DefaultAddressColumn, func(r *row, c customer) { r.address(c.DefaultAddress) }},
	{"addresses", "", func(r *row, c customer) { r.json(c.Addresses) }},
	{"tags", phrase.TagsColumn, func(r *row, c customer) { r.list(c.Tags) }},
	{"note", phrase.NoteColumn, func(r *row, c customer) { r.textOpt(c.Note) }},
	{"orders_count", phrase.OrdersCountColumn, func(r *row, c customer) { r.integer(c.OrdersCount) }},
	{"total_spent_minor", phrase.TotalSpentColumn, func(r *row, c customer) { r.money(c.TotalSpentMinor, c.currency) }},
	{"currency", phrase.CurrencyColumn, func(r *row, c customer) { r.plain(c.currency) }},
	{"last_order_at", phrase.LastOrderColumn, func(r *row, c customer) { r.momentOpt(c.LastOrderAt) }},
	{"version", "", func(r *row, c customer) { r.integer(c.Version) }},
	{"created_at", phrase.CreatedAtColumn, func(r *row, c customer) { r.moment(c.ID.Time()) }},
	{"updated_at", phrase.UpdatedAtColumn, func(r *row, c customer) { r.moment(c.UpdatedAt) }},
	{"tax_exempt", "", func(r *row, c customer) { r.boolean(c.TaxExempt) }},
	{"custom_fields", "", func(r *row, c customer) { r.json(c.CustomFields) }},
	{"email_marketing_at", phrase.MarketingAtColumn, func(r *row, c customer) { r.momentOpt(c.EmailMarketingAt) }},
	{"email_marketing_source", phrase.MarketingSourceColumn, func(r *row, c customer) {
		r.textOpt((*string)(c.EmailMarketingSource))
	}},
}

var attemptColumns = []column[attempt]{
	{"attempt_id", "", func(r *row, a attempt) { r.id(xid.Attempt, a.ID) }},
	{"number", "", func(r *row, a attempt) { r.integer(a.Number) }},
	{"began_at", "", func(r *row, a attempt) { r.moment(a.BeganAt) }},
	{"outcome", "", func(r *row, a attempt) { r.text(a.Outcome) }},
	{"http_status", "", func(r *row, a attempt) { r.integerOpt(a.HTTPStatus) }},
	{"duration_us", "", func(r *row, a attempt) { r.integer(a.Duration) }},
	{"detail", "", func(r *row, a attempt) { r.textOpt(a.Detail) }},
	{"next_at", "", func(r *row, a attempt) { r.momentOpt(a.NextAt) }},
	{"delivery_id", "", func(r *row, a attempt) { r.id(xid.Delivery, a.Delivery) }},
	{"delivery_state", "", func(r *row, a attempt) { r.plain(string(a.State)) }},
	{"event_id", "", func(r *row, a attempt) { r.id(xid.Event, a.Event) }},
	{"event_type", "", func(r *row, a attempt) { r.plain(string(a.Type)) }},
	{"resource_type", "", func(r *row, a attempt) { r.plain(a.ResourceType) }},
	{"resource_id", "", func(r *row, a attempt) { r.plain(a.ResourceID()) }},
	{"created_at", "", func(r *row, a attempt) { r.moment(a.Delivery.Time()) }},
	{"settled_at", "", func(r *row, a attempt) { r.momentOpt(a.SettledAt) }},
}

// Columns of files for spreadsheets, which are for people, unlike those of the API, and may change.
var (
	sheetOrders = pick(slices.Concat(orderColumns, laterOrderColumns, newestOrderColumns), phrase.OrderColumn,
		phrase.PlacedAtColumn, phrase.StatusColumn, phrase.PaymentStatusColumn, phrase.FulfillmentStatusColumn,
		phrase.CurrencyColumn, phrase.Subtotal, phrase.Discount, phrase.Shipping, phrase.Tax, phrase.Total,
		phrase.PaidAmountColumn, phrase.RefundedAmountColumn, phrase.Email, phrase.BillingAddressColumn,
		phrase.ShippingAddressColumn, phrase.TagsColumn, phrase.SourceColumn, phrase.Code, phrase.ShippingMethodColumn,
		phrase.PaymentMethodColumn, phrase.PaidAtColumn, phrase.FulfilledAtColumn, phrase.CancelledAtColumn,
		phrase.ExternalNumberColumn, phrase.IncludedTaxColumn, phrase.TaxesColumn, phrase.VATIDColumn)
	sheetLines = pick(lineColumns, phrase.Product, phrase.SKUColumn, phrase.OptionsColumn, phrase.Quantity,
		phrase.ShippedQuantityColumn, phrase.RefundedQuantityColumn, phrase.UnitPriceColumn, phrase.LineDiscountColumn,
		phrase.LineTaxColumn, phrase.LineTotalColumn)
	sheetProducts = pick(productColumns, phrase.TitleColumn, phrase.StatusColumn, phrase.PriceColumn,
		phrase.ComparePriceColumn, phrase.CurrencyColumn, phrase.SKUColumn, phrase.InventoryColumn, phrase.VendorColumn,
		phrase.ProductTypeColumn, phrase.TagsColumn, phrase.DescriptionColumn, phrase.HandleColumn,
		phrase.PictureColumn, phrase.PublishedAtColumn, phrase.CreatedAtColumn, phrase.UpdatedAtColumn, phrase.IDColumn)
	sheetCustomers = pick(customerColumns, phrase.Name, phrase.FirstNameColumn, phrase.LastNameColumn, phrase.Email,
		phrase.Phone, phrase.StatusColumn, phrase.LanguageColumn, phrase.MarketingColumn, phrase.DefaultAddressColumn,
		phrase.TagsColumn, phrase.NoteColumn, phrase.OrdersCountColumn, phrase.TotalSpentColumn, phrase.CurrencyColumn,
		phrase.LastOrderColumn, phrase.CreatedAtColumn, phrase.UpdatedAtColumn, phrase.IDColumn,
		phrase.MarketingAtColumn, phrase.MarketingSourceColumn)
)

func pick[T any](columns []column[T], labels ...phrase.Key) []column[T] {
	list := make([]column[T], len(labels))
	for i, label := range labels {
		list[i] = columns[slices.IndexFunc(columns, func(c column[T]) bool { return c.label == label })]
	}
	return list
}
