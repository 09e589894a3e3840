package customfield_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func define(t *testing.T, p *graphtest.Shop, owner state.CustomFieldOwner, name string, kind state.CustomFieldType,
	filterable bool,
) *db.CustomField {
	t.Helper()
	in := model.CustomFieldCreateInput{Owner: owner, Name: name, Label: name, Type: kind, Filterable: filterable}
	return graphtest.Must[*model.CustomFieldPayload](t)(p.Mutation().CustomFieldCreate(p.Ctx, in)).CustomField
}

func TestCustomFields(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		f := define(t, p, state.FieldsOfProducts, "details.material", state.FieldText, false)
		define(t, p, state.FieldsOfOrders, "details.material", state.FieldJSON, false) // another owner's
		in := model.CustomFieldCreateInput{Owner: state.FieldsOfProducts, Name: "a.b", Label: "B",
			Type: state.FieldText}
		for want, edit := range map[string]func(*model.CustomFieldCreateInput){
			"#/name taken": func(in *model.CustomFieldCreateInput) { in.Name = f.Name },
			"#/name invalid_format": func(in *model.CustomFieldCreateInput) {
				in.Name = "details.m\u0430terial" // a Cyrillic letter
			},
			"#/name too_long": func(in *model.CustomFieldCreateInput) {
				in.Name = "a." + strings.Repeat("b", 63)
			},
			"#/label too_short":     func(in *model.CustomFieldCreateInput) { in.Label = " " },
			"#/type unknown_value":  func(in *model.CustomFieldCreateInput) { in.Type = "color" },
			"#/owner unknown_value": func(in *model.CustomFieldCreateInput) { in.Owner = "page" },
			"#/visible_in_shop out_of_range": func(in *model.CustomFieldCreateInput) {
				in.Owner, in.VisibleInShop = state.FieldsOfCustomers, true
			},
			"#/filterable out_of_range": func(in *model.CustomFieldCreateInput) {
				in.Type, in.Filterable = state.FieldJSON, true
			},
			"#/filterable out_of_range ": func(in *model.CustomFieldCreateInput) {
				in.Owner, in.Type, in.Filterable = state.FieldsOfVariants, state.FieldList, true
			},
		} {
			bad := in
			edit(&bad)
			err := graphtest.ErrOf(m.CustomFieldCreate(p.Ctx, bad))
			if got := graphtest.FieldOf(err); got != strings.TrimSpace(want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		other := p.Other(t)
		for _, err := range []error{
			graphtest.ErrOf(other.Query().CustomField(other.Ctx, f.PublicID())),
			graphtest.ErrOf(other.Mutation().CustomFieldUpdate(other.Ctx, f.PublicID(), 1,
				model.CustomFieldUpdateInput{})),
			graphtest.ErrOf(other.Mutation().CustomFieldDelete(other.Ctx, f.PublicID(), 1)),
		} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Errorf("another store: %v", err)
			}
		}
		changed := graphtest.Must[*model.CustomFieldPayload](t)(m.CustomFieldUpdate(p.Ctx, f.PublicID(), 1,
			model.CustomFieldUpdateInput{Label: model.Some("Made of"), VisibleInShop: model.Some(true)})).CustomField
		if changed.Label != "Made of" || !changed.VisibleInShop || changed.Version != 2 {
			t.Errorf("changed %v", changed)
		}
		of := state.FieldsOfProducts
		list := graphtest.Must[*model.CustomFieldConnection](t)(p.Query().CustomFields(p.Ctx, &of, nil, nil))
		if len(list.Nodes) != 1 || list.Nodes[0].ID != f.ID {
			t.Errorf("listed %v", list.Nodes)
		}
	})
}

func values(text string) document.CustomFields { return document.CustomFields(text) }

// Values are merged, and removed with their field, from every kind of record.
func TestValues(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		var fields []*db.CustomField
		for _, owner := range []state.CustomFieldOwner{state.FieldsOfProducts, state.FieldsOfVariants,
			state.FieldsOfOrders, state.FieldsOfCustomers} {
			fields = append(fields, define(t, p, owner, "a.note", state.FieldText, owner != state.FieldsOfVariants))
			define(t, p, owner, "a.size", state.FieldNumber, false)
		}
		both, note := values(`{"a.size":1.50,"a.note":"Oak"}`), values(`{"a.note":"Oak"}`)
		shirt := graphtest.Shirt()
		shirt.CustomFields, shirt.Variants[0].CustomFields = both, model.Given(both)
		s := graphtest.NewProduct(t, p.Ctx, p.Resolver, shirt)
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
		mug = graphtest.Must[*model.ProductPayload](t)(m.ProductVariantUpdate(p.Ctx, mug.PublicID(), 1, "var"+
			mug.PublicID()[len("prod"):], model.ProductVariantUpdateInput{CustomFields: model.Given(note)})).Product
		o := graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("x", 1, 1))
		changed := graphtest.Must[*model.OrderPayload](t)(m.OrderUpdate(p.Ctx, o.PublicID(), 1,
			model.OrderUpdateInput{CustomFields: model.Given(note)})).Order
		ada := graphtest.Ada()
		ada.CustomFields = both
		c := graphtest.NewCustomer(t, p.Ctx, p.Resolver, ada)
		want := `{"a.note":"Oak","a.size":1.5}`
		for name, got := range map[string]document.CustomFields{"product": s.CustomFields,
			"variant": s.Variants[0].CustomFields, "customer": c.CustomFields} {
			if string(got) != want {
				t.Errorf("%s: %s", name, got)
			}
		}
		if string(mug.VariantCustomFields) != string(note) || string(changed.CustomFields) != string(note) {
			t.Errorf("%s, %s", mug.VariantCustomFields, changed.CustomFields)
		}
		for given, want := range map[string]string{
			`{"a.none":1}`:    "#/custom_fields/a.none unknown_member",
			`{"a.none":null}`: "#/custom_fields/a.none unknown_member",
			`{"a.note":1}`:    "#/custom_fields/a.note invalid_type",
			`{"~/":1}`:        "#/custom_fields/~0~1 unknown_member",
			fmt.Sprintf(`{%q:1}`, strings.Repeat("x", limit.Line+1)): "#/custom_fields unknown_member",
		} {
			_, err := m.ProductUpdate(p.Ctx, s.PublicID(), 1,
				model.ProductUpdateInput{CustomFields: model.Given(values(given))})
			if graphtest.FieldOf(err) != want {
				t.Errorf("%.40s: %v, want %s", given, err, want)
			}
		}
		for _, f := range fields {
			graphtest.Must[*model.CustomFieldDeletePayload](t)(m.CustomFieldDelete(p.Ctx, f.PublicID(), 1))
		}
		s = graphtest.Must[*db.Product](t)(p.Query().Product(p.Ctx, s.PublicID()))
		mug = graphtest.Must[*db.Product](t)(p.Query().Product(p.Ctx, mug.PublicID()))
		left := graphtest.Must[*model.Order](t)(p.Query().Order(p.Ctx, o.PublicID()))
		c = graphtest.Must[*model.Customer](t)(p.Query().Customer(p.Ctx, c.PublicID()))
		for name, got := range map[string]document.CustomFields{"product": s.CustomFields,
			"variant": s.Variants[0].CustomFields, "customer": c.CustomFields} {
			if string(got) != `{"a.size":1.5}` {
				t.Errorf("%s keeps %s", name, got)
			}
		}
		if left.CustomFields != nil || mug.VariantCustomFields != nil || len(left.Lines) != 1 {
			t.Errorf("left %s, %s", left.CustomFields, mug.VariantCustomFields)
		}
		if got := []int64{s.Version, mug.Version, left.Version, c.Version}; !slices.Equal(got, []int64{3, 3, 3, 2}) {
			t.Errorf("versions %d", got)
		}
		define(t, p, state.FieldsOfProducts, "a.note", state.FieldURL, false) // the name is free again
	})
}

// Lists are filtered by filterable fields, at once and after a field becomes filterable.
func TestFilters(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		list := define(t, p, state.FieldsOfProducts, "a.list", state.FieldList, false)
		define(t, p, state.FieldsOfProducts, "a.text", state.FieldText, true)
		define(t, p, state.FieldsOfProducts, "a.price", state.FieldMoney, true)
		mug := graphtest.Mug()
		mug.CustomFields = values(`{"a.text": "Éclair", "a.list": ["red", "blue"],
			"a.price": {"currency": "eur", "amount_minor": 5}}`)
		graphtest.NewProduct(t, p.Ctx, p.Resolver, mug)
		graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Shirt())
		find := func(filters ...*model.CustomFieldFilter) (int, error) {
			c, err := p.Query().Products(p.Ctx, nil, nil, &model.ProductFilter{CustomFields: filters}, nil, nil)
			if err != nil {
				return 0, err
			}
			return len(c.Nodes), nil
		}
		by := func(name, value string) *model.CustomFieldFilter {
			return &model.CustomFieldFilter{Name: name, Value: value}
		}
		if _, err := find(by("a.list", "red")); graphtest.FaultOf(err) != "invalid_parameter" {
			t.Errorf("by a field that is not filterable: %v", err)
		}
		graphtest.Must[*model.CustomFieldPayload](t)(p.Mutation().CustomFieldUpdate(p.Ctx, list.PublicID(), 1,
			model.CustomFieldUpdateInput{Filterable: model.Some(true)}))
		for _, tc := range []struct {
			filters []*model.CustomFieldFilter
			want    int
		}{
			{[]*model.CustomFieldFilter{by("a.text", "eclair ")}, 1},
			{[]*model.CustomFieldFilter{by("a.text", "ecl")}, 0},
			{[]*model.CustomFieldFilter{by("a.list", "Blue"), by("a.price", "5 EUR")}, 1},
			{[]*model.CustomFieldFilter{by("a.list", "blue"), by("a.price", "6 EUR")}, 0},
		} {
			if n, err := find(tc.filters...); n != tc.want || err != nil {
				t.Errorf("%s finds %d, %v", tc.filters[0].Value, n, err)
			}
		}
		if _, err := find(by("a.price", `1,"x":1`)); graphtest.FaultOf(err) != "invalid_parameter" {
			t.Errorf("a malformed amount: %v", err)
		}
		found := graphtest.Must[*model.ProductConnection](t)(p.Query().Products(p.Ctx, nil, nil, nil, new("ecl"), nil))
		if len(found.Nodes) != 1 {
			t.Errorf("a search by the word of a text finds %d", len(found.Nodes))
		}
	})
}

// Products are found by the values of their variants, with and without options, at once and after a field
// becomes filterable.
func TestVariantFilters(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		later := define(t, p, state.FieldsOfVariants, "a.later", state.FieldNumber, false)
		color := define(t, p, state.FieldsOfVariants, "a.color", state.FieldText, true)
		define(t, p, state.FieldsOfProducts, "a.color", state.FieldText, true) // another owner's
		red := values(`{"a.color":"Red","a.later":1}`)
		shirt := graphtest.Shirt()
		shirt.Variants[1].CustomFields = model.Given(red)
		graphtest.NewProduct(t, p.Ctx, p.Resolver, shirt)
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
		graphtest.Must[*model.ProductPayload](t)(m.ProductVariantUpdate(p.Ctx, mug.PublicID(), 1, "var"+
			mug.PublicID()[len("prod"):], model.ProductVariantUpdateInput{CustomFields: model.Given(red)}))
		other := graphtest.Mug()
		other.Sku, other.CustomFields = new("OTHER"), values(`{"a.color":"Red"}`)
		graphtest.NewProduct(t, p.Ctx, p.Resolver, other)
		find := func(name, value string) (int, error) {
			c, err := p.Query().Products(p.Ctx, nil, nil, &model.ProductFilter{
				VariantCustomFields: []*model.CustomFieldFilter{{Name: name, Value: value}}}, nil, nil)
			if err != nil {
				return 0, err
			}
			return len(c.Nodes), nil
		}
		expect := func(name, value string, want int) {
			t.Helper()
			if n, err := find(name, value); n != want || err != nil {
				t.Errorf("%s=%s finds %d, want %d: %v", name, value, n, want, err)
			}
		}
		expect("a.color", "red", 2)
		expect("a.color", "blue", 0)
		if _, err := find("a.later", "1"); graphtest.FieldOf(err) != "variant_custom_field unknown_value" {
			t.Errorf("by a field that is not filterable: %v", err)
		}
		graphtest.Must[*model.CustomFieldPayload](t)(m.CustomFieldUpdate(p.Ctx, later.PublicID(), 1,
			model.CustomFieldUpdateInput{Filterable: model.Some(true)}))
		expect("a.later", "1", 2)
		graphtest.Must[*model.CustomFieldDeletePayload](t)(m.CustomFieldDelete(p.Ctx, color.PublicID(), 1))
		if _, err := find("a.color", "red"); graphtest.FieldOf(err) != "variant_custom_field unknown_value" {
			t.Errorf("by a deleted field: %v", err)
		}
		for i := range limit.FilterableVariantFields - 1 {
			define(t, p, state.FieldsOfVariants, fmt.Sprint("b.f", i), state.FieldText, true)
		}
		_, err := m.CustomFieldCreate(p.Ctx, model.CustomFieldCreateInput{Owner: state.FieldsOfVariants, Name: "b.x",
			Label: "X", Type: state.FieldText, Filterable: true})
		if graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("one more: %v", err)
		}
	})
}
