package selection_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/selection"
	"github.com/storefront-go/storefront/graph/internal/exec"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

func body(object string) []byte {
	var data []byte
	if object != "" {
		data = []byte(object)
	}
	return wire.AppendEvent(nil, wire.Event{Type: event.OrderPaid, Kind: xid.Order, Object: data,
		Changed: []string{"email"}})
}

func TestEvent(t *testing.T) {
	const order = `{"id":"ord_1","number":7,"financial_status":"partially_paid","email":null,"tags":["a\"b"],` +
		`"line_items":[{"sku":"X","quantity":2,"title":"T"},{"sku":null,"quantity":9007199254740991,"title":"U"}],` +
		`"billing_address":null,"shipping_address":{"city":"Köln","postal_code":"1"},"custom_fields":{"b.x":1.50,"a.y":{"z":[]}}}`
	for _, tc := range []struct{ name, text, object, want string }{
		{"names, enumerations and order", `{ ... on Order { number financialStatus id } }`, order,
			`{"number":7,"financialStatus":"PARTIALLY_PAID","id":"ord_1"}`},
		{"aliases and types", `{... on Order{no:number __typename}}`, order, `{"no":7,"__typename":"Order"}`},
		{"lists", `{ ... on Order { tags lineItems { sku quantity } } }`, order,
			`{"tags":["a\u0022b"],"lineItems":[{"sku":"X","quantity":2},{"sku":null,"quantity":9007199254740991}]}`},
		{"objects, and none", `{ ... on Order { billingAddress { city } shippingAddress { postalCode city } } }`, order,
			`{"billingAddress":null,"shippingAddress":{"postalCode":"1","city":"Köln"}}`},
		{"custom fields", `{ ... on Order { customFields } }`, order, `{"customFields":{"a.y":{"z":[]},"b.x":1.50}}`},
		{"members that an earlier release did not write", `{ ... on Order { email vatId options: taxes { name } source } }`,
			order, `{"email":null,"vatId":null,"options":[],"source":""}`},
		{"other types beside it", `{ ... on Product { id } ... on Order { id } }`, order, `{"id":"ord_1"}`},
		{"no data", `{ ... on Order { id } }`, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := selection.Compile(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Event(event.OrderPaid, body(tc.object))
			if d := cmp.Diff(string(body(tc.want)), string(got)); d != "" || err != nil {
				t.Error(d, err)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tc := range []struct{ name, text, code, detail string }{
		{"nothing", ``, "invalid_format", "begins with {"},
		{"no braces", `id`, "invalid_format", "begins with {"},
		{"a mutation", `mutation { orderCancel }`, "invalid_format", "begins with {"},
		{"variables", `query($a: Int) { ... on Order { id } }`, "invalid_format", "begins with {"},
		{"not GraphQL", "{ ... on Order {\n id ", "invalid_format", "Line 2"},
		{"a second operation", `{ ... on Order { id } } { ... on Order { id } }`, "invalid_format", "one pair"},
		{"a cycle of fragments", `{ ...A } fragment A on Order { ...A }`, "invalid_format", "one pair"},
		{"an unknown fragment", `{ ... on Order { ...A } }`, "invalid_format", "Only fields"},
		{"a fragment inside", `{ ... on Order { ... on Order { id } } }`, "invalid_format", "Only fields"},
		{"a field at the root", `{ order(id: "x") { id } }`, "invalid_format", "with a type"},
		{"introspection", `{ __schema { types { name } } }`, "invalid_format", "with a type"},
		{"a fragment without a type", `{ ... { id } }`, "invalid_format", "with a type"},
		{"a directive", `{ ... on Order @include(if: false) { id } }`, "invalid_format", "with a type"},
		{"a directive of a field", `{ ... on Order { id @skip(if: true) } }`, "invalid_format", "without arguments"},
		{"an argument", `{ ... on Order { id(a: 1) } }`, "invalid_format", "without arguments"},
		{"a type without events", `{ ... on Store { id } }`, "unknown_value", `"Store"`},
		{"a type twice", `{ ... on Order { id } ... on Order { number } }`, "invalid_format", "twice"},
		{"a field twice", `{ ... on Order { id id } }`, "invalid_format", "twice"},
		{"an alias bomb", `{ ... on Product { a: description b: description } }`, "invalid_format", "twice"},
		{"an alias twice", `{ ... on Product { a: id a: title } }`, "invalid_format", "twice"},
		{"a long alias", `{ ... on Order { ` + strings.Repeat("a", 65) + `: id } }`, "too_long", "64"},
		{"no such field", `{ ... on Order { secret } }`, "unknown_value", `Order."secret"`},
		{"a name of REST", `{ ... on Order { total_minor } }`, "unknown_value", "total_minor"},
		{"a field of another scope", `{ ... on Order { customer { email } } }`, "unknown_value", "customer"},
		{"a field for people", `{ ... on Order { notes { body } } }`, "unknown_value", "notes"},
		{"a cost price", `{ ... on Product { variants { costMinor } } }`, "unknown_value", "costMinor"},
		{"another form than in the body", `{ ... on Product { variants { image { id } } } }`, "unknown_value", "image"},
		{"a long name", `{ ... on Order { ` + strings.Repeat("x", 4000) + ` } }`, "unknown_value", "x…."},
		{"an object without fields", `{ ... on Order { lineItems } }`, "invalid_format", "Select fields"},
		{"fields of a value", `{ ... on Order { id { x } } }`, "invalid_format", "no fields"},
		{"a long text", `{ ... on Order { id } }` + strings.Repeat(" ", 4096), "too_long", "4096"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := selection.Compile(tc.text)
			p, ok := errors.AsType[*selection.Problem](err)
			if !ok || p.Code != tc.code || !strings.Contains(p.Detail, tc.detail) || len(p.Detail) > 255 {
				t.Errorf("%v", err)
			}
		})
	}
}

// Every field of every event may be selected at once.
func TestEverything(t *testing.T) {
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for _, e := range event.All() {
		t.Run(string(e.Type), func(t *testing.T) {
			var all []string
			for _, typ := range []string{"Order", "OrderNote", "Return", "InventoryLevel", "Product", "Customer",
				"Export", "Theme", "WebhookEndpoint", "Grant"} {
				for _, f := range schema.Types[typ].Fields {
					text := fmt.Sprintf("{ ... on %s { %s } }", typ, f.Name)
					if s, err := selection.Compile(text); err == nil && s.Covers(e.Type) {
						all = append(all, f.Name)
					}
				}
			}
			if len(all) < 3 {
				t.Errorf("only %v can be selected", all)
			}
			if len(all) == 0 || json.Valid(selection.Example(e.Type)) == false {
				t.Fatal("no example")
			}
		})
	}
	text := everything
	s, err := selection.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	if names, _ := s.Missing([]string{"order.paid", "product.created", "customer.created"}); len(names) > 0 {
		t.Errorf("%v are missing", names)
	}
	names, types := s.Missing([]string{"order.note_added", "theme.installed", "theme.activated"})
	if d := cmp.Diff([]string{"OrderNote", "Theme"}, types); d != "" || len(names) != 3 {
		t.Error(names, d)
	}
}

const everything = `{
	... on Order { id number status financialStatus fulfillmentStatus currency subtotalMinor discountMinor shippingMinor
		taxMinor totalMinor paidMinor refundedMinor customerId email
		billingAddress { name company line1 line2 city region postalCode country phone }
		shippingAddress { name company line1 line2 city region postalCode country phone }
		lineItems { id productId title sku quantity fulfilledQuantity refundedQuantity unitPriceMinor discountMinor taxMinor
			totalMinor variantId options requiresShipping }
		taxes { name rate included baseMinor amountMinor lines { lineItemId baseMinor amountMinor } } customFields }
	... on Product { id title handle description options { name values } tags maker { name address email url safety } videos
		variants { id title sku priceMinor options position customFields } images { id url alt width height } customFields }
	... on Customer { id email displayName addresses { city } customFields } }`

func FuzzCompile(f *testing.F) {
	for _, text := range []string{everything, "{ ... on Order { a: id } }", "{ ...A } fragment A on Order { ...A }",
		"{ ... on Grant { app { id } scopes } }", strings.Repeat("{a", 2000), "{ ... on Product { images { url } } }"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selection.Compile(text)
		if err != nil {
			return
		}
		for _, e := range event.All() {
			if !s.Covers(e.Type) {
				continue
			}
			b := wire.AppendEvent(nil, wire.Event{Type: e.Type, Kind: e.Resource, Object: selection.Example(e.Type)})
			if got, err := s.Event(e.Type, b); err != nil || !json.Valid(got) {
				t.Errorf("%s: %s, %v", text, got, err)
			}
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	s, err := selection.Compile(everything)
	if err != nil {
		b.Fatal(err)
	}
	o := wire.AppendOrder(nil, &db.Order{}, 20, func(int) *db.OrderLine { return &db.OrderLine{Title: "A mug"} })
	full := wire.AppendEvent(nil, wire.Event{Type: event.OrderPaid, Kind: xid.Order, Object: o})
	b.SetBytes(int64(len(full)))
	for b.Loop() {
		if _, err := s.Event(event.OrderPaid, full); err != nil {
			b.Fatal(err)
		}
	}
}
