package sales_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// approved returns a paid and shipped order of 3 units at 100, and an approved return of 2 of them.
func approved(t *testing.T, ctx context.Context, r *graph.Resolver) (*db.Product, *model.Return) {
	t.Helper()
	p, o := sold(t, ctx, r)
	of := graphtest.Must[*model.ReturnPayload](t)(r.Mutation().OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 2)))
	of = graphtest.Must[*model.ReturnPayload](t)(r.Mutation().OrderReturnApprove(ctx, of.Return.PublicID(),
		of.Return.Version, model.ReturnApproveInput{}))
	return p, of.Return
}

// ledger returns the entries of an order's ledger: kind, method and amount.
func ledger(t *testing.T, ctx context.Context, r *graph.Resolver, o *model.Order) string {
	t.Helper()
	rows := graphtest.Must[[]*db.Payment](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Payments(ctx,
		graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))))
	var list []string
	for _, p := range rows {
		method := "-"
		if p.Method != nil {
			method = *p.Method
		}
		list = append(list, strings.Join([]string{string(p.Kind), method, strconv.FormatInt(p.AmountMinor, 10)}, " "))
	}
	return strings.Join(list, ", ")
}

// TestExchange: the value of the returned items pays the new order, and money counts once.
func TestExchange(t *testing.T) {
	for _, tc := range []struct {
		name        string
		units       int64 // of the new order, at 70 each
		rest        bool
		old, new    string
		due, refund int64
		status      state.FinancialStatus
	}{
		{name: "cheaper", units: 1, old: "payment card 300, refund exchange 70", new: "payment exchange 70", refund: 70,
			status: state.FinancialPaid},
		{name: "cheaper, and the rest refunded", units: 1, rest: true, refund: 200,
			old: "payment card 300, refund exchange 70, refund - 130", new: "payment exchange 70",
			status: state.FinancialPaid},
		{name: "dearer", units: 3, rest: true, old: "payment card 300, refund exchange 200",
			new: "payment exchange 200", refund: 200, due: 10, status: state.FinancialPartiallyPaid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			graphtest.EachShop(t, func(t *testing.T, s *graphtest.Shop) {
				ctx, r, m := s.Ctx, s.Resolver, s.Mutation()
				p, of := approved(t, ctx, r)
				other := graphtest.NewStockedProduct(t, ctx, r, 70, 5)
				in := model.ReturnExchangeInput{Restock: true, RefundRest: tc.rest,
					Lines: []*model.OrderLineInput{graphtest.ProductLine(other, tc.units)}}
				before := graphtest.Must[*model.ExchangePreview](t)(r.Query().OrderReturnExchangePreview(ctx,
					of.PublicID(), in))
				of = graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnExchange(ctx, of.PublicID(), of.Version,
					in)).Return
				made := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, of.Exchange.PublicID()))
				if before.WorthMinor != 200 || before.DueMinor != tc.due ||
					before.Order.TotalMinor != made.TotalMinor || made.TotalMinor-made.PaidMinor != tc.due ||
					made.FinancialStatus != tc.status ||
					made.Source != "exchange" || *made.ExchangeOf != of.OrderID || *of.ExchangeID != made.ID {
					t.Errorf("preview %+v, order %+v", before, made.Order)
				}
				if of.State != state.ReturnRefunded || *of.RefundedMinor != tc.refund ||
					of.Order.RefundedMinor != tc.refund || of.Order.Lines[0].RefundedQuantity != 2 {
					t.Errorf("%+v of %+v", of.OrderReturn, of.Order.Order)
				}
				if old, paid := ledger(t, ctx, r, of.Order), ledger(t, ctx, r, made); old != tc.old || paid != tc.new {
					t.Errorf("ledgers %q and %q", old, paid)
				}
				p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
				other = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, other.PublicID()))
				if *p.InventoryQuantity != 9 || *other.InventoryQuantity != 5-tc.units {
					t.Errorf("stock %d and %d", *p.InventoryQuantity, *other.InventoryQuantity)
				}
				addsUp(t, s, 300+made.TotalMinor, tc.refund)
				linked(t, ctx, r, of, made)
			})
		})
	}
}

// addsUp expects the sums of a sales report.
func addsUp(t *testing.T, s *graphtest.Shop, sales, refunded int64) {
	t.Helper()
	zone := graphtest.Must[*time.Location](t)(time.LoadLocation("Europe/Berlin"))
	now := time.Now().In(zone)
	made := graphtest.Must[*model.ReportPayload](t)(s.Mutation().ReportCreate(s.Ctx, model.ReportCreateInput{
		FirstDay: now.AddDate(0, 0, -1).Format(time.DateOnly), LastDay: now.Format(time.DateOnly)})).Report
	graphtest.Must[int](t)(s.WriteReports(t.Context()))
	got := graphtest.Must[*model.Report](t)(s.Query().Report(s.Ctx, made.PublicID())).Result.Sums
	if got.Orders != 2 || got.TotalMinor != sales || got.RefundedMinor != refunded {
		t.Errorf("report %+v, want %d and %d", got, sales, refunded)
	}
}

// linked expects that the return names the new order, and this one the order of the return.
func linked(t *testing.T, ctx context.Context, r *graph.Resolver, of *model.Return, made *model.Order) {
	t.Helper()
	list := graphtest.Must[*model.ReturnConnection](t)(r.Query().Returns(ctx, nil, nil, nil)).Nodes
	if len(list) != 1 || list[0].Exchange == nil || list[0].Exchange.ID != made.ID {
		t.Errorf("returns %+v", list)
	}
	back := graphtest.Must[*model.Order](t)(sales.OrderFields{Resolver: resolver(r.Core)}.ExchangeOf(ctx, made))
	if back == nil || back.ID != of.OrderID {
		t.Errorf("exchanged from %v", back)
	}
}

// TestRefusedExchange: what is refused changes nothing.
func TestRefusedExchange(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, s *graphtest.Shop) {
		ctx, r, m := s.Ctx, s.Resolver, s.Mutation()
		p, of := approved(t, ctx, r)
		soldOut := graphtest.NewStockedProduct(t, ctx, r, 70, 1)
		foreign := s.Other(t)
		strange := graphtest.NewStockedProduct(t, foreign.Ctx, r, 70, 5)
		input := func(lines ...*model.OrderLineInput) model.ReturnExchangeInput {
			return model.ReturnExchangeInput{Lines: lines}
		}
		one := input(graphtest.ProductLine(p, 1))
		request := func() *model.Return {
			o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 1))
			p, err := m.OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 1))
			return graphtest.Must[*model.ReturnPayload](t)(p, err).Return
		}
		asked, unpaid := request(), request()
		unpaid = graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnApprove(ctx, unpaid.PublicID(), 1,
			model.ReturnApproveInput{})).Return
		nowhere := one
		nowhere.Restock, nowhere.Location = true, new("loc_1")
		payment := one
		payment.Payment = &model.PaymentRequestInput{Method: state.PaymentTransfer, Days: 91}
		for _, tc := range []struct {
			name, want string
			ctx        context.Context
			of         *model.Return
			version    int64
			in         model.ReturnExchangeInput
		}{
			{name: "another store", want: "not_found", ctx: foreign.Ctx, in: one},
			{name: "a product of another store", want: "validation_failed",
				in: input(graphtest.ProductLine(strange, 1))},
			{name: "another version", want: "version_mismatch", version: 1, in: one},
			{name: "a request", want: "invalid_transition", of: asked, in: one},
			{name: "of an unpaid order", want: "invalid_transition", of: unpaid, in: one},
			{name: "nothing", want: "validation_failed", in: input()},
			{name: "a negative quantity", want: "validation_failed", in: input(graphtest.ProductLine(p, -1))},
			{name: "sold out", want: "out_of_stock", in: input(graphtest.ProductLine(soldOut, 2))},
			{name: "an unknown location", want: "validation_failed", in: nowhere},
			{name: "too many days to pay", want: "validation_failed", in: payment},
		} {
			if tc.ctx == nil {
				tc.ctx = ctx
			}
			if tc.of == nil {
				tc.of = of
			}
			if tc.version == 0 {
				tc.version = tc.of.Version
			}
			_, err := m.OrderReturnExchange(tc.ctx, tc.of.PublicID(), tc.version, tc.in)
			if got := graphtest.FaultOf(err); got != tc.want {
				t.Errorf("%s: %q, want %q: %v", tc.name, got, tc.want, err)
			}
		}
		dearer := input(graphtest.ProductLine(p, 3))
		dearer.Payment = &model.PaymentRequestInput{Method: state.PaymentStripe, Days: 14}
		_, err := m.OrderReturnExchange(ctx, of.PublicID(), of.Version, dearer)
		if f, ok := errors.AsType[*fault.Error](err); !ok || len(f.Fields) != 1 ||
			f.Fields[0].Pointer != "#/payment/method" {
			t.Errorf("a method that the store does not offer: %v", err)
		}
		if got := ledger(t, ctx, r, of.Order); got != "payment card 300" {
			t.Errorf("ledger %q", got)
		}
		if orders := exchanges(t, ctx, r); orders != 0 {
			t.Errorf("%d orders in exchange", orders)
		}
	})
}

// exchanges returns the number of orders in exchange.
func exchanges(t *testing.T, ctx context.Context, r *graph.Resolver) int {
	t.Helper()
	rows := graphtest.Must[[]*db.Order](t)(r.Client(ctx).Order.Query().Load(ctx))
	return len(slices.DeleteFunc(rows, func(o *db.Order) bool { return o.ExchangeOf == nil }))
}

// TestExchangesAtOnce: of exchanges of a return at the same time, one succeeds; and the last unit can be
// exchanged for itself, because it is back in the stock first.
func TestExchangesAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		p := graphtest.NewStockedProduct(t, ctx, r, 100, 1)
		o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 1))
		o = graphtest.Must[*model.OrderPayload](t)(m.OrderMarkPaid(ctx, o.PublicID(), o.Version, nil, nil)).Order
		of := graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnCreate(ctx, o.PublicID(), toReturn(o, 1))).Return
		of = graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnApprove(ctx, of.PublicID(), 1,
			model.ReturnApproveInput{})).Return
		var taken atomic.Int64
		atOnce(6, func(int) {
			_, err := m.OrderReturnExchange(ctx, of.PublicID(), of.Version, model.ReturnExchangeInput{Restock: true,
				Lines: []*model.OrderLineInput{graphtest.ProductLine(p, 1)}})
			switch code := graphtest.FaultOf(err); code {
			case "":
				taken.Add(1)
			case "version_mismatch":
			default:
				t.Errorf("%v", err)
			}
		})
		p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		if n := exchanges(t, ctx, r); taken.Load() != 1 || n != 1 || *p.InventoryQuantity != 0 {
			t.Errorf("%d succeeded, %d orders, stock %d", taken.Load(), n, *p.InventoryQuantity)
		}
	})
}
