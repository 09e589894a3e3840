package sales_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// amounts returns the sums of an order: subtotal, discount, shipping, tax, total.
func amounts(o *db.Order) [5]int64 {
	return [5]int64{o.SubtotalMinor, o.DiscountMinor, o.ShippingMinor, o.TaxMinor, o.TotalMinor}
}

func TestOrderArithmetic(t *testing.T) {
	cut := func(l *model.OrderLineInput, discount, tax int64) *model.OrderLineInput {
		l.DiscountMinor, l.TaxMinor = discount, tax
		return l
	}
	const most = currency.MaxMinor
	for _, tc := range []struct {
		name     string
		lines    []*model.OrderLineInput
		shipping int64
		want     [5]int64
		fault    string
		line     string // the error names it
	}{
		{name: "one", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 3, 250)}, want: [5]int64{750, 0, 0, 0,
			750}},
		{name: "all parts", shipping: 490, want: [5]int64{2750, 150, 490, 399, 3489},
			lines: []*model.OrderLineInput{cut(graphtest.CustomLine("a", 3, 250), 50, 99),
				cut(graphtest.CustomLine("b", 2, 1000), 100, 300)}},
		{name: "discount of everything", shipping: 5, want: [5]int64{10, 10, 5, 0, 5},
			lines: []*model.OrderLineInput{cut(graphtest.CustomLine("a", 1, 10), 10, 0)}},
		{name: "free", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1_000_000, 0)}, want: [5]int64{}},
		{name: "the largest", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, most)},
			want: [5]int64{most, 0, 0, 0, most}},
		{name: "discounts make room for nothing", fault: "amount_too_large",
			lines: []*model.OrderLineInput{cut(graphtest.CustomLine("a", 1, most), most, 0),
				cut(graphtest.CustomLine("b", 1, most), most, 0)}},
		{name: "line too large", fault: "amount_too_large", line: "total of line 2",
			lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 1), graphtest.CustomLine("b", 2, most)}},
		{name: "product overflows", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1_000_000, most)},
			fault: "amount_too_large"},
		{name: "sum too large", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 1),
			graphtest.CustomLine("b", 1, most)},
			fault: "amount_too_large", line: "line 2"},
		{name: "tax too large", lines: []*model.OrderLineInput{cut(graphtest.CustomLine("a", 1, most), 0, 1)},
			fault: "amount_too_large"},
		{name: "shipping too large", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, most)}, shipping: 1,
			fault: "amount_too_large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
				p, err := r.Mutation().OrderCreate(ctx,
					model.OrderCreateInput{Lines: tc.lines, ShippingMinor: tc.shipping, Source: "test"})
				if got := graphtest.FaultOf(err); got != tc.fault {
					t.Fatalf("got %q, want %q", got, tc.fault)
				}
				if err != nil && !strings.Contains(err.Error(), tc.line) {
					t.Errorf("%v does not name %q", err, tc.line)
				}
				if tc.fault != "" {
					return
				}
				if got := amounts(p.Order.Order); got != tc.want {
					t.Errorf("got %v, want %v", got, tc.want)
				}
				read := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, p.Order.PublicID()))
				if got, want := string(sales.EncodeOrder(read)), string(sales.EncodeOrder(p.Order)); got != want {
					t.Errorf("stored: %s\nreturned: %s", got, want)
				}
				var lines int64
				for _, l := range read.Lines {
					lines += l.TotalMinor
				}
				if lines+tc.shipping != read.TotalMinor {
					t.Errorf("the lines sum to %d", lines)
				}
			})
		})
	}
}

func TestOrderCreateRefuses(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		dollars := graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductCreate(ctx,
			model.ProductCreateInput{Title: "Cup", PriceMinor: 5, Currency: "USD"})).Product
		gone := buyer(t, ctx, r, "gone@example.com", state.CustomerRedacted)
		many := slices.Repeat([]*model.OrderLineInput{graphtest.CustomLine("a", 1, 1)}, 101)
		for name, tc := range map[string]struct {
			edit func(*model.OrderCreateInput)
			want string
		}{
			"no line":   {func(in *model.OrderCreateInput) { in.Lines = nil }, "#/lines too_short"},
			"101 lines": {func(in *model.OrderCreateInput) { in.Lines = many }, "#/lines too_long"},
			"no title": {func(in *model.OrderCreateInput) { in.Lines[0].Title = nil },
				"#/lines/0/title required"},
			"no price": {func(in *model.OrderCreateInput) { in.Lines[0].UnitPriceMinor = nil },
				"#/lines/0/unit_price_minor required"},
			"no quantity": {func(in *model.OrderCreateInput) { in.Lines[0].Quantity = 0 },
				"#/lines/0/quantity out_of_range"},
			"quantity": {func(in *model.OrderCreateInput) { in.Lines[0].Quantity = 1_000_001 },
				"#/lines/0/quantity out_of_range"},
			"negative price": {func(in *model.OrderCreateInput) { in.Lines[0].UnitPriceMinor = new(int64(-1)) },
				"#/lines/0/unit_price_minor out_of_range"},
			"discount": {func(in *model.OrderCreateInput) { in.Lines[0].DiscountMinor = 101 },
				"#/lines/0/discount_minor out_of_range"},
			"negative tax": {func(in *model.OrderCreateInput) { in.Lines[0].TaxMinor = -1 },
				"#/lines/0/tax_minor out_of_range"},
			"unknown product": {func(in *model.OrderCreateInput) {
				in.Lines[0].ProductID = new(xid.Product.Format(xid.New()))
			}, "#/lines/0/product_id unknown_value"},
			"malformed product": {func(in *model.OrderCreateInput) { in.Lines[0].ProductID = new("mug") },
				"#/lines/0/product_id unknown_value"},
			"unknown customer": {func(in *model.OrderCreateInput) {
				in.CustomerID = new(xid.Customer.Format(xid.New()))
			}, "#/customer_id unknown_value"},
			"redacted customer": {func(in *model.OrderCreateInput) { in.CustomerID = new(gone.PublicID()) },
				"#/customer_id unknown_value"},
			"email": {func(in *model.OrderCreateInput) { in.Email = new("jo at example.com") },
				"#/email invalid_format"},
			"source": {func(in *model.OrderCreateInput) { in.Source = "Web Shop" }, "#/source invalid_format"},
			"long source": {func(in *model.OrderCreateInput) { in.Source = strings.Repeat("a", 65) },
				"#/source too_long"},
			"future": {func(in *model.OrderCreateInput) { in.PlacedAt = new(micros.Now().Add(time.Hour)) },
				"#/placed_at out_of_range"},
			"country": {func(in *model.OrderCreateInput) {
				in.BillingAddress = &model.AddressInput{Line1: "Way 1", City: "Bonn", Country: "D1"}
			}, "#/billing_address/country invalid_format"},
			"shipping": {func(in *model.OrderCreateInput) { in.ShippingMinor = -1 }, "#/shipping_minor out_of_range"},
			"currency": {func(in *model.OrderCreateInput) {
				in.Lines = []*model.OrderLineInput{graphtest.ProductLine(dollars, 1)}
			}, "currency_mismatch"},
		} {
			in := model.OrderCreateInput{Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 100)},
				Source: "test"}
			tc.edit(&in)
			_, err := r.Mutation().OrderCreate(ctx, in)
			got := graphtest.FieldOf(err)
			if got == "" {
				got = graphtest.FaultOf(err)
			}
			if got != tc.want {
				t.Errorf("%s: got %q (%v), want %q", name, got, err, tc.want)
			}
		}
		if n := graphtest.Must[int](t)(r.Client(ctx).Order.Query().Count(ctx)); n != 0 {
			t.Errorf("refused orders left %d rows", n)
		}
	})
}

// One answer has the errors of form and of references.
func TestOrderCreateNamesAllErrors(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		_, err := r.Mutation().OrderCreate(ctx,
			model.OrderCreateInput{Source: "UP", CustomerID: new(xid.Customer.Format(xid.New())),
				Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 0, 1),
					{ProductID: new(xid.Product.Format(xid.New())), Quantity: 1}}})
		want := "validation_failed: The request has invalid members. #/lines/0/quantity=out_of_range " +
			"#/source=invalid_format" +
			" #/customer_id=unknown_value #/lines/1/product_id=unknown_value"
		if err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	})
}

func TestOrderCreateFromProduct(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 1250, 5)
		o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 2),
			&model.OrderLineInput{ProductID: new(p.PublicID()), Quantity: 1, Title: new("Blue mug"), Sku: new("B"),
				UnitPriceMinor: new(int64(99))})
		if l := o.Lines[0]; l.Title != "Mug" || *l.Sku != "MUG-1" || l.UnitPriceMinor != 1250 || *l.ProductID != p.ID {
			t.Errorf("defaults: %+v", l.OrderLine)
		}
		if l := o.Lines[1]; l.Title != "Blue mug" || *l.Sku != "B" || l.UnitPriceMinor != 99 {
			t.Errorf("given: %+v", l.OrderLine)
		}
		after := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
		if *after.InventoryQuantity != 2 || after.Version != 2 || after.UpdatedAt <= p.UpdatedAt ||
			after.EventSequence != 1 {
			t.Errorf("the product after: stock %d, version %d, updated_at +%d, events %d",
				*after.InventoryQuantity, after.Version, after.UpdatedAt-p.UpdatedAt, after.EventSequence)
		}
		_, err := r.Mutation().OrderCreate(ctx,
			model.OrderCreateInput{Lines: []*model.OrderLineInput{graphtest.ProductLine(p, 2),
				graphtest.ProductLine(p, 1)},
				Source: "test"})
		if graphtest.FaultOf(err) != "out_of_stock" || stockOf(t, ctx, r, p) != 2 {
			t.Errorf("three of two: %v, stock %d", err, stockOf(t, ctx, r, p))
		}
		if o.Number != 1001 || graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 2)).Number <= 1001 {
			t.Error("numbers do not begin at 1001 and go on")
		}
	})
}

func TestOrderCreateFreeIsPaid(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("sample", 1, 0))
		if o.FinancialStatus != state.FinancialPaid || o.PaidAt == nil || *o.PaidAt != o.PlacedAt || o.Version != 1 {
			t.Errorf("got %+v", o.Order)
		}
		if diff := cmp.Diff([]string{"order.created", "order.paid"},
			graphtest.EventTypes(t, ctx, r, o.ID, o.EventSequence)); diff != "" {
			t.Error(diff)
		}
		_, err := r.Mutation().OrderMarkPaid(ctx, o.PublicID(), o.Version, nil, nil)
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("paid twice: %v", err)
		}
	})
}

func TestOrderImport(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		placed := graphtest.Must[micros.Time](t)(micros.Parse("2019-05-04T03:02:01.123456Z"))
		c := buyer(t, ctx, r, "jo@example.com", state.CustomerActive)
		in := model.OrderCreateInput{Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 5)}, Source: "import",
			PlacedAt: &placed, CustomerID: new(c.PublicID()), ExternalNumber: new("#1007")}
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		if o.PlacedAt != placed || o.CreatedAt() != placed || o.UpdatedAt <= placed || *o.Email != "jo@example.com" ||
			*o.ExternalNumber != "#1007" {
			t.Errorf("got placed %s, created %s, updated %s, email %s", o.PlacedAt, o.CreatedAt(), o.UpdatedAt,
				*o.Email)
		}
		in.PlacedAt, in.Email = nil, new("other@example.com")
		second := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		in.PlacedAt = &placed
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in))
		got := graphtest.ReadCustomer(t, ctx, r, c.ID)
		if got.OrdersCount != 3 || *got.LastOrderAt != second.PlacedAt || got.Version != 4 || got.EventSequence != 0 ||
			*second.Email != "other@example.com" {
			t.Errorf("customer: %v", got)
		}
		key := graphtest.AsKey(ctx, "sales.write")
		byKey := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(key, in)).Order
		if byKey.PlacedAt != placed {
			t.Errorf("an import by a key: placed %v", byKey.PlacedAt)
		}
	})
}

// Inside another transaction, as with an idempotency key, the order is part of it: a rollback
// leaves no order, and no number that could be used twice.
func TestOrderCreateInsideTransaction(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := model.OrderCreateInput{Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 5)}, Source: "test"}
		var number int64
		for _, undo := range []error{nil, errors.New("undo")} {
			err := r.Store.InTx(ctx, func(ctx context.Context) error {
				p, err := r.Mutation().OrderCreate(ctx, in)
				if err != nil {
					return err
				}
				number = p.Order.Number
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
		}
		graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 5))
		orders := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, nil, nil, nil, nil, nil)).Nodes
		if len(orders) != 2 || orders[0].Number == orders[1].Number || number != 1002 {
			t.Errorf("%d orders, the undone one had number %d", len(orders), number)
		}
	})
}
