package sales_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// toReturn returns the input of a return of units of the first line.
func toReturn(o *model.Order, units int64) model.ReturnInput {
	return model.ReturnInput{Note: new("Scratched"), Lines: []*model.ReturnLineInput{
		{LineItemID: o.Lines[0].PublicID(), Quantity: units, Reason: state.ReasonDamaged}}}
}

// sold returns a paid and shipped order of 3 units at 100 of a product with a stock of 7 left.
func sold(t *testing.T, ctx context.Context, r *graph.Resolver) (*db.Product, *model.Order) {
	t.Helper()
	p := graphtest.NewStockedProduct(t, ctx, r, 100, 10)
	o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 3))
	for _, step := range []string{"mark_paid", "ship"} {
		o = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps[step](ctx, r.Mutation(), o)).Order
	}
	return p, o
}

// returnable reads how many units of the first line can be returned.
func returnable(t *testing.T, ctx context.Context, r *graph.Resolver, o *model.Order) int64 {
	t.Helper()
	return graphtest.Must[[]*model.ReturnableLine](t)(r.Query().OrderReturnable(ctx, o.PublicID()))[0].Quantity
}

// TestReturn: a return is approved, received and refunded with its stock, in this order and once.
func TestReturn(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, s *graphtest.Shop) {
		ctx, r, m := s.Ctx, s.Resolver, s.Mutation()
		p, o := sold(t, ctx, r)
		of := graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 2))).Return
		if got := returnable(t, ctx, r, o); got != 1 || of.State != state.ReturnRequested ||
			of.Order.Version != o.Version+1 {
			t.Errorf("%d left of %+v", got, of.OrderReturn)
		}
		for _, tc := range []struct {
			name, want string
			call       func() error
		}{
			{name: "more than is left", want: "quantity_exceeds_remaining", call: func() error {
				return graphtest.ErrOf(m.OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 2)))
			}},
			{name: "nothing", want: "validation_failed", call: func() error {
				return graphtest.ErrOf(m.OrderReturnCreate(ctx, o.PublicID(), model.ReturnInput{}))
			}},
			{name: "another version", want: "version_mismatch", call: func() error {
				return graphtest.ErrOf(m.OrderReturnApprove(ctx, of.PublicID(), 2, model.ReturnApproveInput{}))
			}},
			{name: "a label without https", want: "validation_failed", call: func() error {
				return graphtest.ErrOf(m.OrderReturnApprove(ctx, of.PublicID(), 1,
					model.ReturnApproveInput{LabelURL: new("javascript:alert(1)")}))
			}},
			{name: "refunded too early", want: "invalid_transition", call: func() error {
				return graphtest.ErrOf(m.OrderReturnRefund(ctx, of.PublicID(), 1, model.ReturnRefundInput{}))
			}},
			{name: "another store", want: "not_found", call: func() error {
				return graphtest.ErrOf(m.OrderReturnReceive(s.Other(t).Ctx, of.PublicID(), 1, nil))
			}},
		} {
			if got := graphtest.FaultOf(tc.call()); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
			}
		}
		next := func(p *model.ReturnPayload, err error) {
			t.Helper()
			of = graphtest.Must[*model.ReturnPayload](t)(p, err).Return
		}
		next(m.OrderReturnApprove(ctx, of.PublicID(), of.Version, model.ReturnApproveInput{Instructions: new("By post"),
			LabelURL: new("https://post.example/1")}))
		next(m.OrderReturnReceive(ctx, of.PublicID(), of.Version, nil))
		next(m.OrderReturnRefund(ctx, of.PublicID(), of.Version,
			model.ReturnRefundInput{AmountMinor: new(int64(150)), Restock: true}))
		p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		after := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		if of.State != state.ReturnRefunded || *of.RefundedMinor != 150 || after.RefundedMinor != 150 ||
			after.Lines[0].RefundedQuantity != 2 || *p.InventoryQuantity != 9 {
			t.Errorf("%+v, refunded %d, stock %d", of.OrderReturn, after.RefundedMinor, *p.InventoryQuantity)
		}
		if _, err := m.OrderReturnDecline(ctx, of.PublicID(), of.Version, "x"); graphtest.FaultOf(err) !=
			"invalid_transition" {
			t.Errorf("declined after the refund: %v", err)
		}
		list := graphtest.Must[*model.ReturnConnection](t)(r.Query().Returns(ctx, nil, nil,
			&model.ReturnFilter{OrderID: new(o.PublicID()), State: new(state.ReturnRefunded)})).Nodes
		if len(list) != 1 || list[0].ID != of.ID || list[0].Order.Number != o.Number {
			t.Errorf("listed: %v", list)
		}
		if got := returnable(t, ctx, r, o); got != 1 {
			t.Errorf("%d can be returned after the refund", got)
		}
	})
}

// TestDeclinedReturn: the units of a declined return can be returned again, and those of an open one cannot
// leave the order.
func TestDeclinedReturn(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			Lines:   []*model.OrderLineInput{graphtest.CustomLine("Cup", 3, 50)},
			Pricing: &model.OrderPricingInput{}})).Order
		of := graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 3))).Return
		fewer := model.OrderLinesInput{Lines: []*model.LineQuantityInput{
			{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}}
		_, err := r.Query().OrderLinesPreview(ctx, o.PublicID(), fewer)
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("returned items were taken off the order: %v", err)
		}
		graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnDecline(ctx, of.PublicID(), of.Version, "Used"))
		if got := returnable(t, ctx, r, o); got != 3 {
			t.Errorf("%d can be returned", got)
		}
		graphtest.Must[*model.OrderPreview](t)(r.Query().OrderLinesPreview(ctx, o.PublicID(), fewer))
	})
}

// TestReturnsAtOnce: of requests at the same time for the same units one succeeds, and a return is refunded
// once.
func TestReturnsAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		_, o := sold(t, ctx, r)
		once := func(name, refused string, call func() (*model.ReturnPayload, error)) (of *model.Return) {
			var taken atomic.Int64
			all := make([]*model.Return, 6)
			atOnce(len(all), func(i int) {
				p, err := call()
				switch code := graphtest.FaultOf(err); code {
				case "":
					taken.Add(1)
					all[i] = p.Return
				case "version_mismatch", refused:
				default:
					t.Errorf("%s: %v", name, err)
				}
			})
			if taken.Load() != 1 {
				t.Fatalf("%s: %d succeeded", name, taken.Load())
			}
			for _, p := range all {
				if p != nil {
					of = p
				}
			}
			return of
		}
		of := once("create", "quantity_exceeds_remaining", func() (*model.ReturnPayload, error) {
			return m.OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 2))
		})
		of = graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnApprove(ctx, of.PublicID(), of.Version,
			model.ReturnApproveInput{})).Return
		once("refund", "invalid_transition", func() (*model.ReturnPayload, error) {
			return m.OrderReturnRefund(ctx, of.PublicID(), of.Version,
				model.ReturnRefundInput{AmountMinor: new(int64(100))})
		})
		after := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		if after.RefundedMinor != 100 || after.Lines[0].RefundedQuantity != 2 {
			t.Errorf("refunded %d of %d units", after.RefundedMinor, after.Lines[0].RefundedQuantity)
		}
	})
}
