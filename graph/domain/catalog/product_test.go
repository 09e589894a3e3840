package catalog_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// sameProduct fails the test unless the product equals the stored one.
func sameProduct(t testing.TB, ctx context.Context, r *graph.Resolver, p *db.Product) {
	t.Helper()
	read := graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
	if d := cmp.Diff(read.String()+string(read.Tags), p.String()+string(p.Tags)); d != "" {
		t.Errorf("stored and returned differ:\n%s", d)
	}
}

func TestProductCreate(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		if p.Handle != "blue-mug" || p.Currency != "EUR" || p.Status != state.ProductDraft || p.Version != 1 ||
			p.UpdatedAt != p.CreatedAt() || p.PublishedAt != nil {
			t.Errorf("created %v", p)
		}
		sameProduct(t, ctx, r, p)
		if d := cmp.Diff([]string{"product.created"}, graphtest.EventTypes(t, ctx, r, p.ID, p.EventSequence)); d != "" {
			t.Error(d)
		}
		twin := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		if want := "blue-mug-" + twin.PublicID()[len(twin.PublicID())-6:]; twin.Handle != want {
			t.Errorf("handle %q, want %q", twin.Handle, want)
		}
		for _, tc := range []struct {
			change func(*model.ProductCreateInput)
			want   string
		}{
			{func(in *model.ProductCreateInput) { in.Handle = new("blue-mug") }, "#/handle taken"},
			{func(in *model.ProductCreateInput) { in.Title = "" }, "#/title too_short"},
			{func(in *model.ProductCreateInput) { in.PriceMinor = -1 }, "#/price_minor out_of_range"},
			{func(in *model.ProductCreateInput) { in.CompareAtPriceMinor = new(int64(-1)) },
				"#/compare_at_price_minor out_of_range"},
			{func(in *model.ProductCreateInput) { in.InventoryQuantity = new(int64(1 << 31)) },
				"#/inventory_quantity out_of_range"},
			{func(in *model.ProductCreateInput) { in.Description = new(strings.Repeat("x", 65536)) },
				"#/description too_long"},
			{func(in *model.ProductCreateInput) { in.ImageURL = new("http://example.com/") },
				"#/image_url invalid_format"},
			{func(in *model.ProductCreateInput) { in.CreatedAt = new(micros.Now() + 1e9) },
				"#/created_at out_of_range"},
		} {
			in := graphtest.Mug()
			tc.change(&in)
			if _, err := r.Mutation().ProductCreate(ctx, in); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		}
		in := graphtest.Mug()
		in.CreatedAt = new(micros.Time(1e15))
		if _, err := r.Mutation().ProductCreate(graphtest.AsKey(ctx, "products.write"),
			in); graphtest.FieldOf(err) != "#/created_at unknown_member" {
			t.Errorf("a key imports: %v", err)
		}
		if old := graphtest.NewProduct(t, ctx, r, in); old.CreatedAt() != 1e15 {
			t.Errorf("imported at %v", old.CreatedAt())
		}
	})
}

func TestProductUpdate(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		graphtest.NewProduct(t, ctx, r, model.ProductCreateInput{Title: "Taken", Currency: "EUR"})
		update := func(version int64, in model.ProductUpdateInput) (*model.ProductPayload, error) {
			return r.Mutation().ProductUpdate(ctx, p.PublicID(), version, in)
		}
		got := graphtest.Must[*model.ProductPayload](t)(update(1, model.ProductUpdateInput{
			Title: model.Some("Red Mug"), PriceMinor: model.Some(int64(1250)), Currency: model.Some("usd"),
			Sku: graphtest.Given[*string](nil), Vendor: model.Some("Potter"),
			Tags: graphtest.Given([]string{"red"})})).Product
		if got.Title != "Red Mug" || got.Currency != "USD" || got.Sku != nil || string(got.Tags) != `["red"]` ||
			got.Handle != "blue-mug" || got.Version != 2 {
			t.Errorf("changed to %v", got)
		}
		sameProduct(t, ctx, r, got)
		if body := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(body,
			`"changed_fields":["title","currency","sku","tags"]`) {
			t.Errorf("event %s", body)
		}
		// Stock alone emits no event, and an update without a change has no effect.
		got = graphtest.Must[*model.ProductPayload](t)(update(2,
			model.ProductUpdateInput{InventoryQuantity: model.Some(int64(6))})).Product
		same := graphtest.Must[*model.ProductPayload](t)(update(3,
			model.ProductUpdateInput{InventoryQuantity: model.Some(int64(6))})).Product
		if got.Version != 3 || same.Version != 3 || same.EventSequence != 2 {
			t.Errorf("versions %d and %d, sequence %d", got.Version, same.Version, same.EventSequence)
		}
		graphtest.EventTypes(t, ctx, r, p.ID, 2)
		for name, tc := range map[string]struct {
			version int64
			in      model.ProductUpdateInput
			want    string
		}{
			"stale":       {1, model.ProductUpdateInput{Title: model.Some("X")}, "version_mismatch"},
			"null title":  {3, model.ProductUpdateInput{Title: graphtest.Given[*string](nil)}, "#/title required"},
			"taken":       {3, model.ProductUpdateInput{Handle: model.Some("taken")}, "#/handle taken"},
			"bad handle":  {3, model.ProductUpdateInput{Handle: model.Some("A")}, "#/handle invalid_format"},
			"no currency": {3, model.ProductUpdateInput{Currency: model.Some("XYZ")}, "#/currency unknown_value"},
		} {
			if _, err := update(tc.version, tc.in); graphtest.FaultOf(err) != tc.want &&
				graphtest.FieldOf(err) != tc.want {
				t.Errorf("%s: %v, want %s", name, err, tc.want)
			}
		}
	})
}

func TestProductStates(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		moves := map[string]func(context.Context, string, int64) (*model.ProductPayload, error){
			"publish": m.ProductPublish, "unpublish": m.ProductUnpublish, "archive": m.ProductArchive,
			"restore": m.ProductRestore,
		}
		for _, tc := range []struct{ way, want, events string }{
			{"publish", "active", "published updated"}, {"unpublish", "", ""},
			{"archive", "archived", "archived updated"}, {"restore", "", ""},
			{"publish publish", "", ""}, {"publish unpublish", "draft", "published updated unpublished updated"},
			{"publish archive", "archived", "published updated archived updated"}, {"publish restore", "", ""},
			{"archive archive", "", ""}, {"archive publish", "", ""}, {"archive unpublish", "", ""},
			{"archive restore", "draft", "archived updated updated"},
		} {
			p := graphtest.NewProduct(t, ctx, r, model.ProductCreateInput{Title: "Mug", Currency: "EUR"})
			steps := strings.Split(tc.way, " ")
			for i, move := range steps {
				moved, err := moves[move](ctx, p.PublicID(), p.Version)
				if err != nil {
					if tc.want != "" || i != len(steps)-1 || graphtest.FaultOf(err) != "invalid_transition" {
						t.Errorf("%s: %v", tc.way, err)
					}
					p = nil
					break
				}
				p = moved.Product
				if sameProduct(t, ctx, r, p); (p.PublishedAt != nil) != (p.Status == state.ProductActive) {
					t.Errorf("%s: %s, published at %v", tc.way, p.Status, p.PublishedAt)
				}
			}
			if p == nil {
				continue
			}
			want := strings.Fields("product.created product." + strings.ReplaceAll(tc.events, " ", " product."))
			if d := cmp.Diff(want, graphtest.EventTypes(t, ctx, r, p.ID,
				p.EventSequence)); string(p.Status) != tc.want ||
				d != "" {
				t.Errorf("%s: %s %s", tc.way, p.Status, d)
			}
		}
		foreign := graphtest.NewProduct(t, ctx, r, model.ProductCreateInput{Title: "Mug", Currency: "JPY"})
		if _, err := m.ProductPublish(ctx, foreign.PublicID(), 1); graphtest.FaultOf(err) != "currency_mismatch" {
			t.Errorf("publish in another currency: %v", err)
		}
		active := graphtest.Must[*model.ProductPayload](t)(m.ProductPublish(ctx,
			graphtest.NewProduct(t, ctx, r, graphtest.Mug()).PublicID(), 1)).Product
		if _, err := m.ProductUpdate(ctx, active.PublicID(), 2,
			model.ProductUpdateInput{Currency: model.Some("JPY")}); graphtest.FaultOf(err) != "currency_mismatch" {
			t.Errorf("an active product in another currency: %v", err)
		}
	})
}

func TestProductDelete(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		if _, err := r.Mutation().ProductDelete(ctx, p.PublicID(), 2); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		gone := graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, p.PublicID(), 1))
		if *gone.DeletedID != p.PublicID() {
			t.Errorf("deleted %s", *gone.DeletedID)
		}
		if d := cmp.Diff([]string{"product.created", "product.deleted"},
			graphtest.EventTypes(t, ctx, r, p.ID, 2)); d != "" {
			t.Error(d)
		}
		_, read := r.Query().Product(ctx, p.PublicID())
		_, again := r.Mutation().ProductDelete(ctx, p.PublicID(), 1)
		_, malformed := r.Query().Product(ctx, "prod_x")
		if graphtest.FaultOf(read) != "not_found" || graphtest.FaultOf(again) != "not_found" ||
			graphtest.FaultOf(malformed) != "not_found" {
			t.Errorf("afterwards: %v, %v, %v", read, again, malformed)
		}
	})
}

// Concurrent drafts with the same title all get a handle, and of two changes of one version one
// succeeds.
func TestProductRaces(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				if _, err := r.Mutation().ProductCreate(ctx, graphtest.Mug()); err != nil {
					t.Error(err)
				}
				_, errs[i] = r.Mutation().ProductPublish(ctx, p.PublicID(), 1)
			})
		}
		wg.Wait()
		won := slices.DeleteFunc(errs, func(err error) bool { return graphtest.FaultOf(err) == "version_mismatch" })
		if len(won) != 1 || won[0] != nil {
			t.Errorf("answers: %v, want one success", won)
		}
		graphtest.EventTypes(t, ctx, r, p.ID, 3)
	})
}

// After one product with a title met a taken handle, later ones avoid it: on MySQL, such an insert
// blocks others at the end of the table, and many concurrent ones mostly deadlock. A handle that
// becomes free is used again.
func TestTakenHandle(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		first := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		before := r.Store.Retries()["conflict"]
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for range 4 {
					p, err := r.Mutation().ProductCreate(ctx, graphtest.Mug())
					if err != nil || p.Product.Handle == first.Handle {
						t.Errorf("%v, %v", p, err)
					}
				}
			})
		}
		wg.Wait()
		if n := r.Store.Retries()["conflict"] - before; n > 0 {
			t.Errorf("%d transactions were retried", n)
		}
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, first.PublicID(), first.Version))
		if p := graphtest.NewProduct(t, ctx, r, graphtest.Mug()); p.Handle != first.Handle {
			t.Errorf("the handle is %s, want %s, which is free again", p.Handle, first.Handle)
		}
	})
}

func TestProducts(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		var all []string
		for i := range 6 {
			in := model.ProductCreateInput{Title: "Mug", Currency: "EUR",
				CreatedAt: new(micros.Time(1e15 + int64(i/2)))}
			if i%2 == 0 {
				in.Sku = new("EVEN")
			}
			p := graphtest.NewProduct(t, ctx, r, in)
			err := r.Store.InTx(ctx, func(ctx context.Context) error {
				return r.Client(ctx).Product.Update().Where(product.ID(p.ID)).SetUpdatedAt(p.CreatedAt()).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p.PublicID())
		}
		even := []string{all[0], all[2], all[4]}
		slices.Sort(all)
		walk := func(filter *model.ProductFilter, first int) (got []string) {
			var after *string
			for {
				p := graphtest.Must[*model.ProductConnection](t)(r.Query().Products(ctx, &first, after, filter,
					nil, nil))
				if len(p.Nodes) == 0 && after != nil {
					t.Error("an empty page follows")
				}
				for _, n := range p.Nodes {
					got = append(got, n.PublicID())
				}
				if p.Next == "" {
					return got
				}
				after = &p.Next
			}
		}
		from := &model.ProductFilter{UpdatedFrom: new(micros.Time(1e15))}
		for _, size := range []int{1, 2, 3, 6, 100, 1000} {
			if d := cmp.Diff(all, walk(from, size)); d != "" {
				t.Errorf("oldest change first by %d:\n%s", size, d)
			}
			newest := slices.Clone(all)
			slices.Reverse(newest)
			if d := cmp.Diff(newest, walk(nil, size)); d != "" {
				t.Errorf("newest first by %d:\n%s", size, d)
			}
			if got := walk(&model.ProductFilter{Sku: new("EVEN"), Status: new(state.ProductDraft)},
				size); len(got) != len(even) || got[0] != even[2] {
				t.Errorf("by sku by %d: %v", size, got)
			}
		}
		if got := walk(&model.ProductFilter{Status: new(state.ProductActive)}, 1); len(got) != 0 {
			t.Errorf("active ones: %v", got)
		}
		// A cursor of another list or filter, or a forged one, returns the first page.
		page := graphtest.Must[*model.ProductConnection](t)(r.Query().Products(ctx, new(2), nil, nil, nil, nil))
		for _, cursor := range []string{page.Next[:55] + "!", "", page.Next} {
			got := graphtest.Must[*model.ProductConnection](t)(r.Query().Products(ctx, new(1), &cursor,
				&model.ProductFilter{Status: new(state.ProductDraft)}, nil, nil))
			if got.Nodes[0].PublicID() != all[5] {
				t.Errorf("cursor %q is not page one", cursor)
			}
		}
		if r.RejectedCursors() != 3 {
			t.Errorf("%d cursors rejected, want 3", r.RejectedCursors())
		}
		_, err := r.Query().Products(ctx, new(0), nil, nil, nil, nil)
		if graphtest.FaultOf(err) != "invalid_parameter" {
			t.Errorf("a page size of 0: %v", err)
		}
		if _, err := r.Query().Product(ctx, xid.Product.Format(xid.New())); graphtest.FaultOf(err) != "not_found" {
			t.Error(err)
		}
	})
}
