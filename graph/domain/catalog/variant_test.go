package catalog_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// inputs returns the input that sets a product's variants to their present state.
func inputs(p *db.Product) (list []*model.ProductVariantInput) {
	for _, v := range variants.Of(p) {
		texts, _ := v.Options.List()
		list = append(list, &model.ProductVariantInput{ID: new(v.PublicID()), Options: texts, PriceMinor: v.PriceMinor,
			CompareAtPriceMinor: v.CompareAtPriceMinor, Sku: v.Sku, InventoryQuantity: v.InventoryQuantity,
			WeightGrams: v.WeightGrams})
	}
	return list
}

// options returns the options of the shirts of graphtest.
func options(p *db.Product) (list []*document.Option) {
	all, _ := p.Options.List()
	for _, o := range all {
		list = append(list, &o)
	}
	return list
}

// shown reads a product and returns its representation.
func shown(t *testing.T, ctx context.Context, r *graph.Resolver, p *db.Product) string {
	t.Helper()
	return string(wire.AppendProduct(nil, graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))))
}

// A product with options has the aggregates of its variants in its answer, in its event and when it
// is read.
func TestProductCreateWithVariants(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		if p.PriceMinor != 1900 || *p.CompareAtPriceMinor != 2500 || *p.MaxPriceMinor != 2100 || p.Sku != nil ||
			*p.InventoryQuantity != 6 || len(p.Variants) != 3 {
			t.Errorf("the aggregates: %v, %d variants", p, len(p.Variants))
		}
		want := string(wire.AppendProduct(nil, p))
		if got := shown(t, ctx, r, p); got != want {
			t.Errorf("read again: %s\nwant %s", got, want)
		}
		if body := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(body, `{"object":`+want+`}`) {
			t.Errorf("the event: %s\nwant the object %s", body, want)
		}
		for _, part := range []string{`"title":"M / Black","sku":"SHIRT-M-B","price_minor":2100,`,
			`"weight_grams":180,"options":["M","Black"],"position":3`,
			`"options":[{"name":"Size","values":["S","M"]},{"name":"Colour","values":["White","Black"]}]`} {
			if !strings.Contains(want, part) {
				t.Errorf("%s\nlacks %s", want, part)
			}
		}
	})
}

// A product without options is its own variant.
func TestOwnVariant(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		own := "var_" + strings.TrimPrefix(p.PublicID(), "prod_")
		if got := shown(t, ctx, r, p); !strings.HasSuffix(got, `"options":[],"variants":[{"id":"`+own+
			`","title":"Blue Mug","sku":"MUG-1","price_minor":1250,"compare_at_price_minor":1500,`+
			`"inventory_quantity":7,"weight_grams":null,"options":[],"position":1,"image":null,"tax_category":null,`+
			`"barcode":null,"prices":[{"from":null,"price_minor":1250,"compare_at_price_minor":1500,`+
			`"lowest_price_minor":null}]}],"images":[],"requires_shipping":true,"tax_category":"standard","description_format":"text",`+
			`"barcode":null,"maker":null,"videos":[]}`) {
			t.Error(got)
		}
		p = graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantUpdate(ctx, p.PublicID(), 1, own,
			model.ProductVariantUpdateInput{PriceMinor: model.Some(int64(5)), WeightGrams: model.Some(int64(300)),
				Sku: graphtest.Given[*string](nil)})).Product
		if p.PriceMinor != 5 || *p.WeightGrams != 300 || p.Sku != nil || *p.InventoryQuantity != 7 {
			t.Errorf("changed by its variant: %v", p)
		}
		if body := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(body,
			`"changed_fields":["price_minor","sku","variants"]`) {
			t.Error(body)
		}
		sameProduct(t, ctx, r, p)

		// Omitted members are empty: added options inherit no weight, SKU or stock.
		sizes := []*document.Option{{Name: "Size", Values: []string{"S", "M"}}}
		p = graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantsSet(ctx, p.PublicID(), p.Version,
			sizes, []*model.ProductVariantInput{{Options: []string{"S"}, PriceMinor: 5, WeightGrams: new(int64(300))},
				{Options: []string{"M"}, PriceMinor: 5}})).Product
		if m := p.Variants[1]; *p.Variants[0].WeightGrams != 300 || m.WeightGrams != nil || m.Sku != nil ||
			m.InventoryQuantity != nil {
			t.Errorf("options were added: %+v", m)
		}
	})
}

// The whole list is replaced at once: variants are kept by id, may swap their options, and are
// deleted if omitted.
func TestProductVariantsSet(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		set := func(changed string, options []*document.Option, variants []*model.ProductVariantInput) {
			t.Helper()
			events := p.EventSequence
			p = graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantsSet(ctx, p.PublicID(), p.Version,
				options, variants)).Product
			if got, want := shown(t, ctx, r, p), string(wire.AppendProduct(nil, p)); got != want {
				t.Errorf("read again: %s\nwant %s", got, want)
			}
			switch body := graphtest.LastEvent(t, ctx, r, p.ID); {
			case changed == "" && p.EventSequence != events:
				t.Errorf("an event: %s", body)
			case changed != "" && !strings.Contains(body, `"changed_fields":`+changed):
				t.Errorf("changed %s: %s", changed, body)
			}
		}
		first := p.Variants[0].ID
		set("", options(p), inputs(p)) // no change
		if p.Version != 1 {
			t.Errorf("no change created version %d", p.Version)
		}
		swapped := inputs(p)
		swapped[0].Options, swapped[2].Options = swapped[2].Options, swapped[0].Options
		set(`["variants"]`, options(p), swapped)
		if v := p.Variants[0]; v.ID != first || v.Title != "M / Black" {
			t.Errorf("the first variant is %v", v)
		}
		moved := inputs(p)
		moved[0].InventoryQuantity, moved[1].InventoryQuantity = moved[1].InventoryQuantity, moved[0].InventoryQuantity
		set("", options(p), moved) // stock alone emits no event
		fewer := inputs(p)[1:]
		fewer[0].PriceMinor, fewer[0].InventoryQuantity = 1000, nil
		set(`["variants","price_minor","compare_at_price_minor","inventory_quantity"]`, options(p), fewer)
		if p.InventoryQuantity != nil || len(p.Variants) != 2 || p.Variants[0].Position != 1 {
			t.Errorf("with an untracked one: %v", p)
		}
		set(`["options","variants","compare_at_price_minor","sku","inventory_quantity"]`, nil,
			[]*model.ProductVariantInput{{PriceMinor: 1000, Sku: new("S"), InventoryQuantity: new(int64(3)),
				CompareAtPriceMinor: new(int64(2000))}})
		if n := graphtest.Must[int](t)(r.Client(ctx).Variant.Query().Count(ctx)); n != 0 || p.Options != nil {
			t.Errorf("%d variant rows of a product without options", n)
		}
		own := inputs(p)
		own[0].Options = []string{"L"}
		set(`["options","variants","sku"]`, []*document.Option{{Name: "Size", Values: []string{"L"}}}, own)
		if p.Variants[0].ID != p.ID {
			t.Error("the product's own variant lost its id")
		}
	})
}

// TestVariantLimits: a product can have three options and 2,000 variants, and not more.
func TestVariantLimits(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Grid(limit.Variants))
		set := func(in model.ProductCreateInput) (*model.ProductPayload, error) {
			return r.Mutation().ProductVariantsSet(ctx, p.PublicID(), p.Version, in.Options, in.Variants)
		}
		if p = graphtest.Must[*model.ProductPayload](t)(set(graphtest.Grid(limit.Variants))).Product; len(p.Variants) !=
			limit.Variants || len(options(p)) != 3 || shown(t, ctx, r, p) != string(wire.AppendProduct(nil, p)) {
			t.Errorf("%d variants of %d options", len(p.Variants), len(options(p)))
		}
		wide := graphtest.Grid(1)
		wide.Options = append(wide.Options, &document.Option{Name: "Four", Values: []string{"A"}})
		wide.Variants[0].Options = []string{"A", "A", "A", "A"}
		for want, in := range map[string]model.ProductCreateInput{
			"#/variants too_long": graphtest.Grid(limit.Variants + 1), "#/options too_long": wide,
		} {
			_, made := r.Mutation().ProductCreate(ctx, in)
			_, changed := set(in)
			if graphtest.FieldOf(made) != want || graphtest.FieldOf(changed) != want {
				t.Errorf("created: %v; changed: %v; want %s", made, changed, want)
			}
		}
	})
}

func TestProductVariantsRefused(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		type list = []*model.ProductVariantInput
		for name, tc := range map[string]struct {
			change func(options []*document.Option, variants list) ([]*document.Option, list)
			want   string
		}{
			"no variant": {func(o []*document.Option, _ list) ([]*document.Option, list) { return o, nil },
				"#/variants too_short"},
			"too many": {func(o []*document.Option, v list) ([]*document.Option, list) {
				return o, slices.Repeat(v, limit.Variants)
			}, "#/variants too_long"},
			"two without options": {func(_ []*document.Option, v list) ([]*document.Option, list) { return nil, v },
				"#/variants too_long"},
			"four options": {func(o []*document.Option, v list) ([]*document.Option, list) {
				return slices.Repeat(o, 2), v
			}, "#/options too_long"},
			"one name twice": {func(o []*document.Option, v list) ([]*document.Option, list) {
				o[1].Name = "Size"
				return o, v
			}, "#/options/1/name taken"},
			"a long name": {func(o []*document.Option, v list) ([]*document.Option, list) {
				o[1].Name = strings.Repeat("x", limit.Label+1)
				return o, v
			}, "#/options/1/name too_long"},
			"one value twice": {func(o []*document.Option, v list) ([]*document.Option, list) {
				o[0].Values = []string{"S", "M", "S"}
				return o, v
			}, "#/options/0/values/2 taken"},
			"no value": {func(o []*document.Option, v list) ([]*document.Option, list) {
				o[0].Values = nil
				return o, v[:1]
			}, "#/options/0/values too_short"},
			"one combination twice": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[1].Options = v[0].Options
				return o, v
			}, "#/variants/1/options taken"},
			"an option left out": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[1].Options = []string{"S"}
				return o, v
			}, "#/variants/1/options too_short"},
			"an unknown value": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[2].Options = []string{"M", "Red"}
				return o, v
			}, "#/variants/2/options/1 unknown_value"},
			"an unknown id": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[2].ID = new(xid.Variant.Format(xid.New()))
				return o, v
			}, "#/variants/2/id unknown_value"},
			"one id twice": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[2].ID = v[0].ID
				return o, v
			}, "#/variants/2/id taken"},
			"a price": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[0].PriceMinor = -1
				return o, v
			}, "#/variants/0/price_minor out_of_range"},
			"a weight": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[0].WeightGrams = new(int64(limit.Weight + 1))
				return o, v
			}, "#/variants/0/weight_grams out_of_range"},
			"all stock": {func(o []*document.Option, v list) ([]*document.Option, list) {
				v[0].InventoryQuantity = new(int64(limit.Inventory))
				return o, v
			}, "#/variants out_of_range"},
		} {
			o, v := tc.change(options(p), inputs(p))
			_, err := r.Mutation().ProductVariantsSet(ctx, p.PublicID(), 1, o, v)
			if got := graphtest.FieldOf(err); got != tc.want {
				t.Errorf("%s: %q (%v), want %q", name, got, err, tc.want)
			}
		}
		_, stale := r.Mutation().ProductVariantsSet(ctx, p.PublicID(), 2, options(p), inputs(p))
		_, own := r.Mutation().ProductUpdate(ctx, p.PublicID(), 1,
			model.ProductUpdateInput{PriceMinor: model.Some(int64(1))})
		_, gone := r.Mutation().ProductVariantUpdate(ctx, p.PublicID(), 1, xid.Variant.Format(p.ID),
			model.ProductVariantUpdateInput{})
		_, full := r.Mutation().ProductVariantUpdate(ctx, p.PublicID(), 1, p.Variants[0].PublicID(),
			model.ProductVariantUpdateInput{InventoryQuantity: model.Some(int64(limit.Inventory))})
		if graphtest.FaultOf(stale) != "version_mismatch" || graphtest.FaultOf(own) != "has_variants" ||
			graphtest.FaultOf(gone) != "not_found" || graphtest.FieldOf(full) != "#/variants out_of_range" {
			t.Errorf("stale: %v; the product's own price: %v; no variant: %v; full: %v", stale, own, gone, full)
		}
		in := graphtest.Shirt()
		in.Sku, in.Variants[0].ID = new("SHIRT"), new("var_x")
		_, err := r.Mutation().ProductCreate(ctx, in)
		if s := fmt.Sprint(err); !strings.Contains(s, "#/sku=unknown_member") ||
			!strings.Contains(s, "#/variants/0/id=unknown_value") {
			t.Error(err)
		}
		in = graphtest.Mug()
		in.Variants = graphtest.Shirt().Variants
		in.CompareAtPriceMinor, in.Sku, in.InventoryQuantity = nil, nil, nil
		if _, err := r.Mutation().ProductCreate(ctx, in); graphtest.FieldOf(err) != "#/variants too_long" {
			t.Error(err)
		}
	})
}

func TestProductVariantUpdate(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		change := func(in model.ProductVariantUpdateInput) {
			t.Helper()
			p = graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantUpdate(ctx, p.PublicID(), p.Version,
				p.Variants[1].PublicID(), in)).Product
			if got, want := shown(t, ctx, r, p), string(wire.AppendProduct(nil, p)); got != want {
				t.Errorf("read again: %s\nwant %s", got, want)
			}
		}
		change(model.ProductVariantUpdateInput{InventoryQuantity: model.Some(int64(10))})
		if *p.InventoryQuantity != 14 || p.EventSequence != 1 || p.Version != 2 {
			t.Errorf("stock: %v", p)
		}
		change(model.ProductVariantUpdateInput{PriceMinor: model.Some(int64(1)), Sku: model.Some("NEW")})
		if p.PriceMinor != 1 || p.CompareAtPriceMinor != nil || *p.MaxPriceMinor != 2100 ||
			!strings.Contains(graphtest.LastEvent(t, ctx, r, p.ID),
				`"changed_fields":["variants","price_minor","compare_at_price_minor"]`) {
			t.Errorf("price: %v", p)
		}
		change(model.ProductVariantUpdateInput{})
		if p.Version != 3 {
			t.Errorf("no change created version %d", p.Version)
		}
	})
}

// Deleting a product deletes its variants only; other stores have no access.
func TestVariantsOfOthers(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		kept := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		other, _ := storetest.Merchant(t, r.Store)
		theirs := graphtest.As(other, viewer.Owner)
		if n := graphtest.Must[int](t)(r.Client(theirs).Variant.Query().Count(theirs)); n != 0 {
			t.Errorf("another store sees %d", n)
		}
		_, set := r.Mutation().ProductVariantsSet(theirs, p.PublicID(), 1, options(p), inputs(p))
		_, one := r.Mutation().ProductVariantUpdate(theirs, p.PublicID(), 1, p.Variants[0].PublicID(),
			model.ProductVariantUpdateInput{})
		if graphtest.FaultOf(set) != "not_found" || graphtest.FaultOf(one) != "not_found" {
			t.Errorf("another store's changes: %v, %v", set, one)
		}
		mine := inputs(p)
		mine[0].ID = new(kept.Variants[0].PublicID())
		if _, err := r.Mutation().ProductVariantsSet(ctx, p.PublicID(), 1, options(p),
			mine); graphtest.FieldOf(err) != "#/variants/0/id unknown_value" {
			t.Errorf("another product's variant: %v", err)
		}
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, p.PublicID(), 1))
		rows := graphtest.Must[[]*db.Variant](t)(r.Client(ctx).Variant.Query().All(ctx))
		if len(rows) != 3 || slices.ContainsFunc(rows, func(v *db.Variant) bool { return v.ProductID != kept.ID }) {
			t.Errorf("remaining: %v", rows)
		}
	})
}

// A product cannot have two variants with the same combination, whatever writes them.
func TestCombinationsAreUnique(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		v := p.Variants[0]
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Client(ctx).Variant.Create().SetProductID(p.ID).SetPosition(4).SetOptions(v.Options).
				SetCombination(variants.Combination(v.Options)).SetTitle("twin").SetPriceMinor(1).Exec(ctx)
		})
		if !ent.IsDuplicate(err) {
			t.Errorf("a second %s: %v", v.Title, err)
		}
	})
}

// A page takes one statement, and one more if any of its products has options.
func TestVariantStatements(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		mug := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		fields := catalog.ProductFields{Resolver: catalog.New(r.Core, catalog.Engines{})}
		counted, n := ent.CountStatements(ctx)
		before := uint64(0)
		expect := func(what string, want uint64) {
			t.Helper()
			if got := n.N() - before; got != want {
				t.Errorf("%s cost %d statements, want %d", what, got, want)
			}
			before = n.N()
		}
		list := func() []*db.Product {
			return graphtest.Must[*model.ProductConnection](t)(r.Query().Products(counted, nil, nil, nil, nil,
				nil)).Nodes
		}
		list()
		expect("a page without options", 1)
		graphtest.Must[*db.Product](t)(r.Query().Product(counted, mug.PublicID()))
		expect("a product without options", 1)
		for range 3 {
			graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		}
		page := list()
		expect("a page with options", 2)
		for _, p := range page {
			if got := graphtest.Must[[]*db.Variant](t)(fields.Variants(counted, p)); len(got) == 0 {
				t.Errorf("%s has no variants", p.Title)
			}
		}
		expect("their variants", 0)
		shirt := graphtest.Must[*db.Product](t)(r.Query().Product(counted, page[0].PublicID()))
		expect("a product with options", 2)
		shirt.Variants = nil
		if got := graphtest.Must[[]*db.Variant](t)(fields.Variants(counted, shirt)); len(got) != 3 {
			t.Errorf("loaded later: %v", got)
		}
	})
}

// Of concurrent settings of the variants of one version one succeeds, and its list is complete.
func TestVariantsAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				list := inputs(p)[:1+i%3]
				for _, v := range list {
					v.PriceMinor = int64(i)
				}
				_, errs[i] = r.Mutation().ProductVariantsSet(ctx, p.PublicID(), 1, options(p), list)
			})
		}
		wg.Wait()
		won := slices.IndexFunc(errs, func(err error) bool { return err == nil })
		for i, err := range errs {
			if i != won && graphtest.FaultOf(err) != "version_mismatch" {
				t.Errorf("%d: %v", i, err)
			}
		}
		after := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
		rows := graphtest.Must[[]*db.Variant](t)(r.Client(ctx).Variant.Query().Where(variant.ProductID(p.ID)).All(ctx))
		if won < 0 || len(rows) != 1+won%3 || after.PriceMinor != int64(won) || after.Version != 2 {
			t.Fatalf("%d won, %d rows, %v", won, len(rows), after)
		}
		if stock := variants.Total(rows).Inventory; *stock != *after.InventoryQuantity {
			t.Errorf("the product has %d pieces, its variants %d", *after.InventoryQuantity, *stock)
		}
	})
}

// TestTaxCategory: a product and its variants have categories that the store has. The category of the
// only variant is the product's, and a variant without one keeps the product's.
func TestTaxCategory(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m, in := r.Mutation(), graphtest.Mug()
		in.TaxCategory = new("books")
		if _, err := m.ProductCreate(ctx, in); graphtest.FieldOf(err) != "#/tax_category unknown_value" {
			t.Errorf("unknown: %v", err)
		}
		graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 0, model.TaxSettingsInput{
			Categories: []*document.TaxCategory{{Key: "books", Name: "Books"}}}))
		p := graphtest.NewProduct(t, ctx, r, in)
		variant := func(v int64, in model.ProductVariantUpdateInput) (*db.Product, error) {
			done, err := m.ProductVariantUpdate(ctx, p.PublicID(), v, xid.Variant.Format(p.ID), in)
			if err != nil {
				return nil, err
			}
			return done.Product, nil
		}
		if _, err := variant(1, model.ProductVariantUpdateInput{TaxCategory: model.Some("food")}); err == nil ||
			graphtest.FieldOf(err) != "#/tax_category unknown_value" {
			t.Errorf("a variant's: %v", err)
		}
		own := graphtest.Must[*db.Product](t)(
			variant(1, model.ProductVariantUpdateInput{TaxCategory: model.Some("zero")}))
		same := graphtest.Must[*db.Product](t)(
			variant(2, model.ProductVariantUpdateInput{PriceMinor: model.Some(int64(7))}))
		if p.TaxCategory != "books" || own.TaxCategory != "zero" || same.TaxCategory != "zero" {
			t.Errorf("%s, %s, %s", p.TaxCategory, own.TaxCategory, same.TaxCategory)
		}
		many := graphtest.Must[*model.ProductPayload](t)(m.ProductVariantsSet(ctx, p.PublicID(), 3,
			[]*document.Option{{Name: "Size", Values: []string{"S", "M"}}}, []*model.ProductVariantInput{
				{Options: []string{"S"}, TaxCategory: new("books")}, {Options: []string{"M"}}})).Product
		if v := many.Variants; many.TaxCategory != "zero" || *v[0].TaxCategory != "books" || v[1].TaxCategory != nil {
			t.Errorf("%s: %+v", many.TaxCategory, v)
		}
	})
}
