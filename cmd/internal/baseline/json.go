package baseline

import (
	"database/sql"
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

func appendOrder(b []byte, o *orderRow) []byte {
	b = appendID(append(b, `{"id":`...), xid.Order, o.id[:])
	b = appendInt(append(b, `,"number":`...), o.number)
	b = appendPlain(append(b, `,"status":`...), o.status)
	b = appendPlain(append(b, `,"financial_status":`...), o.financial)
	b = appendPlain(append(b, `,"fulfillment_status":`...), o.goods)
	b = appendPlain(append(b, `,"currency":`...), o.currency)
	b = appendInt(append(b, `,"subtotal_minor":`...), o.subtotal)
	b = appendInt(append(b, `,"discount_minor":`...), o.discount)
	b = appendInt(append(b, `,"shipping_minor":`...), o.shipping)
	b = appendInt(append(b, `,"tax_minor":`...), o.tax)
	b = appendInt(append(b, `,"total_minor":`...), o.total)
	b = appendInt(append(b, `,"paid_minor":`...), o.paid)
	b = appendInt(append(b, `,"refunded_minor":`...), o.refunded)
	b = appendID(append(b, `,"customer_id":`...), xid.Customer, o.customer)
	b = appendText(append(b, `,"email":`...), o.email)
	b = appendJSON(append(b, `,"billing_address":`...), o.billing)
	b = appendJSON(append(b, `,"shipping_address":`...), o.shippingAddress)
	b = append(b, `,"line_items":[`...)
	for i := range o.lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendLine(b, o.lines[i])
	}
	b = appendInt(append(b, `],"notes_count":`...), o.notes)
	b = appendJSON(append(b, `,"tags":`...), o.tags)
	b = wire.AppendString(append(b, `,"source":`...), o.source)
	b = appendTime(append(b, `,"placed_at":`...), o.placedAt)
	b = appendMoment(append(b, `,"paid_at":`...), o.paidAt)
	b = appendMoment(append(b, `,"fulfilled_at":`...), o.fulfilledAt)
	b = appendMoment(append(b, `,"cancelled_at":`...), o.cancelledAt)
	b = appendMoment(append(b, `,"completed_at":`...), o.completedAt)
	b = appendInt(append(b, `,"version":`...), o.version)
	b = appendTime(append(b, `,"created_at":`...), int64(o.id.Time()))
	b = appendTime(append(b, `,"updated_at":`...), o.updatedAt)
	b = appendNumber(append(b, `,"included_tax_minor":`...), o.includedTax)
	b = appendText(append(b, `,"discount_code":`...), o.code)
	b = appendText(append(b, `,"shipping_method":`...), o.rate)
	b = appendText(append(b, `,"payment_method":`...), o.method)
	b = appendText(append(b, `,"external_number":`...), o.external)
	return append(b, '}')
}

func appendLine(b []byte, l *db.OrderLine) []byte {
	variant := l.VariantID
	if variant == nil {
		variant = l.ProductID
	}
	b = appendID(append(b, `{"id":`...), xid.OrderLine, l.ID[:])
	b = appendIDOpt(append(b, `,"product_id":`...), xid.Product, l.ProductID)
	b = wire.AppendString(append(b, `,"title":`...), l.Title)
	if b = append(b, `,"sku":`...); l.Sku == nil {
		b = append(b, "null"...)
	} else {
		b = wire.AppendString(b, *l.Sku)
	}
	b = appendInt(append(b, `,"quantity":`...), l.Quantity)
	b = appendInt(append(b, `,"fulfilled_quantity":`...), l.FulfilledQuantity)
	b = appendInt(append(b, `,"refunded_quantity":`...), l.RefundedQuantity)
	b = appendInt(append(b, `,"unit_price_minor":`...), l.UnitPriceMinor)
	b = appendInt(append(b, `,"discount_minor":`...), l.DiscountMinor)
	b = appendInt(append(b, `,"tax_minor":`...), l.TaxMinor)
	b = appendInt(append(b, `,"total_minor":`...), l.TotalMinor)
	b = appendIDOpt(append(b, `,"variant_id":`...), xid.Variant, variant)
	b = appendList(append(b, `,"options":`...), l.Options)
	b = strconv.AppendBool(append(b, `,"requires_shipping":`...), l.RequiresShipping)
	return append(b, '}')
}

func appendIDOpt(b []byte, kind xid.Kind, id *xid.ID) []byte {
	if id == nil {
		return append(b, "null"...)
	}
	return appendID(b, kind, id[:])
}

func appendProduct(b []byte, p *productRow) []byte {
	b = appendID(append(b, `{"id":`...), xid.Product, p.id[:])
	b = wire.AppendString(append(b, `,"title":`...), p.title)
	b = appendPlain(append(b, `,"handle":`...), p.handle)
	b = appendText(append(b, `,"description":`...), p.description)
	b = appendPlain(append(b, `,"status":`...), p.status)
	b = appendInt(append(b, `,"price_minor":`...), p.price)
	b = appendNumber(append(b, `,"compare_at_price_minor":`...), p.comparePrice)
	b = appendPlain(append(b, `,"currency":`...), p.currency)
	b = appendText(append(b, `,"sku":`...), p.sku)
	b = appendText(append(b, `,"vendor":`...), p.vendor)
	b = appendText(append(b, `,"product_type":`...), p.productType)
	b = appendJSON(append(b, `,"tags":`...), p.tags)
	b = appendNumber(append(b, `,"inventory_quantity":`...), p.inventory)
	b = appendText(append(b, `,"image_url":`...), p.image)
	b = appendMoment(append(b, `,"published_at":`...), p.publishedAt)
	b = appendInt(append(b, `,"version":`...), p.version)
	b = appendTime(append(b, `,"created_at":`...), int64(p.id.Time()))
	b = appendTime(append(b, `,"updated_at":`...), p.updatedAt)
	b = appendList(append(b, `,"options":`...), p.options)
	return appendVariant(append(b, `,"variants":[`...), p)
}

// appendVariant writes the variant that a product without options is, and the end of the
// product.
func appendVariant(b []byte, p *productRow) []byte {
	b = appendID(append(b, `{"id":`...), xid.Variant, p.id[:])
	b = wire.AppendString(append(b, `,"title":`...), p.title)
	b = appendText(append(b, `,"sku":`...), p.sku)
	b = appendInt(append(b, `,"price_minor":`...), p.price)
	b = appendNumber(append(b, `,"compare_at_price_minor":`...), p.comparePrice)
	b = appendNumber(append(b, `,"inventory_quantity":`...), p.inventory)
	b = appendNumber(append(b, `,"weight_grams":`...), p.weight)
	b = append(b, `,"options":[],"position":1,"image":null}],"images":[],"requires_shipping":`...)
	return append(strconv.AppendBool(b, p.ships), '}')
}

func appendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

func appendPlain(b []byte, s string) []byte { return append(append(append(b, '"'), s...), '"') }

func appendTime(b []byte, us int64) []byte {
	return append(timeOf(us).Append(append(b, '"')), '"')
}

// appendID writes an id; a null column gives no bytes.
func appendID(b []byte, k xid.Kind, id []byte) []byte {
	if len(id) == 0 {
		return append(b, "null"...)
	}
	return append(k.Append(append(b, '"'), xid.ID(id)), '"')
}

// appendJSON writes a document as it is stored.
func appendJSON(b, doc []byte) []byte {
	if len(doc) == 0 {
		return append(b, "null"...)
	}
	return append(b, doc...)
}

// appendList writes a document that is a list; a null column is an empty one.
func appendList(b, doc []byte) []byte {
	if len(doc) == 0 {
		return append(b, "[]"...)
	}
	return append(b, doc...)
}

func appendText(b []byte, s sql.NullString) []byte {
	if !s.Valid {
		return append(b, "null"...)
	}
	return wire.AppendString(b, s.String)
}

func appendNumber(b []byte, n sql.NullInt64) []byte {
	if !n.Valid {
		return append(b, "null"...)
	}
	return appendInt(b, n.Int64)
}

func appendMoment(b []byte, n sql.NullInt64) []byte {
	if !n.Valid {
		return append(b, "null"...)
	}
	return appendTime(b, n.Int64)
}
