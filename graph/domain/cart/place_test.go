package cart_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// order reads an order.
func (m *market) order(id xid.ID) *model.Order {
	m.t.Helper()
	return graphtest.Must[*model.Order](m.t)(m.Query().Order(m.Ctx, xid.Order.Format(id)))
}

// stock returns the remaining stock of a product.
func (m *market) stock(w cart.ProductRef) int64 {
	m.t.Helper()
	p := graphtest.Must[*db.Product](m.t)(m.Query().Product(m.Ctx, xid.Product.Format(w.Product)))
	return *p.InventoryQuantity
}

// place orders a cart as it is shown.
func (m *market) place(token string) (xid.ID, error) {
	m.t.Helper()
	made, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: m.view(token).Sums.TotalMinor})
	return made.Order, err
}

func TestPlace(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell, log := m.sell("Bell", 1490, 5), new(storetest.Log)
		token := m.add("", bell, 2)
		if _, err := m.place(token); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("without a checkout: %v", err)
		}
		m.ready(token, "Ada@Example.com")
		if err := m.SetNote(m.ctx, token, "Ring twice"); err != nil {
			t.Fatal(err)
		}
		log.Mark(t, m.Store)
		if _, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: 1}); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("at another price: %v", err)
		}
		id, err := m.place(token)
		if err != nil {
			t.Fatal(err)
		}
		o := m.order(id)
		if o.TotalMinor != 2*1490+490 || *o.IncludedTaxMinor != 476+78 || o.TaxMinor != 0 ||
			*o.Email != "ada@example.com" ||
			o.Source != "storefront" || *o.ShippingMethod != "Post" || *o.PaymentMethod != state.PaymentTransfer ||
			o.NotesCount != 1 || o.CustomerID == nil || m.stock(bell) != 3 {
			t.Errorf("ordered %+v, %d left", o.Order, m.stock(bell))
		}
		var made []string
		for _, e := range log.Next(t, m.Store) {
			made = append(made, string(e.Type))
		}
		if fmt.Sprint(made) != "[customer.created order.created]" {
			t.Errorf("events %v", made)
		}
		again, err := m.Place(m.ctx, token, cart.Shown{})
		if err != nil || again != (cart.Placed{Order: id}) || m.view(token).Order != id {
			t.Errorf("again: %v (%v)", again, err)
		}
		// The cart is closed, and the next order has the same customer.
		if err := m.SetNote(m.ctx, token, "x"); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a note after it: %v", err)
		}
		second := m.add(token, bell, 1)
		if second == token {
			t.Error("an ordered cart accepts products")
		}
		m.ready(second, "ada@example.com")
		id, err = m.place(second)
		if err != nil || *m.order(id).CustomerID != *o.CustomerID {
			t.Errorf("the second order: %v", err)
		}
	})
}

// TestPlacePaidLater: the stock that one order, and the orders of one network, reserve before
// payment is bounded.
func TestPlacePaidLater(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.Limits[limit.UnpaidPieces] = 3
		m.online()
		bell := m.sell("Bell", 1490, 1000)
		rope := m.sell("Rope", 5, -1) // without tracked stock
		order := func(from string, w cart.ProductRef, pieces int64, method state.PaymentMethod) string {
			t.Helper()
			ctx := viewer.WithOrigin(m.ctx, viewer.Origin{Client: netip.MustParseAddr(from)})
			token := m.add("", w, pieces)
			m.ready(token, "ada@example.com")
			if err := m.SetDelivery(ctx, token, nil, new(method)); err != nil {
				t.Fatal(err)
			}
			made, err := m.Place(ctx, token, cart.Shown{TotalMinor: m.view(token).Sums.TotalMinor})
			if f, _ := errors.AsType[*fault.Error](err); f != nil && f.Kind == fault.RateLimited && f.RetryAfter == 0 ||
				graphtest.FaultOf(err) == "limit_reached" && made.Limit != 3 {
				t.Errorf("%+v: %v", made, err)
			}
			return graphtest.FaultOf(err)
		}
		for name, tc := range map[string]struct{ got, want string }{
			"too many":    {order("192.0.2.1", bell, 4, state.PaymentTransfer), "limit_reached"},
			"paid online": {order("192.0.2.1", bell, 4, state.PaymentTest), ""},
			"not counted": {order("192.0.2.1", rope, 4, state.PaymentTransfer), ""},
		} {
			if tc.got != tc.want {
				t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
			}
		}
		for i := range networkHolds {
			if got := order("192.0.2.1", bell, 3, state.PaymentTransfer); got != "" {
				t.Errorf("order %d of the network: %q", i, got)
			}
		}
		if got := order("192.0.2.1", bell, 1, state.PaymentTransfer); got != "rate_limited" {
			t.Errorf("one more of the network: %q", got)
		}
		if got := order("192.0.2.2", bell, 3, state.PaymentTransfer); got != "" {
			t.Errorf("from another network: %q", got)
		}
		for i := range networkHolds + 1 { // a private network may be a proxy in front of all shoppers
			if got := order("10.0.0.1", bell, 3, state.PaymentTransfer); got != "" {
				t.Errorf("order %d of a private network: %q", i, got)
			}
		}
	})
}

const networkHolds = 5

// TestPlacePaidLaterOnce: concurrent placements of one cart are charged to the network once.
func TestPlacePaidLaterOnce(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.Limits[limit.UnpaidPieces] = 3
		bell := m.sell("Bell", 1490, 1000)
		ctx := viewer.WithOrigin(m.ctx, viewer.Origin{Client: netip.MustParseAddr("192.0.2.1")})
		order := func(clicks int) (placed int64) {
			token := m.add("", bell, 3)
			m.ready(token, "ada@example.com")
			if err := m.SetDelivery(ctx, token, nil, new(state.PaymentTransfer)); err != nil {
				t.Fatal(err)
			}
			shown := cart.Shown{TotalMinor: m.view(token).Sums.TotalMinor}
			var all sync.WaitGroup
			var done atomic.Int64
			for range clicks {
				all.Go(func() {
					switch _, err := m.Place(ctx, token, shown); {
					case err == nil:
						done.Add(1)
					case graphtest.FaultOf(err) != "rate_limited":
						t.Error(err)
					}
				})
			}
			all.Wait()
			return done.Load()
		}
		for i, clicks := range []int{networkHolds, 1, 1, 1, 1} {
			if n := order(clicks); n != int64(clicks) {
				t.Errorf("order %d of the network: %d of %d clicks placed it", i, n, clicks)
			}
		}
		if order(1) != 0 {
			t.Error("one more order of the network was placed")
		}
	})
}

// Concurrent placements of one cart make one order.
func TestPlaceOnce(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell := m.sell("Bell", 1490, 50)
		token := m.add("", bell, 2)
		total := m.ready(token, "ada@example.com").Sums.TotalMinor
		ids := make([]xid.ID, 12)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				made, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: total})
				if ids[i] = made.Order; err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] || id.IsNil() {
				t.Fatalf("orders %v", ids)
			}
		}
		if m.stock(bell) != 48 {
			t.Errorf("%d left", m.stock(bell))
		}
	})
}

// 500 shoppers order the last 100 pieces concurrently: 100 succeed, 400 are refused.
func TestPlaceLast(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		const shoppers, pieces = 500, 100
		bell := m.sell("Bell", 1490, pieces)
		tokens := make([]string, shoppers)
		var total int64
		for i := range tokens {
			tokens[i] = m.add("", bell, 1)
			total = m.ready(tokens[i], "buyer-"+strconv.Itoa(i%60)+"@example.com").Sums.TotalMinor
		}
		var placed, refused atomic.Int64
		turns := make(chan struct{}, 16)
		var all sync.WaitGroup
		for _, token := range tokens {
			all.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				_, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: total})
				switch graphtest.FaultOf(err) {
				case "":
					placed.Add(1)
				case "out_of_stock":
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if placed.Load() != pieces || refused.Load() != shoppers-pieces || m.stock(bell) != 0 {
			t.Errorf("%d placed, %d refused, %d left", placed.Load(), refused.Load(), m.stock(bell))
		}
	})
}

// A discount with one use per customer is used once. Pricing and placing both refuse a second use,
// the code is removed, and the use is returned once when its order is canceled or not paid.
func TestPlaceDiscount(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell := m.sell("Bell", 2000, 50)
		graphtest.Must[*model.DiscountPayload](t)(m.Mutation().DiscountCreate(m.Ctx, model.DiscountInput{Code: "ten",
			Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), CustomerUsesMax: new(int64(1)), Active: true}))
		begin := func(method state.PaymentMethod) (token string, total int64) {
			token = m.add("", bell, 1)
			if err := m.SetCode(m.ctx, token, " Ten "); err != nil {
				t.Fatal(err)
			}
			m.ready(token, "ada@example.com")
			if err := m.SetDelivery(m.ctx, token, nil, new(method)); err != nil {
				t.Fatal(err)
			}
			return token, m.view(token).Sums.TotalMinor
		}
		first, _ := begin(state.PaymentTest)
		second, total := begin(state.PaymentTransfer)
		if err := m.SetCode(m.ctx, first, "eleven"); graphtest.FaultOf(err) != "discount_unavailable" {
			t.Errorf("a wrong code: %v", err)
		}
		id, err := m.place(first)
		if err != nil || m.order(id).DiscountMinor != 200 || *m.order(id).DiscountCode != "TEN" {
			t.Fatalf("%+v (%v)", m.order(id).Order, err)
		}
		if v := m.view(second); !v.Refused() || v.Sums.TotalMinor != total+200 {
			t.Errorf("the second use costs %d after %d", v.Sums.TotalMinor, total)
		}
		made, err := m.Place(m.ctx, second, cart.Shown{TotalMinor: total})
		if graphtest.FaultOf(err) != "discount_unavailable" || made.Refused != "TEN" || m.view(second).Code != "" {
			t.Errorf("the second use: %+v (%v)", made, err)
		}
		if err := m.SetCode(m.ctx, second, "ten"); graphtest.FaultOf(err) != "discount_unavailable" {
			t.Errorf("entered again: %v", err)
		}
		m.late()
		for range 2 { // expired, and no longer expired
			if _, err := m.EndHolds(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.SetCode(m.ctx, second, "ten"); err != nil {
			t.Errorf("after the first was not paid: %v", err)
		}
		id = graphtest.Must[xid.ID](t)(m.place(second))
		third := m.add("", bell, 1)
		m.ready(third, "Ada@Example.com")
		if err := m.SetCode(m.ctx, third, "ten"); graphtest.FaultOf(err) != "discount_unavailable" {
			t.Errorf("the third use: %v", err)
		}
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCancel(m.Ctx, xid.Order.Format(id),
			m.order(id).Version, false, nil))
		if err := m.SetCode(m.ctx, third, "ten"); err != nil {
			t.Errorf("after the cancellation: %v", err)
		}
		graphtest.Must[xid.ID](t)(m.place(third))
	})
}

// The last use of a code goes to one cart; the others lose only the code and can be ordered.
func TestPlaceLastUse(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell := m.sell("Bell", 2000, 50)
		graphtest.Must[*model.DiscountPayload](t)(m.Mutation().DiscountCreate(m.Ctx, model.DiscountInput{Code: "last",
			Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), UsesMax: new(int64(1)), Active: true}))
		tokens, total := make([]string, 8), int64(0)
		for i := range tokens {
			tokens[i] = m.add("", bell, 1)
			if err := m.SetCode(m.ctx, tokens[i], "last"); err != nil {
				t.Fatal(err)
			}
			total = m.ready(tokens[i], "buyer-"+strconv.Itoa(i)+"@example.com").Sums.TotalMinor
		}
		var placed, refused atomic.Int64
		var all sync.WaitGroup
		for _, token := range tokens {
			all.Go(func() {
				made, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: total})
				switch {
				case err == nil:
					placed.Add(1)
					return
				case graphtest.FaultOf(err) != "discount_unavailable" || made.Refused != "LAST":
					t.Errorf("%+v: %v", made, err)
				}
				refused.Add(1)
				if v := m.view(token); v.Code != "" || v.Sums.TotalMinor != total+200 || v.Next() != cart.StepReview {
					t.Errorf("remaining: %+v at the step %s", v.Sums, v.Next())
				}
				if _, err := m.place(token); err != nil {
					t.Errorf("without the code: %v", err)
				}
			})
		}
		all.Wait()
		if placed.Load() != 1 || refused.Load() != int64(len(tokens)-1) {
			t.Errorf("%d placed with the code, %d refused", placed.Load(), refused.Load())
		}
	})
}

// The review identifies the products, too: others with the same price are not what the shopper
// agreed to.
func TestPlaceOtherGoods(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell, lamp := m.sell("Bell", 2000, 5), m.sell("Lamp", 2000, 5)
		token := m.add("", bell, 1)
		v := m.ready(token, "ada@example.com")
		m.add(token, lamp, 1)
		if err := m.SetLine(m.ctx, token, bell, 0); err != nil {
			t.Fatal(err)
		}
		_, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: v.Sums.TotalMinor, Contents: v.Contents()})
		if graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("other products: %v", err)
		}
	})
}

// A cart that was filled before a pause waits until the pause is over.
func TestPlacePaused(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		token := m.add("", m.sell("Bell", 2000, 5), 1)
		v := m.ready(token, "ada@example.com")
		pause := func(until micros.Time) {
			if err := m.Store.InTx(m.Ctx, func(ctx context.Context) error {
				return m.Client(ctx).Store.Update().SetStorefront(document.NewStorefront(document.StorefrontFields{
					Pause: &document.Pause{Message: "Holidays", Until: &until}})).Exec(ctx)
			}); err != nil {
				t.Fatal(err)
			}
		}
		shown := cart.Shown{TotalMinor: v.Sums.TotalMinor, Contents: v.Contents()}
		pause(micros.Now().Add(time.Hour))
		if _, err := m.Place(m.ctx, token, shown); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("ordered in a pause: %v", err)
		}
		pause(micros.Now())
		if _, err := m.Place(m.ctx, token, shown); err != nil {
			t.Errorf("after the pause: %v", err)
		}
	})
}

// TestConversion: counts the carts of the store, those that reached the checkout, and those that
// became orders, without other stores.
func TestConversion(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		mug := m.sell("Mug", 1000, 9)
		m.add("", mug, 1)
		m.ready(m.add("", mug, 1), "ada@example.com")
		token := m.add("", mug, 1)
		m.ready(token, "bob@example.com")
		graphtest.Must[xid.ID](t)(m.place(token))
		got := graphtest.Must[*model.Conversion](t)(m.Query().Conversion(m.Ctx))
		if *got != (model.Conversion{Carts: 3, Checkouts: 2, Orders: 1}) {
			t.Errorf("%+v", got)
		}
		if got := graphtest.Must[*model.Conversion](t)(m.Query().Conversion(m.Shop.Other(t).Ctx)); got.Carts != 0 {
			t.Errorf("another store: %+v", got)
		}
	})
}
