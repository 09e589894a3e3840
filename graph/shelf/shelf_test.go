package shelf_test

import (
	"context"
	"fmt"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/db/shelfwalk"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/shelf"
)

// priced is the least that a product of the tests has.
func priced(title string, price int64) model.ProductCreateInput {
	return model.ProductCreateInput{Title: title, PriceMinor: price, Currency: "EUR"}
}

// published makes an active product.
func published(t testing.TB, ctx context.Context, r *graph.Resolver, in model.ProductCreateInput) xid.ID {
	t.Helper()
	p := graphtest.NewProduct(t, ctx, r, in)
	graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductPublish(ctx, p.PublicID(), p.Version))
	return p.ID
}

// visitor returns the context of somebody who looks at the store of ctx.
func visitor(ctx context.Context) context.Context { return viewer.Visitor(ctx, viewer.From(ctx).Store) }

// reader reads the shelves of the store of ctx.
func reader(ctx context.Context, r *graph.Resolver) shelf.Reader {
	return shelf.Reader{Client: r.Client(ctx), Engine: r.Store.Dialect(), Store: viewer.From(ctx).Store}
}

// titled are the titles of products, read in the store of ctx.
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
func all(t testing.TB, ctx context.Context, r *graph.Resolver, l shelf.List) []string {
	t.Helper()
	var list, back []string
	read := reader(ctx, r)
	var p *shelf.Page
	for p == nil || p.After != "" {
		if p != nil {
			l.After = p.After
		}
		p = graphtest.Must[*shelf.Page](t)(read.Read(visitor(ctx), l))
		list = append(list, titled(t, ctx, r, p.IDs)...)
	}
	back = titled(t, ctx, r, p.IDs)
	for p.Before != "" {
		l.After, l.Before = "", p.Before
		p = graphtest.Must[*shelf.Page](t)(read.Read(visitor(ctx), l))
		back = append(titled(t, ctx, r, p.IDs), back...)
	}
	if len(l.On) == 0 && len(list)%l.Limit == 0 {
		if d := cmp.Diff(list, back); d != "" {
			t.Errorf("%s: another list on the way back:\n%s", l.Sort, d)
		}
	}
	return list
}

// TestLists: every order, from end to end, in pages, with filters; nothing of another
// store.
func TestLists(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		other, _ := storetest.Merchant(t, r.Store)
		published(t, graphtest.As(other, viewer.Owner), r, priced("Foreign", 1))
		for _, p := range []model.ProductCreateInput{
			priced("Écharpe", 300), priced("apple", 300), priced("Zebra", 100), priced("Banana", 500),
			priced("Öl", 200),
		} {
			published(t, ctx, r, p)
		}
		published(t, ctx, r, graphtest.Shirt())
		graphtest.NewProduct(t, ctx, r, priced("Draft", 1))
		for _, tc := range []struct {
			list shelf.List
			want []string
		}{
			{shelf.List{Sort: shelf.Newest}, []string{"Shirt", "Öl", "Banana", "Zebra", "apple", "Écharpe"}},
			{shelf.List{Sort: shelf.PriceUp}, []string{"Zebra", "Öl", "Écharpe", "apple", "Banana", "Shirt"}},
			{shelf.List{Sort: shelf.PriceDown}, []string{"Shirt", "Banana", "apple", "Écharpe", "Öl", "Zebra"}},
			{shelf.List{Sort: shelf.Title}, []string{"apple", "Banana", "Écharpe", "Öl", "Shirt", "Zebra"}},
			{shelf.List{Sort: shelf.Title, Least: new(int64(200)), Most: new(int64(300))},
				[]string{"apple", "Écharpe", "Öl"}},
			{shelf.List{Sort: shelf.PriceDown, Least: new(int64(200)), Most: new(int64(300))},
				[]string{"apple", "Écharpe", "Öl"}},
			{shelf.List{Sort: shelf.Newest, Shelf: shelf.Option("COLOUR", "wHite")}, []string{"Shirt"}},
			{shelf.List{Sort: shelf.Newest, On: []xid.ID{shelf.Option("Size", "M"), shelf.Option("Colour", "Black")}},
				[]string{"Shirt"}},
			{shelf.List{Sort: shelf.Newest, On: []xid.ID{shelf.Option("Size", "XXL")}}, nil},
			{shelf.List{Sort: shelf.PriceUp, InStock: true, Most: new(int64(100))}, []string{"Zebra"}},
		} {
			tc.list.Limit = 2
			if d := cmp.Diff(tc.want, all(t, ctx, r, tc.list)); d != "" {
				t.Errorf("%+v:\n%s", tc.list, d)
			}
		}
	})
}

// TestListGoesOn: the cursor of a product that has left continues where it was.
func TestListGoesOn(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		ids := map[string]xid.ID{}
		for i, title := range []string{"A", "B", "C", "D", "E"} {
			ids[title] = published(t, ctx, r, priced(title, int64(100*i)))
		}
		l := shelf.List{Sort: shelf.Title, Limit: 2}
		p := graphtest.Must[*shelf.Page](t)(reader(ctx, r).Read(visitor(ctx), l))
		m := r.Mutation()
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, xid.Product.Format(ids["B"]), 2))
		graphtest.Must[*model.ProductPayload](t)(m.ProductArchive(ctx, xid.Product.Format(ids["A"]), 2))
		graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, xid.Product.Format(ids["E"]), 2,
			model.ProductUpdateInput{Title: model.Some("Bb"), PriceMinor: model.Some(int64(7))}))
		l.After = p.After
		p = graphtest.Must[*shelf.Page](t)(reader(ctx, r).Read(visitor(ctx), l))
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

// rows counts what is kept of a store's products.
func rows(t testing.TB, ctx context.Context, r *graph.Resolver) [2]int {
	t.Helper()
	c := r.Client(ctx)
	return [2]int{graphtest.Must[int](t)(c.Listing.Query().Count(ctx)),
		graphtest.Must[int](t)(c.SearchEntry.Query().Count(ctx))}
}

// TestRowsFollow: what is kept follows every change, and goes with the product.
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

// plant inserts active products behind the back of the operations.
func plant(t testing.TB, ctx context.Context, r *graph.Resolver, n int) {
	t.Helper()
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		for i := range n {
			id := xid.At(graphtest.PlanTie + micros.Time(i))
			err := r.Client(ctx).Product.Create().SetID(id).SetTitle(fmt.Sprintf("Item %d", i)).
				SetHandle(fmt.Sprintf("item-%d", i)).SetStatus(state.ProductActive).SetPriceMinor(100).
				SetCurrency("EUR").SetTags([]byte("[]")).SetPublishedAt(id.Time()).SetUpdatedAt(id.Time()).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRound: products from before are put on shelves once, in every store; a walk that
// was stopped goes on where it was, and one that is begun again writes nothing twice.
func TestRound(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plant(t, ctx, r, 45)
		other, _ := storetest.Merchant(t, r.Store)
		plant(t, other, r, 3)
		k := shelf.NewKeeper(r.Store)
		if err := k.Steps(ctx, 2); err != nil { // begun, and one batch
			t.Fatal(err)
		}
		if n := rows(t, ctx, r)[0]; n != 20 {
			t.Errorf("after a batch %d products are listed", n)
		}
		for range 2 {
			if err := shelf.NewKeeper(r.Store).Round(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a, b := rows(t, ctx, r)[0], rows(t, other, r)[0]; a != 45 || b != 3 {
				t.Errorf("%d and %d products are listed", a, b)
			}
		}
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			if _, err := r.Client(ctx).Listing.Delete().Where(listing.PositionGTE(0)).Exec(ctx); err != nil {
				return err
			}
			return k.Again(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		<-k.Woken()
		if err := k.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := rows(t, ctx, r)[0]; n != 45 {
			t.Errorf("walked again, %d products are listed", n)
		}
		if n := graphtest.Must[int](t)(r.Client(ctx).ShelfWalk.Query().Where(shelfwalk.Done(true)).Count(ctx)); n != 1 {
			t.Errorf("%d walks are done", n)
		}
	})
}

// TestReads: a page reads a bounded number of rows with a known number of statements.
func TestReads(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plant(t, ctx, r, 300)
		if err := shelf.NewKeeper(r.Store).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, sort := range []shelf.Sort{shelf.Newest, shelf.PriceUp, shelf.PriceDown, shelf.Title} {
			l := shelf.List{Sort: sort, Limit: 24}
			l.After = graphtest.Must[*shelf.Page](t)(reader(ctx, r).Read(visitor(ctx), l)).After
			counted, n := ent.CountStatements(visitor(ctx))
			if graphtest.Must[*shelf.Page](t)(reader(ctx, r).Read(counted, l)); n.N() != 1 {
				t.Errorf("%s: %d statements", sort, n.N())
			}
			if r.Store.Dialect() != dialect.MySQL { // which tells what it reads
				continue
			}
			read := graphtest.Reads(t, visitor(ctx), r, func(ctx context.Context) {
				graphtest.Must[*shelf.Page](t)(reader(ctx, r).Read(ctx, l))
			})
			if read > 30 {
				t.Errorf("%s: %d rows", sort, read)
			}
		}
	})
}
