package intake

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
)

// discountMembers are those of a discount, and what other systems have in their place: a percent such
// as 12.5, decimal amounts, and a value whose meaning the kind decides.
var discountMembers = []string{"code", "kind", "basis_points", "percent", "amount_minor", "amount", "value",
	"starts_at", "ends_at", "least_minor", "least", "uses_max", "customer_uses_max", "once_per_customer", "active",
	"collection_ids"}

var discountDerived = []string{"id", "uses", "version", "created_at", "updated_at", "times used in total",
	"usage_count"}

var discountColumns = map[string]map[string]string{
	Shopify: {
		"name": "code", "code": "code", "title": "code", "value": "value", "value type": "kind", "type": "kind",
		"start": "starts_at", "starts at": "starts_at", "end": "ends_at", "ends at": "ends_at", "status": "active",
		"usage limit per code": "uses_max", "applies once per customer": "once_per_customer",
	},
	WooCommerce: {
		"post_title": "code", "code": "code", "discount_type": "kind", "coupon_amount": "value", "amount": "value",
		"expiry_date": "ends_at", "date_expires": "ends_at", "usage_limit": "uses_max",
		"usage_limit_per_user": "customer_uses_max", "minimum_amount": "least", "post_status": "active",
	},
	Unknown: {"name": "code", "coupon": "code", "type": "kind", "from": "starts_at", "until": "ends_at",
		"minimum": "least", "status": "active"},
}

var discountMarks = []mark{
	{Shopify, []string{"value", "value type"}},
	{WooCommerce, []string{"discount_type"}},
	{Storefront, []string{"code", "kind"}},
}

var discountKinds = map[string]string{"percent": "percent", "percentage": "percent", "amount": "amount",
	"fixed_amount": "amount", "fixed amount": "amount", "fixed_cart": "amount", "free_shipping": "free_shipping",
	"free shipping": "free_shipping", "shipping": "free_shipping"}

// readDiscount sets the JSON of a record, or its problem. A type that has no counterpart fails.
func readDiscount(f *Form, r *Record, rows []*row) {
	m := &mapper{Record: r, rows: rows, currency: f.currency, members: map[string]any{}}
	first := rows[0]
	code := lineOf(first.get("code"))
	if r.Name = Clip(code, limit.Line); code != "" {
		m.members["code"] = code
	}
	if kind := strings.ToLower(first.get("kind")); kind != "" {
		if m.members["kind"] = discountKinds[kind]; m.members["kind"] == "" {
			m.wrong("The type of discount %q has no counterpart.", Clip(kind, sampleLen))
		}
	}
	m.worth()
	for _, member := range []string{"uses_max", "customer_uses_max", "basis_points"} {
		if _, ok := first.given(member); ok {
			m.members[member] = r.whole(first, member)
		}
	}
	if text := first.get("once_per_customer"); yes(text) {
		m.members["customer_uses_max"] = 1
	}
	m.amount(first, "amount", m.members)
	m.amount(first, "least", m.members)
	for _, member := range []string{"starts_at", "ends_at"} {
		if text, ok := first.given(member); ok && text == "" {
			m.members[member] = nil
		}
	}
	m.moments("starts_at", "ends_at")
	m.active()
	if text := first.get("collection_ids"); text != "" {
		list := strings.Split(text, ",")
		if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) != nil {
			m.wrong("The collection IDs are not a list of texts in JSON.")
		}
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		m.members["collection_ids"] = list
	}
	if r.Problem == "" {
		r.encode(m.members)
	}
}

// worth reads a value or a percent. The other measure is cleared.
func (m *mapper) worth() {
	percent, value := m.rows[0].get("percent"), strings.TrimLeft(m.rows[0].get("value"), "-")
	kind := m.members["kind"]
	if kind == "percent" && percent == "" {
		percent = value
	}
	if percent = strings.TrimSuffix(percent, "%"); percent != "" {
		v, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err != nil || math.IsNaN(v) || v <= 0 || v > 100 {
			m.wrong("%q is not a percentage.", Clip(percent, sampleLen))
			return
		}
		m.members["basis_points"] = int64(math.Round(v * 100))
	}
	if kind == "amount" && value != "" {
		v, err := Money(value, m.currency)
		if err != nil {
			m.wrong("The value %q is not an amount in %s.", Clip(value, sampleLen), m.currency)
			return
		}
		m.members["amount_minor"] = *v
	}
	if _, ok := m.rows[0].given("value"); ok && kind == "amount" {
		m.members["basis_points"] = nil
	} else if ok {
		m.members["amount_minor"] = nil
	}
}

// active reads whether a discount can be used. One that ended has its end.
func (m *mapper) active() {
	switch text := strings.ToLower(m.rows[0].get("active")); {
	case text == "":
	case yes(text), text == "active", text == "scheduled", text == "publish", text == "enabled":
		m.members["active"] = true
	case no(text), text == "expired", text == "draft", text == "disabled", text == "inactive", text == "private":
		m.members["active"] = false
	default:
		m.wrong("The status %q is not active or inactive.", Clip(text, sampleLen))
	}
}
