package sales_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// setUpSelling sets taxes and shipping for Germany, and returns the id of the rate.
func setUpSelling(t *testing.T, ctx context.Context, r *graph.Resolver) string {
	t.Helper()
	m := r.Mutation()
	graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 0, model.TaxSettingsInput{
		Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", Rate: new("19"), Shipping: true}}}))
	graphtest.Must[*model.DiscountPayload](t)(m.DiscountCreate(ctx, model.DiscountInput{Code: "LOTS",
		Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), LeastMinor: new(int64(5000)), Active: true}))
	zone := graphtest.Must[*model.ShippingZonePayload](t)(m.ShippingZoneCreate(ctx, model.ShippingZoneInput{
		Name: "Germany", Countries: []string{"DE"}, Rates: []*model.ShippingRateInput{{Name: "Post",
			Kind: state.ShippingDelivery, PriceMinor: 490}}}))
	rates, err := zone.ShippingZone.Rates.List()
	if err != nil {
		t.Fatal(err)
	}
	return rates[0].ID
}

// TestOrderPricing: what the store computes for staff with a code, with their own sums, or with
// neither, and what it refuses.
func TestOrderPricing(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		rate, buyer := setUpSelling(t, ctx, r), graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		germany := &model.AddressInput{Line1: "Weg 1", City: "Ulm", Country: "DE"}
		var codes, amount, freight = new("lots"), new(int64(1000)), new(int64(1000))
		for _, tc := range []struct {
			name    string
			lines   []*model.OrderLineInput
			to      *model.AddressInput
			nobody  bool
			pricing model.OrderPricingInput
			given   int64 // as the order's shipping
			want    [5]int64
			// included is the tax in the price of shipping.
			included int64
			wrong    string
		}{
			{name: "nothing more", want: [5]int64{6000, 0, 0, 0, 6000}},
			{name: "taxed", to: germany, want: [5]int64{6000, 0, 0, 1140, 7140}},
			{name: "a code and a rate", to: germany, want: [5]int64{6000, 600, 583, 1026, 7009}, included: 93,
				pricing: model.OrderPricingInput{DiscountCode: codes, ShippingRateID: &rate}},
			{name: "sums by staff", to: germany, want: [5]int64{6000, 1000, 1190, 950, 7140}, included: 190,
				pricing: model.OrderPricingInput{DiscountMinor: amount, ShippingMinor: freight}},
			{name: "a code for more", lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 4999)},
				pricing: model.OrderPricingInput{DiscountCode: codes}, wrong: "pricing/discount_code"},
			{name: "no such code", pricing: model.OrderPricingInput{DiscountCode: new("few")},
				wrong: "pricing/discount_code"},
			{name: "a code without a customer", nobody: true, pricing: model.OrderPricingInput{DiscountCode: codes},
				wrong: "customer_id"},
			{name: "a code and a sum", pricing: model.OrderPricingInput{DiscountCode: codes, DiscountMinor: amount},
				wrong: "pricing/discount_minor"},
			{name: "more than the total", pricing: model.OrderPricingInput{DiscountMinor: new(int64(6001))},
				wrong: "pricing/discount_minor"},
			{name: "a negative sum", pricing: model.OrderPricingInput{DiscountMinor: new(int64(-1))},
				wrong: "pricing/discount_minor"},
			{name: "a rate of another place", pricing: model.OrderPricingInput{ShippingRateID: &rate},
				wrong: "pricing/shipping_rate_id"},
			{name: "a rate and a sum", to: germany, wrong: "pricing/shipping_minor",
				pricing: model.OrderPricingInput{ShippingRateID: &rate, ShippingMinor: freight}},
			{name: "computed twice", given: 5, wrong: "shipping_minor"},
			{name: "taxed twice", lines: []*model.OrderLineInput{{Title: new("a"), Quantity: 1, UnitPriceMinor: amount,
				TaxMinor: 190}}, wrong: "lines/0/tax_minor"},
		} {
			in := model.OrderCreateInput{CustomerID: new(buyer.PublicID()), Lines: tc.lines, ShippingAddress: tc.to,
				Source: "desk", Pricing: &tc.pricing, ShippingMinor: tc.given}
			if tc.nobody {
				in.CustomerID = nil
			}
			if in.Lines == nil {
				in.Lines = []*model.OrderLineInput{graphtest.CustomLine("a", 2, 2500), graphtest.CustomLine("b", 1,
					1000)}
			}
			shown, err := r.Query().OrderPreview(ctx, in)
			if tc.wrong != "" {
				if !strings.HasPrefix(graphtest.FieldOf(err), "#/"+tc.wrong+" ") {
					t.Errorf("%s: %v", tc.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
				continue
			}
			o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
			preview := amounts(&db.Order{SubtotalMinor: shown.SubtotalMinor, DiscountMinor: shown.DiscountMinor,
				ShippingMinor: shown.ShippingMinor, TaxMinor: shown.TaxMinor, TotalMinor: shown.TotalMinor})
			if amounts(o.Order) != tc.want || preview != tc.want || *o.IncludedTaxMinor != tc.included ||
				*shown.IncludedTaxMinor != tc.included {
				t.Errorf("%s: %v, previewed %v, want %v", tc.name, amounts(o.Order), preview, tc.want)
			}
			if n := len(shown.ShippingRates); (n == 1) != (tc.to != nil) {
				t.Errorf("%s: %d rates are offered", tc.name, n)
			}
		}
	})
}

// TestOrderDiscountOnce: of concurrent uses of a code's last use one succeeds, and canceling that
// order returns it.
func TestOrderDiscountOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		d := graphtest.Must[*model.DiscountPayload](t)(r.Mutation().DiscountCreate(ctx, model.DiscountInput{
			Code: "ONCE", Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), UsesMax: new(int64(1)),
			Active: true})).Discount
		in := model.OrderCreateInput{CustomerID: new(graphtest.NewCustomer(t, ctx, r, graphtest.Ada()).PublicID()),
			Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 1000)}, Source: "desk",
			Pricing: &model.OrderPricingInput{DiscountCode: new("once")}}
		uses := func(want int64) {
			t.Helper()
			if row := graphtest.Must[*db.Discount](t)(r.Query().Discount(ctx, d.PublicID())); row.Uses != want {
				t.Errorf("the code was used %d times, want %d", row.Uses, want)
			}
		}
		made := make(chan *model.Order, 4)
		var desks sync.WaitGroup
		for range cap(made) {
			desks.Go(func() {
				switch done, err := r.Mutation().OrderCreate(ctx, in); {
				case err == nil:
					made <- done.Order
				case graphtest.FaultOf(err) != fault.DiscountUnavailable &&
					graphtest.FieldOf(err) != "#/pricing/discount_code unknown_value":
					t.Error(err)
				}
			})
		}
		desks.Wait()
		if uses(1); len(made) != 1 {
			t.Fatalf("%d orders have the discount", len(made))
		}
		o := <-made
		row := graphtest.Must[*db.Discount](t)(r.Query().Discount(ctx, d.PublicID()))
		graphtest.Must[*model.DiscountPayload](t)(r.Mutation().DiscountUpdate(ctx, d.PublicID(), row.Version,
			model.DiscountInput{Code: "ONCE", Kind: state.DiscountPercent, BasisPoints: new(int64(1000)),
				CustomerUsesMax: new(int64(1)), Active: true}))
		if _, err := r.Query().OrderPreview(ctx, in); graphtest.FieldOf(err) !=
			"#/pricing/discount_code unknown_value" {
			t.Errorf("previewed for a customer who has used it: %v", err)
		}
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(ctx, o.PublicID(), o.Version, false, nil))
		uses(0)
	})
}

// TestTaxExemptCustomer: an order that the store computes for an exempt customer bears no tax, and says
// why. While a program of an earlier release may run, no customer becomes exempt.
func TestTaxExemptCustomer(t *testing.T) {
	exempt := model.CustomerUpdateInput{TaxExempt: model.Some(true)}
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		rate, buyer := setUpSelling(t, ctx, r), graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		id := buyer.PublicID()
		changed := graphtest.Must[*model.CustomerPayload](t)(r.Mutation().CustomerUpdate(ctx, id, 1, exempt))
		title, unit := "Kite", int64(1000)
		in := model.OrderCreateInput{Source: "dashboard", CustomerID: &id, Pricing: &model.OrderPricingInput{
			ShippingRateID: &rate}, ShippingAddress: &model.AddressInput{Line1: "Weg 1", City: "Ulm", Country: "DE"},
			Lines: []*model.OrderLineInput{{Title: &title, UnitPriceMinor: &unit, Quantity: 2}}}
		shown := graphtest.Must[*model.OrderPreview](t)(r.Query().OrderPreview(ctx, in))
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		if !changed.Customer.TaxExempt || o.TotalMinor != 2490 || o.TaxRelief == nil ||
			*o.TaxRelief != state.TaxExemptBuyer || shown.TotalMinor != 2490 || *shown.TaxRelief != *o.TaxRelief {
			t.Errorf("%d, %v", o.TotalMinor, o.TaxRelief)
		}
	})
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		id := graphtest.NewCustomer(t, ctx, r, graphtest.Ada()).PublicID()
		_, err := r.Mutation().CustomerUpdate(ctx, id, 1, exempt)
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Error(err)
		}
	})
}
