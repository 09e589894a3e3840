package export

import (
	"slices"

	"github.com/storefront-go/storefront/ent/state"
)

// The published columns of CSV files (contract, section 9). Columns are only ever
// added, at the end.
var (
	orderColumns = slices.Concat(
		[]string{"order_id", "number", "status", "financial_status", "fulfillment_status", "currency",
			"subtotal_minor", "discount_minor", "shipping_minor", "tax_minor", "total_minor", "paid_minor", "refunded_minor",
			"customer_id", "email"},
		prefixed("billing_", addressColumns), prefixed("shipping_", addressColumns),
		[]string{"tags", "source", "notes_count", "placed_at", "paid_at", "fulfilled_at", "cancelled_at", "completed_at",
			"version", "created_at", "updated_at",
			"line_item_id", "line_item_product_id", "line_item_title", "line_item_sku", "line_item_quantity",
			"line_item_fulfilled_quantity", "line_item_refunded_quantity", "line_item_unit_price_minor",
			"line_item_discount_minor", "line_item_tax_minor", "line_item_total_minor"})

	productColumns = []string{"product_id", "title", "handle", "description", "status", "price_minor", "compare_at_price_minor",
		"currency", "sku", "vendor", "product_type", "tags", "inventory_quantity", "image_url", "published_at",
		"version", "created_at", "updated_at"}

	customerColumns = slices.Concat(
		[]string{"customer_id", "email", "phone", "first_name", "last_name", "display_name", "status", "locale", "email_marketing"},
		prefixed("default_address_", addressColumns),
		[]string{"addresses", "tags", "note", "orders_count", "total_spent_minor", "currency", "last_order_at",
			"version", "created_at", "updated_at"})

	addressColumns = []string{"name", "company", "line1", "line2", "city", "region", "postal_code", "country", "phone"}
)

// lineColumns is how many columns at the end of an order's row are of its line.
const lineColumns = 11

// Columns returns the columns of a kind's CSV file. Orders have one row for each
// line item, which repeats what is the order's; tags and addresses are JSON.
func Columns(kind state.ExportKind) []string {
	switch kind {
	case state.ExportOrders:
		return slices.Clone(orderColumns)
	case state.ExportProducts:
		return slices.Clone(productColumns)
	case state.ExportCustomers:
		return slices.Clone(customerColumns)
	}
	return nil
}

func prefixed(prefix string, names []string) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = prefix + n
	}
	return list
}
