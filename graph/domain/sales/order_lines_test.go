package sales_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// priced creates an order that the store computes: two cups of 25.00 and a product of 10.00, which are
// shipped to Germany for 4.90 with a discount of 10 %.
func priced(t *testing.T, ctx context.Context, r *graph.Resolver, p *db.Product) *model.Order {
	t.Helper()
	rate, buyer := setUpSelling(t, ctx, r), graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
	return graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{
		CustomerID: new(buyer.PublicID()), Source: "desk",
		Lines:           []*model.OrderLineInput{graphtest.CustomLine("Cup", 2, 2500), graphtest.ProductLine(p, 1)},
		ShippingAddress: &model.AddressInput{Line1: "Weg 1", City: "Ulm", Country: "DE"},
		Pricing:         &model.OrderPricingInput{DiscountCode: new("lots"), ShippingRateID: &rate}})).Order
}

// linesInput changes the quantities of the first lines, and adds lines.
func linesInput(o *model.Order, quantities []int64, add ...*model.OrderLineInput) model.OrderLinesInput {
	in := model.OrderLinesInput{Add: add}
	for i, n := range quantities {
		in.Lines = append(in.Lines, &model.LineQuantityInput{LineItemID: o.Lines[i].PublicID(), Quantity: n})
	}
	return in
}

// An order is edited step by step: the amounts are those of the preview and of the same cart, the stock
// follows, and the state follows the payments. Every read shows the same lines, those of the previous
// release too.
func TestOrderEditLines(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 1000, 10)
		o := priced(t, ctx, r, p)
		if diff := cmp.Diff([5]int64{6000, 600, 583, 1026, 7009}, amounts(o.Order)); diff != "" {
			t.Fatal(diff)
		}
		done := graphtest.Must[*model.OrderPayload](t)
		for _, step := range []struct {
			name       string
			quantities []int64
			add        []*model.OrderLineInput
			want       [5]int64
			state      state.FinancialStatus
			stock      int64
			pay        int64
			refund     bool
			back       int64
		}{
			{name: "more of a product", quantities: []int64{2, 3}, want: [5]int64{8000, 800, 583, 1368, 9151},
				state: state.FinancialPending, stock: 7},
			{name: "one line less, below the discount", quantities: []int64{0, 1}, state: state.FinancialPending,
				want: [5]int64{1000, 0, 583, 190, 1773}, stock: 9, pay: 1773},
			{name: "another product, after the payment", add: []*model.OrderLineInput{graphtest.ProductLine(p, 2)},
				want: [5]int64{3000, 0, 583, 570, 4153}, state: state.FinancialPartiallyPaid, stock: 7},
			{name: "down to what was paid", quantities: []int64{1, 0}, want: [5]int64{1000, 0, 583, 190, 1773},
				state: state.FinancialPaid, stock: 9},
			{name: "another product again", add: []*model.OrderLineInput{graphtest.ProductLine(p, 2)},
				want: [5]int64{3000, 0, 583, 570, 4153}, state: state.FinancialPartiallyPaid, stock: 7, pay: 2000},
			{name: "below what was paid", quantities: []int64{0, 2}, refund: true, back: 810,
				want: [5]int64{2000, 0, 583, 380, 2963}, state: state.FinancialPaid, stock: 8},
		} {
			in := linesInput(o, step.quantities, step.add...)
			in.Refund = step.refund
			shown := graphtest.Must[*model.OrderPreview](t)(r.Query().OrderLinesPreview(ctx, o.PublicID(), in))
			o = done(r.Mutation().OrderEditLines(ctx, o.PublicID(), o.Version, in)).Order
			preview := amounts(&db.Order{SubtotalMinor: shown.SubtotalMinor, DiscountMinor: shown.DiscountMinor,
				ShippingMinor: shown.ShippingMinor, TaxMinor: shown.TaxMinor, TotalMinor: shown.TotalMinor})
			left := *graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID())).InventoryQuantity
			if amounts(o.Order) != step.want || preview != step.want || o.FinancialStatus != step.state ||
				(o.PaidAt == nil) != (step.state != state.FinancialPaid) || left != step.stock {
				t.Errorf("%s: %v, previewed %v, %s, %d left", step.name, amounts(o.Order), preview, o.FinancialStatus,
					left)
			}
			sameLines(t, ctx, r, o.ID, 1)
			if step.state == state.FinancialPartiallyPaid { // the previous release would refund the rest
				_, err := r.Mutation().OrderRequestPayment(ctx, o.PublicID(), o.Version,
					model.PaymentRequestInput{Method: state.PaymentTransfer, Days: 1})
				if err == nil || !strings.Contains(err.Error(), "finalize") {
					t.Errorf("the rest is requested beside the previous release: %v", err)
				}
			}
			if step.back > 0 {
				f := sales.OrderFields{Resolver: resolver(r.Core)}
				rows := graphtest.Must[[]*db.Payment](t)(f.Payments(ctx, o))
				last := rows[len(rows)-1]
				if last.Kind != state.LedgerPayment || last.AmountMinor != -step.back || o.PaidMinor != o.TotalMinor ||
					o.RefundedMinor != 0 {
					t.Errorf("%s: %s of %d, %d paid, %d refunded", step.name, last.Kind, last.AmountMinor, o.PaidMinor,
						o.RefundedMinor)
				}
			}
			if step.pay > 0 {
				o = done(r.Mutation().OrderRecordPayment(ctx, o.PublicID(), o.Version,
					model.PaymentInput{AmountMinor: step.pay})).Order
			}
		}
		graphtest.EventTypes(t, ctx, r, o.ID, o.EventSequence)
	})
}

// What forbids other lines is said, and changes nothing.
func TestOrderEditLinesRefuses(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 1000, 3)
		o := priced(t, ctx, r, p)
		plain := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("Cup", 2, 2500))
		refused := func(name string, o *model.Order, in model.OrderLinesInput, want string) {
			t.Helper()
			_, err := r.Mutation().OrderEditLines(ctx, o.PublicID(), o.Version, in)
			if graphtest.FaultOf(err) != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		refused("nothing", o, model.OrderLinesInput{}, "validation_failed")
		refused("a line of another order", o, linesInput(plain, []int64{1}), "validation_failed")
		refused("a line twice", o, linesInput(&model.Order{Order: o.Order,
			Lines: []*model.LineItem{o.Lines[0], o.Lines[0]}}, []int64{1, 2}), "validation_failed")
		refused("no line left", o, linesInput(o, []int64{0, 0}), "invalid_transition")
		refused("more than the stock", o, linesInput(o, []int64{2, 4}), "out_of_stock")
		refused("an own tax", o, model.OrderLinesInput{Add: []*model.OrderLineInput{{Title: new("a"), Quantity: 1,
			UnitPriceMinor: new(int64(1)), TaxMinor: 1}}}, "validation_failed")
		refused("own amounts", plain, linesInput(plain, []int64{1}), "invalid_transition")
		done := graphtest.Must[*model.OrderPayload](t)
		o = done(r.Mutation().OrderMarkPaid(ctx, o.PublicID(), o.Version, nil, nil)).Order
		refused("less than was paid", o, linesInput(o, []int64{1}), "amount_exceeds_balance")
		o = done(r.Mutation().OrderFulfill(ctx, o.PublicID(), o.Version, model.FulfillInput{
			Lines: graphtest.Quantities(o, 1)})).Order
		refused("a shipped order", o, linesInput(o, []int64{3}), "invalid_transition")
		billed := done(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "desk",
			Lines:   []*model.OrderLineInput{graphtest.CustomLine("Cup", 2, 2500)},
			Pricing: &model.OrderPricingInput{}})).Order
		billed = done(r.Mutation().OrderEditLines(ctx, billed.PublicID(), billed.Version,
			linesInput(billed, []int64{3}))).Order
		setInvoices(t, ctx, r, state.InvoiceManual)
		graphtest.Must[*model.InvoicesIssuePayload](t)(r.Mutation().InvoicesIssue(ctx, []string{billed.PublicID()}))
		refused("an order with an invoice", billed, linesInput(billed, []int64{1}), "invalid_transition")
	})
}
