package sales_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/searchterm"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// found returns what a global search finds: orders by number, products by title, customers by name.
func found(t *testing.T, ctx context.Context, r *graph.Resolver, text string) string {
	t.Helper()
	s := graphtest.Must[*model.SearchResult](t)(r.Query().Search(ctx, text, 5))
	f := sales.FoundFields{Resolver: resolver(r.Core)}
	var list []string
	for _, o := range graphtest.Must[[]*model.Order](t)(f.Orders(ctx, s)) {
		list = append(list, fmt.Sprintf("#%d", o.Number))
	}
	for _, p := range graphtest.Must[[]*db.Product](t)(
		catalog.FoundFields{Resolver: catalog.New(r.Core, catalog.Engines{})}.Products(ctx, s)) {
		list = append(list, p.Title)
	}
	for _, c := range graphtest.Must[[]*model.Customer](t)(f.Customers(ctx, s)) {
		list = append(list, c.DisplayName())
	}
	return strings.Join(list, ", ")
}

// TestSearch: everything can be found by its words as soon as it is written, in its own store, and
// no longer once it is gone. The backfill writes the same words.
func TestSearch(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		in := graphtest.Ada()
		in.FirstName, in.LastName, in.Email = new("Zoë"), new("O'Brien"), new("zoe.obrien@example.com")
		zoe := graphtest.NewCustomer(t, ctx, r, in)
		mug := graphtest.Mug()
		mug.Title, mug.Sku = "Émaille mug", new("EM-77/b")
		p := graphtest.NewProduct(t, ctx, r, mug)
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			ExternalNumber: new("#EN-4711"), CustomerID: new(zoe.PublicID()),
			Lines: []*model.OrderLineInput{graphtest.ProductLine(p, 1)}})).Order
		number := fmt.Sprintf("#%d", o.Number)
		elsewhere, _ := storetest.Merchant(t, r.Store)
		elsewhere = graphtest.As(elsewhere, viewer.Owner)
		expect := func(want map[string]string) {
			t.Helper()
			for text, list := range want {
				if got := found(t, ctx, r, text); got != list {
					t.Errorf("%q finds %q, want %q", text, got, list)
				}
				if got := found(t, elsewhere, r, text); got != "" {
					t.Errorf("another store finds %q by %q", got, text)
				}
			}
		}
		before := map[string]string{number: number, "zoe": number + ", Zoë O'Brien",
			"OBRIEN zoë": number + ", Zoë O'Brien", "zoe.ob": number + ", Zoë O'Brien",
			"em77": number + ", Émaille mug", "EM-77": number + ", Émaille mug",
			"#EN-4711": number, "en4711": number,
			"emaille": number + ", Émaille mug", "mug": number + ", Émaille mug", "obrien mug": number, "adam": "",
			"obrien cup": "", "%": ""}
		expect(before)
		settle(t, r)
		expect(before)
		written := graphtest.Must[[]*db.SearchTerm](t)(r.Client(ctx).SearchTerm.Query().Load(ctx))
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			_, err := r.Client(ctx).SearchTerm.Delete().Exec(ctx)
			return err
		})
		if err == nil {
			err = search.NewKeeper(r.Store).Backfill(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		walked := graphtest.Must[[]*db.SearchTerm](t)(r.Client(ctx).SearchTerm.Query().Load(ctx))
		if diff := cmp.Diff(texts(written), texts(walked)); diff != "" {
			t.Error(diff)
		}

		graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, p.PublicID(), p.Version+1,
			model.ProductUpdateInput{Title: model.Some("Cup"), Sku: model.Some("C-1")}))
		graphtest.Must[*model.OrderPayload](t)(m.OrderUpdate(ctx, o.PublicID(), o.Version, model.OrderUpdateInput{
			Email: model.Some("someone@example.org")}))
		settle(t, r) // the order has its customer's former name
		zoe = graphtest.Must[*model.Customer](t)(r.Query().Customer(ctx, zoe.PublicID()))
		graphtest.Must[*model.CustomerPayload](t)(m.CustomerUpdate(ctx, zoe.PublicID(), zoe.Version,
			model.CustomerUpdateInput{LastName: model.Some("Adams")}))
		after := map[string]string{"mug": number, "cup": "Cup", "c1": "Cup", "em77": number, "someone@": number,
			"zoe.ob": "Zoë Adams", "adam": "Zoë Adams"}
		expect(after)
		settle(t, r)
		expect(after)
		p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		p = graphtest.Must[*model.ProductPayload](t)(m.ProductArchive(ctx, p.PublicID(), p.Version)).Product
		expect(map[string]string{"cup": "Cup"})
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, p.PublicID(), p.Version))
		expect(map[string]string{"cup": "", "c1": ""})
	})
}

// TestListsByTag: each of the three lists can be filtered by tag, whole and in any spelling, at
// once, after indexing, and after the tag was changed; together with a query and with a filter too.
func TestListsByTag(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m, q := r.Mutation(), r.Query()
		zoe := graphtest.Ada()
		zoe.Tags = []string{"VIP gold", "Müller"}
		c := graphtest.NewCustomer(t, ctx, r, zoe)
		mug := graphtest.Mug()
		mug.Tags = zoe.Tags
		p := graphtest.NewProduct(t, ctx, r, mug)
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			Tags: zoe.Tags, Lines: []*model.OrderLineInput{graphtest.ProductLine(p, 1)}})).Order
		graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("Other", 1, 1))
		expect := func(want int, tag string, query *string) {
			t.Helper()
			orders := graphtest.Must[*model.OrderConnection](t)(q.Orders(ctx, nil, nil,
				&model.OrderFilter{Tag: &tag, Status: new(state.OrderOpen)}, query, nil))
			products := graphtest.Must[*model.ProductConnection](t)(q.Products(ctx, nil, nil,
				&model.ProductFilter{Tag: &tag}, query, nil))
			people := graphtest.Must[*model.CustomerConnection](t)(q.Customers(ctx, nil, nil,
				&model.CustomerFilter{Tag: &tag}, query, nil))
			got := [3]int{len(orders.Nodes), len(products.Nodes), len(people.Nodes)}
			if got != [3]int{want, want, want} {
				t.Errorf("%q with %v finds %v, want %d of each", tag, query, got, want)
			}
		}
		tags := func() {
			t.Helper()
			for tag, want := range map[string]int{"VIP gold": 1, "vip GOLD": 1, "VIP": 0, "gold": 0, "muller": 1,
				"": 0} {
				expect(want, tag, nil)
			}
			expect(1, "vip gold", new("gold"))
			expect(0, "vip gold", new("silver"))
			expect(0, "vip gold", new("%"))
		}
		tags()
		settle(t, r)
		tags()
		silver := graphql.OmittableOf([]string{"silver"})
		p = graphtest.Must[*db.Product](t)(q.Product(ctx, p.PublicID()))
		graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(ctx, p.PublicID(), p.Version,
			model.ProductUpdateInput{Tags: silver}))
		graphtest.Must[*model.OrderPayload](t)(m.OrderUpdate(ctx, o.PublicID(), o.Version,
			model.OrderUpdateInput{Tags: silver}))
		graphtest.Must[*model.CustomerPayload](t)(m.CustomerUpdate(ctx, c.PublicID(), c.Version,
			model.CustomerUpdateInput{Tags: silver}))
		for range 2 {
			expect(0, "vip gold", nil)
			expect(1, "silver", nil)
			settle(t, r)
		}
		_, err := q.Orders(ctx, nil, nil, &model.OrderFilter{Tag: new("a"), UpdatedFrom: new(micros.Now())}, nil, nil)
		if graphtest.FaultOf(err) != "invalid_parameter" {
			t.Errorf("with the changes: %v", err)
		}
	})
}

// TestSearchByPhoneAndTracking: a customer is found by a phone number in any spelling, an order by
// its tracking number.
func TestSearchByPhoneAndTracking(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := graphtest.Ada()
		in.FirstName, in.LastName, in.DefaultAddress, in.Addresses = new("太郎"), new("山田"), nil, nil
		c := graphtest.NewCustomer(t, ctx, r, in)
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("Mug", 1, 500))
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderFulfill(ctx, o.PublicID(), o.Version,
			model.FulfillInput{TrackingNumber: new("1Z 999-AA1")}))
		for range 2 {
			for text, want := range map[string]string{"020 7946 0000": c.DisplayName(),
				"+442079460000":        c.DisplayName(),
				"0044 (0)20 7946-0000": c.DisplayName(), "79460000": c.DisplayName(), "0000": c.DisplayName(),
				"020 7946 0001": "", "山田太郎": c.DisplayName(), "太郎山田": c.DisplayName(), "太郎": c.DisplayName(),
				"山": c.DisplayName(), "1z999aa1": fmt.Sprint("#", o.Number), "1Z-999": fmt.Sprint("#", o.Number)} {
				if got := found(t, ctx, r, text); got != want {
					t.Errorf("%q finds %q, want %q", text, got, want)
				}
			}
			settle(t, r)
		}
	})
}

// settle indexes what is pending.
func settle(t *testing.T, r *graph.Resolver) {
	t.Helper()
	if err := search.NewKeeper(r.Store).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func texts(rows []*db.SearchTerm) map[string]bool {
	all := map[string]bool{}
	for _, row := range rows {
		all[row.Term+" "+row.ID.String()] = row.Personal
	}
	return all
}

// TestSearchForgets: when a redaction commits, search no longer finds the customer, nor orders by
// the customer's data.
func TestSearchForgets(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		forgets(t, ctx, r, false)
		other, _ := storetest.Merchant(t, r.Store)
		forgets(t, graphtest.As(other, viewer.Owner), r, true)
	})
}

// forgets tests one redaction, with some of the index pending or all of it written.
func forgets(t *testing.T, ctx context.Context, r *graph.Resolver, settled bool) {
	in := graphtest.Ada()
	in.Email = nil
	c := graphtest.NewCustomer(t, ctx, r, in)
	line := graphtest.CustomLine("Mug", 1, 500)
	line.Sku = in.FirstName // a text that is both a name and a stock number stays as a stock number
	order := func(in model.OrderCreateInput) string {
		in.Source, in.Lines, in.CustomerID = "test", []*model.OrderLineInput{line}, new(c.PublicID())
		made := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order
		return fmt.Sprint("#", made.Number)
	}
	home := &model.AddressInput{Name: new("Augusta King"), Line1: "Square 12", City: "London", Country: "GB"}
	first, second := order(model.OrderCreateInput{}), order(model.OrderCreateInput{ShippingAddress: home})
	if got, want := found(t, ctx, r, "king"), second; got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	if got, want := found(t, ctx, r, *c.LastName), second+", "+first+", "+c.DisplayName(); got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	if settled {
		settle(t, r)
	}
	c = graphtest.Must[*model.Customer](t)(r.Query().Customer(ctx, c.PublicID()))
	graphtest.Must[*model.CustomerPayload](t)(r.Mutation().CustomerRedact(ctx, c.PublicID(), c.Version))
	for range 2 {
		for _, text := range []string{"king", "august", *c.LastName} {
			if got := found(t, ctx, r, text); got != "" {
				t.Errorf("%q finds %q", text, got)
			}
		}
		settle(t, r)
	}
	if got, want := found(t, ctx, r, *c.FirstName), second+", "+first; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	left := graphtest.Must[int](t)(r.Client(ctx).SearchTerm.Query().Where(searchterm.Personal(true)).Count(ctx))
	if left != 0 {
		t.Errorf("%d words about the person are left", left)
	}
}

// TestListsSearched: the lists accept a query with their filters. Cursors belong to the query, and
// combinations that no index serves are refused.
func TestListsSearched(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		var numbers []int64
		for i := range 5 {
			o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("Mug", 1, 500))
			numbers = append(numbers, o.Number)
			if i < 4 {
				graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version,
					model.OrderUpdateInput{Email: model.Some("ada@example.com")}))
			}
		}
		list := func(after *string, filter *model.OrderFilter, query string, sort *state.ListSort) (
			all []int64, next string,
		) {
			c := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(3), after, filter, &query, sort))
			for _, o := range c.Nodes {
				all = append(all, o.Number)
			}
			return all, c.Next
		}
		same := func(what string, got []int64, places ...int) {
			t.Helper()
			var want []int64
			for _, i := range places {
				want = append(want, numbers[i])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(what, diff)
			}
		}
		page, next := list(nil, nil, "ADA@", nil)
		same("first page", page, 3, 2, 1)
		page, last := list(&next, nil, " ada@ ", nil)
		same("second page", page, 0)
		if last != "" {
			t.Error("the second page is not the last")
		}
		page, _ = list(&next, nil, "ada@example", nil) // another query: page one
		same("another query", page, 3, 2, 1)
		page, _ = list(nil, &model.OrderFilter{FinancialStatus: new(state.FinancialPaid)}, "ada", nil)
		same("with a filter", page)
		page, next = list(nil, nil, "", new(state.ListOldest))
		same("oldest", page, 0, 1, 2)
		page, _ = list(&next, nil, "", new(state.ListOldest))
		same("oldest, second page", page, 3, 4)
		page, next = list(nil, nil, "", new(state.ListUpdated))
		same("updated", page, 4, 3, 2)
		page, _ = list(&next, nil, "", new(state.ListUpdated))
		same("updated, second page", page, 1, 0)
		for name, in := range map[string]struct {
			filter *model.OrderFilter
			query  string
			sort   *state.ListSort
		}{
			"query of changes": {&model.OrderFilter{UpdatedFrom: new(graphtest.PlanTie)}, "a", nil},
			"sorted query":     {nil, "a", new(state.ListOldest)},
			"sorted changes":   {&model.OrderFilter{UpdatedFrom: new(graphtest.PlanTie)}, "", new(state.ListUpdated)},
			"filtered updates": {&model.OrderFilter{Status: new(state.OrderOpen)}, "", new(state.ListUpdated)},
		} {
			_, err := r.Query().Orders(ctx, nil, nil, in.filter, &in.query, in.sort)
			if graphtest.FaultOf(err) != "invalid_parameter" {
				t.Errorf("%s: %v", name, err)
			}
		}
		counts := graphtest.Must[*model.OrderCounts](t)(r.Query().OrderCounts(ctx))
		if *counts.Open != (model.Count{Value: 5}) || *counts.Cancelled != (model.Count{}) {
			t.Errorf("counted %v and %v", counts.Open, counts.Cancelled)
		}
	})
}
