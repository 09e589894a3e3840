package sales_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// resolver returns the operations of this package without engines.
func resolver(c *core.Core) *sales.Resolver { return sales.New(c, sales.Engines{}, nil) }

// full creates an order with every relation: n notes, two payments, two shipments.
func full(t testing.TB, ctx context.Context, r *graph.Resolver, n int) *model.Order {
	t.Helper()
	c := buyer(t, ctx, r, xid.New().String()+"@example.com", state.CustomerActive)
	p := graphtest.NewStockedProduct(t, ctx, r, 100)
	o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
		CustomerID: new(c.PublicID()),
		Lines:      []*model.OrderLineInput{graphtest.ProductLine(p, 2), graphtest.CustomLine("b", 1, 7)}})).Order
	for _, name := range []string{"pay_50", "pay_50", "ship_1", "ship_1"} {
		o = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps[name](ctx, r.Mutation(), o)).Order
	}
	for i := range n {
		graphtest.Must[*model.OrderNotePayload](t)(r.Mutation().OrderNoteAppend(ctx, o.PublicID(),
			noteInput(fmt.Sprint("note ", i))))
	}
	return o
}

// TestOrderQueryCounts: a page takes one statement and each relation one more, however many orders
// it has.
func TestOrderQueryCounts(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for range 6 {
			full(t, ctx, r, 2)
		}
		for _, size := range []int{1, 5} {
			counted, n := ent.CountStatements(ctx)
			before := uint64(0)
			expect := func(what string, want uint64) {
				t.Helper()
				if got := n.N() - before; got != want {
					t.Errorf("%d orders: %s cost %d statements, want %d", size, what, got, want)
				}
				before = n.N()
			}
			page := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(counted, &size, nil, nil, nil, nil))
			expect("the list", 1)
			fields := sales.OrderFields{Resolver: resolver(r.Core)}
			for what, get := range map[string]func(*model.Order) (int, error){
				"customer": func(o *model.Order) (int, error) {
					c, err := fields.Customer(counted, o)
					return len(*c.Email), err
				},
				"notes": func(o *model.Order) (int, error) {
					v, err := fields.Notes(counted, o, new(10))
					return len(v), err
				},
				"payments": func(o *model.Order) (int, error) {
					v, err := fields.Payments(counted, o)
					return len(v), err
				},
				"shipments": func(o *model.Order) (int, error) {
					v, err := fields.Fulfillments(counted, o)
					return len(v), err
				},
				"products": func(o *model.Order) (int, error) {
					p, err := sales.LineFields{Resolver: resolver(r.Core)}.Product(counted, o.Lines[0])
					if none, _ := (sales.LineFields{Resolver: resolver(r.Core)}).Product(counted,
						o.Lines[1]); none != nil {
						t.Error("a line without a product has one")
					}
					return len(p.Title), err
				},
			} {
				for _, o := range page.Nodes {
					if n := graphtest.Must[int](t)(get(o)); n == 0 {
						t.Errorf("%s: nothing", what)
					}
				}
				expect(what, 1)
			}
			graphtest.Must[*model.Order](t)(r.Query().Order(counted, page.Nodes[0].PublicID()))
			expect("one order", 1)
			graphtest.Must[*model.OrderNoteConnection](t)(r.Query().OrderNotes(counted, page.Nodes[0].PublicID(), &size,
				nil))
			expect("its notes", 1)
		}
	})
}

// Each order gets its own newest notes, up to the number asked for.
func TestOrderNotesOfSiblings(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for i := range 4 {
			full(t, ctx, r, i*2)
		}
		page := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, nil, nil, nil, nil, nil))
		for i, o := range page.Nodes {
			for _, first := range []int{1, 3, 100} {
				notes := graphtest.Must[[]*model.OrderNote](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Notes(ctx,
					o, &first))
				have := (3 - i) * 2
				if len(notes) != min(first, have) {
					t.Fatalf("order %d: %d of %d notes", i, len(notes), have)
				}
				for j, n := range notes {
					if want := fmt.Sprint("note ", have-1-j); n.Body != want || n.OrderID != o.ID ||
						n.Author().Type != viewer.Staff {
						t.Errorf("order %d: note %d is %+v, want %s", i, j, n.Note, want)
					}
				}
			}
			payments := graphtest.Must[[]*db.Payment](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Payments(ctx,
				o))
			if len(payments) != 2 || payments[0].ID.Compare(payments[1].ID) >= 0 {
				t.Errorf("order %d: payments %v", i, payments)
			}
		}
	})
}

// A deleted product is null in existing lines, whose product_id stays.
func TestLineOfDeletedProduct(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 5, 9)
		o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 1))
		p = graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, p.PublicID(), p.Version))
		o = graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		got, err := sales.LineFields{Resolver: resolver(r.Core)}.Product(ctx, o.Lines[0])
		if got != nil || err != nil || *o.Lines[0].ProductID != p.ID {
			t.Errorf("got %v, %v", got, err)
		}
		// There is no stock to return the units to.
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(ctx, o.PublicID(), o.Version, false, nil))
	})
}

// A GraphQL query without lines runs no statement for them if they are in their own rows.
func TestLinesOnlyWhenSelected(t *testing.T) {
	s := storetest.Open(t)
	storetest.LimitFormats(t, s)
	ctx, _ := storetest.Merchant(t, s)
	r, ctx := graphtest.NewCore(t, s), graphtest.As(ctx, viewer.Owner)
	if err := createAsPrevious(ctx, r, graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 1)).ID); err != nil {
		t.Fatal(err)
	}
	field := func(name string, below ...ast.Selection) *ast.Field {
		return &ast.Field{Name: name, Alias: name, SelectionSet: below, Definition: &ast.FieldDefinition{}}
	}
	node := func(names ...string) ast.Selection {
		set := ast.SelectionSet{}
		for _, n := range names {
			set = append(set, field(n))
		}
		return field("edges", field("node", set...))
	}
	doc := &ast.QueryDocument{}
	fragment := func(name string, below ast.Selection) ast.Selection {
		doc.Fragments = append(doc.Fragments,
			&ast.FragmentDefinition{Name: name, TypeCondition: "OrderConnection",
				SelectionSet: ast.SelectionSet{below}})
		return &ast.FragmentSpread{Name: name}
	}
	for name, tc := range map[string]struct {
		below ast.Selection
		want  uint64
	}{
		"none":  {node("id"), 1},
		"lines": {node("id", "lineItems"), 2},
		"inline": {&ast.InlineFragment{TypeCondition: "OrderConnection",
			SelectionSet: ast.SelectionSet{node("lineItems")}}, 2},
		"fragment": {fragment("a", node("lineItems")), 2},
		"others":   {fragment("b", node("notes", "customer")), 1},
	} {
		orders := field("orders", tc.below)
		op := graphql.WithOperationContext(ctx, &graphql.OperationContext{Doc: doc})
		op = graphql.WithFieldContext(op,
			&graphql.FieldContext{Field: graphql.CollectedField{Field: orders, Selections: orders.SelectionSet}})
		op, n := ent.CountStatements(op)
		c := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(op, nil, nil, nil, nil, nil))
		if n.N() != tc.want || (len(c.Nodes[0].Lines) > 0) != (tc.want == 2) {
			t.Errorf("%s: %d statements, want %d", name, n.N(), tc.want)
		}
	}
}

func TestIDsOnce(t *testing.T) {
	a, b := xid.At(1), xid.At(2)
	got := core.IDs([]*xid.ID{&b, nil, &a, &b}, func(id *xid.ID) *xid.ID { return id })
	if !slices.Equal(got, []xid.ID{a, b}) {
		t.Errorf("got %v", got)
	}
}

// withoutLines returns a context of a GraphQL field that selects no lines.
func withoutLines(ctx context.Context) context.Context {
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{Doc: &ast.QueryDocument{}})
	return graphql.WithFieldContext(ctx,
		&graphql.FieldContext{Field: graphql.CollectedField{Field: &ast.Field{Name: "orders"}}})
}

// A relation without rows is an empty list: null means that the caller may not see it.
func TestRelationsAreNeverNull(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{
			Source: "test", Lines: []*model.OrderLineInput{{Title: new("Mug"), UnitPriceMinor: new(int64(5)),
				Quantity: 1}},
		})).Order
		f := sales.OrderFields{Resolver: resolver(r.Core)}
		if got := graphtest.Must[[]*model.OrderNote](t)(f.Notes(ctx, o, new(5))); got == nil || len(got) > 0 {
			t.Errorf("notes: %#v", got)
		}
		if got := graphtest.Must[[]*db.Payment](t)(f.Payments(ctx, o)); got == nil || len(got) > 0 {
			t.Errorf("payments: %#v", got)
		}
		if got := graphtest.Must[[]*db.Fulfillment](t)(f.Fulfillments(ctx, o)); got == nil || len(got) > 0 {
			t.Errorf("fulfillments: %#v", got)
		}
	})
}
