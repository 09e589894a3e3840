package export

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/wire"
)

// orderHead appends the cells of a row that are the order's.
func orderHead(b []byte, o *db.Order) (_ []byte, err error) {
	b = id(b, xid.Order, o.ID)
	b = integer(b, o.Number)
	b = plain(b, string(o.Status))
	b = plain(b, string(o.FinancialStatus))
	b = plain(b, string(o.FulfillmentStatus))
	b = plain(b, o.Currency)
	for _, n := range [...]int64{o.SubtotalMinor, o.DiscountMinor, o.ShippingMinor, o.TaxMinor, o.TotalMinor, o.PaidMinor, o.RefundedMinor} {
		b = integer(b, n)
	}
	b = idOpt(b, xid.Customer, o.CustomerID)
	b = textOpt(b, o.Email)
	if b, err = address(b, o.BillingAddress); err != nil {
		return nil, err
	}
	if b, err = address(b, o.ShippingAddress); err != nil {
		return nil, err
	}
	b = documented(b, o.Tags)
	b = text(b, o.Source)
	b = integer(b, o.NotesCount)
	b = moment(b, o.PlacedAt)
	b = momentOpt(b, o.PaidAt)
	b = momentOpt(b, o.FulfilledAt)
	b = momentOpt(b, o.CancelledAt)
	b = momentOpt(b, o.CompletedAt)
	b = integer(b, o.Version)
	b = moment(b, o.ID.Time())
	return moment(b, o.UpdatedAt), nil
}

// orderLine appends the cells that are a line's.
func orderLine(b []byte, l *db.OrderLine) []byte {
	b = id(b, xid.OrderLine, l.ID)
	b = idOpt(b, xid.Product, l.ProductID)
	b = text(b, l.Title)
	b = textOpt(b, l.Sku)
	for _, n := range [...]int64{l.Quantity, l.FulfilledQuantity, l.RefundedQuantity, l.UnitPriceMinor, l.DiscountMinor, l.TaxMinor, l.TotalMinor} {
		b = integer(b, n)
	}
	return b
}

// noLine appends the cells of a line that there is not.
func noLine(b []byte) []byte {
	for range lineColumns {
		b = append(b, ',')
	}
	return b
}

func productRow(b []byte, p *db.Product) []byte {
	b = id(b, xid.Product, p.ID)
	b = text(b, p.Title)
	b = text(b, p.Handle)
	b = textOpt(b, p.Description)
	b = plain(b, string(p.Status))
	b = integer(b, p.PriceMinor)
	b = integerOpt(b, p.CompareAtPriceMinor)
	b = plain(b, p.Currency)
	b = textOpt(b, p.Sku)
	b = textOpt(b, p.Vendor)
	b = textOpt(b, p.ProductType)
	b = documented(b, p.Tags)
	b = integerOpt(b, p.InventoryQuantity)
	b = textOpt(b, p.ImageURL)
	b = momentOpt(b, p.PublishedAt)
	b = integer(b, p.Version)
	b = moment(b, p.ID.Time())
	return end(moment(b, p.UpdatedAt))
}

func customerRow(b []byte, c *db.Customer, currency string) (_ []byte, err error) {
	b = id(b, xid.Customer, c.ID)
	b = textOpt(b, c.Email)
	b = textOpt(b, c.Phone)
	b = textOpt(b, c.FirstName)
	b = textOpt(b, c.LastName)
	b = text(b, wire.DisplayName(c))
	b = plain(b, string(c.Status))
	b = textOpt(b, c.Locale)
	b = plain(b, string(c.EmailMarketing))
	if b, err = address(b, c.DefaultAddress); err != nil {
		return nil, err
	}
	b = documented(b, c.Addresses)
	b = documented(b, c.Tags)
	b = textOpt(b, c.Note)
	b = integer(b, c.OrdersCount)
	b = integer(b, c.TotalSpentMinor)
	b = plain(b, currency)
	b = momentOpt(b, c.LastOrderAt)
	b = integer(b, c.Version)
	b = moment(b, c.ID.Time())
	return end(moment(b, c.UpdatedAt)), nil
}
