package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// reportStock makes all marks due and writes their events. It returns their objects, by SKU and
// quantity, and the number of marks before and after.
func reportStock(t *testing.T, ctx context.Context, r *graph.Resolver) (objects string, before, after int) {
	t.Helper()
	if n, err := r.ReportStock(context.WithoutCancel(t.Context())); n != 0 || err != nil {
		t.Errorf("%d events before the pause ended: %v", n, err)
	}
	known := graphtest.Must[int](t)(r.Client(ctx).Event.Query().Count(ctx))
	before = graphtest.Must[int](t)(r.Client(ctx).InventoryMark.Query().Count(ctx))
	endPause(t, ctx, r)
	n := graphtest.Must[int](t)(r.ReportStock(t.Context()))
	rows := graphtest.Must[[]*db.Event](t)(r.Client(ctx).Event.Query().Order(db.Asc("id")).All(ctx))
	var list []string
	for _, e := range rows[known:] {
		var body struct {
			Data struct {
				Object struct {
					Product  string `json:"product_id"`
					SKU      string
					Quantity *int64
				}
			}
		}
		if err := json.Unmarshal(e.Body, &body); err != nil || e.Type != "inventory.changed" ||
			body.Data.Object.Product != xid.Product.Format(e.ResourceID) {
			t.Errorf("%s: %s (%v)", e.Type, e.Body, err)
		}
		list = append(list, body.Data.Object.SKU+" "+number(body.Data.Object.Quantity))
	}
	if n != before {
		t.Errorf("%d events for %d marks", n, before)
	}
	slices.Sort(list)
	return strings.Join(list, ", "), before, graphtest.Must[int](t)(r.Client(ctx).InventoryMark.Query().Count(ctx))
}

// endPause makes the marks of a store due.
func endPause(t *testing.T, ctx context.Context, r *graph.Resolver) {
	t.Helper()
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := r.Client(ctx).ExecContext(ctx, "UPDATE inventory_marks SET due_at = 0 WHERE store_id = ?",
			viewer.From(ctx).Store)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// subscribe registers an endpoint for changes of stock with a key of some scopes.
func subscribe(p *graphtest.Shop, scopes ...string) error {
	return graphtest.ErrOf(p.Mutation().WebhookEndpointCreate(graphtest.AsKey(p.Ctx, scopes...),
		graphtest.Receiver("inventory.changed")))
}

// Each change of stock is reported by inventory.changed once an endpoint subscribed: of a variant once
// in a second, with its present stock. Nothing is written before that.
func TestInventoryEvents(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ctx, m := p.As(p.Owner.ID, viewer.Owner), p.Mutation()
		in := graphtest.Mug()
		in.InventoryQuantity = new(int64(50))
		mug, shirt := graphtest.NewProduct(t, ctx, p.Resolver, in),
			graphtest.NewProduct(t, ctx, p.Resolver, graphtest.Shirt())
		other := p.Other(t)
		order := graphtest.NewOrder(t, ctx, p.Resolver, graphtest.ProductLine(mug, 1))
		if _, marks, _ := reportStock(t, ctx, p.Resolver); marks != 0 {
			t.Errorf("%d marks without a subscription", marks)
		}
		refused := subscribe(p, scope.WebhooksWrite, scope.ProductsRead)
		if got := graphtest.FaultOf(refused); got != "insufficient_scope" {
			t.Errorf("without inventory.read: %q", got)
		}
		if s := graphtest.Must[*model.Store](t)(p.Query().Store(ctx)); s.StockEvents {
			t.Error("a refused subscription turned events on")
		}
		if err := subscribe(p, scope.WebhooksWrite, scope.InventoryRead); err != nil {
			t.Fatal(err)
		}
		s := graphtest.Must[*model.Store](t)(p.Query().Store(ctx))
		theirs := graphtest.Must[*model.Store](t)(other.Query().Store(other.Ctx))
		if !s.StockEvents || theirs.StockEvents {
			t.Errorf("events are %v, of another store %v", s.StockEvents, theirs.StockEvents)
		}
		now := func(of *db.Product) *db.Product {
			return graphtest.Must[*db.Product](t)(p.Query().Product(ctx, of.PublicID()))
		}
		adjust := func(lines ...*model.InventoryLineInput) {
			graphtest.Must[*model.InventoryPayload](t)(m.InventoryAdjust(ctx, lines))
		}
		white := shirt.Variants[1]
		for _, step := range []struct {
			name, want string
			do         func()
		}{
			{"sales", "MUG-1 45", func() {
				graphtest.NewOrder(t, ctx, p.Resolver, graphtest.ProductLine(mug, 1))
				graphtest.NewOrder(t, ctx, p.Resolver, graphtest.ProductLine(mug, 3))
			}},
			{"restock", "MUG-1 46", func() {
				order = graphtest.Must[*model.OrderPayload](t)(graphtest.Pay(order.TotalMinor)(ctx, m, order)).Order
				graphtest.Must[*model.OrderPayload](t)(graphtest.Refund(100, 1, true)(ctx, m, order))
			}},
			{"adjustment", "MUG-1 47, SHIRT-M-W 9", func() {
				adjust(&model.InventoryLineInput{Sku: white.Sku, Set: new(int64(9))},
					&model.InventoryLineInput{Sku: in.Sku, Delta: new(int64(1))})
			}},
			{"edits", "MUG-1 -, SHIRT-M-W 4", func() {
				graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, mug.PublicID(), now(mug).Version,
					model.ProductUpdateInput{InventoryQuantity: model.GivenIf(true, (*int64)(nil))}))
				graphtest.Must[*model.ProductPayload](t)(m.ProductVariantUpdate(ctx, shirt.PublicID(),
					now(shirt).Version, white.PublicID(),
					model.ProductVariantUpdateInput{InventoryQuantity: model.Some(int64(4))}))
			}},
			{"no change", "", func() { adjust(&model.InventoryLineInput{Sku: white.Sku, Set: new(int64(4))}) }},
		} {
			step.do()
			version := now(mug).Version
			got, _, left := reportStock(t, ctx, p.Resolver)
			if got != step.want || left != 0 || now(mug).Version != version {
				t.Errorf("%s: %q and %d marks left, want %q; version %d, before %d", step.name, got, left, step.want,
					now(mug).Version, version)
			}
		}
		want := "product.created inventory.changed inventory.changed inventory.changed inventory.changed"
		types := graphtest.EventTypes(t, ctx, p.Resolver, mug.ID, now(mug).EventSequence)
		if got := strings.Join(types, " "); got != want {
			t.Errorf("events %q", got)
		}
		adjust(&model.InventoryLineInput{Sku: white.Sku, Set: new(int64(1))})
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, shirt.PublicID(), now(shirt).Version))
		known := graphtest.Must[int](t)(p.Client(ctx).Event.Query().Count(ctx))
		endPause(t, ctx, p.Resolver)
		n, err := p.ReportStock(t.Context())
		marks := graphtest.Must[int](t)(p.Client(ctx).InventoryMark.Query().Count(ctx))
		after := graphtest.Must[int](t)(p.Client(ctx).Event.Query().Count(ctx))
		if n != 0 || err != nil || marks != 0 || after != known {
			t.Errorf("of a deleted product: %d events, %d marks, %v", n, marks, err)
		}
	})
}

// Processes that report at once write each event once, also for products with many variants.
func TestInventoryEventsAtOnce(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ctx := p.As(p.Owner.ID, viewer.Owner)
		if err := subscribe(p, scope.WebhooksWrite, scope.InventoryRead); err != nil {
			t.Fatal(err)
		}
		grid := graphtest.NewProduct(t, ctx, p.Resolver, graphtest.Grid(40))
		var lines []*model.InventoryLineInput
		for i, v := range variants.Of(grid) {
			lines = append(lines, &model.InventoryLineInput{VariantID: new(v.PublicID()), Set: new(int64(i))})
		}
		graphtest.Must[*model.InventoryPayload](t)(p.Mutation().InventoryAdjust(ctx, lines))
		endPause(t, ctx, p.Resolver)
		var total atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				n, err := p.ReportStock(t.Context())
				if total.Add(int64(n)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		now := graphtest.Must[*db.Product](t)(p.Query().Product(ctx, grid.PublicID()))
		types := graphtest.EventTypes(t, ctx, p.Resolver, grid.ID, now.EventSequence)
		if d := cmp.Diff("41 40", fmt.Sprintf("%d %d", len(types), total.Load())); d != "" {
			t.Error(d)
		}
	})
}

// While the previous release may run, which would not mark its changes, nobody can have the events.
func TestInventoryEventsOfPreviousRelease(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
		err := graphtest.ErrOf(r.Mutation().StoreUpdate(ctx, model.StoreUpdateInput{ExpectedVersion: s.Version,
			StockEvents: new(true)}))
		if got := graphtest.FaultOf(err); got != "invalid_transition" {
			t.Errorf("got %q", got)
		}
	})
}
