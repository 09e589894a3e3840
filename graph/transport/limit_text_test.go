package transport

import (
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/lib/cost"
)

// shortTexts holds the fields whose column allows longer texts than their limit: 5,000 characters
// at most.
var shortTexts = []string{"App.redirectUris", "Collection.description", "Customer.note", "Fulfillment.trackingUrl",
	"ImportFinding.detail",
	"OrderNote.body", "Notification.body", "Product.imageUrl"}

// TestLongTextsCost checks that each field with long texts costs more, unless its limit is low.
func TestLongTextsCost(t *testing.T) {
	known := 0
	for _, table := range migrate.Tables {
		for _, c := range table.Columns {
			if c.SchemaType[dialect.MySQL] != "mediumtext" {
				continue
			}
			for _, object := range []string{typeOf(table.Name), "Order" + typeOf(table.Name)} {
				def := graph.Schema().Types[object]
				name := fieldOf(c.Name)
				if def == nil || def.Fields.ForName(name) == nil {
					continue
				}
				known++
				if full := object + "." + name; !slices.Contains(slices.Concat(cost.LongTexts, shortTexts), full) {
					t.Errorf("%s is a long text: add it to cost.LongTexts", full)
				}
			}
		}
	}
	if known < 5 {
		t.Errorf("only %d fields were found", known)
	}
	for _, full := range cost.LongTexts {
		object, name, _ := strings.Cut(full, ".")
		if def := graph.Schema().Types[object]; def == nil || def.Fields.ForName(name) == nil {
			t.Errorf("there is no %s", full)
		}
	}
}

// typeOf returns the type of the schema for a table.
func typeOf(table string) string { return upper(strings.TrimSuffix(table, "s")) }

func fieldOf(column string) string {
	first, rest, _ := strings.Cut(column, "_")
	return first + upper(rest)
}

// upper capitalizes the first letter of each word of a name.
func upper(name string) (joined string) {
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			joined += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return joined
}
