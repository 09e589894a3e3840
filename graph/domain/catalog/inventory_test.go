package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// stockOf returns the stock of the variants of a product, and its sum.
func stockOf(t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product) string {
	t.Helper()
	p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
	var list []string
	for _, v := range variants.Of(p) {
		list = append(list, number(v.InventoryQuantity))
	}
	return strings.Join(list, " ") + " = " + number(p.InventoryQuantity)
}

// historyOf returns the history of a variant, newest first.
func historyOf(t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product, v *db.Variant) string {
	t.Helper()
	fields := catalog.ProductFields{Resolver: catalog.New(r.Core, catalog.Engines{})}
	found := graphtest.Must[*model.InventoryChangeConnection](t)(
		fields.InventoryHistory(ctx, p, v.PublicID(), nil, nil))
	var list []string
	for _, c := range found.Nodes {
		text := fmt.Sprintf("%s>%s by %s", number(c.Before), number(c.After), c.Actor().Type)
		if c.Reason != nil {
			text += " " + *c.Reason
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// An adjustment applies all of its lines or none. Each line, and each edit of staff, is in the
// history of its variant.
func TestInventoryAdjust(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		shirt := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		mug := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		size, own := shirt.Variants[0], variants.Own(mug)
		before := stockOf(t, ctx, r, shirt)
		key := graphtest.AsKey(ctx, scope.InventoryWrite)
		adjust := func(lines ...*model.InventoryLineInput) error {
			return graphtest.ErrOf(r.Mutation().InventoryAdjust(key, lines))
		}
		id, mugID := new(size.PublicID()), new(own.PublicID())
		if err := adjust(&model.InventoryLineInput{VariantID: mugID, Set: new(int64(40)), Reason: new("Count")},
			&model.InventoryLineInput{VariantID: id, Delta: new(int64(5))},
			&model.InventoryLineInput{Sku: mug.Sku, Delta: new(int64(-10)), Reason: new("Broken")},
			&model.InventoryLineInput{Sku: size.Sku, Set: new(int64(9)), Expected: new(*size.InventoryQuantity + 5)},
		); err != nil {
			t.Fatal(err)
		}
		after := stockOf(t, ctx, r, shirt)
		if before == after || !strings.HasPrefix(after, "9 ") || stockOf(t, ctx, r, mug) != "30 = 30" {
			t.Errorf("stock %q, before %q; mug %q", after, before, stockOf(t, ctx, r, mug))
		}
		shirt = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, shirt.PublicID()))
		if sum := variants.Total(shirt.Variants).Inventory; *sum != *shirt.InventoryQuantity || shirt.Version != 2 {
			t.Errorf("the sum is %d, of the variants %d; version %d", *shirt.InventoryQuantity, *sum, shirt.Version)
		}
		mug = graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductUpdate(ctx, mug.PublicID(), 2,
			model.ProductUpdateInput{InventoryQuantity: model.Some(int64(7))})).Product
		if got, want := historyOf(t, ctx, r, mug, &own), "30>7 by staff, 40>30 by api_key Broken, "+
			number(own.InventoryQuantity)+">40 by api_key Count"; got != want {
			t.Errorf("history %q, want %q", got, want)
		}
		if got := strings.Join(graphtest.EventTypes(t, ctx, r, shirt.ID, 1), " "); got != "product.created" {
			t.Errorf("events %q", got)
		}
		refusals(t, ctx, r, adjust, *id, *mugID)
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, mug.PublicID(), mug.Version))
		if got := historyOf(t, ctx, r, mug, &own); got != "" {
			t.Errorf("the history of a deleted product is %q", got)
		}
	})
}

// refusals tries lines that are refused, each behind one that is not.
func refusals(t *testing.T, ctx context.Context, r *graph.Resolver, adjust func(...*model.InventoryLineInput) error,
	id, mugID string,
) {
	t.Helper()
	untracked := graphtest.Mug()
	untracked.Title, untracked.Sku, untracked.InventoryQuantity, untracked.Handle = "Other", new("MANY"), nil, nil
	other := variants.Own(graphtest.NewProduct(t, ctx, r, untracked))
	graphtest.NewProduct(t, ctx, r, untracked)
	one := new(int64(1))
	for want, line := range map[string]*model.InventoryLineInput{
		"out_of_stock":                        {VariantID: &mugID, Delta: new(int64(-1000))},
		"version_mismatch":                    {VariantID: &mugID, Set: one, Expected: new(int64(1000))},
		"lines/1/sku unknown_value":           {Sku: new("MANY"), Set: one},
		"lines/1/variant_id unknown_value":    {VariantID: new(xid.Variant.Format(xid.New())), Set: one},
		"lines/1/variant_id required":         {Set: one},
		"lines/1/delta required":              {VariantID: &mugID},
		"lines/1/delta out_of_range":          {VariantID: new(other.PublicID()), Delta: one},
		"lines/1/expected out_of_range":       {VariantID: &mugID, Delta: one, Expected: one},
		"lines/1/set out_of_range":            {VariantID: &mugID, Set: new(int64(limit.Inventory + 1))},
		"lines/1/reason too_long":             {VariantID: &mugID, Set: one, Reason: new(strings.Repeat("x", 256))},
		"lines/1/variant_id unknown_value id": {VariantID: new("var_1"), Set: one},
	} {
		err := adjust(&model.InventoryLineInput{VariantID: &id, Delta: one}, line)
		got := graphtest.FaultOf(err)
		if got == "validation_failed" {
			got = strings.TrimPrefix(graphtest.FieldOf(err), "#/")
		}
		if got != strings.TrimSuffix(want, " id") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := stockOf(t, ctx, r, &db.Product{ID: parentOf(t, ctx, r, id)}); !strings.HasPrefix(got, "9 ") {
		t.Errorf("a refused adjustment changed the stock: %q", got)
	}
}

func parentOf(t *testing.T, ctx context.Context, r *graph.Resolver, id string) xid.ID {
	t.Helper()
	c := graphtest.Must[*model.InventoryConnection](t)(r.Query().Inventory(ctx, nil, nil, nil))
	for _, p := range c.Nodes {
		for _, v := range variants.Of(p) {
			if v.PublicID() == id {
				return p.ID
			}
		}
	}
	t.Fatalf("%s is not in the inventory", id)
	return xid.Nil
}

// The first set of an untracked variant makes the sum known once all variants are tracked.
func TestInventorySumOfUntracked(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := graphtest.Shirt()
		for _, v := range in.Variants[:2] {
			v.InventoryQuantity = nil
		}
		in.Variants[2].InventoryQuantity = new(int64(4))
		p := graphtest.NewProduct(t, ctx, r, in)
		for i, want := range []string{"3 - 4 = -", "3 3 4 = 10"} {
			graphtest.Must[*model.InventoryPayload](t)(r.Mutation().InventoryAdjust(ctx, []*model.InventoryLineInput{
				{VariantID: new(p.Variants[i].PublicID()), Set: new(int64(3))}}))
			if got := stockOf(t, ctx, r, p); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// Concurrent adjustments and orders of the same products, in opposite order, lose no unit.
func TestInventoryAdjustAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		var wg sync.WaitGroup
		var ids []*string
		var products []*db.Product
		for i := range 3 {
			in := graphtest.Mug()
			in.Title, in.Sku, in.Handle, in.InventoryQuantity = fmt.Sprint(i), nil, nil, new(int64(100))
			p := graphtest.NewProduct(t, ctx, r, in)
			own := variants.Own(p)
			ids, products = append(ids, new(own.PublicID())), append(products, p)
		}
		for range 8 {
			wg.Go(func() {
				_, err := r.Mutation().InventoryAdjust(ctx, []*model.InventoryLineInput{
					{VariantID: ids[2], Delta: new(int64(2))}, {VariantID: ids[0], Delta: new(int64(1))},
					{VariantID: ids[1], Delta: new(int64(3))}})
				if err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(products[1], 1),
					graphtest.ProductLine(products[2], 1), graphtest.ProductLine(products[0], 1))
			})
		}
		wg.Wait()
		for i, want := range []string{"100 = 100", "116 = 116", "108 = 108"} {
			if got := stockOf(t, ctx, r, products[i]); got != want {
				t.Errorf("stock %d is %q, want %q", i, got, want)
			}
		}
	})
}

// Stock is found by the SKU of a product or a variant, and by the time of its change; other stores
// see none of it.
func TestInventory(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		shirt := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Shirt())
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
		other := p.Other(t)
		for name, tc := range map[string]struct {
			shop   *graphtest.Shop
			filter *model.InventoryFilter
			want   []string
		}{
			"all": {p, nil, []string{mug.PublicID(), shirt.PublicID()}},
			"changes": {p, &model.InventoryFilter{UpdatedFrom: new(micros.Time(0))},
				[]string{shirt.PublicID(), mug.PublicID()}},
			"by product":   {p, &model.InventoryFilter{Sku: mug.Sku}, []string{mug.PublicID()}},
			"by variant":   {p, &model.InventoryFilter{Sku: shirt.Variants[1].Sku}, []string{shirt.PublicID()}},
			"by none":      {p, &model.InventoryFilter{Sku: new("none")}, nil},
			"of elsewhere": {other, &model.InventoryFilter{Sku: mug.Sku}, nil},
		} {
			var got []string
			var after *string
			for more := true; more; {
				c := graphtest.Must[*model.InventoryConnection](t)(
					tc.shop.Query().Inventory(tc.shop.Ctx, new(1), after, tc.filter))
				for _, n := range c.Nodes {
					got = append(got, n.PublicID())
					if len(variants.Of(n)) == 0 {
						t.Errorf("%s: %s has no variants", name, n.PublicID())
					}
				}
				after, more = &c.Next, c.Next != ""
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		err := graphtest.ErrOf(other.Mutation().InventoryAdjust(other.Ctx, []*model.InventoryLineInput{
			{VariantID: new(shirt.Variants[0].PublicID()), Set: new(int64(1))}}))
		if got := graphtest.FieldOf(err); got != "#/lines/0/variant_id unknown_value" {
			t.Errorf("another store's variant: %q", got)
		}
	})
}

// BenchmarkInventoryAdjust adjusts 250 variants a time.
func BenchmarkInventoryAdjust(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r, ctx := graphtest.NewCore(b, s), graphtest.As(ctx, viewer.Owner)
		var lines []*model.InventoryLineInput
		for i := range limit.InventoryLines {
			in := graphtest.Mug()
			in.Title, in.Sku, in.Handle = fmt.Sprintf("Mug number %d", i), new(fmt.Sprintf("MUG-%d", i)), nil
			p, err := r.Mutation().ProductCreate(ctx, in)
			if err != nil {
				b.Fatal(err)
			}
			lines = append(lines, &model.InventoryLineInput{Sku: p.Product.Sku, Delta: new(int64(1))})
		}
		b.ResetTimer()
		for b.Loop() {
			if _, err := r.Mutation().InventoryAdjust(ctx, lines); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "lines/s")
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}
