package storefront_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// textIs returns a condition on a text.
func textIs(f state.CollectionField, text string) *document.CollectionCondition {
	return &document.CollectionCondition{Field: f, Text: &text}
}

// priceBetween returns a condition on a price.
func priceBetween(least, most int64) *document.CollectionCondition {
	return &document.CollectionCondition{Field: state.FieldPrice, LeastMinor: &least, MostMinor: &most}
}

// ruleCollection returns a collection of products that meet all conditions.
func ruleCollection(conditions ...*document.CollectionCondition) model.CollectionInput {
	return model.CollectionInput{Title: "Ruled", Sort: state.SortTitle,
		Rule: &model.CollectionRuleInput{Conditions: conditions}}
}

// manualCollection returns a collection of products in a manual order.
func manualCollection(ids ...xid.ID) model.CollectionInput {
	in := model.CollectionInput{Title: "By hand", Sort: state.SortManual}
	for _, id := range ids {
		in.ProductIds = append(in.ProductIds, xid.Product.Format(id))
	}
	return in
}

// saveCollection creates a collection, or replaces c, and waits for its products.
func saveCollection(t testing.TB, ctx context.Context, r *graph.Resolver, c *db.Collection, in model.CollectionInput,
) *db.Collection {
	t.Helper()
	m := r.Mutation()
	if c == nil {
		c = graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(ctx, in)).Collection
	} else {
		c = graphtest.Must[*model.CollectionPayload](t)(m.CollectionUpdate(ctx, c.PublicID(), c.Version, in)).Collection
	}
	if err := r.Listings.UpdateCollections(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// waitForRules advances the time until all collections are evaluated.
func waitForRules(t testing.TB, ctx context.Context, r *graph.Resolver) {
	t.Helper()
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.Client(ctx).Collection.Update().Where(collection.Settling(true)).SetDueAt(0).Exec(ctx)
	})
	if err == nil {
		err = r.Listings.UpdateCollections(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// titlesIn returns the titles in a collection.
func titlesIn(t testing.TB, ctx context.Context, r *graph.Resolver, handle string) string {
	t.Helper()
	c := graphtest.Must[*storefront.Collection](t)(r.Storefront().Collection(visitor(ctx), handle))
	return strings.Join(all(t, ctx, r, listings.List{ID: c.ID, Sort: c.Sort, InStock: c.InStock, Limit: 2}), " ")
}

// TestCollectionRules: the products that a rule selects appear after a while, and follow each
// change of a product at once, without products of other stores and drafts.
func TestCollectionRules(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		published(t, graphtest.As(other, viewer.Owner), r, productAt("Foreign", 150))
		graphtest.NewProduct(t, ctx, r, productAt("Draft", 150))
		ids := map[string]xid.ID{}
		for _, p := range []struct {
			title, kind, vendor, tags string
			price                     int64
		}{{"A", "Tasse", "Müller", "new,Blue", 100}, {"B", "tasse", "Muller", "blue", 200},
			{"C", "Plate", "", "new", 300}} {
			in := productAt(p.title, p.price)
			in.Tags = strings.Split(p.tags, ",")
			in.ProductType, in.Vendor = &p.kind, &p.vendor
			if p.vendor == "" {
				in.Vendor = nil
			}
			ids[p.title] = published(t, ctx, r, in)
		}
		either := ruleCollection(textIs(state.FieldTag, "blue"), priceBetween(300, 300))
		either.Rule.Any = true
		gone := productAt("Gone", 150)
		gone.InventoryQuantity = new(int64(0))
		published(t, ctx, r, gone)
		sold, stock := ruleCollection(priceBetween(0, 1000)), ruleCollection()
		sold.Rule.InStock, stock.Rule.InStock = true, true
		var c *db.Collection
		for _, tc := range []struct {
			in   model.CollectionInput
			want string
		}{
			{ruleCollection(textIs(state.FieldTag, "BLUE")), "A B"},
			{ruleCollection(textIs(state.FieldTag, "blue"), textIs(state.FieldTag, "new")), "A"},
			{ruleCollection(textIs(state.FieldVendor, "muller")), "A B"},
			{ruleCollection(textIs(state.FieldProductType, "TASSE"), priceBetween(150, 250)), "B"},
			{either, "A B C"},
			{sold, "A B C"},
			{stock, "A B C"},
			{ruleCollection(priceBetween(100, 200), textIs(state.FieldTag, "blue")), "A B"},
		} {
			c = saveCollection(t, ctx, r, c, tc.in)
			if got := titlesIn(t, ctx, r, "ruled"); got != tc.want {
				t.Errorf("%+v: %q, want %q", tc.in.Rule, got, tc.want)
			}
		}
		m := r.Mutation()
		id := xid.Product.Format(ids["B"])
		do := func(p *model.ProductPayload, err error) { t.Helper(); graphtest.Must[*model.ProductPayload](t)(p, err) }
		do(m.ProductUpdate(ctx, id, 2, model.ProductUpdateInput{PriceMinor: model.Some(int64(201))}))
		if got := titlesIn(t, ctx, r, "ruled"); got != "A" {
			t.Errorf("one is too dear now: %q", got)
		}
		do(m.ProductUpdate(ctx, id, 3, model.ProductUpdateInput{PriceMinor: model.Some(int64(199))}))
		do(m.ProductArchive(ctx, xid.Product.Format(ids["A"]), 2))
		if got := titlesIn(t, ctx, r, "ruled"); got != "B" {
			t.Errorf("one is archived now: %q", got)
		}
		was := rows(t, ctx, r)[0]
		graphtest.Must[*model.CollectionDeletePayload](t)(m.CollectionDelete(ctx, c.PublicID(), c.Version))
		if _, err := r.Storefront().Collection(visitor(ctx), "ruled"); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("deleted: %v", err)
		}
		if err := r.Listings.UpdateCollections(t.Context()); err != nil {
			t.Fatal(err)
		}
		waitForRules(t, ctx, r)
		n := graphtest.Must[int](t)(r.Client(ctx).Collection.Query().Count(ctx))
		if now := rows(t, ctx, r)[0]; n != 0 || now != was-1 {
			t.Errorf("%d collections and %d places are left, before %d", n, now, was)
		}
	})
}

// TestCollectionByHand: products keep their manual positions, also those that visitors do not see;
// deleted ones are removed.
func TestCollectionByHand(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		list := make([]xid.ID, 5)
		for i := range list {
			list[i] = published(t, ctx, r, productAt(string(rune('A'+i)), int64(i)))
		}
		c := saveCollection(t, ctx, r, nil, manualCollection(list[3], list[0], list[4], list[1]))
		see := func(want string) {
			t.Helper()
			if got := titlesIn(t, ctx, r, "by-hand"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		see("D A E B")
		m := r.Mutation()
		do := func(p *model.ProductPayload, err error) { t.Helper(); graphtest.Must[*model.ProductPayload](t)(p, err) }
		id := xid.Product.Format(list[0])
		do(m.ProductUnpublish(ctx, id, 2))
		see("D E B")
		do(m.ProductPublish(ctx, id, 3))
		see("D A E B")
		c = saveCollection(t, ctx, r, c, manualCollection(list[0], list[2], list[3]))
		see("A C D")
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, xid.Product.Format(list[2]), 2))
		see("A D")
		in := manualCollection(list[0], list[3])
		c = graphtest.Must[*model.CollectionPayload](t)(m.CollectionUpdate(ctx, c.PublicID(), c.Version, in)).Collection
		if c.Version != 2 { // it is unchanged
			t.Errorf("version %d", c.Version)
		}
		in.Sort = state.SortPriceDown
		c = saveCollection(t, ctx, r, c, in)
		see("D A")
		c = saveCollection(t, ctx, r, c, ruleCollection(priceBetween(1, 1)))
		if c.Handle != "by-hand" {
			t.Errorf("the handle is %q", c.Handle)
		}
		see("B")
		c = saveCollection(t, ctx, r, c, manualCollection())
		see("")
		if n := graphtest.Must[int](t)(r.Client(ctx).CollectionProduct.Query().Count(ctx)); n != 0 || c.Rule != nil {
			t.Errorf("%d products are in it, its rule is %s", n, c.Rule)
		}
	})
}

// TestCollectionsRefused: invalid collections are refused with the name of the member.
func TestCollectionsRefused(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		foreign := published(t, graphtest.As(other, viewer.Owner), r, productAt("Foreign", 1))
		own := published(t, ctx, r, productAt("Own", 1))
		saveCollection(t, ctx, r, nil, model.CollectionInput{Title: "Taken", Sort: state.SortNewest})
		named := func(handle string) model.CollectionInput {
			in := manualCollection(own)
			in.Handle = &handle
			return in
		}
		untitled, sorted, both := manualCollection(), ruleCollection(priceBetween(1, 2)),
			ruleCollection(priceBetween(1, 2))
		untitled.Title, sorted.Sort, both.ProductIds = " ", state.SortManual, manualCollection(own).ProductIds
		mixed := priceBetween(1, 2)
		mixed.Text = new("x")
		for _, tc := range []struct {
			in   model.CollectionInput
			want string
		}{
			{untitled, "#/title"},
			{named("taken"), "#/handle"},
			{named("Not a handle"), "#/handle"},
			{manualCollection(own, foreign), "#/product_ids/1"},
			{manualCollection(own, xid.New()), "#/product_ids/1"},
			{manualCollection(own, own), "#/product_ids/1"},
			{model.CollectionInput{Title: "x", Sort: state.SortManual, ProductIds: []string{"ord_1"}},
				"#/product_ids/0"},
			{sorted, "#/sort"},
			{both, "#/product_ids"},
			{ruleCollection(), "#/rule/conditions"},
			{ruleCollection(make([]*document.CollectionCondition, 21)...), "#/rule/conditions"},
			{ruleCollection(priceBetween(2, 1)), "#/rule/conditions/0/most_minor"},
			{ruleCollection(priceBetween(-1, 1)), "#/rule/conditions/0/least_minor"},
			{ruleCollection(priceBetween(1, 1), mixed), "#/rule/conditions/1/text"},
			{ruleCollection(&document.CollectionCondition{Field: state.FieldPrice}), "#/rule/conditions/0/least_minor"},
			{ruleCollection(&document.CollectionCondition{Field: state.FieldTag}), "#/rule/conditions/0/text"},
		} {
			_, err := r.Mutation().CollectionCreate(ctx, tc.in)
			if got, _, _ := strings.Cut(graphtest.FieldOf(err), " "); got != tc.want {
				t.Errorf("%+v: %q (%v), want %q", tc.in, got, err, tc.want)
			}
		}
		again := saveCollection(t, ctx, r, nil, model.CollectionInput{Title: "Taken", Sort: state.SortNewest})
		if !strings.HasPrefix(again.Handle, "taken-") {
			t.Errorf("the second handle is %q", again.Handle)
		}
	})
}

// TestCollectionRaces: whatever changes products and the rule concurrently, the collection ends up
// with what the rule selects.
func TestCollectionRaces(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		ids := make([]xid.ID, 12)
		for i := range ids {
			ids[i] = published(t, ctx, r, productAt(string(rune('A'+i)), int64(i)))
		}
		c := saveCollection(t, ctx, r, nil, ruleCollection(priceBetween(0, 5)))
		m := r.Mutation()
		fail := func(err error) {
			if err != nil && graphtest.FaultOf(err) != "version_mismatch" {
				t.Error(err)
			}
		}
		var wg sync.WaitGroup
		for i, id := range ids {
			wg.Go(func() {
				for n := range 4 {
					_, err := m.ProductUpdate(ctx, xid.Product.Format(id), int64(2+n),
						model.ProductUpdateInput{PriceMinor: core.Given(new(int64((i*7 + n*5 + 3) % 12)))})
					fail(err)
				}
			})
		}
		wg.Go(func() {
			for n := range 4 {
				_, err := m.CollectionUpdate(ctx, c.PublicID(), int64(1+n), ruleCollection(priceBetween(int64(n),
					int64(n+6))))
				fail(err)
				fail(r.Listings.UpdateCollections(t.Context()))
			}
		})
		wg.Go(func() {
			for range 8 {
				fail(r.Listings.UpdateCollections(t.Context()))
			}
		})
		wg.Wait()
		waitForRules(t, ctx, r)
		now := graphtest.Must[*db.Collection](t)(core.Only(r.Client(ctx).Collection.Query().
			Where(collection.ID(c.ID)).Load(ctx)))
		rule := graphtest.Must[document.CollectionRuleFields](t)(now.Rule.Fields()).Conditions[0]
		var want []string
		for _, id := range ids {
			p := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, id))
			if p.PriceMinor >= *rule.LeastMinor && p.PriceMinor <= *rule.MostMinor {
				want = append(want, p.Title)
			}
		}
		if d := cmp.Diff(strings.Join(want, " "), titlesIn(t, ctx, r, "ruled")); d != "" || now.DueAt != micros.Max {
			t.Error(now.DueAt, d)
		}
	})
}
