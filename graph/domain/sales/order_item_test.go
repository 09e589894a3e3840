package sales_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// piece returns a line of a variant.
func piece(p *db.Product, variant int, quantity int64) *model.OrderLineInput {
	l := graphtest.ProductLine(p, quantity)
	l.VariantID = new(p.Variants[variant].PublicID())
	return l
}

// pieces returns the stock of a product's variants, and of the product.
func pieces(t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product) (list []int64) {
	t.Helper()
	now := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
	for _, v := range now.Variants {
		list = append(list, *v.InventoryQuantity)
	}
	return append(list, *now.InventoryQuantity)
}

// checkStock compares the stock of the shirt's three variants and their sum.
func checkStock(t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product, when string, want [4]int64) {
	t.Helper()
	if got := [4]int64(pieces(t, ctx, r, p)); got != want {
		t.Errorf("%s: stock %v, want %v", when, got, want)
	}
}

// A line of a variant has its price, sku and options, and takes its stock, which is returned when
// the order is canceled or refunded.
func TestOrderOfVariants(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p, mug := graphtest.NewProduct(t, ctx, r, graphtest.Shirt()), graphtest.NewStockedProduct(t, ctx, r, 100, 9)
		o := graphtest.NewOrder(t, ctx, r, piece(p, 1, 1), piece(p, 2, 3), piece(p, 1, 1), graphtest.ProductLine(mug,
			1),
			graphtest.CustomLine("gift", 1, 5))
		l := o.Lines[0]
		if l.Title != "Shirt" || *l.Sku != "SHIRT-M-W" || l.UnitPriceMinor != 2000 ||
			*l.PublicVariantID() != p.Variants[1].PublicID() || string(l.Options) != `["M","White"]` {
			t.Errorf("the line: %v", l.OrderLine)
		}
		if own, none := o.Lines[3], o.Lines[4]; own.VariantID != nil ||
			*own.PublicVariantID() != xid.Variant.Format(mug.ID) || none.PublicVariantID() != nil {
			t.Errorf("lines without variants: %v, %v", own.OrderLine, none.OrderLine)
		}
		body := graphtest.LastEvent(t, ctx, r, o.ID)
		if !strings.Contains(body, `"variant_id":"`+p.Variants[1].PublicID()+`","options":["M","White"],`) ||
			!strings.Contains(body, `"variant_id":null,"options":[],"requires_shipping":true}`) {
			t.Errorf("the event: %s", body)
		}
		checkStock(t, ctx, r, p, "sold", [4]int64{1, 0, 0, 1})
		_, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			Lines: []*model.OrderLineInput{piece(p, 0, 1), piece(p, 1, 1)}})
		if graphtest.FaultOf(err) != "out_of_stock" || !strings.Contains(err.Error(), p.Variants[1].PublicID()) {
			t.Errorf("one too many: %v", err)
		}
		checkStock(t, ctx, r, p, "refused", [4]int64{1, 0, 0, 1})
		o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderMarkPaid(ctx, o.PublicID(), o.Version, nil,
			nil)).Order
		o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderRefund(ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: 2100, Restock: true,
				Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[1].PublicID(), Quantity: 1}}})).Order
		checkStock(t, ctx, r, p, "refunded", [4]int64{1, 0, 1, 2})
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(ctx, o.PublicID(), o.Version, false, nil))
		checkStock(t, ctx, r, p, "cancelled", [4]int64{1, 2, 3, 6})
		if stockOf(t, ctx, r, mug) != 9 {
			t.Errorf("the mug's stock is %d", stockOf(t, ctx, r, mug))
		}
	})
}

// A line must name existing rows, and for a product with options the variant.
func TestOrderOfVariantsRefused(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		other := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		mug := graphtest.NewStockedProduct(t, ctx, r, 100, 9)
		own := graphtest.ProductLine(mug, 1)
		own.VariantID = new(xid.Variant.Format(mug.ID))
		if o := graphtest.NewOrder(t, ctx, r, own); o.Lines[0].VariantID != nil || stockOf(t, ctx, r, mug) != 8 {
			t.Errorf("a product's own variant: %v", o.Lines[0].OrderLine)
		}
		line := func(product *db.Product, variant string) *model.OrderLineInput {
			l := graphtest.ProductLine(product, 1)
			l.VariantID = &variant
			return l
		}
		alone := graphtest.CustomLine("x", 1, 1)
		alone.VariantID = new(p.Variants[0].PublicID())
		for name, tc := range map[string]struct {
			line *model.OrderLineInput
			want string
		}{
			"no variant":          {graphtest.ProductLine(p, 1), "#/lines/0/variant_id required"},
			"another's":           {line(p, other.Variants[0].PublicID()), "#/lines/0/variant_id unknown_value"},
			"malformed":           {line(p, "var_x"), "#/lines/0/variant_id unknown_value"},
			"of no options":       {line(mug, p.Variants[0].PublicID()), "#/lines/0/variant_id unknown_value"},
			"the product's own":   {line(p, xid.Variant.Format(p.ID)), "#/lines/0/variant_id unknown_value"},
			"without its product": {alone, "#/lines/0/product_id required"},
		} {
			_, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
				Lines: []*model.OrderLineInput{tc.line}})
			if got := graphtest.FieldOf(err); got != tc.want {
				t.Errorf("%s: %q (%v), want %q", name, got, err, tc.want)
			}
		}
		checkStock(t, ctx, r, p, "afterwards", [4]int64{1, 2, 3, 6})
	})
}

// If the variant of returned units is gone or no longer tracked, the sum stays the sum of the
// variants.
func TestStockReturnsToChangedVariants(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		mug := graphtest.NewStockedProduct(t, ctx, r, 100, 9)
		o := graphtest.NewOrder(t, ctx, r, piece(p, 1, 1), piece(p, 2, 1), graphtest.ProductLine(mug, 2))
		p = graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
		texts := func(i int) []string { return graphtest.Must[[]string](t)(p.Variants[i].Options.List()) }
		set := func(p *db.Product, of []document.Option, variants ...*model.ProductVariantInput) {
			t.Helper()
			var list []*document.Option
			for _, o := range of {
				list = append(list, &o)
			}
			graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantsSet(ctx, p.PublicID(), p.Version, list,
				variants))
		}
		set(p, graphtest.Must[[]document.Option](t)(p.Options.List()),
			&model.ProductVariantInput{ID: new(p.Variants[0].PublicID()), Options: texts(0),
				InventoryQuantity: new(int64(4))},
			&model.ProductVariantInput{ID: new(p.Variants[1].PublicID()), Options: texts(1),
				InventoryQuantity: new(int64(0))})
		mug = graphtest.Must[*db.Product](t)(r.ProductRow(ctx, mug.ID))
		set(mug, []document.Option{{Name: "Size", Values: []string{"L"}}},
			&model.ProductVariantInput{Options: []string{"L"}, InventoryQuantity: new(int64(1))})
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(ctx, o.PublicID(), o.Version, false, nil))
		if got := pieces(t, ctx, r, p); got[0] != 4 || got[1] != 1 || got[2] != 5 {
			t.Errorf("one variant is gone: %v", got)
		}
		if got := pieces(t, ctx, r, mug); got[0] != 1 || got[1] != 1 {
			t.Errorf("sold before there were options: %v", got)
		}
	})
}

// With an untracked variant, the others are still tracked, and the sum stays null.
func TestStockWithAnUntrackedVariant(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := graphtest.Shirt()
		in.Variants[0].InventoryQuantity = nil
		p := graphtest.NewProduct(t, ctx, r, in)
		same := func(when string, want int64) {
			t.Helper()
			now := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
			if v := now.Variants; now.InventoryQuantity != nil || v[0].InventoryQuantity != nil ||
				*v[2].InventoryQuantity != want {
				t.Errorf("%s: %v, %v", when, now, v)
			}
		}
		o := graphtest.NewOrder(t, ctx, r, piece(p, 0, 50), piece(p, 2, 2))
		same("sold", 1)
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(ctx, o.PublicID(), o.Version, false, nil))
		same("cancelled", 3)
	})
}

// An order reads variants with one statement, and only if a product has any.
func TestVariantOrderStatements(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p, mug := graphtest.NewProduct(t, ctx, r, graphtest.Shirt()), graphtest.NewStockedProduct(t, ctx, r, 100, 9)
		graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(mug, 1)) // takes a block of numbers
		cost := func(lines ...*model.OrderLineInput) uint64 {
			counted, n := ent.CountStatements(ctx)
			graphtest.NewOrder(t, counted, r, lines...)
			return n.N()
		}
		without := cost(graphtest.ProductLine(mug, 1))
		// The variants are read, and each is updated.
		if with := cost(piece(p, 1, 1), piece(p, 2, 1)); with != without+3 {
			t.Errorf("two variants cost %d statements, a product without options %d", with, without)
		}
		page := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, nil, nil, nil, nil, nil))
		counted, n := ent.CountStatements(ctx)
		fields := sales.LineFields{Resolver: resolver(r.Core)}
		for _, o := range page.Nodes {
			for _, l := range o.Lines {
				got := graphtest.Must[*db.Product](t)(fields.Product(counted, l))
				if l.VariantID != nil && len(got.Variants) != 3 {
					t.Errorf("a line's product has %d variants", len(got.Variants))
				}
			}
		}
		if n.N() != 2 {
			t.Errorf("the products of a page cost %d statements, want 2", n.N())
		}
	})
}

// Concurrent orders of the last units: exactly the stock is sold, and the sum is right. They name
// the variants in different orders, and never deadlock.
func TestVariantsSoldAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := graphtest.Shirt()
		for _, v := range in.Variants {
			v.InventoryQuantity = new(int64(7))
		}
		a, b := graphtest.NewProduct(t, ctx, r, in), graphtest.NewProduct(t, ctx, r, in)
		var sold atomic.Int64
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				lines := []*model.OrderLineInput{piece(a, 0, 1), piece(a, 1, 1), piece(b, 2, 1)}
				if i%2 == 0 {
					lines[0], lines[2] = lines[2], lines[0]
				}
				_, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test", Lines: lines})
				switch graphtest.FaultOf(err) {
				case "":
					sold.Add(1)
				case "out_of_stock":
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if sold.Load() != 7 {
			t.Errorf("%d orders succeeded, want 7", sold.Load())
		}
		checkStock(t, ctx, r, a, "afterwards", [4]int64{0, 0, 7, 7})
		checkStock(t, ctx, r, b, "afterwards", [4]int64{7, 7, 0, 14})
	})
}
