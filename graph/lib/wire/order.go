package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	docs "github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendOrder appends an order. line returns its i-th of n lines.
func AppendOrder(b []byte, r *db.Order, n int, line func(i int) *db.OrderLine) []byte {
	o := Open(b)
	o.ID("id", xid.Order, r.ID)
	o.Int("number", r.Number)
	o.Plain("status", string(r.Status))
	o.Plain("financial_status", string(r.FinancialStatus))
	o.Plain("fulfillment_status", string(r.FulfillmentStatus))
	o.Plain("currency", r.Currency)
	o.Int("subtotal_minor", r.SubtotalMinor)
	o.Int("discount_minor", r.DiscountMinor)
	o.Int("shipping_minor", r.ShippingMinor)
	o.Int("tax_minor", r.TaxMinor)
	o.Int("total_minor", r.TotalMinor)
	o.Int("paid_minor", r.PaidMinor)
	o.Int("refunded_minor", r.RefundedMinor)
	o.IDOpt("customer_id", xid.Customer, r.CustomerID)
	o.StrOpt("email", r.Email)
	o.Raw("billing_address", r.BillingAddress)
	o.Raw("shipping_address", r.ShippingAddress)
	places, _ := Allocations(r) // a damaged document is not shown
	o.Name("line_items")
	o.B = append(o.B, '[')
	for i := range n {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		o.B = appendLine(o.B, line(i), places)
	}
	o.B = append(o.B, ']')
	o.Int("notes_count", r.NotesCount)
	o.Raw("tags", r.Tags)
	o.Str("source", r.Source)
	o.Time("placed_at", r.PlacedAt)
	o.TimeOpt("paid_at", r.PaidAt)
	o.TimeOpt("fulfilled_at", r.FulfilledAt)
	o.TimeOpt("cancelled_at", r.CancelledAt)
	o.TimeOpt("completed_at", r.CompletedAt)
	o.Int("version", r.Version)
	o.Time("created_at", r.ID.Time())
	o.Time("updated_at", r.UpdatedAt)
	o.IntOpt("included_tax_minor", r.IncludedTaxMinor)
	o.StrOpt("discount_code", r.DiscountCode)
	o.StrOpt("shipping_method", r.ShippingMethod)
	o.StrOpt("payment_method", (*string)(r.PaymentMethod))
	o.StrOpt("external_number", r.ExternalNumber)
	o.List("taxes", r.Taxes)
	o.StrOpt("vat_id", r.VatID)
	o.StrOpt("tax_relief", (*string)(r.TaxRelief))
	o.customFields(r.CustomFields)
	return o.Close()
}

func appendLine(b []byte, l *db.OrderLine, places map[string][]*docs.Allocation) []byte {
	o := Open(b)
	o.ID("id", xid.OrderLine, l.ID)
	o.IDOpt("product_id", xid.Product, l.ProductID)
	o.Str("title", l.Title)
	o.StrOpt("sku", l.Sku)
	o.Int("quantity", l.Quantity)
	o.Int("fulfilled_quantity", l.FulfilledQuantity)
	o.Int("refunded_quantity", l.RefundedQuantity)
	o.Int("unit_price_minor", l.UnitPriceMinor)
	o.Int("discount_minor", l.DiscountMinor)
	o.Int("tax_minor", l.TaxMinor)
	o.Int("total_minor", l.TotalMinor)
	o.IDOpt("variant_id", xid.Variant, VariantOf(l))
	o.List("options", l.Options)
	o.Bool("requires_shipping", l.RequiresShipping)
	if places != nil { // so orders of stores with one location are as they were before there were others
		o.appendAllocations(places[xid.OrderLine.Format(l.ID)])
	}
	return o.Close()
}

// VariantOf returns the variant that a line sells, nil for a line without a product. A product
// without options is its own variant.
func VariantOf(l *db.OrderLine) *xid.ID {
	if l.VariantID != nil {
		return l.VariantID
	}
	return l.ProductID
}

// AppendNote appends a note of an order. author is the public id of its author.
func AppendNote(b []byte, n *db.Note, author string) []byte {
	o := Open(b)
	o.ID("id", xid.Note, n.ID)
	o.ID("order_id", xid.Order, n.OrderID)
	o.Str("body", n.Body)
	o.Plain("visibility", string(n.Visibility))
	o.Name("author")
	a := Open(o.B)
	a.Plain("type", string(n.AuthorType))
	a.Plain("id", author)
	a.Str("name", n.AuthorName)
	o.B = a.Close()
	o.Time("created_at", n.ID.Time())
	return o.Close()
}

// AppendFulfillment appends a shipment.
func AppendFulfillment(b []byte, f *db.Fulfillment) []byte {
	o := Open(b)
	o.ID("id", xid.Fulfillment, f.ID)
	o.ID("order_id", xid.Order, f.OrderID)
	o.Raw("lines", f.Lines)
	o.Name("tracking")
	t := Open(o.B)
	t.StrOpt("company", f.Carrier)
	t.StrOpt("number", f.TrackingNumber)
	t.StrOpt("url", f.TrackingURL)
	o.B = t.Close()
	o.Time("created_at", f.ID.Time())
	return o.Close()
}

// AppendReturn appends a return of an order, without the note, which may be personal.
func AppendReturn(b []byte, r *db.OrderReturn) []byte {
	o := Open(b)
	o.ID("id", xid.Return, r.ID)
	o.ID("order_id", xid.Order, r.OrderID)
	o.Plain("state", string(r.State))
	o.Raw("lines", r.Lines)
	o.Bool("by_shopper", r.ByShopper)
	o.Bool("withdrawal", r.Withdrawal)
	o.StrOpt("answer", r.Answer)
	o.StrOpt("label_url", r.LabelURL)
	o.IntOpt("refunded_minor", r.RefundedMinor)
	o.Time("created_at", r.ID.Time())
	o.IDOpt("exchange_id", xid.Order, r.ExchangeID)
	o.IDOpt("location_id", xid.Location, r.LocationID)
	o.Int("version", r.Version)
	return o.Close()
}
