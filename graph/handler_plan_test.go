package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// A shape has just the fields of its type that hold stored values: those without
// a gate and without arguments.
func TestShapesAreTheSchemas(t *testing.T) {
	check := func(name string, leaves, objects []string) {
		var want []string
		for _, f := range servedSchema().Types[name].Fields {
			if len(f.Directives) == 0 && len(f.Arguments) == 0 {
				want = append(want, f.Name)
			}
		}
		got := slices.Concat(leaves, objects)
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-schema +shape):\n%s", name, d)
		}
	}
	check("Order", slices.Collect(maps.Keys(orderShape.leaves)), slices.Collect(maps.Keys(orderShape.objects)))
	check("LineItem", slices.Collect(maps.Keys(lineShape.leaves)), slices.Collect(maps.Keys(lineShape.objects)))
	check("Product", slices.Collect(maps.Keys(productShape.leaves)), slices.Collect(maps.Keys(productShape.objects)))
	check("Customer", slices.Collect(maps.Keys(customerShape.leaves)), slices.Collect(maps.Keys(customerShape.objects)))
	check("Address", slices.Collect(maps.Keys(addressShape.leaves)), nil)
	check("PageInfo", slices.Collect(maps.Keys(pageShape.leaves)), nil)
}

// everything selects all stored values of a type.
func everything(name string) string {
	schema := servedSchema()
	var b strings.Builder
	b.WriteString("__typename ")
	for _, f := range schema.Types[name].Fields {
		if len(f.Directives) > 0 || len(f.Arguments) > 0 {
			continue
		}
		b.WriteString(f.Name + " ")
		if inner := schema.Types[f.Type.Name()]; !inner.IsLeafType() {
			b.WriteString("{" + everything(inner.Name) + "} ")
		}
	}
	return b.String()
}

// The executor and the plans give the same answers. A directive on a selection
// keeps it from being planned.
func TestPlansAgreeWithTheExecutor(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	f.fill()
	owner := f.staff(viewer.Owner)
	id := func(list string) string {
		return f.query(owner, "{"+list+"(first:1){nodes{id}}}", nil).ok().at(list, "nodes").([]any)[0].(map[string]any)["id"].(string)
	}
	for _, tc := range []struct{ name, call, fields string }{
		{"orders", "orders(first: 2)", everything("OrderConnection")},
		{"last page", "orders(first: 100)", everything("OrderConnection")},
		{"no orders", `orders(filter: {status: COMPLETED})`, everything("OrderConnection")},
		{"order", `order(id: "` + id("orders") + `")`, everything("Order")},
		{"products", "products(first: 2)", everything("ProductConnection")},
		{"product", `product(id: "` + id("products") + `")`, everything("Product")},
		{"customers", "customers(first: 2)", everything("CustomerConnection")},
		{"customer", `customer(id: "` + id("customers") + `")`, everything("Customer")},
		{"aliases", "orders(first: 1)", "n: nodes { a: id b: id number number } nodes { id } p: pageInfo { x: hasNextPage }"},
		{"fragments", "orders(first: 1)", "... { nodes { ... on Order { id ... { id number } } } }"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fast := "{ x: " + tc.call + " { " + tc.fields + " } }"
			slow := "{ x: " + tc.call + " { " + tc.fields + " ... @include(if: true) { __typename } } }"
			d := newDocuments(servedSchema(), DefaultDepth)
			if doc, errs := d.get(fast); len(errs) > 0 || len(doc.plans) != 1 {
				t.Fatalf("not planned: %v", errs)
			}
			if doc, errs := d.get(slow); len(errs) > 0 || len(doc.plans) != 0 {
				t.Fatalf("planned: %v", errs)
			}
			want, got := f.query(owner, slow, nil).ok(), f.query(owner, fast, nil).ok()
			if x := want.at("x").(map[string]any); got.at("x", "__typename") == nil {
				delete(x, "__typename")
			}
			if d := cmp.Diff(want.Data, got.Data); d != "" {
				t.Errorf("answers (-executor +plan):\n%s", d)
			}
			if !json.Valid(got.body) {
				t.Errorf("%s", got.body)
			}
		})
	}
}

// fill makes rows with every value set and with none.
func (f *face) fill() {
	f.t.Helper()
	ctx, m := as(f.ctx, viewer.Owner), f.core.Mutation()
	hard := "\"quoted\" \\ back, ü, 🏃 and </script>"
	address := &model.AddressInput{Name: &hard, Company: &hard, Line1: hard, Line2: &hard, City: hard, Region: &hard, PostalCode: new("0150"), Country: "NO", Phone: new("+4712345678")}
	customer := must[*model.CustomerPayload](f.t)(m.CustomerCreate(ctx, model.CustomerCreateInput{
		Email: new("ada@shop.example"), Phone: new("+4712345678"), FirstName: &hard, LastName: new("L"), Status: "active", Locale: new("nb-NO"),
		EmailMarketing: "subscribed", DefaultAddress: address, Addresses: []*model.AddressInput{address, {Line1: "a", City: "b", Country: "DE"}},
		Tags: []string{"a", hard}, Note: new("line\nline"),
	}))
	must[*model.CustomerPayload](f.t)(m.CustomerCreate(ctx, model.CustomerCreateInput{FirstName: new("Only"), Status: "guest", EmailMarketing: "not_subscribed"}))
	product := must[*model.ProductPayload](f.t)(m.ProductCreate(ctx, model.ProductCreateInput{
		Title: hard, PriceMinor: 1250, Currency: "EUR", Description: new("a\n\tb"), CompareAtPriceMinor: new(int64(2000)), Sku: &hard, Vendor: &hard,
		ProductType: &hard, Tags: []string{hard}, InventoryQuantity: new(int64(100)), ImageURL: new("https://cdn.example/a.png"),
	}))
	must[*model.ProductPayload](f.t)(m.ProductPublish(ctx, product.Product.PublicID(), 1))
	must[*model.ProductPayload](f.t)(m.ProductCreate(ctx, model.ProductCreateInput{Title: "Plain", Currency: "JPY"}))
	order := must[*model.OrderPayload](f.t)(m.OrderCreate(ctx, model.OrderCreateInput{
		CustomerID: new(customer.Customer.PublicID()), Lines: []*model.OrderLineInput{{ProductID: new(product.Product.PublicID()), Quantity: 2, TaxMinor: 10}},
		ShippingMinor: 100, BillingAddress: address, ShippingAddress: address, Tags: []string{hard}, Source: "dashboard",
	}))
	must[*model.OrderPayload](f.t)(m.OrderMarkPaid(ctx, order.Order.PublicID(), order.Order.Version, nil, nil))
	f.orders(2)
}

// A field that is asked for twice is merged by the executor, not by a plan.
func TestMergedRootsAreNotPlanned(t *testing.T) {
	f := newFace(t, storetest.Open(t), nil)
	key := f.key(scope.ProductsWrite)
	f.product(key, "Lamp").ok()
	a := f.query(key, `{ products { nodes { id } } ...F } fragment F on Query { products { nodes { title } } }`, nil).ok()
	node := a.at("products", "nodes").([]any)[0].(map[string]any)
	if node["id"] == nil || node["title"] != "Lamp" {
		t.Errorf("%s", a.body)
	}
}

func TestPlanKeepsGates(t *testing.T) {
	d := newDocuments(servedSchema(), DefaultDepth)
	for _, fields := range []string{"customer { id }", "notes { id }", "payments { id }", "fulfillments { id }", "lineItems { product { id } }"} {
		doc, errs := d.get("{ orders { nodes { id " + fields + " } } }")
		if len(errs) > 0 || len(doc.plans) > 0 {
			t.Errorf("%s: planned, %v", fields, errs)
		}
	}
}

func TestScanAddress(t *testing.T) {
	whole := document.NewAddress(&document.AddressFields{Name: new(`a":"b\`), Line1: `\"`, City: "{}", Country: "NO"})
	a, rest, ok := scanAddress(whole)
	if !ok || len(rest) > 0 {
		t.Fatalf("%s does not scan", whole)
	}
	var members []string
	for i, name := range addressNames {
		members = append(members, fmt.Sprintf("%q:%s", name, a[i]))
	}
	if got := "{" + strings.Join(members, ",") + "}"; got != string(whole) {
		t.Errorf("got %s, want %s", got, whole)
	}
	for i := range whole {
		if _, _, ok := scanAddress(whole[:i]); ok {
			t.Errorf("%s scans", whole[:i])
		}
	}
	for _, raw := range []string{"", "{}", "null", `{"name":1}`, `{"other":null}`, `{"name" :null}`, `{"name":null,}`, `["name":null]`} {
		if _, _, ok := scanAddress([]byte(raw)); ok {
			t.Errorf("%s scans", raw)
		}
	}
	if !bytes.Equal(whole, document.NewAddress(&document.AddressFields{Name: new(`a":"b\`), Line1: `\"`, City: "{}", Country: "NO"})) {
		t.Error("scanning changed the document")
	}
}
