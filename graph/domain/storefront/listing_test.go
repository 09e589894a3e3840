package storefront_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// productAt returns a minimal product with a price.
func productAt(title string, price int64) model.ProductCreateInput {
	return model.ProductCreateInput{Title: title, PriceMinor: price, Currency: "EUR"}
}

// reader returns a reader of the listing index of the store of ctx.
func reader(ctx context.Context, r *graph.Resolver) listings.Reader {
	return listings.Reader{Client: r.Client(ctx), Engine: r.Store.Dialect(), Store: viewer.From(ctx).Store}
}

// titled returns the titles of products in the store of ctx.
func titled(t testing.TB, ctx context.Context, r *graph.Resolver, ids []xid.ID) []string {
	t.Helper()
	list := []string{}
	for _, id := range ids {
		list = append(list, graphtest.Must[string](t)(titleOf(ctx, r, id)))
	}
	return list
}

func titleOf(ctx context.Context, r *graph.Resolver, id xid.ID) (string, error) {
	p, err := r.ProductRow(ctx, id)
	if err != nil {
		return "", err
	}
	return p.Title, nil
}

// all walks a list to its end, and back to its beginning.
func all(t testing.TB, ctx context.Context, r *graph.Resolver, l listings.List) []string {
	t.Helper()
	var list, back []string
	read := reader(ctx, r)
	var p *listings.Page
	for p == nil || p.After != "" {
		if p != nil {
			l.After = p.After
		}
		p = graphtest.Must[*listings.Page](t)(read.Read(visitor(ctx), l))
		list = append(list, titled(t, ctx, r, p.IDs)...)
	}
	back = titled(t, ctx, r, p.IDs)
	for p.Before != "" {
		l.After, l.Before = "", p.Before
		p = graphtest.Must[*listings.Page](t)(read.Read(visitor(ctx), l))
		back = append(titled(t, ctx, r, p.IDs), back...)
	}
	if len(l.On) == 0 && len(list) > 0 && len(list)%l.Limit == 0 {
		if d := cmp.Diff(list, back); d != "" {
			t.Errorf("%s: another list on the way back:\n%s", l.Sort, d)
		}
	}
	return list
}

// TestLists: every sort order, from end to end, in pages, with filters; nothing from another store.
func TestLists(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		published(t, graphtest.As(other, viewer.Owner), r, productAt("Foreign", 1))
		for _, p := range []model.ProductCreateInput{
			productAt("Écharpe", 300), productAt("apple", 300), productAt("Zebra", 100), productAt("Banana", 500),
			productAt("Öl", 200),
		} {
			published(t, ctx, r, p)
		}
		published(t, ctx, r, graphtest.Shirt())
		graphtest.NewProduct(t, ctx, r, productAt("Draft", 1))
		for _, tc := range []struct {
			list listings.List
			want []string
		}{
			{listings.List{Sort: listings.Newest}, []string{"Shirt", "Öl", "Banana", "Zebra", "apple", "Écharpe"}},
			{listings.List{Sort: listings.PriceUp}, []string{"Zebra", "Öl", "Écharpe", "apple", "Banana", "Shirt"}},
			{listings.List{Sort: listings.PriceDown}, []string{"Shirt", "Banana", "apple", "Écharpe", "Öl", "Zebra"}},
			{listings.List{Sort: listings.Title}, []string{"apple", "Banana", "Écharpe", "Öl", "Shirt", "Zebra"}},
			{listings.List{Sort: listings.Title, Least: new(int64(200)), Most: new(int64(300))},
				[]string{"apple", "Écharpe", "Öl"}},
			{listings.List{Sort: listings.PriceDown, Least: new(int64(200)), Most: new(int64(300))},
				[]string{"apple", "Écharpe", "Öl"}},
			{listings.List{Sort: listings.Newest, ID: listings.Option("COLOUR", "wHite")}, []string{"Shirt"}},
			{listings.List{Sort: listings.Newest, On: []xid.ID{
				listings.Option("Size", "M"), listings.Option("Colour", "Black")}},
				[]string{"Shirt"}},
			{listings.List{Sort: listings.Newest, On: []xid.ID{listings.Option("Size", "XXL")}}, nil},
			{listings.List{Sort: listings.PriceUp, InStock: true, Most: new(int64(100))}, []string{"Zebra"}},
		} {
			tc.list.Limit = 2
			if d := cmp.Diff(tc.want, all(t, ctx, r, tc.list)); d != "" {
				t.Errorf("%+v:\n%s", tc.list, d)
			}
		}
	})
}

// TestListOfRarePrice: a price filter that few products pass gives the same pages as one that many
// pass, in every sort order, in both directions, and reads only these products, whatever else the
// list contains.
func TestListOfRarePrice(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plantActive(t, ctx, r, 700)
		want := []string{}
		for i := range 7 {
			want = append(want, fmt.Sprintf("Rare %d", i))
			published(t, ctx, r, productAt(want[i], 5_000_001+int64(i%3)))
		}
		if err := listings.NewKeeper(r.Store).Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		l := listings.List{Sort: listings.Title, Least: new(int64(5_000_001)), Most: new(int64(5_000_003)), Limit: 3}
		if d := cmp.Diff(want, all(t, ctx, r, l)); d != "" {
			t.Errorf("by title:\n%s", d)
		}
		l.Sort, l.Limit = listings.Newest, 4
		slices.Reverse(want)
		if d := cmp.Diff(want, all(t, ctx, r, l)); d != "" {
			t.Errorf("newest first:\n%s", d)
		}
		wide := listings.List{Sort: listings.Title, Most: new(int64(6_000_000)), Limit: 100}
		p := graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(visitor(ctx), wide)) // more than are sorted at once
		if len(p.IDs) != 100 || p.After == "" {
			t.Errorf("a page within wide bounds has %d products", len(p.IDs))
		}
		if r.Store.Dialect() != dialect.MySQL { // only MySQL reports what it reads
			return
		}
		read := graphtest.Reads(t, visitor(ctx), r, func(ctx context.Context) {
			graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(ctx, l))
		})
		if read > 40 {
			t.Errorf("%d rows are read for 7 products", read)
		}
	})
}

// TestListResumes: the cursor of a product that is gone continues at its position.
func TestListResumes(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		ids := map[string]xid.ID{}
		for i, title := range []string{"A", "B", "C", "D", "E"} {
			ids[title] = published(t, ctx, r, productAt(title, int64(100*i)))
		}
		l := listings.List{Sort: listings.Title, Limit: 2}
		p := graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(visitor(ctx), l))
		m := r.Mutation()
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, xid.Product.Format(ids["B"]), 2))
		graphtest.Must[*model.ProductPayload](t)(m.ProductArchive(ctx, xid.Product.Format(ids["A"]), 2))
		graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, xid.Product.Format(ids["E"]), 2,
			model.ProductUpdateInput{Title: model.Some("Bb"), PriceMinor: model.Some(int64(7))}))
		l.After = p.After
		p = graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(visitor(ctx), l))
		if d := cmp.Diff([]string{"Bb", "C"}, titled(t, ctx, r, p.IDs)); d != "" {
			t.Error(d)
		}
		for _, bad := range []string{"?", "AAAA", "dA", p.Before[:len(p.Before)-4]} {
			l.After = bad
			if _, err := reader(ctx, r).Read(visitor(ctx), l); err != nil {
				t.Errorf("%q: %v", bad, err)
			}
		}
	})
}

// rows counts the listing rows of a store.
func rows(t testing.TB, ctx context.Context, r *graph.Resolver) [2]int {
	t.Helper()
	c := r.Client(ctx)
	return [2]int{graphtest.Must[int](t)(c.Listing.Query().Count(ctx)),
		graphtest.Must[int](t)(c.SearchEntry.Query().Count(ctx))}
}

// TestRowsFollow: listing rows follow every change of a product, and are deleted with it.
func TestRowsFollow(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		if got := rows(t, ctx, r); got != [2]int{} {
			t.Errorf("of a draft there are %v rows", got)
		}
		id, version := p.PublicID(), p.Version
		do := func(p *model.ProductPayload, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			version = p.Product.Version
		}
		do(m.ProductPublish(ctx, id, version))
		full := rows(t, ctx, r)
		if full[0] != 5 || full[1] < 4 {
			t.Errorf("of a product with two options of two values there are %v rows", full)
		}
		do(m.ProductUpdate(ctx, id, version, model.ProductUpdateInput{Title: model.Some("Jumper")}))
		if got := rows(t, ctx, r); got[0] != full[0] {
			t.Errorf("with another title %v rows, before %v", got, full)
		}
		do(m.ProductUnpublish(ctx, id, version))
		if got := rows(t, ctx, r); got != [2]int{} {
			t.Errorf("taken off: %v rows", got)
		}
		do(m.ProductPublish(ctx, id, version))
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, id, version))
		if got := rows(t, ctx, r); got != [2]int{} {
			t.Errorf("deleted: %v rows", got)
		}
	})
}

// TestListReads: a page reads a bounded number of rows with a fixed number of statements.
func TestListReads(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plantActive(t, ctx, r, 300)
		if err := listings.NewKeeper(r.Store).Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, sort := range []listings.Sort{listings.Newest, listings.PriceUp, listings.PriceDown, listings.Title} {
			l := listings.List{Sort: sort, Limit: 24}
			l.After = graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(visitor(ctx), l)).After
			counted, n := ent.CountStatements(visitor(ctx))
			if graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(counted, l)); n.N() != 1 {
				t.Errorf("%s: %d statements", sort, n.N())
			}
			if r.Store.Dialect() != dialect.MySQL { // only MySQL reports what it reads
				continue
			}
			read := graphtest.Reads(t, visitor(ctx), r, func(ctx context.Context) {
				graphtest.Must[*listings.Page](t)(reader(ctx, r).Read(ctx, l))
			})
			if read > 30 {
				t.Errorf("%s: %d rows", sort, read)
			}
		}
	})
}
