package cart_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// pricer builds the same contents as a cart and as an order by staff.
type pricer struct {
	*market
	random   *rand.Rand
	refs     []cart.ProductRef
	customer string
}

// stocked creates products with and without a weight, some of them not shipped, and discount codes.
func stocked(m *market) *pricer {
	p := &pricer{market: m, random: rand.New(rand.NewPCG(14, 3))}
	t, do := m.t, m.Mutation()
	for i := range 8 {
		made := graphtest.Must[*model.ProductPayload](t)(do.ProductCreate(m.Ctx, model.ProductCreateInput{
			Title: "Thing " + string(rune('A'+i)), PriceMinor: p.random.Int64N(9000) + 1, Currency: "EUR",
			WeightGrams: new(p.random.Int64N(900)), RequiresShipping: new(i%4 != 3)})).Product
		graphtest.Must[*model.ProductPayload](t)(do.ProductPublish(m.Ctx, made.PublicID(), made.Version))
		p.refs = append(p.refs, cart.ProductRef{Product: made.ID})
	}
	for _, d := range []model.DiscountInput{
		{Code: "part", Kind: state.DiscountPercent, BasisPoints: new(int64(1234)), Active: true},
		{Code: "sum", Kind: state.DiscountAmount, AmountMinor: new(int64(777)), Active: true},
		{Code: "least", Kind: state.DiscountAmount, AmountMinor: new(int64(501)), LeastMinor: new(int64(1)),
			Active: true},
		{Code: "freight", Kind: state.DiscountFreeShipping, Active: true},
	} {
		graphtest.Must[*model.DiscountPayload](t)(do.DiscountCreate(m.Ctx, d))
	}
	buyer := graphtest.Must[*model.CustomerPayload](t)(do.CustomerCreate(m.Ctx, model.CustomerCreateInput{
		Email: new("ada@example.com"), Status: state.CustomerActive, EmailMarketing: state.EmailNotSubscribed}))
	p.customer = xid.Customer.Format(buyer.Customer.ID)
	return p
}

// basket returns a cart with random products, and the input for the same order by staff.
func (p *pricer) basket() (token string, in model.OrderCreateInput) {
	p.t.Helper()
	country := []string{"DE", "FR"}[p.random.IntN(2)]
	in = model.OrderCreateInput{CustomerID: &p.customer, Source: "dashboard", Pricing: &model.OrderPricingInput{},
		ShippingAddress: &model.AddressInput{Name: new("Ada Lovelace"), Line1: "Weg 1", City: "Ort",
			PostalCode: new("10115"), Country: country}}
	for _, i := range p.random.Perm(len(p.refs))[:p.random.IntN(4)+1] {
		n := p.random.Int64N(5) + 1
		token = p.add(token, p.refs[i], n)
		in.Lines = append(in.Lines, &model.OrderLineInput{ProductID: new(xid.Product.Format(p.refs[i].Product)),
			Quantity: n})
	}
	errs := []error{p.SetDetails(p.ctx, token, &cart.Contact{Email: "ada@example.com", Country: country}, nil),
		p.SetDetails(p.ctx, token, nil, &document.AddressFields{Name: new("Ada Lovelace"), Line1: "Weg 1", City: "Ort",
			PostalCode: new("10115"), Country: country})}
	if code := []string{"", "part", "sum", "least", "freight"}[p.random.IntN(5)]; code != "" {
		errs = append(errs, p.SetCode(p.ctx, token, code))
		in.Pricing.DiscountCode = &code
	}
	if rates := p.view(token).Rates; len(rates) > 0 {
		rate := rates[p.random.IntN(len(rates))].ID
		errs = append(errs, p.SetDelivery(p.ctx, token, new(rate), nil))
		in.Pricing.ShippingRateID = &rate
	}
	for _, err := range append(errs, p.SetDelivery(p.ctx, token, nil, new(state.PaymentTransfer))) {
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return token, in
}

// amountsOf returns the sums of an order and of its lines.
func amountsOf(o *model.Order) (s price.Sums, lines [][3]int64) {
	for _, l := range o.Lines {
		lines = append(lines, [3]int64{l.DiscountMinor, l.TaxMinor, l.TotalMinor})
	}
	s = price.Sums{SubtotalMinor: o.SubtotalMinor, DiscountMinor: o.DiscountMinor, ShippingMinor: o.ShippingMinor,
		TaxMinor: o.TaxMinor, TotalMinor: o.TotalMinor}
	core.Opt(o.IncludedTaxMinor, func(n int64) { s.IncludedTaxMinor = n })
	return s, lines
}

// TestSamePricing: the same products, address, rate and code cost the same in a cart, in its order,
// and in an order by staff, whether prices include tax or not.
func TestSamePricing(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		p, version := stocked(m), int64(1)
		graphtest.Must[*model.ShippingZonePayload](t)(m.Mutation().ShippingZoneCreate(m.Ctx, model.ShippingZoneInput{
			Name: "France", Countries: []string{"FR"}, Rates: []*model.ShippingRateInput{{Name: "La Poste",
				Kind: state.ShippingDelivery, PriceMinor: 1190}}}))
		for n := range 30 {
			if n%10 == 0 {
				graphtest.Must[*model.TaxSettingsPayload](t)(m.Mutation().TaxSettingsUpdate(m.Ctx, version,
					model.TaxSettingsInput{PricesIncludeTax: n != 10, Rates: []*model.TaxRateInput{
						{Country: "DE", Name: "MwSt.", Rate: new("19"), Shipping: true},
						{Country: "FR", Name: "TVA", Rate: new("20")}}}))
				version++
			}
			token, in := p.basket()
			v := m.view(token)
			made := m.order(graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCreate(m.Ctx, in)).Order.ID)
			id, err := m.place(token)
			if err != nil {
				t.Fatal(err)
			}
			gotSums, gotLines := amountsOf(made)
			wantSums, wantLines := amountsOf(m.order(id))
			if gotSums != v.Sums || wantSums != v.Sums {
				t.Errorf("cart %+v, placed %+v, created by staff %+v", v.Sums, wantSums, gotSums)
			}
			if d := cmp.Diff(wantLines, gotLines); d != "" {
				t.Errorf("lines (-placed +created by staff):\n%s", d)
			}
		}
		code := graphtest.Must[[]*db.Discount](t)(m.Store.DB(m.Ctx).Discount.Query().All(m.Ctx))
		for _, d := range code {
			if d.Uses%2 != 0 || d.Uses == 0 {
				t.Errorf("%s was used %d times, want twice an order", d.Code, d.Uses)
			}
		}
	})
}
