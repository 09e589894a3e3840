package intake

import (
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// stockMembers are those of a line of an adjustment. The quantity on hand, with what is committed and
// unavailable, is of Shopify, which has a row for each location.
var stockMembers = []string{"variant_id", "sku", "quantity", "delta", "expected", "reason", "reference", "location",
	"on_hand", "committed", "unavailable", "handle", "title", "option1_value", "option2_value", "option3_value"}

var stockDerived = []string{"product_id", "option1 name", "option2 name", "option3 name", "hs code", "coo", "bin name",
	"incoming", "incoming (not editable)", "on hand (current)"}

var stockColumns = map[string]map[string]string{
	Shopify: {
		"handle": "handle", "title": "title", "option1 value": "option1_value", "option2 value": "option2_value",
		"option3 value": "option3_value", "sku": "sku", "location": "location", "available": "quantity",
		"available (not editable)": "quantity", "on hand": "on_hand", "on hand (new)": "on_hand",
		"committed": "committed", "committed (not editable)": "committed", "unavailable": "unavailable",
		"unavailable (not editable)": "unavailable",
	},
	Storefront: {"id": "variant_id", "inventory_quantity": "quantity", "set": "quantity"},
	Unknown: {"stock": "quantity", "inventory_quantity": "quantity", "qty": "quantity", "set": "quantity",
		"change": "delta", "difference": "delta", "article number": "sku", "note": "reason"},
}

var stockMarks = []mark{
	{Shopify, []string{"handle", "sku", "location"}},
	{Storefront, []string{"variant_id"}},
	{Storefront, []string{"sku", "quantity"}},
	{Storefront, []string{"sku", "delta"}},
}

// sameStock reports whether a row has the stock of the same variant at another location.
func sameStock(first, more *row) bool {
	for _, member := range []string{"sku", "handle", "option1_value", "option2_value", "option3_value"} {
		if first.get(member) != more.get(member) {
			return false
		}
	}
	if isLocation(first) || isLocation(more) {
		return false
	}
	return first.get("delta") == "" && more.get("location") != "" && more.get("location") != first.get("location")
}

// isLocation reports whether a row names a location of ours. Those of other systems are added up.
func isLocation(r *row) bool { return strings.HasPrefix(r.get("location"), string(xid.Location)+"_") }

// readStock sets the JSON of a record, or its problem.
func readStock(_ *Form, r *Record, rows []*row) {
	first, members := rows[0], map[string]any{}
	for _, key := range []string{"sku", "variant_id", "handle", "title"} {
		if r.Name == "" {
			r.Name = Clip(lineOf(first.get(key)), limit.Line)
		}
	}
	for _, member := range []string{"variant_id", "sku", "reason", "reference"} {
		if text := lineOf(first.get(member)); text != "" && (member != "sku" || members["variant_id"] == nil) {
			members[member] = text
		}
	}
	if isLocation(first) {
		members["location"] = lineOf(first.get("location"))
	}
	for _, member := range []string{"delta", "expected"} {
		if n := r.whole(first, member); n != nil {
			members[member] = *n
		}
	}
	if members["delta"] == nil {
		r.quantity(rows, members)
	}
	switch {
	case r.Problem != "":
	case members["variant_id"] == nil && members["sku"] == nil:
		r.Problem = "The row has no SKU, by which its variant is found."
	default:
		r.encode(members)
	}
}

// quantity sets the stock that can be sold, over all locations.
func (r *Record) quantity(rows []*row, members map[string]any) {
	var sum int64
	given := 0
	for _, row := range rows {
		n := r.whole(row, "quantity")
		if hand := r.whole(row, "on_hand"); hand != nil {
			n = new(*hand - r.part(row, "committed") - r.part(row, "unavailable"))
		}
		if n != nil {
			sum += *n
			given++
		}
	}
	if given == 0 {
		if r.Problem == "" {
			r.Problem = "The row has no quantity and no delta."
		}
		return
	}
	if given > 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("The stock of %d locations is added.", given))
	}
	if _, hand := rows[0].given("on_hand"); hand && sum < 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d units too few: its stock is 0.", -sum))
		sum = 0
	}
	members["quantity"] = sum
}

func (r *Record) part(row *row, member string) int64 {
	if n := r.whole(row, member); n != nil {
		return *n
	}
	return 0
}

// whole reads an integer; nil for an empty cell or a location that does not stock the variant.
func (r *Record) whole(row *row, member string) *int64 {
	text := row.get(member)
	if strings.EqualFold(text, "not stocked") {
		return nil
	}
	n, err := Whole(text)
	if err != nil && r.Problem == "" {
		r.Problem = fmt.Sprintf("Line %d: the %s %q is not an integer.", row.line, strings.ReplaceAll(member, "_", " "),
			Clip(text, sampleLen))
	}
	return n
}
