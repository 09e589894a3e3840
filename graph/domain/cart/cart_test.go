package cart_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// market is a selling store with one of its shoppers.
type market struct {
	*graphtest.Shop
	*cart.Carts
	t   testing.TB
	ctx context.Context // the shopper's
}

// each runs f on every engine with a store that ships to Germany, charges tax and accepts bank
// transfers.
func each(t *testing.T, f func(t *testing.T, m *market)) {
	t.Helper()
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		graphtest.Must[*model.ShippingZonePayload](t)(m.ShippingZoneCreate(p.Ctx, model.ShippingZoneInput{
			Name: "Germany", Countries: []string{"DE"}, Rates: []*model.ShippingRateInput{
				{Name: "Post", Kind: state.ShippingDelivery, PriceMinor: 490, FreeFromMinor: new(int64(10_000))},
				{Name: "Shop", Kind: state.ShippingPickup}}}))
		graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(p.Ctx, 0, model.TaxSettingsInput{
			PricesIncludeTax: true, Rates: []*model.TaxRateInput{
				{Country: "DE", Name: "MwSt.", Rate: new("19"), Shipping: true}}}))
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.PaymentSettingsUpdate(p.Ctx, 0, model.PaymentSettingsInput{
			Methods: []*model.PaymentMethodInput{{Kind: state.PaymentTransfer, Name: "Transfer",
				Instructions: "IBAN DE02", Active: true}}}))
		f(t, &market{p, p.Carts(), t, viewer.Shopper(t.Context(), p.Model.ID)})
	})
}

// sell creates an active product with a stock, untracked if negative, and returns it.
func (m *market) sell(title string, price, stock int64) cart.ProductRef {
	m.t.Helper()
	in := model.ProductCreateInput{Title: title, PriceMinor: price, Currency: "EUR"}
	if stock >= 0 {
		in.InventoryQuantity = &stock
	}
	made := graphtest.Must[*model.ProductPayload](m.t)(m.Mutation().ProductCreate(m.Ctx, in)).Product
	graphtest.Must[*model.ProductPayload](m.t)(m.Mutation().ProductPublish(m.Ctx, made.PublicID(), made.Version))
	return cart.ProductRef{Product: made.ID}
}

// add adds units of a product to a cart.
func (m *market) add(token string, w cart.ProductRef, n int64) string {
	m.t.Helper()
	token, err := m.Carts.Add(m.ctx, token, w, n)
	if err != nil {
		m.t.Fatal(err)
	}
	return token
}

// view returns a cart.
func (m *market) view(token string) *cart.View {
	m.t.Helper()
	v, err := m.View(m.ctx, token)
	if err != nil {
		m.t.Fatal(err)
	}
	return v
}

// ready completes the checkout of a cart up to the review.
func (m *market) ready(token, email string) *cart.View {
	m.t.Helper()
	home := document.AddressFields{Name: new("Ada Lovelace"), Line1: "Weg 1", City: "Berlin",
		PostalCode: new("10115"), Country: "de"}
	for _, err := range []error{
		m.SetDetails(m.ctx, token, &cart.Contact{Email: email}, nil), m.SetDetails(m.ctx, token, nil, &home),
	} {
		if err != nil {
			m.t.Fatal(err)
		}
	}
	if err := m.SetDelivery(m.ctx, token, new(m.view(token).Rates[0].ID), nil); err != nil {
		m.t.Fatal(err)
	}
	if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentTransfer)); err != nil {
		m.t.Fatal(err)
	}
	v := m.view(token)
	if v.Next() != cart.StepReview {
		m.t.Fatalf("the cart lacks the step %s", v.Next())
	}
	return v
}

func TestCart(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell, lamp := m.sell("Bell", 1490, 5), m.sell("Lamp", 3900, 100)
		token := m.add("", bell, 2)
		m.add(token, bell, 1)
		m.add(token, lamp, 1)
		v := m.view(token)
		if v.Count != 4 || len(v.Lines) != 2 || v.Lines[0].Quantity != 3 || v.Sums.SubtotalMinor != 3*1490+3900 {
			t.Errorf("%+v of %+v", v.Sums, v.Lines[0])
		}
		// The present price counts, and its change is shown once.
		p := graphtest.Must[*db.Product](t)(m.Query().Product(m.Ctx, xid.Product.Format(lamp.Product)))
		graphtest.Must[*model.ProductPayload](t)(m.Mutation().ProductUpdate(m.Ctx, p.PublicID(), p.Version,
			model.ProductUpdateInput{PriceMinor: core.Given(new(int64(4100)))}))
		v = m.view(token)
		if l := v.Lines[1]; l.Unit != 4100 || l.Was != 3900 {
			t.Errorf("the price is %d and was %d", l.Unit, l.Was)
		}
		if err := m.Seen(m.ctx, token, v); err != nil {
			t.Fatal(err)
		}
		if l := m.view(token).Lines[1]; l.Was != 4100 {
			t.Errorf("the price was %d, after it was shown", l.Was)
		}
		// More than the stock, and more than a line can hold.
		m.add(token, bell, 900)
		_, over := m.Carts.Add(m.ctx, token, bell, 97)
		for name, err := range map[string]error{"beside those that it has": over,
			"at once": m.SetLine(m.ctx, token, bell, 1000)} {
			got, there := graphtest.FieldOf(err), m.view(token).Lines[0].Quantity
			if got != "#/quantity out_of_range" || there != 903 {
				t.Errorf("a thousand %s: %v", name, err)
			}
		}
		m.add(token, bell, 96)
		if l := m.view(token).Lines[0]; l.Quantity != 999 || l.Left == nil || *l.Left != 5 {
			t.Errorf("%+v", l)
		}
		if v.Next() != cart.StepDetails || m.view(token).Next() != cart.StepCart {
			t.Errorf("next %s, then %s", v.Next(), m.view(token).Next())
		}
		if err := m.SetLine(m.ctx, token, bell, 0); err != nil || len(m.view(token).Lines) != 1 {
			t.Errorf("removed: %v", err)
		}
		// An unpublished product is left out of the totals.
		p = graphtest.Must[*db.Product](t)(m.Query().Product(m.Ctx, p.PublicID()))
		graphtest.Must[*model.ProductPayload](t)(m.Mutation().ProductArchive(m.Ctx, p.PublicID(), p.Version))
		if v := m.view(token); !v.Lines[0].Gone || v.Sums.TotalMinor != 0 {
			t.Errorf("%+v", v.Lines[0])
		}
		// Other stores and tokens do not have the cart.
		other := m.Other(t)
		if v, err := m.View(viewer.Shopper(t.Context(), other.Model.ID), token); v != nil || err != nil {
			t.Errorf("another store sees %+v (%v)", v, err)
		}
		if v, err := m.View(m.ctx, strings.ToLower(token)); v != nil || err != nil {
			t.Errorf("another token sees %+v (%v)", v, err)
		}
	})
}

// TestCartFull: a cart has at most a hundred lines, each of which can still be changed.
func TestCartFull(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		grid := graphtest.NewProduct(t, m.Ctx, m.Resolver, graphtest.Grid(limit.CartLines))
		graphtest.Must[*model.ProductPayload](t)(m.Mutation().ProductPublish(m.Ctx, grid.PublicID(), grid.Version))
		token, bell := "", m.sell("Bell", 1490, 5)
		for _, v := range grid.Variants {
			token = m.add(token, cart.ProductRef{Product: grid.ID, Variant: v.ID}, 1)
		}
		if _, err := m.Carts.Add(m.ctx, token, bell, 1); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("the line after the last: %v", err)
		}
		first := cart.ProductRef{Product: grid.ID, Variant: grid.Variants[0].ID}
		m.add(token, first, 1)
		if v := m.view(token); len(v.Lines) != limit.CartLines || v.Count != limit.CartLines+1 ||
			v.Sums.SubtotalMinor != 1000+100*1000+99*100/2 {
			t.Errorf("%d pieces in %d lines cost %d", v.Count, len(v.Lines), v.Sums.SubtotalMinor)
		}
		if err := m.SetLine(m.ctx, token, first, 0); err != nil {
			t.Fatal(err)
		}
		m.add(token, bell, 1)
	})
}

// A cart above the largest amount marks the line that exceeds it, and reducing that line repairs
// it.
func TestCartTooLarge(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell, gold := m.sell("Bell", 1490, 5), m.sell("Gold", currency.MaxMinor/2, 999)
		token := m.add(m.add("", bell, 1), gold, 3)
		v := m.view(token)
		if v.Lines[0].Large || !v.Lines[1].Large || v.Next() != cart.StepCart || v.Sums.TotalMinor != 1490 {
			t.Errorf("%+v, the lines %+v, %+v", v.Sums, v.Lines[0], v.Lines[1])
		}
		if err := m.SetLine(m.ctx, token, gold, 1); err != nil {
			t.Fatal(err)
		}
		if v := m.view(token); v.Lines[1].Large || v.Sums.TotalMinor != 1490+currency.MaxMinor/2 {
			t.Errorf("%+v", v.Sums)
		}
	})
}

// Two tabs: no change is lost, and both together stay within the limit.
func TestCartTabs(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		refs := make([]cart.ProductRef, 12)
		for i := range refs {
			refs[i] = m.sell("Part "+strconv.Itoa(i), 100, 1000)
		}
		token := m.add("", refs[0], 1)
		var tabs sync.WaitGroup
		for range 4 {
			tabs.Go(func() {
				for _, w := range refs {
					if _, err := m.Carts.Add(m.ctx, token, w, 1); err != nil {
						t.Error(err)
					}
				}
			})
		}
		tabs.Wait()
		if v := m.view(token); v.Count != 4*12+1 || len(v.Lines) != 12 {
			t.Errorf("%d pieces in %d lines", v.Count, len(v.Lines))
		}
	})
}

// TestCollectionDiscount: a discount for collections covers their present products.
func TestCollectionDiscount(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		cheap, dear := m.sell("Cheap", 500, 9), m.sell("Dear", 5000, 9)
		small := model.CollectionInput{Title: "Small", Sort: state.SortTitle, Rule: &model.CollectionRuleInput{
			Conditions: []*document.CollectionCondition{{Field: state.FieldPrice, MostMinor: new(int64(999))}}}}
		list := graphtest.Must[*model.CollectionPayload](t)(m.Mutation().CollectionCreate(m.Ctx, small)).Collection
		if err := m.Listings.UpdateCollections(t.Context()); err != nil {
			t.Fatal(err)
		}
		in := model.DiscountInput{Code: "HALF", Kind: state.DiscountPercent, BasisPoints: new(int64(5000)),
			Active: true, CollectionIds: []string{list.PublicID()}}
		d := graphtest.Must[*model.DiscountPayload](t)(m.Mutation().DiscountCreate(m.Ctx, in)).Discount
		token := m.add(m.add("", cheap, 2), dear, 1)
		if err := m.SetCode(m.ctx, token, "half"); err != nil {
			t.Fatal(err)
		}
		off := func(want int64) {
			t.Helper()
			v := graphtest.Must[*cart.View](t)(m.Carts.View(m.ctx, token))
			if v.Sums.DiscountMinor != want || v.Discounted != (want > 0) {
				t.Errorf("takes off %d, want %d", v.Sums.DiscountMinor, want)
			}
		}
		off(500)
		for _, bad := range []string{"col_1", xid.Collection.Format(xid.New())} {
			in.CollectionIds = []string{list.PublicID(), bad}
			_, err := m.Mutation().DiscountUpdate(m.Ctx, d.PublicID(), d.Version, in)
			if !strings.HasPrefix(graphtest.FieldOf(err), "#/collection_ids/1") {
				t.Errorf("%s: %v", bad, err)
			}
		}
		graphtest.Must[*model.CollectionDeletePayload](t)(m.Mutation().CollectionDelete(m.Ctx, list.PublicID(), 1))
		if err := m.Listings.UpdateCollections(t.Context()); err != nil {
			t.Fatal(err)
		}
		off(0) // never all products
		in.CollectionIds = nil
		graphtest.Must[*model.DiscountPayload](t)(m.Mutation().DiscountUpdate(m.Ctx, d.PublicID(), d.Version, in))
		off(3000)
	})
}

// TestAddressOfAnyKeyboard: digits of Japanese and Arabic keyboards are accepted in postal codes.
func TestAddressOfAnyKeyboard(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		token := m.add("", m.sell("Bell", 1490, 5), 1)
		for _, tc := range []struct{ country, code, want string }{
			{"JP", "〒１５０－０００１", "150-0001"}, {"JP", "150ー0001", "150-0001"}, {"EG", "١١٥١١", "11511"},
			{"GB", "ｓｗ１Ａ １ＡＡ", "SW1A 1AA"}, {"DE", "１０１", ""}, {"FR", "75 001", "75001"},
		} {
			err := m.SetDetails(m.ctx, token, nil, &document.AddressFields{Name: new("A"), Line1: "1", City: "B",
				Region: new("13"), PostalCode: &tc.code, Country: tc.country})
			if tc.want == "" {
				if graphtest.FaultOf(err) != "validation_failed" {
					t.Errorf("%s %s: %v", tc.country, tc.code, err)
				}
				continue
			}
			a := m.view(token).Address
			if err != nil || a == nil || *a.PostalCode != tc.want {
				t.Errorf("%s %s: %+v (%v)", tc.country, tc.code, a, err)
			}
		}
	})
}
