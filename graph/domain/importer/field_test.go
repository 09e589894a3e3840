package importer_test

import (
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// fieldTypes are a field of each type, and a second text.
var fieldTypes = map[string]state.CustomFieldType{"w.text": state.FieldText, "w.second": state.FieldText,
	"w.number": state.FieldNumber, "w.boolean": state.FieldBoolean, "w.date": state.FieldDate,
	"w.money": state.FieldMoney, "w.url": state.FieldURL, "w.json": state.FieldJSON, "w.list": state.FieldList}

// values are difficult for a file.
var values = []document.CustomFields{
	document.CustomFields(`{"w.text":"=1+1, \"x\"\r\ny","w.second":"-","w.number":-12.50,"w.boolean":false,` +
		`"w.date":"2026-01-31","w.money":{"amount_minor":1999,"currency":"EUR"},"w.url":"https://e.com/?a=1,2",` +
		`"w.json":{"a":["=1",null,{"b":"c\nd"}]},"w.list":["a, b","=c","'d"]}`),
	document.CustomFields(`{"w.text":"'1 Quay","w.list":[],"w.number":5}`),
	document.CustomFields(`{"w.text":" ''+49 x ","w.boolean":true}`),
}

// withFields returns two stores with the same fields, of which the first has records with values.
func withFields(t *testing.T, p *graphtest.Shop) (other *graphtest.Shop) {
	other = p.Other(t)
	for _, s := range []*graphtest.Shop{p, other} {
		for _, owner := range []state.CustomFieldOwner{state.FieldsOfProducts, state.FieldsOfVariants,
			state.FieldsOfCustomers, state.FieldsOfOrders} {
			for _, name := range slices.Sorted(maps.Keys(fieldTypes)) {
				graphtest.Must[*model.CustomFieldPayload](t)(s.Mutation().CustomFieldCreate(s.Ctx,
					model.CustomFieldCreateInput{Owner: owner, Name: name, Label: "A " + name, Type: fieldTypes[name]}))
			}
		}
	}
	mug, shirt := graphtest.Mug(), graphtest.Shirt()
	mug.CustomFields, shirt.CustomFields = values[0], values[1]
	mug.Variants = []*model.ProductVariantInput{{PriceMinor: mug.PriceMinor,
		CustomFields: model.GivenIf(true, values[0])}}
	mug.Sku, mug.InventoryQuantity, mug.CompareAtPriceMinor = nil, nil, nil
	for i, v := range shirt.Variants {
		v.CustomFields = model.GivenIf(i != 1, values[i%len(values)])
	}
	graphtest.NewProduct(t, p.Ctx, p.Resolver, mug)
	graphtest.NewProduct(t, p.Ctx, p.Resolver, shirt)
	ada := graphtest.Ada()
	ada.CustomFields = values[0]
	graphtest.NewCustomer(t, p.Ctx, p.Resolver, ada)
	for _, v := range values {
		in := model.OrderCreateInput{Lines: []*model.OrderLineInput{graphtest.CustomLine("Repair", 2, 500)},
			Source: "test", CustomFields: v}
		graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCreate(p.Ctx, in))
	}
	return other
}

func tableInput(kind state.ImportKind, file string) model.ImportStartInput {
	in := input(file)
	in.Kind = kind
	return in
}

// customOnly returns the cells of custom fields of a table, by their headings.
func customOnly(t testing.TB, file string) (list []map[string]string) {
	rows := graphtest.Must[[][]string](t)(csv.NewReader(strings.NewReader(file)).ReadAll())
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			if strings.Contains(name, "custom_fields") {
				cells[name] = row[i]
			}
		}
		list = append(list, cells)
	}
	return list
}

// without returns a table without a column.
func without(t testing.TB, file string, names ...string) string {
	rows := graphtest.Must[[][]string](t)(csv.NewReader(strings.NewReader(file)).ReadAll())
	for i, name := range rows[0] {
		for _, drop := range names {
			if name == drop {
				rows[0][i] = "dropped"
			}
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFieldColumns: fields of every type are exported, imported, and exported again with the same cells.
func TestFieldColumns(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := withFields(t, p)
		for _, kind := range []state.ExportKind{state.ExportProducts, state.ExportCustomers, state.ExportOrders} {
			file := tableOf(t, p, kind)
			want := customOnly(t, file)
			if n := len(want[0]); n != 1+len(fieldTypes) && (kind != state.ExportProducts || n != 1+2*len(fieldTypes)) {
				t.Errorf("%s: %d columns", kind, n)
			}
			if i := run(t, other, tableInput(state.ImportKind(kind), file)); i.FailedCount > 0 || i.CreatedCount == 0 {
				t.Fatalf("%s: %v, %q", kind, counts(i), findings(t, other, i))
			}
			if d := cmp.Diff(want, customOnly(t, tableOf(t, other, kind))); d != "" {
				t.Errorf("%s (-want +got):\n%s", kind, d)
			}
			for name, s := range map[string]*graphtest.Shop{"again": other, "its own store": p} {
				i := run(t, s, tableInput(state.ImportKind(kind), file))
				if i.FailedCount > 0 || i.UpdatedCount > 0 {
					t.Errorf("%s, %s: %v, %q", kind, name, counts(i), findings(t, s, i))
				}
			}
		}
	})
}

// TestFieldCells: a changed cell of a field wins over the cell with all of them, and an empty one removes.
func TestFieldCells(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		withFields(t, p)
		file := tableOf(t, p, state.ExportProducts)
		for _, from := range []string{file, without(t, file, "custom_fields")} {
			changed := strings.Replace(from, ",1999 EUR,", ",,", 1)
			changed = strings.ReplaceAll(changed, `,"https://e.com/?a=1,2"`, `,"https://e.com/?a=3"`)
			i := run(t, p, tableInput(state.ImportProducts, changed))
			if i.FailedCount > 0 || i.UpdatedCount+i.UnchangedCount != 2 {
				t.Fatalf("%v, %q", counts(i), findings(t, p, i))
			}
			row := customOnly(t, tableOf(t, p, state.ExportProducts))[0]
			if row["custom_fields.w.money"] != "" || row["variant_custom_fields.w.money"] == "" {
				t.Errorf("the amounts are %q", row)
			}
			const url = "https://e.com/?a=3"
			if row["custom_fields.w.url"] != url || row["variant_custom_fields.w.url"] != url {
				t.Errorf("the addresses are %q", row)
			}
		}
		bad := strings.Replace(file, "2026-01-31,", "soon,", 2)
		if i := run(t, p, tableInput(state.ImportProducts, bad)); i.FailedCount != 1 {
			t.Errorf("%v, %q", counts(i), findings(t, p, i))
		}
	})
}
