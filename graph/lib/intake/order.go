package intake

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

// orderMembers are those of an order and, with their prefix, of its lines. Amounts are decimal, or with
// an underscore and minor in minor units.
var orderMembers = slices.Concat([]string{"own_id", "number", "external_number", "status", "financial_status",
	"fulfillment_status", "currency", "subtotal", "subtotal_minor", "discount", "discount_minor", "shipping",
	"shipping_minor", "tax", "tax_minor", "total", "total_minor", "paid", "paid_minor", "refunded", "refunded_minor",
	"outstanding", "net_subtotal", "duties", "tip", "fees", "included_tax", "included_tax_minor", "email", "tags",
	"source", "note", "placed_at", "paid_at", "fulfilled_at", "cancelled_at", "completed_at", "discount_code",
	"shipping_method", "payment_method", "payment_reference", "taxes", "vat_id", "tax_relief", "custom_fields",
	"order_status", "line_item_id", "line_item_title", "line_item_sku", "line_item_quantity",
	"line_item_fulfilled_quantity", "line_item_refunded_quantity", "line_item_status", "line_item_unit_price",
	"line_item_unit_price_minor", "line_item_subtotal", "line_item_net", "line_item_discount",
	"line_item_discount_minor", "line_item_tax", "line_item_tax_minor", "line_item_total", "line_item_total_minor",
	"line_item_options", "line_item_requires_shipping"}, prefixed("billing_"), prefixed("shipping_"))

// prefixed returns the members of an address with a prefix.
func prefixed(prefix string) (list []string) {
	for _, member := range addressMembers {
		list = append(list, prefix+member)
	}
	return list
}

var orderDerived = []string{
	"customer_id", "notes_count", "version", "created_at", "updated_at", "line_item_product_id",
	"line_item_variant_id", "id", "accepts marketing", "lineitem compare at price", "lineitem requires shipping",
	"lineitem taxable", "billing street", "shipping street", "billing province name", "shipping province name",
	"payment references", "payment id", "vendor", "receipt number", "risk level", "tax 1 name", "tax 1 value",
	"item_id", "item_product_id", "item_price", "item_meta", "line_items", "fee_items", "tax_items", "coupon_items",
	"refunds", "order_notes", "discount_total", "shipping_tax_total", "fee_tax_total", "item_subtotal_tax",
	"item_total_tax", "item_refunded", "billing_state_code", "shipping_state_code", "billing_first_name",
	"billing_last_name", "shipping_first_name", "shipping_last_name",
}

var orderColumns = map[string]map[string]string{
	Storefront: {"order_id": "own_id"},
	Shopify: withAddresses(map[string]string{
		"name": "external_number", "email": "email", "financial status": "financial_status", "paid at": "paid_at",
		"fulfillment status": "fulfillment_status", "fulfilled at": "fulfilled_at", "currency": "currency",
		"subtotal": "net_subtotal", "shipping": "shipping", "taxes": "tax", "total": "total",
		"discount code": "discount_code", "discount amount": "discount", "shipping method": "shipping_method",
		"created at": "placed_at", "lineitem quantity": "line_item_quantity", "lineitem name": "line_item_title",
		"lineitem price": "line_item_unit_price", "lineitem sku": "line_item_sku",
		"lineitem fulfillment status": "line_item_status", "lineitem discount": "line_item_discount",
		"notes": "note", "cancelled at": "cancelled_at", "payment method": "payment_method",
		"payment reference": "payment_reference", "refunded amount": "refunded", "outstanding balance": "outstanding",
		"tags": "tags", "duties": "duties", "tip": "tip",
	}, "%s name", "%s company", "%s address1", "%s address2", "%s city", "%s province", "%s zip", "%s country",
		"%s phone"),
	WooCommerce: withAddresses(map[string]string{
		"order_number": "external_number", "order_number_formatted": "external_number", "order_id": "number",
		"date": "placed_at", "order_date": "placed_at", "status": "order_status", "order_currency": "currency",
		"shipping_total": "shipping", "tax_total": "tax", "fee_total": "fees", "order_total": "total",
		"refunded_total": "refunded", "payment_method": "payment_method", "shipping_method": "shipping_method",
		"billing_email": "email", "customer_note": "note", "vat_number": "vat_id", "paid_date": "paid_at",
		"completed_date": "fulfilled_at", "item_name": "line_item_title", "item_sku": "line_item_sku",
		"item_quantity": "line_item_quantity", "item_subtotal": "line_item_subtotal", "item_total": "line_item_net",
		"item_refunded_qty": "line_item_refunded_quantity",
	}, "%s_full_name", "%s_company", "%s_address_1", "%s_address_2", "%s_city", "%s_state", "%s_postcode",
		"%s_country", "%s_phone"),
	Unknown: {"order": "external_number", "order number": "external_number", "name": "external_number",
		"e-mail": "email", "date": "placed_at", "created_at": "placed_at", "taxes": "tax", "sku": "line_item_sku",
		"title": "line_item_title", "product": "line_item_title", "quantity": "line_item_quantity",
		"price": "line_item_unit_price", "unit price": "line_item_unit_price", "refunded amount": "refunded"},
}

// withAddresses adds the columns of both addresses to a table, in the order of [addressMembers]. %s stands
// for billing or shipping.
func withAddresses(table map[string]string, names ...string) map[string]string {
	for _, which := range []string{"billing", "shipping"} {
		for i, name := range names {
			table[strings.Replace(name, "%s", which, 1)] = which + "_" + addressMembers[i]
		}
	}
	return table
}

var orderMarks = []mark{
	{Shopify, []string{"name", "lineitem name", "lineitem price"}},
	{WooCommerce, []string{"order_number", "item_name", "item_subtotal"}},
	{WooCommerce, []string{"order_id", "item_name", "item_subtotal"}},
	{Storefront, []string{"order_id", "line_item_title"}},
	{Storefront, []string{"external_number", "line_item_title"}},
}

// sameOrder reports whether a row has a line of the same order.
func sameOrder(first, more *row) bool {
	for _, member := range []string{"own_id", "external_number", "number"} {
		if text := first.get(member); text != "" {
			return more.get(member) == text
		}
	}
	return false
}

// readOrder sets the JSON of a record, or its problem. Findings name no person: an order is known by its
// number.
func readOrder(f *Form, r *Record, rows []*row) {
	m := &orderMapper{mapper: &mapper{Record: r, rows: rows, currency: f.currency, members: map[string]any{}}}
	first := rows[0]
	for _, member := range []string{"external_number", "number", "own_id"} {
		if r.Name == "" {
			r.Name = Clip(lineOf(first.get(member)), limit.Label)
		}
	}
	m.texts(f.Source)
	m.moments("placed_at", "paid_at", "fulfilled_at", "cancelled_at", "completed_at")
	m.address("billing_", "billing_address")
	m.address("shipping_", "shipping_address")
	if tags, ok := first.given("tags"); ok {
		m.tags(tags)
	}
	m.cells("taxes", "custom_fields")
	m.custom(first, state.FieldsOfOrders, m.members, "custom_fields")
	m.items(f.Source)
	if f.Source != Storefront && m.Problem == "" {
		m.sums(f.Source)
		m.past()
	}
	if m.Problem == "" {
		r.encode(m.members)
	}
}

// orderMapper turns the rows of an order into members of an export.
type orderMapper struct {
	*mapper
	lines []*orderLine
}

// orderLine is a line of an order, with its sum before discounts and what it is shortened by.
type orderLine struct {
	members          map[string]any
	row              *row
	gross, off, less int64
}

// clipped are the texts of orders that are shortened.
var clipped = map[string]int{"external_number": limit.Label, "source": limit.Source, "discount_code": limit.Code,
	"shipping_method": limit.Line, "payment_method": limit.Label, "payment_reference": limit.Line}

func (m *orderMapper) texts(source string) {
	first := m.rows[0]
	for member, most := range clipped {
		if text := lineOf(first.get(member)); text != "" {
			m.members[member] = m.clip(member, text, most)
		}
	}
	texts := []string{"email", "vat_id", "tax_relief"}
	switch source {
	case Storefront:
		texts = append(texts, "status", "financial_status", "fulfillment_status")
	case Shopify, WooCommerce:
		m.members["source"] = source
	}
	for _, member := range texts {
		if text := lineOf(first.get(member)); text != "" {
			m.members[member] = text
		}
	}
	if id := first.get("own_id"); id != "" {
		m.members["id"] = id
	}
	if code := first.get("currency"); code != "" {
		m.currency = strings.ToUpper(code)
		m.members["currency"] = m.currency
	}
	if n := m.whole(first, "number"); n != nil {
		m.members["number"] = *n
	}
	if note := first.get("note"); note != "" {
		m.members["note"] = m.clip("note", note, limit.Note)
	}
	for _, member := range []string{"subtotal", "discount", "shipping", "tax", "total", "paid", "refunded",
		"included_tax"} {
		if v := m.money(first, member); v != nil {
			m.members[member+"_minor"] = *v
		}
	}
}

// money reads a decimal amount, or one in minor units; nil if the cell is empty.
func (m *orderMapper) money(r *row, member string) *int64 {
	into := map[string]any{}
	m.amount(r, member, into)
	if v, ok := into[member+"_minor"].(int64); ok {
		return &v
	}
	return nil
}

// zero is [orderMapper.money] of a cell that is 0 if it is empty.
func (m *orderMapper) zero(r *row, member string) int64 {
	if v := m.money(r, member); v != nil {
		return *v
	}
	return 0
}

// items reads the lines. Other systems keep removed lines with quantity 0.
func (m *orderMapper) items(source string) {
	list := []map[string]any{}
	for _, r := range m.rows {
		l := &orderLine{members: map[string]any{}, row: r}
		for member, most := range map[string]int{"title": limit.Line, "sku": limit.Line} {
			if text := lineOf(r.get("line_item_" + member)); text != "" {
				l.members[member] = m.clip(member+" of a line", text, most)
			}
		}
		if id := r.get("line_item_id"); id != "" {
			l.members["id"] = id
		}
		for _, member := range []string{"quantity", "fulfilled_quantity", "refunded_quantity"} {
			if n := m.whole(r, "line_item_"+member); n != nil {
				l.members[member] = *n
			}
		}
		for _, member := range []string{"unit_price", "discount", "tax", "total"} {
			if v := m.money(r, "line_item_"+member); v != nil {
				l.members[member+"_minor"] = *v
			}
		}
		if text := r.get("line_item_options"); text != "" {
			l.members["options"] = json.RawMessage(text)
		}
		if text := r.get("line_item_requires_shipping"); text != "" {
			l.members["requires_shipping"] = yes(text)
		}
		switch n, given := l.members["quantity"].(int64); {
		case len(l.members) == 0 && len(m.rows) == 1 && source == Storefront:
		case given && n == 0 && source != Storefront:
			m.note("Line %d has the quantity 0 and is not imported.", r.line)
		default:
			m.lines = append(m.lines, l)
			list = append(list, l.members)
		}
	}
	m.members["line_items"] = list
}
