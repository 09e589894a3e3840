package cart_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// digital creates a product that is not shipped.
func (m *market) digital(title string, price, stock int64) cart.ProductRef {
	m.t.Helper()
	w := m.sell(title, price, stock)
	m.ships(w, false)
	return w
}

// ships sets whether a product is shipped.
func (m *market) ships(w cart.ProductRef, yes bool) {
	m.t.Helper()
	id := xid.Product.Format(w.Product)
	p := graphtest.Must[*db.Product](m.t)(m.Query().Product(m.Ctx, id))
	p = graphtest.Must[*model.ProductPayload](m.t)(m.Mutation().ProductUpdate(m.Ctx, id, p.Version,
		model.ProductUpdateInput{RequiresShipping: model.Some(yes)})).Product
	if p.RequiresShipping != yes {
		m.t.Errorf("shipped: %v", p.RequiresShipping)
	}
}

// A cart without shipping needs no address and no rate: the country that the shopper names
// determines the tax, and payment on delivery is not offered.
func TestDigitalCart(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.Mutation().PaymentSettingsUpdate(m.Ctx, 1,
			model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
				{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
				{Kind: state.PaymentOnDelivery, Name: "Cash", Active: true}}}))
		token := m.add("", m.digital("Song", 1190, 9), 2)
		if v := m.view(token); v.Ships || !v.AsksCountry() || len(v.Methods) != 1 || v.Next() != cart.StepDetails {
			t.Errorf("ships %v, asks %v, next %s, methods %v", v.Ships, v.AsksCountry(), v.Next(), v.Methods)
		}
		contact := func(country string) error {
			return m.SetDetails(m.ctx, token, &cart.Contact{Email: "ada@example.com", Country: country}, nil)
		}
		for _, wrong := range []string{"", "XX"} {
			if err := contact(wrong); graphtest.FaultOf(err) != "validation_failed" {
				t.Errorf("the country %q: %v", wrong, err)
			}
		}
		if err := contact("fr"); err != nil || m.view(token).Sums.AllTax() != 0 {
			t.Errorf("a country without a rate: %+v, %v", m.view(token).Sums, err)
		}
		if err := contact("de"); err != nil {
			t.Fatal(err)
		}
		if v := m.view(token); v.Next() != cart.StepDelivery || v.Sums.IncludedTaxMinor != 380 {
			t.Errorf("next %s, %+v", v.Next(), v.Sums)
		}
		if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentTransfer)); err != nil {
			t.Fatal(err)
		}
		id, err := m.place(token)
		if err != nil {
			t.Fatal(err)
		}
		o := m.order(id)
		if o.TotalMinor != 2380 || o.ShippingMinor != 0 || o.ShippingMethod != nil || o.ShippingAddress != nil ||
			o.BillingAddress != nil || o.CustomerID == nil || o.Lines[0].RequiresShipping {
			t.Errorf("ordered %+v", o.Order)
		}
		done := graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderFulfill(m.Ctx, o.PublicID(), o.Version,
			model.FulfillInput{}))
		if done.Order.FulfillmentStatus != state.FulfillmentFulfilled {
			t.Errorf("fulfilled: %s", done.Order.FulfillmentStatus)
		}
	})
}

// A mixed cart ships only its physical products: their price and weight alone determine the rates.
// The address step appears and disappears with them.
func TestMixedCart(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		song, bell := m.digital("Song", 9_000, 9), m.sell("Bell", 1_490, 9)
		token := m.add("", song, 1)
		m.add(token, bell, 1)
		v := m.ready(token, "ada@example.com")
		if !v.Ships || v.AsksCountry() || v.Sums.ShippingMinor != 490 { // the bell costs less than 10,000
			t.Errorf("ships %v, %+v", v.Ships, v.Sums)
		}
		if err := m.SetLine(m.ctx, token, bell, 0); err != nil {
			t.Fatal(err)
		}
		if v := m.view(token); v.Ships || v.Rate != nil || v.Next() != cart.StepReview || v.Sums.TotalMinor != 9_000 ||
			v.Sums.IncludedTaxMinor != 1437 { // by the address that is there
			t.Errorf("the song alone: next %s, %+v", v.Next(), v.Sums)
		}
		m.ships(song, true)
		if v := m.view(token); v.Next() != cart.StepReview || v.Sums.ShippingMinor != 490 {
			t.Errorf("shipped after all: next %s, %+v", v.Next(), v.Sums)
		}
	})
}
