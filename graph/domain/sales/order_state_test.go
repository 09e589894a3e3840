package sales_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	dbaudit "github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestOrderStates walks the state machines of contract section 6: each row has the steps, the final
// states, the emitted events and the stock left of 10.
func TestOrderStates(t *testing.T) {
	rows := []struct {
		way, states, events string
		stock               int64
	}{
		{states: "open pending unfulfilled", stock: 8},
		{way: "mark_paid", states: "open paid unfulfilled", events: "paid", stock: 8},
		{way: "pay_50", states: "open partially_paid unfulfilled", events: "partially_paid", stock: 8},
		{way: "pay_50 pay_150", states: "open paid unfulfilled", events: "partially_paid paid", stock: 8},
		{way: "pay_50 pay_50 mark_paid", states: "open paid unfulfilled", events: "partially_paid partially_paid paid",
			stock: 8},
		{way: "pay_50 refund_50", states: "open refunded unfulfilled", events: "partially_paid refunded", stock: 8},
		{way: "pay_150 refund_50", states: "open partially_refunded unfulfilled", events: "partially_paid refunded",
			stock: 8},
		{way: "mark_paid refund_50 refund_50", states: "open partially_refunded unfulfilled",
			events: "paid refunded refunded", stock: 8},
		{way: "mark_paid refund_200", states: "open refunded unfulfilled", events: "paid refunded", stock: 8},
		{way: "mark_paid return_1", states: "open partially_refunded unfulfilled", events: "paid refunded", stock: 8},
		{way: "mark_paid restock_1", states: "open partially_refunded unfulfilled", events: "paid refunded", stock: 9},
		{way: "ship", states: "open pending fulfilled", events: "fulfilled", stock: 8},
		{way: "ship_1", states: "open pending partially_fulfilled", events: "partially_fulfilled", stock: 8},
		{way: "ship_1 ship", states: "open pending fulfilled", events: "partially_fulfilled fulfilled", stock: 8},
		{way: "ship_1 ship_1 mark_paid", states: "open paid fulfilled", events: "partially_fulfilled fulfilled paid",
			stock: 8},
		{way: "mark_paid ship refund_200", states: "open refunded fulfilled", events: "paid fulfilled refunded",
			stock: 8},
		{way: "mark_paid ship restock_1", states: "open partially_refunded fulfilled",
			events: "paid fulfilled refunded", stock: 9},
		{way: "mark_paid return_1 ship", states: "open partially_refunded fulfilled", events: "paid refunded fulfilled",
			stock: 8},
		{way: "mark_paid ship_1 return_1", states: "open partially_refunded fulfilled",
			events: "paid partially_fulfilled refunded fulfilled", stock: 8},
		{way: "ship complete", states: "completed pending fulfilled", events: "fulfilled completed", stock: 8},
		{way: "ship complete mark_paid refund_50", states: "completed partially_refunded fulfilled",
			events: "fulfilled completed paid refunded", stock: 8},
		{way: "cancel", states: "cancelled voided unfulfilled", events: "cancelled", stock: 10},
		{way: "cancel_refund", states: "cancelled voided unfulfilled", events: "cancelled note_added", stock: 10},
		{way: "pay_50 cancel", states: "cancelled partially_paid unfulfilled", events: "partially_paid cancelled",
			stock: 10},
		{way: "mark_paid cancel restock_1", states: "cancelled partially_refunded unfulfilled",
			events: "paid cancelled refunded", stock: 10},
		{way: "mark_paid cancel refund_200", states: "cancelled refunded unfulfilled",
			events: "paid cancelled refunded", stock: 10},
		{way: "mark_paid cancel_refund", states: "cancelled refunded unfulfilled",
			events: "paid cancelled refunded note_added", stock: 10},
		{way: "mark_paid refund_200 cancel_refund", states: "cancelled refunded unfulfilled",
			events: "paid refunded cancelled note_added", stock: 10},
		{way: "mark_paid restock_1 cancel", states: "cancelled partially_refunded unfulfilled",
			events: "paid refunded cancelled", stock: 10},
		{way: "mark_paid return_1 cancel", states: "cancelled partially_refunded unfulfilled",
			events: "paid refunded cancelled", stock: 9},
		{way: "mark_paid return_1 restock_1 cancel", states: "cancelled partially_refunded unfulfilled",
			events: "paid refunded refunded cancelled", stock: 9},
		{way: "mark_paid return_1 cancel_refund", states: "cancelled refunded unfulfilled",
			events: "paid refunded cancelled refunded note_added", stock: 9},
		{way: "pay_150 refund_50 mark_paid", states: "open partially_refunded unfulfilled",
			events: "partially_paid refunded paid", stock: 8},
		{way: "pay_50 refund_50 pay_50 refund_50 pay_50 mark_paid", states: "open partially_refunded unfulfilled",
			events: "partially_paid refunded partially_paid refunded partially_paid paid", stock: 8},
		{way: "tag", states: "open pending unfulfilled", events: "updated", stock: 8},
		{way: "tag tag", states: "open pending unfulfilled", events: "updated", stock: 8},
		{way: "note note tag", states: "open pending unfulfilled", events: "note_added note_added updated", stock: 8},
		{way: "cancel tag note", states: "cancelled voided unfulfilled", events: "cancelled updated note_added",
			stock: 10},
	}
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for _, tc := range rows {
			t.Run(tc.way, func(t *testing.T) { walk(t, ctx, r, tc.way, tc.states, tc.events, tc.stock) })
		}
	})
}

func walk(t *testing.T, ctx context.Context, r *graph.Resolver, way, states, events string, stock int64) {
	p := graphtest.NewStockedProduct(t, ctx, r, 100, 10)
	c := buyer(t, ctx, r, xid.New().String()+"@example.com", state.CustomerActive)
	o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{
		Lines: []*model.OrderLineInput{graphtest.ProductLine(p, 2)}, Source: "test",
		CustomerID: new(c.PublicID())})).Order
	for name := range strings.FieldsSeq(way) {
		before, updated := o.Version, o.UpdatedAt
		o = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps[name](ctx, r.Mutation(), o)).Order
		if o.Version != before+1 && way != "tag tag" || o.Version > before && o.UpdatedAt <= updated {
			t.Errorf("%s: version %d after %d, updated_at +%d", name, o.Version, before, o.UpdatedAt-updated)
		}
	}
	if got := strings.Join([]string{string(o.Status), string(o.FinancialStatus), string(o.FulfillmentStatus)},
		" "); got != states {
		t.Errorf("got %q, want %q", got, states)
	}
	got := strings.ReplaceAll(strings.Join(graphtest.EventTypes(t, ctx, r, o.ID, o.EventSequence), " "), "order.", "")
	if got != strings.TrimSpace("created "+events) {
		t.Errorf("emitted %q, want %q", got, "created "+events)
	}
	read := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
	if a, b := string(sales.EncodeOrder(read)), string(sales.EncodeOrder(o)); a != b {
		t.Errorf("read again: %s\nreturned: %s", a, b)
	}
	if n := stockOf(t, ctx, r, p); n != stock {
		t.Errorf("stock is %d, want %d", n, stock)
	}
	if n := len(audited(t, ctx, r, o.ID)); int64(n) != o.Version {
		t.Errorf("%d audit rows for version %d", n, o.Version)
	}
	checkMoney(t, ctx, r, read, graphtest.ReadCustomer(t, ctx, r, c.ID))
}

// A refund that exceeds the store's threshold, in parts or in total, needs a recent identity
// confirmation; so does a cancellation with a refund.
func TestRefundNeedsProof(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
		graphtest.Must[*model.StorePayload](t)(r.Mutation().StoreSetRefundProof(ctx, s.Version, new(int64(99))))
		v := *viewer.From(ctx)
		v.Session, v.ProvedAt = digest.Of([]byte("a browser")), micros.Now().Add(-viewer.ProofLife)
		stale := viewer.With(ctx, &v)
		paid := func() *model.Order {
			o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 100))
			return graphtest.Must[*model.OrderPayload](t)(graphtest.Steps["mark_paid"](ctx, r.Mutation(), o)).Order
		}
		refund := func(ctx context.Context, o *model.Order, amount int64) error {
			done, err := r.Mutation().OrderRefund(ctx, o.PublicID(), o.Version, model.RefundInput{AmountMinor: amount})
			if err == nil {
				*o = *done.Order
			}
			return err
		}
		needsProof := func(name string, err error) {
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.ProofRequired {
				t.Errorf("%s: %v", name, err)
			}
		}
		o := paid()
		needsProof("all of it", refund(stale, o, 100))
		if err := refund(stale, o, 99); err != nil {
			t.Errorf("below the sum: %v", err)
		}
		needsProof("above it with what went before", refund(stale, o, 1))
		token := *viewer.From(ctx)
		token.Kind, token.Credential = viewer.Staff, xid.New()
		f, ok := errors.AsType[*fault.Error](refund(viewer.With(ctx, &token), o, 1))
		if !ok || f.Kind != fault.Forbidden {
			t.Errorf("by a staff token: %v", f)
		}
		if err := refund(graphtest.AsKey(ctx, scope.RefundsWrite), o, 1); graphtest.FaultOf(err) != "proof_required" {
			t.Errorf("by a key: %v", err)
		}
		free := graphtest.Must[*model.APIKeyPayload](t)(r.Mutation().APIKeyCreate(ctx, model.APIKeyCreateInput{
			Name: "Returns", Scopes: []string{scope.RefundsWrite}, UnlimitedRefunds: true})).APIKey
		key := *viewer.From(graphtest.AsKey(ctx, scope.RefundsWrite))
		key.Credential = free.ID
		if err := refund(viewer.With(ctx, &key), o, 1); err != nil {
			t.Errorf("by a key with unlimited refunds: %v", err)
		}
		o = paid()
		if err := refund(ctx, o, 100); err != nil {
			t.Errorf("proved: %v", err)
		}
		o = paid()
		_, err := r.Mutation().OrderCancel(stale, o.PublicID(), o.Version, true, nil)
		needsProof("cancelled", err)
		if read := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID())); read.Version != o.Version {
			t.Error("the order is cancelled")
		}
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(stale, o.PublicID(), o.Version, false, nil))

		o = paid()
		seller := graphtest.AsKey(ctx, scope.SalesWrite)
		_, err = r.Mutation().OrderCancel(seller, o.PublicID(), o.Version, true, nil)
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("refunded by a key that may only cancel: %v", err)
		}
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCancel(seller, o.PublicID(), o.Version, false, nil))

		done := graphtest.Must[*model.OrderPayload](t)
		o = done(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test", Lines: []*model.OrderLineInput{
			graphtest.CustomLine("a", 3, 60)}, Pricing: &model.OrderPricingInput{}})).Order
		o = done(graphtest.Steps["mark_paid"](ctx, r.Mutation(), o)).Order
		edit := func(ctx context.Context, quantity int64) (*model.OrderPayload, error) {
			in := linesInput(o, []int64{quantity})
			in.Refund = true
			return r.Mutation().OrderEditLines(ctx, o.PublicID(), o.Version, in)
		}
		_, err = edit(seller, 2)
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("given back by a key that may only edit: %v", err)
		}
		_, err = edit(stale, 1)
		needsProof("given back at once", err)
		o = done(edit(stale, 2)).Order
		_, err = edit(stale, 1)
		needsProof("given back in parts", err)
		needsProof("refunded after a part was given back", refund(stale, o, 60))
	})
}

// audited returns the audited actions on a resource, oldest first.
func audited(t testing.TB, ctx context.Context, r *graph.Resolver, id xid.ID) (actions []string) {
	t.Helper()
	for _, a := range graphtest.Must[[]*db.Audit](t)(r.Client(ctx).Audit.Query().Where(dbaudit.ResourceID(id)).
		Order(dbaudit.ByID()).All(ctx)) {
		if a.ActorName != viewer.From(ctx).Name || a.ResourceType != "order" || a.Detail != nil {
			t.Errorf("audit row %v", a)
		}
		actions = append(actions, a.Action)
	}
	return actions
}

func TestOrderAudit(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		kept, lost := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 100)),
			graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 100))
		for _, name := range []string{"note", "tag", "pay_50", "mark_paid", "refund_50", "ship", "complete"} {
			kept = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps[name](ctx, r.Mutation(), kept)).Order
		}
		graphtest.Must[*model.OrderPayload](t)(graphtest.Steps["cancel"](ctx, r.Mutation(), lost))
		want := []string{"order.create", "order.note_append", "order.update", "order.record_payment", "order.mark_paid",
			"order.refund", "order.fulfill", "order.complete"}
		if diff := cmp.Diff(want, audited(t, ctx, r, kept.ID)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"order.create", "order.cancel"}, audited(t, ctx, r, lost.ID)); diff != "" {
			t.Error(diff)
		}
	})
}

// checkMoney compares an order with its ledger and its customer with the order.
func checkMoney(t *testing.T, ctx context.Context, r *graph.Resolver, o *model.Order, c *db.Customer) {
	t.Helper()
	sums := map[state.PaymentKind]int64{}
	for _, p := range graphtest.Must[[]*db.Payment](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Payments(ctx,
		o)) {
		sums[p.Kind] += p.AmountMinor
		if p.AmountMinor < 1 || p.Currency != o.Currency {
			t.Errorf("ledger row %+v", p)
		}
	}
	if sums[state.LedgerPayment] != o.PaidMinor || sums[state.LedgerRefund] != o.RefundedMinor {
		t.Errorf("ledger %v, order paid %d and refunded %d", sums, o.PaidMinor, o.RefundedMinor)
	}
	if c.TotalSpentMinor != o.PaidMinor-o.RefundedMinor || c.OrdersCount != 1 {
		t.Errorf("the customer spent %d in %d orders", c.TotalSpentMinor, c.OrdersCount)
	}
	if (o.PaidAt != nil) != slices.Contains(graphtest.EventTypes(t, ctx, r, o.ID, o.EventSequence), "order.paid") {
		t.Errorf("paid_at is %v", o.PaidAt)
	}
}

// TestOrderForbidden tries every transition that the state machines lack.
func TestOrderForbidden(t *testing.T) {
	const transition, exceeds, quantity = "invalid_transition", "amount_exceeds_balance", "quantity_exceeds_remaining"
	rows := []struct{ way, step, want string }{
		{"", "pay_201", exceeds},
		{"pay_50", "pay_201", exceeds},
		{"pay_150", "pay_150", exceeds},
		{"mark_paid", "mark_paid", transition},
		{"mark_paid", "pay_50", transition},
		{"mark_paid refund_50", "pay_50", transition},
		{"pay_50 refund_50", "pay_201", exceeds},
		{"pay_150 refund_50", "pay_150", exceeds},
		{"pay_150 refund_50 mark_paid", "mark_paid", transition},
		{"mark_paid refund_200", "mark_paid", transition},
		{"cancel", "mark_paid", transition},
		{"cancel", "pay_50", transition},
		{"pay_50 cancel", "pay_50", transition},
		{"", "refund_50", transition},
		{"cancel", "refund_50", transition},
		{"mark_paid", "refund_201", exceeds},
		{"pay_50", "refund_200", exceeds},
		{"mark_paid refund_200", "refund_50", transition},
		{"mark_paid refund_50", "refund_200", exceeds},
		{"mark_paid", "return_3", quantity},
		{"mark_paid return_1 return_1", "return_1", quantity},
		{"", "ship_3", quantity},
		{"ship_1", "ship_3", quantity},
		{"ship", "ship", transition},
		{"ship complete", "ship", transition},
		{"cancel", "ship", transition},
		{"mark_paid return_1 return_1", "ship", quantity},
		{"", "complete", transition},
		{"ship_1", "complete", transition},
		{"ship complete", "complete", transition},
		{"cancel", "complete", transition},
		{"cancel", "cancel", transition},
		{"ship", "cancel", transition},
		{"ship_1", "cancel_refund", transition},
		{"ship complete", "cancel", transition},
	}
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewStockedProduct(t, ctx, r, 100, 1000)
		for _, tc := range rows {
			t.Run(tc.way+"/"+tc.step, func(t *testing.T) {
				o := graphtest.NewOrder(t, ctx, r, graphtest.ProductLine(p, 2))
				for name := range strings.FieldsSeq(tc.way) {
					o = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps[name](ctx, r.Mutation(), o)).Order
				}
				before := string(sales.EncodeOrder(o))
				_, err := graphtest.Steps[tc.step](ctx, r.Mutation(), o)
				if got := graphtest.FaultOf(err); got != tc.want {
					t.Errorf("got %q (%v), want %q", got, err, tc.want)
				}
				read := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
				if after := string(sales.EncodeOrder(read)); after != before {
					t.Errorf("the order changed:\n%s\n%s", before, after)
				}
			})
		}
	})
}
