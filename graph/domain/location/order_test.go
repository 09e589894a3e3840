package location_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// from returns where the lines of an order took their stock, by the names of the locations.
func (p *shop) from(t testing.TB, o *model.Order) string {
	t.Helper()
	o = graphtest.Must[*model.Order](t)(p.Query().Order(p.Ctx, o.PublicID()))
	var lines []string
	for _, l := range o.Lines {
		var parts []string
		for _, a := range graphtest.Must[[]*document.Allocation](t)(l.Allocations()) {
			text := fmt.Sprintf("%d %s", a.Quantity, p.get(t, a.LocationID).Name)
			if a.FulfilledQuantity > 0 {
				text += fmt.Sprintf(" (%d)", a.FulfilledQuantity)
			}
			parts = append(parts, text)
		}
		lines = append(lines, strings.Join(parts, " + "))
	}
	return strings.Join(lines, ", ")
}

func (p *shop) order(t testing.TB, product *db.Product, quantity int64) *model.Order {
	t.Helper()
	return graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.ProductLine(product, quantity))
}

// spread has four units at home and three at A.
func (p *shop) spread(t testing.TB) (mug *db.Product, id *string, a string) {
	t.Helper()
	mug, id = p.stocked(t)
	a = p.add(t, "A", true)
	if err := p.move(p.Ctx, p.home, a, id, 3); err != nil {
		t.Fatal(err)
	}
	return mug, id, a
}

// An order takes a line from the first location that has enough, or else from several. Canceling gives it
// back to where it came from.
func TestAllocate(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, _, a := p.spread(t)
		check := func(o *model.Order, from, stock string) {
			t.Helper()
			if got := p.from(t, o); got != from {
				t.Errorf("from %q, want %q", got, from)
			}
			if got := p.stock(t, mug, p.home, a); got != stock {
				t.Errorf("stock %s, want %s", got, stock)
			}
		}
		one := p.order(t, mug, 2)
		check(one, "2 Corner shop", "5 [2 3]")
		two := p.order(t, mug, 3)
		check(two, "3 A", "2 [2 0]")
		m := p.Mutation()
		graphtest.Must[*model.OrderPayload](t)(m.OrderCancel(p.Ctx, two.PublicID(), two.Version, false, nil))
		check(two, "", "5 [2 3]")
		all := p.order(t, mug, 5)
		check(all, "2 Corner shop + 3 A", "0 [0 0]")
		err := graphtest.ErrOf(m.OrderCreate(p.Ctx, model.OrderCreateInput{Source: "test",
			Lines: []*model.OrderLineInput{graphtest.ProductLine(mug, 1)}}))
		if graphtest.FaultOf(err) != "out_of_stock" {
			t.Errorf("sold out: %v", err)
		}
		graphtest.Must[*model.OrderPayload](t)(m.OrderCancel(p.Ctx, all.PublicID(), all.Version, false, nil))
		check(all, "", "5 [2 3]")
		graphtest.Must[*model.LocationReorderPayload](t)(m.LocationReorder(p.Ctx, []string{a, p.home}))
		check(p.order(t, mug, 1), "1 A", "4 [2 2]")
		check(p.order(t, mug, 4), "2 A + 2 Corner shop", "0 [0 0]")
	})
}

// Variants of a product with options have their own levels.
func TestAllocateVariants(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		shirt := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Shirt()) // 1, 2 and 3 units
		a := p.add(t, "A", true)
		last := new(shirt.Variants[2].PublicID())
		if err := p.move(p.Ctx, p.home, a, last, 2); err != nil {
			t.Fatal(err)
		}
		line := graphtest.ProductLine(shirt, 3)
		line.VariantID = last
		o := graphtest.NewOrder(t, p.Ctx, p.Resolver, line)
		if from, got := p.from(t, o), p.stock(t, shirt, p.home, a); from != "1 Corner shop + 2 A" ||
			got != "1 [1 0], 2 [2 0], 0 [0 0]" {
			t.Errorf("from %s, stock %s", from, got)
		}
		graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCancel(p.Ctx, o.PublicID(), o.Version, false, nil))
		if got := p.stock(t, shirt, p.home, a); got != "1 [1 0], 2 [2 0], 3 [1 2]" {
			t.Errorf("canceled: %s", got)
		}
	})
}

// A fulfillment from another location moves the difference. A refund returns units to where they came from,
// or to a location that it names.
func TestFulfillFrom(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, _, a := p.spread(t)
		b := p.add(t, "Back room", false)
		m := p.Mutation()
		o := p.order(t, mug, 4)
		line := func(n int64) []*model.LineQuantityInput {
			return []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: n}}
		}
		fulfill := func(n int64, at *string) error {
			done, err := m.OrderFulfill(p.Ctx, o.PublicID(), o.Version,
				model.FulfillInput{Lines: line(n), Location: at})
			if err == nil {
				o = done.Order
			}
			return err
		}
		check := func(err error, from, stock string) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			if got := p.from(t, o); got != from {
				t.Errorf("from %q, want %q", got, from)
			}
			if got := p.stock(t, mug, p.home, a, b); got != stock {
				t.Errorf("stock %s, want %s", got, stock)
			}
		}
		check(nil, "4 Corner shop", "3 [0 3 0]")
		if err := fulfill(1, &b); graphtest.FaultOf(err) != "out_of_stock" {
			t.Errorf("from an empty location: %v", err)
		}
		if err := fulfill(1, new("loc_1")); graphtest.FieldOf(err) != "#/location unknown_value" {
			t.Errorf("from an unknown location: %v", err)
		}
		check(fulfill(1, nil), "4 Corner shop (1)", "3 [0 3 0]")
		check(fulfill(2, &a), "2 Corner shop (1) + 2 A (2)", "3 [2 1 0]")
		check(fulfill(1, &p.home), "2 Corner shop (2) + 2 A (2)", "3 [2 1 0]")
		rows := graphtest.Must[[]*db.Fulfillment](t)(p.Client(p.Ctx).Fulfillment.Query().
			Order(fulfillment.ByID()).All(p.Ctx))
		var places []string
		for _, f := range rows {
			places = append(places, p.get(t, *f.PublicLocationID()).Name)
		}
		if got := strings.Join(places, ", "); got != "Corner shop, A, Corner shop" {
			t.Errorf("shipped from %s", got)
		}
		paid := graphtest.Must[*model.OrderPayload](t)(m.OrderMarkPaid(p.Ctx, o.PublicID(), o.Version, nil, nil)).Order
		refund := func(n int64, at *string) error {
			done, err := m.OrderRefund(p.Ctx, paid.PublicID(), paid.Version,
				model.RefundInput{AmountMinor: 0, Lines: line(n), Restock: true, Location: at})
			if err == nil {
				paid = done.Order
			}
			return err
		}
		check(refund(1, &b), "1 Corner shop (1) + 2 A (2)", "3 [2 1 1]")
		check(refund(3, nil), "", "6 [3 3 1]")
	})
}

// An edit takes more units, or gives some back to where they came from.
func TestEditLines(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, _, a := p.spread(t)
		m := p.Mutation()
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(p.Ctx, model.OrderCreateInput{Source: "test",
			Lines: []*model.OrderLineInput{graphtest.ProductLine(mug, 4)}, Pricing: &model.OrderPricingInput{}})).Order
		for _, tc := range []struct {
			quantity    int64
			from, stock string
		}{
			{6, "4 Corner shop + 2 A", "1 [0 1]"},
			{1, "1 A", "6 [4 2]"},
		} {
			o = graphtest.Must[*model.OrderPayload](t)(m.OrderEditLines(p.Ctx, o.PublicID(), o.Version,
				model.OrderLinesInput{Lines: []*model.LineQuantityInput{
					{LineItemID: o.Lines[0].PublicID(), Quantity: tc.quantity}}})).Order
			if from, got := p.from(t, o), p.stock(t, mug, p.home, a); from != tc.from || got != tc.stock {
				t.Errorf("from %q, stock %s; want %+v", from, got, tc)
			}
		}
	})
}

// Of two orders for the last units, which two locations have, one is placed.
func TestLastUnits(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, _, a := p.spread(t)
		in := model.OrderCreateInput{Source: "test", Lines: []*model.OrderLineInput{graphtest.ProductLine(mug, 6)}}
		var wg sync.WaitGroup
		var first *model.Order
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			done, err := p.Mutation().OrderCreate(ctx, in)
			if err != nil {
				return err
			}
			first = done.Order
			wg.Go(func() { // waits for the product's row
				err := graphtest.ErrOf(p.Mutation().OrderCreate(p.Ctx, in))
				if graphtest.FaultOf(err) != "out_of_stock" {
					t.Errorf("the second order: %v", err)
				}
			})
			return nil
		})
		wg.Wait()
		if err != nil {
			t.Fatal(err)
		}
		from, got := p.from(t, first), p.stock(t, mug, p.home, a)
		if from != "4 Corner shop + 2 A" || got != "1 [0 1]" {
			t.Errorf("from %s, stock %s", from, got)
		}
	})
}

// Units of a closed location go back to the default one.
func TestClosedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, _, a := p.spread(t)
		graphtest.Must[*model.LocationReorderPayload](t)(p.Mutation().LocationReorder(p.Ctx, []string{a, p.home}))
		o := p.order(t, mug, 3)
		graphtest.Must[*model.LocationPayload](t)(p.Mutation().LocationClose(p.Ctx, a, p.get(t, a).Version))
		graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCancel(p.Ctx, o.PublicID(), o.Version, false, nil))
		if got := p.stock(t, mug, p.home, a); got != "7 [7 0]" {
			t.Errorf("stock %s", got)
		}
	})
}
