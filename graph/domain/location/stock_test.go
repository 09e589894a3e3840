package location_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// stocked creates a product with seven units and returns it with its variant's id.
func (p *shop) stocked(t testing.TB) (*db.Product, *string) {
	t.Helper()
	mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
	own := variants.Own(mug)
	return mug, new(own.PublicID())
}

// stock returns the stock of the variants of a product: the number, and in brackets that of each location in
// the order of ids.
func (p *shop) stock(t testing.TB, product *db.Product, ids ...string) string {
	t.Helper()
	id := product.PublicID()
	list := graphtest.Must[*model.InventoryConnection](t)(p.Query().Inventory(p.Ctx, nil, nil,
		&model.InventoryFilter{ProductID: &id}))
	var text []string
	for _, v := range variants.Of(list.Nodes[0]) {
		if v.InventoryQuantity == nil {
			text = append(text, "-")
			continue
		}
		at := map[string]int64{}
		for _, l := range graphtest.Must[[]*model.LocationStock](t)(catalog.LevelFields{}.Locations(p.Ctx, v)) {
			at[l.LocationID] = l.Quantity
		}
		var parts []string
		for _, id := range ids {
			parts = append(parts, fmt.Sprint(at[id]))
		}
		text = append(text, fmt.Sprintf("%d [%s]", *v.InventoryQuantity, strings.Join(parts, " ")))
	}
	return strings.Join(text, ", ")
}

func (p *shop) adjust(ctx context.Context, lines ...*model.InventoryLineInput) error {
	return graphtest.ErrOf(p.Mutation().InventoryAdjust(ctx, lines))
}

func (p *shop) move(ctx context.Context, from, to string, variant *string, quantity int64) error {
	return graphtest.ErrOf(p.Mutation().InventoryTransfer(ctx, model.InventoryTransferInput{From: from, To: to,
		Reason: new("Refill"), Lines: []*model.TransferLineInput{{VariantID: variant, Quantity: quantity}}}))
}

// The number of a variant is the sum over the locations that sell online. The default location has what the
// others do not have.
func TestStockByLocation(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		key := graphtest.AsKey(p.Ctx, scope.InventoryWrite)
		mug, id := p.stocked(t)
		if got := p.stock(t, mug, p.home); got != "7 [7]" {
			t.Errorf("one place: %s", got)
		}
		a, b := p.add(t, "A", true), p.add(t, "Back room", false)
		all := []string{p.home, a, b}
		step := func(want string, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			if got := p.stock(t, mug, all...); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		step("7 [4 3 0]", p.move(key, p.home, a, id, 3))
		step("5 [2 3 2]", p.move(key, p.home, b, id, 2))
		step("7 [2 5 2]", p.adjust(key, &model.InventoryLineInput{VariantID: id, Location: &a, Delta: new(int64(2))}))
		step("7 [2 5 9]", p.adjust(key, &model.InventoryLineInput{VariantID: id, Location: &b, Set: new(int64(9)),
			Expected: new(int64(2))}))
		step("6 [1 5 9]", p.adjust(key, &model.InventoryLineInput{VariantID: id, Set: new(int64(1)),
			Expected: new(int64(2))}))
		step("6 [1 5 9]", p.adjust(key, &model.InventoryLineInput{VariantID: id, Location: &p.home,
			Delta: new(int64(0))}))
		refused := map[string]error{
			"out_of_stock": p.adjust(key, &model.InventoryLineInput{VariantID: id, Location: &a,
				Delta: new(int64(-6))}),
			"version_mismatch": p.adjust(key, &model.InventoryLineInput{VariantID: id, Location: &a, Set: new(int64(1)),
				Expected: new(int64(6))}),
		}
		for want, err := range refused {
			if got := graphtest.FaultOf(err); got != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		if err := p.move(key, p.home, a, id, 2); graphtest.FaultOf(err) != "out_of_stock" {
			t.Errorf("transfer of too much: %v", err)
		}
		step("6 [1 5 9]", nil)
		edit := func(to *int64) error {
			mug = graphtest.Must[*db.Product](t)(p.Query().Product(p.Ctx, mug.PublicID()))
			return graphtest.ErrOf(p.Mutation().ProductVariantUpdate(p.Ctx, mug.PublicID(), mug.Version, *id,
				model.ProductVariantUpdateInput{InventoryQuantity: model.GivenIf(true, to)}))
		}
		if got := graphtest.FieldOf(edit(new(int64(4)))); got != "#/inventory_quantity out_of_range" {
			t.Errorf("below the other locations: %q", got)
		}
		step("8 [3 5 9]", edit(new(int64(8))))
		step("-", edit(nil))
		if n := graphtest.Must[int](t)(p.Client(p.Ctx).StockLevel.Query().Count(p.Ctx)); n != 0 {
			t.Errorf("%d levels of an untracked variant", n)
		}
		if got := graphtest.FieldOf(p.move(key, p.home, a, id, 1)); got != "#/lines/0/quantity out_of_range" {
			t.Errorf("untracked: %q", got)
		}
		step("4 [0 4 0]", p.adjust(key, &model.InventoryLineInput{VariantID: id, Location: &a, Set: new(int64(4))}))
	})
}

// The history names the location and its stock.
func TestHistoryByLocation(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, id := p.stocked(t)
		a := p.add(t, "A", true)
		if err := p.move(p.Ctx, p.home, a, id, 3); err != nil {
			t.Fatal(err)
		}
		rows := graphtest.Must[[]*db.InventoryChange](t)(p.Client(p.Ctx).InventoryChange.Query().All(p.Ctx))
		got := map[string]string{}
		for _, c := range rows {
			shown := &model.InventoryChange{InventoryChange: c}
			got[shown.PublicPlace()] += fmt.Sprintf("%d>%d %s ", *c.Before, *c.After, *c.Reason)
		}
		if got[p.home] != "7>4 Refill " || got[a] != "0>3 Refill " || mug == nil {
			t.Errorf("history %v", got)
		}
		if got := p.Audited(t); !strings.HasSuffix(got, "inventory.transfer") {
			t.Errorf("audited %q", got)
		}
	})
}

// A transfer is refused as a whole, with the place of what is wrong.
func TestTransferRefused(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, id := p.stocked(t)
		a := p.add(t, "A", true)
		other := &shop{p.Other(t), ""}
		theirs := other.add(t, "Theirs", true)
		_, foreign := other.stocked(t)
		closed := p.add(t, "Closed", true)
		graphtest.Must[*model.LocationPayload](t)(p.Mutation().LocationClose(p.Ctx, closed, 1))
		line := func(variant *string, n int64) []*model.TransferLineInput {
			return []*model.TransferLineInput{{VariantID: variant, Quantity: n}}
		}
		one := line(id, 1)
		for _, tc := range []struct {
			want, from, to string
			lines          []*model.TransferLineInput
		}{
			{want: "#/to unknown_value", from: p.home, to: theirs, lines: one},
			{want: "#/to unknown_value", from: p.home, to: closed, lines: one},
			{want: "#/from unknown_value", from: xid.Location.Format(other.Model.ID), to: a, lines: one},
			{want: "#/to out_of_range", from: a, to: a, lines: one},
			{want: "#/lines too_short", from: p.home, to: a, lines: nil},
			{want: "#/lines/1/variant_id unknown_value", from: p.home, to: a,
				lines: append(line(id, 1), line(foreign, 1)...)},
			{want: "#/lines/0/quantity out_of_range", from: p.home, to: a, lines: line(id, 0)},
			{want: "#/lines/0/variant_id required", from: p.home, to: a, lines: line(nil, 1)},
		} {
			err := graphtest.ErrOf(p.Mutation().InventoryTransfer(p.Ctx,
				model.InventoryTransferInput{From: tc.from, To: tc.to, Lines: tc.lines}))
			if got := graphtest.FieldOf(err); got != tc.want {
				t.Errorf("got %q (%v), want %q", got, err, tc.want)
			}
		}
		err := p.adjust(p.Ctx, &model.InventoryLineInput{VariantID: id, Location: &theirs, Set: new(int64(1))})
		if graphtest.FieldOf(err) != "#/lines/0/location unknown_value" {
			t.Errorf("adjustment at the location of another store: %v", err)
		}
		if got := p.stock(t, mug, p.home, a); got != "7 [7 0]" {
			t.Errorf("stock %s", got)
		}
	})
}

// A location with stock neither closes nor leaves the shop. Its stock can be transferred first.
func TestLocationWithStock(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, id := p.stocked(t)
		a := p.add(t, "A", true)
		if err := p.move(p.Ctx, p.home, a, id, 3); err != nil {
			t.Fatal(err)
		}
		m := p.Mutation()
		for _, err := range []error{
			graphtest.ErrOf(m.LocationClose(p.Ctx, a, 1)),
			graphtest.ErrOf(m.LocationUpdate(p.Ctx, a, 1, model.LocationUpdateInput{SellsOnline: model.Some(false)})),
		} {
			if graphtest.FaultOf(err) != "invalid_transition" {
				t.Errorf("with stock: %v", err)
			}
		}
		if err := p.move(p.Ctx, a, p.home, id, 3); err != nil {
			t.Fatal(err)
		}
		graphtest.Must[*model.LocationPayload](t)(m.LocationUpdate(p.Ctx, a, 1,
			model.LocationUpdateInput{SellsOnline: model.Some(false)}))
		if err := p.move(p.Ctx, p.home, a, id, 2); err != nil {
			t.Fatal(err)
		}
		if got := p.stock(t, mug, p.home, a); got != "5 [5 2]" {
			t.Errorf("stock %s", got)
		}
	})
}

// Concurrent transfers of the last units succeed once.
func TestTransfersAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, id := p.stocked(t)
		a := p.add(t, "A", true)
		var wg sync.WaitGroup
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			if err := p.move(ctx, p.home, a, id, 5); err != nil {
				return err
			}
			wg.Go(func() { // waits for the product's row
				if err := p.move(p.Ctx, p.home, a, id, 5); graphtest.FaultOf(err) != "out_of_stock" {
					t.Errorf("the second transfer: %v", err)
				}
			})
			return nil
		})
		wg.Wait()
		if got := p.stock(t, mug, p.home, a); err != nil || got != "7 [2 5]" {
			t.Errorf("stock %s, %v", got, err)
		}
	})
}
