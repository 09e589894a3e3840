package intake

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

// choice is an option of a product in the form of an export.
type choice struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// sold reads the variants of a product, or what it costs itself.
func (m *mapper) sold() {
	if m.members["variants"] != nil { // of an export; the other columns only sum them up
		m.unit(m.rows[0], m.members)
		m.customVariants(m.rows[0])
		return
	}
	rows := m.variantRows()
	names := optionNames(rows)
	if len(names) == 0 {
		if len(rows) > 1 {
			m.wrong("It has %d variants, but no option in which they differ.", len(rows))
			return
		}
		m.unit(rows[0], m.members)
		m.custom(rows[0], state.FieldsOfVariants, m.members, "variant_custom_fields")
		return
	}
	options := make([]choice, len(names))
	for n, name := range names {
		options[n].Name = m.clip("name of an option", name, limit.Label)
	}
	if over := len(rows) - limit.Variants; over > 0 {
		m.note("%d variants above %d are not imported.", over, limit.Variants)
		rows = rows[:limit.Variants]
	}
	list := make([]map[string]any, 0, len(rows))
	for _, r := range rows {
		v := map[string]any{}
		if m.unit(r, v); v["price_minor"] == nil {
			m.wrong("Line %d: the price is missing.", r.line)
		}
		m.custom(r, state.FieldsOfVariants, v, "custom_fields")
		values := make([]string, len(options))
		for n := range options {
			o := &options[n]
			values[n] = m.clip("value of an option", lineOf(r.get(option(n, "value"))), limit.Label)
			if values[n] == "" {
				m.wrong("Line %d: the value of the option %s is missing.", r.line, o.Name)
			}
			if !slices.Contains(o.Values, values[n]) {
				o.Values = append(o.Values, values[n])
			}
		}
		v["options"] = values
		if image := m.shows[r]; image != nil && image.ID != "" {
			v["image"] = image.ID
		}
		list = append(list, v)
	}
	m.members["options"], m.members["variants"] = options, list
}

// variantRows returns the rows that are variants: those below a parent, if there are any, or those
// with a price or a value of an option. Other rows only have an image.
func (m *mapper) variantRows() (rows []*row) {
	for _, r := range m.rows {
		if r.get("parent") != "" {
			rows = append(rows, r)
		}
	}
	if rows != nil {
		return rows
	}
	for i, r := range m.rows {
		if i == 0 || r.get("price") != "" || r.get("price_minor") != "" || r.get("option1_value") != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

// optionNames reads the names of the options. A product without any may have one called Title.
func optionNames(rows []*row) (names []string) {
	first := rows[0]
	for n := range maxOptions {
		name := lineOf(first.get(option(n, "name")))
		if name == "" || n == 0 && name == "Title" && first.get(option(n, "value")) == "Default Title" ||
			first.get("parent") == "" && first.get("kind") == "simple" {
			break
		}
		names = append(names, name)
	}
	return names
}

// unit reads what a variant costs, how it is named, and its stock.
func (m *mapper) unit(r *row, into map[string]any) {
	for _, member := range []string{"price", "compare_at_price", "cost"} {
		m.amount(r, member, into)
	}
	price, ok := into["price_minor"].(int64)
	former, is := into["compare_at_price_minor"].(int64)
	if _, foreign := r.given("price"); foreign && is && ok && former <= price {
		into["compare_at_price_minor"] = nil // not a price that would be shown as former
	}
	if text, ok := r.given("sku"); ok {
		into["sku"] = null(m.clip("SKU", lineOf(text), limit.Line))
	}
	if code, ok := r.given("barcode"); ok {
		if code != "" && !isGTIN(code) {
			m.note("Line %d: the barcode %q is not a GTIN and is not imported.", r.line, Clip(code, sampleLen))
			code = ""
		}
		into["barcode"] = null(code)
	}
	m.weight(r, into)
	m.stock(r, into)
}

func null(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// amount reads a decimal amount, or one in minor units.
func (m *mapper) amount(r *row, member string, into map[string]any) {
	var v *int64
	var err error
	text, ok := r.given(member)
	if ok {
		v, err = Money(text, m.currency)
	} else if text, ok = r.given(member + "_minor"); ok {
		v, err = Whole(text)
	}
	switch {
	case err != nil:
		m.wrong("Line %d: the %s %q is not an amount in %s.", r.line, strings.ReplaceAll(member, "_", " "),
			Clip(text, sampleLen), m.currency)
	case v != nil:
		into[member+"_minor"] = *v
	case ok && member != "price":
		into[member+"_minor"] = nil
	}
}

func (m *mapper) weight(r *row, into map[string]any) {
	text, ok := r.given("weight_grams")
	factor := 1.0
	if !ok {
		text, ok = r.given("weight_kg")
		factor = 1000
	}
	if !ok {
		return
	}
	if text == "" {
		into["weight_grams"] = nil
		return
	}
	v, err := strconv.ParseFloat(text, 64)
	if v *= factor; err != nil || math.IsNaN(v) || v < 0 || v > limit.Weight {
		m.wrong("Line %d: %q is not a weight.", r.line, Clip(text, sampleLen))
		return
	}
	into["weight_grams"] = int64(math.Round(v))
}

// stock reads the inventory; null is not tracked.
func (m *mapper) stock(r *row, into map[string]any) {
	text, ok := r.given("inventory_quantity")
	if !ok {
		return
	}
	into["inventory_quantity"] = nil
	tracker, managed := r.given("inventory_tracker")
	if managed && (tracker == "" || no(tracker)) {
		return
	}
	if policy := r.get("inventory_policy"); strings.EqualFold(policy, "continue") || yes(policy) {
		m.note("Line %d is sold even without stock, so its stock is not tracked.", r.line)
		return
	}
	n, err := Whole(text)
	switch {
	case err != nil:
		m.wrong("Line %d: the stock %q is not an integer.", r.line, Clip(text, sampleLen))
	case n == nil && managed:
		m.note("Line %d has no quantity: its stock is not tracked.", r.line)
	case n == nil:
	case *n < 0:
		m.note("Line %d has %d units too few: its stock is 0.", r.line, -*n)
		into["inventory_quantity"] = int64(0)
	default:
		into["inventory_quantity"] = *n
	}
}
