package sales_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// changeAsPrevious changes an order as the previous release does, which does not know line_set: it
// refunds one more unit of the first line.
func changeAsPrevious(ctx context.Context, r *graph.Resolver, id xid.ID) error {
	return r.Store.InTx(ctx, func(ctx context.Context) error {
		c := r.Client(ctx)
		err := c.Order.Update().Where(order.ID(id)).AddVersion(1).AddUpdatedAt(1).Exec(ctx)
		if err == nil {
			err = c.OrderLine.Update().Where(orderline.OrderID(id), orderline.Position(0)).AddRefundedQuantity(1).
				Exec(ctx)
		}
		return err
	})
}

// createAsPrevious creates an order as the previous release does.
func createAsPrevious(ctx context.Context, r *graph.Resolver, id xid.ID) error {
	return r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.Client(ctx).Order.Update().Where(order.ID(id)).ClearLineSet().ClearLineSetVersion().Exec(ctx)
	})
}

// storedLines returns the lines of an order from their own rows.
func storedLines(t *testing.T, ctx context.Context, r *graph.Resolver, id xid.ID) []*db.OrderLine {
	t.Helper()
	return graphtest.Must[[]*db.OrderLine](t)(r.Client(ctx).OrderLine.Query().Where(orderline.OrderID(id)).
		Order(orderline.ByPosition()).Load(ctx))
}

// sameLines compares every way to read an order with the rows of its lines, and one read with a
// number of statements.
func sameLines(t *testing.T, ctx context.Context, r *graph.Resolver, id xid.ID, statements uint64) {
	t.Helper()
	want := storedLines(t, ctx, r, id)
	public := xid.Order.Format(id)
	counted, n := ent.CountStatements(ctx)
	one := graphtest.Must[*model.Order](t)(r.Query().Order(counted, public))
	if n.N() != statements {
		t.Errorf("one order takes %d statements, want %d", n.N(), statements)
	}
	packed := graphtest.Must[*model.Order](t)(r.Query().Order(sales.WithPacked(ctx), public))
	if lineset.Holds(packed.Order) != (len(packed.Lines) == 0) {
		t.Errorf("where its caller unpacks the lines that the row holds, it comes with %d", len(packed.Lines))
	}
	reads := map[string]*model.Order{"one": one}
	page := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(100), nil, nil, nil, nil))
	for _, o := range page.Nodes {
		if o.ID == id {
			reads["a page"] = o
		}
	}
	for name, o := range reads {
		got := make([]*db.OrderLine, len(o.Lines))
		for i, l := range o.Lines {
			got[i] = l.OrderLine
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(db.OrderLine{})); diff != "" {
			t.Errorf("%s has other lines than there are:\n%s", name, diff)
		}
	}
	if len(reads) != 2 || len(want) == 0 {
		t.Fatal("the order was not listed, or has no lines")
	}
}

// TestLineSets: when this release and one that does not know line_set change an order in turns,
// every read has the current lines: with one statement once this release has written them, and with
// one more after the other release did.
func TestLineSets(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 100, 50)
		o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 20), graphtest.CustomLine("Cup", 2, 700))
		graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("another's", 1, 1))
		sameLines(t, ctx, r, o.ID, 1)
		for i, step := range []struct {
			name       string
			statements uint64
		}{
			{"tag", 1}, {"note", 1}, {"pay_150", 1}, {"ship_1", 1}, {"restock_1", 1},
			{"older", 2}, {"note", 2}, {"older", 2}, {"note", 2}, {"return_1", 1}, {"note", 1}, {"ship_1", 1},
			{"bare", 2}, {"note", 2}, {"older", 2}, {"return_1", 1}, {"older", 2},
		} {
			var err error
			switch step.name {
			case "older":
				err = changeAsPrevious(ctx, r, o.ID)
			case "bare":
				err = createAsPrevious(ctx, r, o.ID)
			default:
				_, err = graphtest.Steps[step.name](ctx, r.Mutation(), o)
			}
			if err != nil {
				t.Fatalf("step %d, %s: %v", i, step.name, err)
			}
			t.Logf("step %d, %s", i, step.name)
			sameLines(t, ctx, r, o.ID, step.statements)
			o = graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		}
	})
}

// TestLinesInOrders: once the previous release no longer runs, an order's row alone has its lines,
// whatever changes; old orders' lines are current too. A damaged row is not taken for an order
// without lines.
func TestLinesInOrders(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 100, 50)
		made := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 20), graphtest.CustomLine("Cup", 2, 700))
		if rows := storedLines(t, ctx, r, made.ID); len(rows) > 0 {
			t.Errorf("%d rows of lines", len(rows))
		}
		early := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 20), graphtest.CustomLine("Cup", 2, 700))
		err := r.Store.InTx(ctx, func(ctx context.Context) error { // as the previous release creates an order
			var lines []*db.OrderLineCreate
			for _, l := range early.Lines {
				lines = append(lines, r.Client(ctx).OrderLine.Create().SetID(l.ID).SetOrderID(early.ID).
					SetPosition(l.Position).SetNillableProductID(l.ProductID).SetTitle(l.Title).SetQuantity(l.Quantity).
					SetUnitPriceMinor(l.UnitPriceMinor).
					SetDiscountMinor(l.DiscountMinor).SetTaxMinor(l.TaxMinor).SetTotalMinor(l.TotalMinor).
					SetRequiresShipping(l.RequiresShipping))
			}
			return r.Client(ctx).OrderLine.CreateBulk(lines...).Exec(ctx)
		})
		if err == nil {
			err = createAsPrevious(ctx, r, early.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*model.Order{made, early} {
			for _, step := range []string{"tag", "note", "pay_150", "ship_1", "restock_1"} {
				if _, err := graphtest.Steps[step](ctx, r.Mutation(), o); err != nil {
					t.Fatal(step, err)
				}
				o = graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
			}
			first := o.Lines[0]
			if len(o.Lines) != 2 || first.FulfilledQuantity == 0 || first.RefundedQuantity == 0 ||
				!lineset.Holds(o.Order) {
				t.Errorf("%d lines, the first of which has %d fulfilled and %d refunded", len(o.Lines),
					first.FulfilledQuantity, first.RefundedQuantity)
			}
		}
		err = r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Client(ctx).Order.Update().Where(order.ID(made.ID)).SetLineSet([]byte{1, 2, 3}).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Query().Order(ctx, made.PublicID()); !errors.Is(err, lineset.ErrDamaged) {
			t.Errorf("one: %v", err)
		}
		if _, err := r.Query().Orders(ctx, new(100), nil, nil, nil, nil); !errors.Is(err, lineset.ErrDamaged) {
			t.Errorf("a page: %v", err)
		}
	})
}

// TestLineSetsRedacted: a redaction, which changes many orders at once, keeps current line sets
// current and others outdated, and its events have the current lines.
func TestLineSetsRedacted(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		var orders []*model.Order
		for range 3 {
			in := model.OrderCreateInput{Source: "test", CustomerID: new(c.PublicID()),
				Lines: []*model.OrderLineInput{graphtest.CustomLine("Mug", 5, 500)}}
			orders = append(orders, graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, in)).Order)
		}
		if err := changeAsPrevious(ctx, r, orders[1].ID); err != nil {
			t.Fatal(err)
		}
		if err := createAsPrevious(ctx, r, orders[2].ID); err != nil {
			t.Fatal(err)
		}
		c = graphtest.Must[*model.Customer](t)(r.Query().Customer(ctx, c.PublicID()))
		graphtest.Must[*model.CustomerPayload](t)(r.Mutation().CustomerRedact(ctx, c.PublicID(), c.Version))
		for i, want := range []struct {
			statements uint64
			lines      string
		}{{1, `"refunded_quantity":0`}, {2, `"refunded_quantity":1`}, {2, `"refunded_quantity":0`}} {
			sameLines(t, ctx, r, orders[i].ID, want.statements)
			body := graphtest.LastEvent(t, ctx, r, orders[i].ID)
			if !strings.Contains(body, want.lines) || !strings.Contains(body, `"quantity":5`) {
				t.Errorf("the event of order %d: %s", i, body)
			}
		}
	})
}
