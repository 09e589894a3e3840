package export

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// sheetColumn is a column of the rows of T in a file for spreadsheets, or all columns of an
// address. Unlike the columns of the API's CSV files they are for people and may change.
type sheetColumn[T any] struct {
	head func(*sheet, []byte) []byte
	cell func(*sheet, []byte, T) []byte
}

// sheetHead appends the names of columns.
func sheetHead[T any](s *sheet, b []byte, columns []sheetColumn[T]) []byte {
	for i := range columns {
		b = columns[i].head(s, b)
	}
	return b
}

// sheetCells appends the cells of a row.
func sheetCells[T any](s *sheet, b []byte, columns []sheetColumn[T], row T) []byte {
	for i := range columns {
		b = columns[i].cell(s, b, row)
	}
	return b
}

// sheetRow appends a row.
func sheetRow[T any](s *sheet, b []byte, columns []sheetColumn[T], row T) []byte {
	return end(sheetCells(s, b, columns, row))
}

// named returns the head of a column.
func named(k phrase.Key) func(*sheet, []byte) []byte {
	return func(s *sheet, b []byte) []byte { return s.text(b, s.texts.Say(k)) }
}

// addressKeys are the names of the members of an address, in the order of its cells.
var addressKeys = [len(addressColumns)]phrase.Key{phrase.Name, phrase.Company, phrase.Line1, phrase.Line2, phrase.City,
	phrase.Region, phrase.PostalCode, phrase.Country, phrase.Phone}

// addressed returns the heads of the columns of an address.
func addressed(c phrase.Key) func(*sheet, []byte) []byte {
	return func(s *sheet, b []byte) []byte {
		for _, k := range addressKeys {
			b = s.text(b, s.texts.Say(c)+": "+s.texts.Say(k))
		}
		return b
	}
}

// orderedLine is a line with the currency of its order.
type orderedLine struct {
	*db.OrderLine
	currency string
}

type (
	orderCell = func(*sheet, []byte, *db.Order) []byte
	lineCell  = func(*sheet, []byte, orderedLine) []byte
)

// orderMoney returns a cell with an amount of an order.
func orderMoney(of func(*db.Order) int64) orderCell {
	return func(s *sheet, b []byte, o *db.Order) []byte { return s.money(b, of(o), o.Currency) }
}

// lineMoney returns a cell with an amount of a line.
func lineMoney(of func(orderedLine) int64) lineCell {
	return func(s *sheet, b []byte, l orderedLine) []byte { return s.money(b, of(l), l.currency) }
}

var sheetOrders = []sheetColumn[*db.Order]{
	{named(phrase.OrderColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.integer(b, o.Number) }},
	{named(phrase.PlacedAtColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.moment(b, o.PlacedAt) }},
	{named(phrase.StatusColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.text(b, string(o.Status)) }},
	{named(phrase.PaymentStatusColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.text(b, string(o.FinancialStatus))
	}},
	{named(phrase.FulfillmentStatusColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.text(b, string(o.FulfillmentStatus))
	}},
	{named(phrase.CurrencyColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.text(b, o.Currency) }},
	{named(phrase.Subtotal), orderMoney(func(o *db.Order) int64 { return o.SubtotalMinor })},
	{named(phrase.Discount), orderMoney(func(o *db.Order) int64 { return o.DiscountMinor })},
	{named(phrase.Shipping), orderMoney(func(o *db.Order) int64 { return o.ShippingMinor })},
	{named(phrase.Tax), orderMoney(func(o *db.Order) int64 { return o.TaxMinor })},
	{named(phrase.Total), orderMoney(func(o *db.Order) int64 { return o.TotalMinor })},
	{named(phrase.PaidAmountColumn), orderMoney(func(o *db.Order) int64 { return o.PaidMinor })},
	{named(phrase.RefundedAmountColumn), orderMoney(func(o *db.Order) int64 { return o.RefundedMinor })},
	{named(phrase.Email), func(s *sheet, b []byte, o *db.Order) []byte { return s.textOpt(b, o.Email) }},
	{addressed(phrase.BillingAddressColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.address(b, o.BillingAddress)
	}},
	{addressed(phrase.ShippingAddressColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.address(b, o.ShippingAddress)
	}},
	{named(phrase.TagsColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.list(b, o.Tags) }},
	{named(phrase.SourceColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.text(b, o.Source) }},
	{named(phrase.Code), func(s *sheet, b []byte, o *db.Order) []byte { return s.textOpt(b, o.DiscountCode) }},
	{named(phrase.ShippingMethodColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.textOpt(b, o.ShippingMethod)
	}},
	{named(phrase.PaymentMethodColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.textOpt(b, (*string)(o.PaymentMethod))
	}},
	{named(phrase.PaidAtColumn), func(s *sheet, b []byte, o *db.Order) []byte { return s.momentOpt(b, o.PaidAt) }},
	{named(phrase.FulfilledAtColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.momentOpt(b, o.FulfilledAt)
	}},
	{named(phrase.CancelledAtColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.momentOpt(b, o.CancelledAt)
	}},
	{named(phrase.ExternalNumberColumn), func(s *sheet, b []byte, o *db.Order) []byte {
		return s.textOpt(b, o.ExternalNumber)
	}},
}

var sheetLines = []sheetColumn[orderedLine]{
	{named(phrase.Product), func(s *sheet, b []byte, l orderedLine) []byte { return s.text(b, l.Title) }},
	{named(phrase.SKUColumn), func(s *sheet, b []byte, l orderedLine) []byte { return s.textOpt(b, l.Sku) }},
	{named(phrase.OptionsColumn), func(s *sheet, b []byte, l orderedLine) []byte { return s.list(b, l.Options) }},
	{named(phrase.Quantity), func(s *sheet, b []byte, l orderedLine) []byte { return s.integer(b, l.Quantity) }},
	{named(phrase.ShippedQuantityColumn), func(s *sheet, b []byte, l orderedLine) []byte {
		return s.integer(b, l.FulfilledQuantity)
	}},
	{named(phrase.RefundedQuantityColumn), func(s *sheet, b []byte, l orderedLine) []byte {
		return s.integer(b, l.RefundedQuantity)
	}},
	{named(phrase.UnitPriceColumn), lineMoney(func(l orderedLine) int64 { return l.UnitPriceMinor })},
	{named(phrase.LineDiscountColumn), lineMoney(func(l orderedLine) int64 { return l.DiscountMinor })},
	{named(phrase.LineTaxColumn), lineMoney(func(l orderedLine) int64 { return l.TaxMinor })},
	{named(phrase.LineTotalColumn), lineMoney(func(l orderedLine) int64 { return l.TotalMinor })},
}

var sheetCustomers = []sheetColumn[customer]{
	{named(phrase.Name), func(s *sheet, b []byte, c customer) []byte {
		return s.text(b, wire.DisplayName(c.Customer))
	}},
	{named(phrase.FirstNameColumn), func(s *sheet, b []byte, c customer) []byte { return s.textOpt(b, c.FirstName) }},
	{named(phrase.LastNameColumn), func(s *sheet, b []byte, c customer) []byte { return s.textOpt(b, c.LastName) }},
	{named(phrase.Email), func(s *sheet, b []byte, c customer) []byte { return s.textOpt(b, c.Email) }},
	{named(phrase.Phone), func(s *sheet, b []byte, c customer) []byte { return s.textOpt(b, c.Phone) }},
	{named(phrase.StatusColumn), func(s *sheet, b []byte, c customer) []byte { return s.text(b, string(c.Status)) }},
	{named(phrase.LanguageColumn), func(s *sheet, b []byte, c customer) []byte { return s.textOpt(b, c.Locale) }},
	{named(phrase.MarketingColumn), func(s *sheet, b []byte, c customer) []byte {
		return s.text(b, string(c.EmailMarketing))
	}},
	{addressed(phrase.DefaultAddressColumn), func(s *sheet, b []byte, c customer) []byte {
		return s.address(b, c.DefaultAddress)
	}},
	{named(phrase.TagsColumn), func(s *sheet, b []byte, c customer) []byte { return s.list(b, c.Tags) }},
	{named(phrase.NoteColumn), func(s *sheet, b []byte, c customer) []byte { return s.textOpt(b, c.Note) }},
	{named(phrase.OrdersCountColumn), func(s *sheet, b []byte, c customer) []byte {
		return s.integer(b, c.OrdersCount)
	}},
	{named(phrase.TotalSpentColumn), func(s *sheet, b []byte, c customer) []byte {
		return s.money(b, c.TotalSpentMinor, c.currency)
	}},
	{named(phrase.CurrencyColumn), func(s *sheet, b []byte, c customer) []byte { return s.text(b, c.currency) }},
	{named(phrase.LastOrderColumn), func(s *sheet, b []byte, c customer) []byte {
		return s.momentOpt(b, c.LastOrderAt)
	}},
	{named(phrase.CreatedAtColumn), func(s *sheet, b []byte, c customer) []byte { return s.moment(b, c.ID.Time()) }},
	{named(phrase.UpdatedAtColumn), func(s *sheet, b []byte, c customer) []byte { return s.moment(b, c.UpdatedAt) }},
	{named(phrase.IDColumn), func(s *sheet, b []byte, c customer) []byte {
		return s.text(b, xid.Customer.Format(c.ID))
	}},
}
