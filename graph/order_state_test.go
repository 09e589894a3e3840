package graph

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	dbaudit "github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// step is one mutation of an order, by the name the tables below use.
type step func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error)

// steps work on an order of two units at 100 with product stock.
var steps = map[string]step{
	"mark_paid": func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderMarkPaid(ctx, o.PublicID(), o.Version, new("card"), new("ch_1"))
	},
	"pay_50":     pay(50),
	"pay_150":    pay(150),
	"pay_201":    pay(201),
	"refund_50":  refund(50, 0, false),
	"refund_200": refund(200, 0, false),
	"refund_201": refund(201, 0, false),
	// one unit comes back, with and without its stock
	"return_1":  refund(10, 1, false),
	"restock_1": refund(10, 1, true),
	"return_3":  refund(10, 3, false),
	"ship":      ship(0),
	"ship_1":    ship(1),
	"ship_3":    ship(3),
	"cancel": func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderCancel(ctx, o.PublicID(), o.Version, false, nil)
	},
	"cancel_refund": func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderCancel(ctx, o.PublicID(), o.Version, true, new("Sold out"))
	},
	"complete": func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderComplete(ctx, o.PublicID(), o.Version)
	},
	"tag": func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		in := model.OrderUpdateInput{}
		in.Tags = said([]string{"vip"})
		return m.OrderUpdate(ctx, o.PublicID(), o.Version, in)
	},
	"note": func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		p, err := m.OrderNoteAppend(ctx, o.PublicID(), model.OrderNoteInput{Body: "hello", Visibility: state.NoteInternal})
		if err != nil {
			return nil, err
		}
		return &model.OrderPayload{Order: p.Order}, nil
	},
}

func pay(amount int64) step {
	return func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderRecordPayment(ctx, o.PublicID(), o.Version, model.PaymentInput{AmountMinor: amount})
	}
}

func quantities(o *model.Order, n int64) []*model.LineQuantityInput {
	if n == 0 {
		return nil
	}
	return []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: n}}
}

func refund(amount, units int64, restock bool) step {
	return func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderRefund(ctx, o.PublicID(), o.Version, model.RefundInput{AmountMinor: amount, Lines: quantities(o, units), Restock: restock})
	}
}

func ship(units int64) step {
	return func(ctx context.Context, m Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderFulfill(ctx, o.PublicID(), o.Version, model.FulfillInput{Lines: quantities(o, units), Carrier: new("DHL")})
	}
}

// TestOrderStates walks the state machines of contract section 6: each row is a
// way, the states it ends in, the events it told and the stock it left of 10.
func TestOrderStates(t *testing.T) {
	rows := []struct {
		way, states, events string
		stock               int64
	}{
		{"", "open pending unfulfilled", "", 8},
		{"mark_paid", "open paid unfulfilled", "paid", 8},
		{"pay_50", "open partially_paid unfulfilled", "partially_paid", 8},
		{"pay_50 pay_150", "open paid unfulfilled", "partially_paid paid", 8},
		{"pay_50 pay_50 mark_paid", "open paid unfulfilled", "partially_paid partially_paid paid", 8},
		{"pay_50 refund_50", "open refunded unfulfilled", "partially_paid refunded", 8},
		{"pay_150 refund_50", "open partially_refunded unfulfilled", "partially_paid refunded", 8},
		{"mark_paid refund_50 refund_50", "open partially_refunded unfulfilled", "paid refunded refunded", 8},
		{"mark_paid refund_200", "open refunded unfulfilled", "paid refunded", 8},
		{"mark_paid return_1", "open partially_refunded unfulfilled", "paid refunded", 8},
		{"mark_paid restock_1", "open partially_refunded unfulfilled", "paid refunded", 9},
		{"ship", "open pending fulfilled", "fulfilled", 8},
		{"ship_1", "open pending partially_fulfilled", "partially_fulfilled", 8},
		{"ship_1 ship", "open pending fulfilled", "partially_fulfilled fulfilled", 8},
		{"ship_1 ship_1 mark_paid", "open paid fulfilled", "partially_fulfilled fulfilled paid", 8},
		{"mark_paid ship refund_200", "open refunded fulfilled", "paid fulfilled refunded", 8},
		{"mark_paid ship restock_1", "open partially_refunded fulfilled", "paid fulfilled refunded", 9},
		{"mark_paid return_1 ship", "open partially_refunded fulfilled", "paid refunded fulfilled", 8},
		{"mark_paid ship_1 return_1", "open partially_refunded fulfilled", "paid partially_fulfilled refunded fulfilled", 8},
		{"ship complete", "completed pending fulfilled", "fulfilled completed", 8},
		{"ship complete mark_paid refund_50", "completed partially_refunded fulfilled", "fulfilled completed paid refunded", 8},
		{"cancel", "cancelled voided unfulfilled", "cancelled", 10},
		{"cancel_refund", "cancelled voided unfulfilled", "cancelled note_added", 10},
		{"pay_50 cancel", "cancelled partially_paid unfulfilled", "partially_paid cancelled", 10},
		{"mark_paid cancel restock_1", "cancelled partially_refunded unfulfilled", "paid cancelled refunded", 10},
		{"mark_paid cancel refund_200", "cancelled refunded unfulfilled", "paid cancelled refunded", 10},
		{"mark_paid cancel_refund", "cancelled refunded unfulfilled", "paid cancelled refunded note_added", 10},
		{"mark_paid refund_200 cancel_refund", "cancelled refunded unfulfilled", "paid refunded cancelled note_added", 10},
		{"mark_paid restock_1 cancel", "cancelled partially_refunded unfulfilled", "paid refunded cancelled", 10},
		{"mark_paid return_1 cancel", "cancelled partially_refunded unfulfilled", "paid refunded cancelled", 10},
		{"tag", "open pending unfulfilled", "updated", 8},
		{"tag tag", "open pending unfulfilled", "updated", 8},
		{"note note tag", "open pending unfulfilled", "note_added note_added updated", 8},
		{"cancel tag note", "cancelled voided unfulfilled", "cancelled updated note_added", 10},
	}
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		for _, tc := range rows {
			t.Run(tc.way, func(t *testing.T) { walk(t, ctx, r, tc.way, tc.states, tc.events, tc.stock) })
		}
	})
}

func walk(t *testing.T, ctx context.Context, r *Resolver, way, states, events string, stock int64) {
	p := ware(t, ctx, r, 100, 10)
	c := buyer(t, ctx, r, xid.New().String()+"@example.com", state.CustomerActive)
	o := must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{
		Lines: []*model.OrderLineInput{of(p, 2)}, Source: "test", CustomerID: new(c.PublicID())})).Order
	for name := range strings.FieldsSeq(way) {
		before, updated := o.Version, o.UpdatedAt
		o = must[*model.OrderPayload](t)(steps[name](ctx, r.Mutation(), o)).Order
		if o.Version != before+1 && way != "tag tag" || o.Version > before && o.UpdatedAt <= updated {
			t.Errorf("%s: version %d after %d, updated_at +%d", name, o.Version, before, o.UpdatedAt-updated)
		}
	}
	if got := strings.Join([]string{string(o.Status), string(o.FinancialStatus), string(o.FulfillmentStatus)}, " "); got != states {
		t.Errorf("got %q, want %q", got, states)
	}
	got := strings.ReplaceAll(strings.Join(told(t, ctx, r, o.ID, o.EventSequence), " "), "order.", "")
	if got != strings.TrimSpace("created "+events) {
		t.Errorf("told %q, want %q", got, "created "+events)
	}
	read := must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
	if a, b := string(encodeOrder(read)), string(encodeOrder(o)); a != b {
		t.Errorf("read again: %s\nreturned: %s", a, b)
	}
	if n := stockOf(t, ctx, r, p); n != stock {
		t.Errorf("stock is %d, want %d", n, stock)
	}
	if n := len(audited(t, ctx, r, o.ID)); int64(n) != o.Version {
		t.Errorf("%d audit rows for version %d", n, o.Version)
	}
	checkMoney(t, ctx, r, read, again(t, ctx, r, c.ID))
}

// audited returns the audited actions on a resource, oldest first.
func audited(t testing.TB, ctx context.Context, r *Resolver, id xid.ID) (actions []string) {
	t.Helper()
	for _, a := range must[[]*db.Audit](t)(r.client(ctx).Audit.Query().Where(dbaudit.ResourceID(id)).Order(dbaudit.ByID()).All(ctx)) {
		if a.ActorName != viewer.From(ctx).Name || a.ResourceType != "order" || a.Detail != nil {
			t.Errorf("audit row %v", a)
		}
		actions = append(actions, a.Action)
	}
	return actions
}

func TestOrderAudit(t *testing.T) {
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		kept, lost := sale(t, ctx, r, item("a", 2, 100)), sale(t, ctx, r, item("a", 2, 100))
		for _, name := range []string{"note", "tag", "pay_50", "mark_paid", "refund_50", "ship", "complete"} {
			kept = must[*model.OrderPayload](t)(steps[name](ctx, r.Mutation(), kept)).Order
		}
		must[*model.OrderPayload](t)(steps["cancel"](ctx, r.Mutation(), lost))
		want := []string{"order.create", "order.note_append", "order.update", "order.record_payment", "order.mark_paid", "order.refund", "order.fulfill", "order.complete"}
		if diff := cmp.Diff(want, audited(t, ctx, r, kept.ID)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"order.create", "order.cancel"}, audited(t, ctx, r, lost.ID)); diff != "" {
			t.Error(diff)
		}
	})
}

// checkMoney holds an order to its ledger and its customer to the order.
func checkMoney(t *testing.T, ctx context.Context, r *Resolver, o *model.Order, c *db.Customer) {
	t.Helper()
	sums := map[state.PaymentKind]int64{}
	for _, p := range must[[]*db.Payment](t)(orderFields{r}.Payments(ctx, o)) {
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
	if (o.PaidAt != nil) != slices.Contains(told(t, ctx, r, o.ID, o.EventSequence), "order.paid") {
		t.Errorf("paid_at is %v", o.PaidAt)
	}
}

// TestOrderForbidden is every transition that the state machines lack.
func TestOrderForbidden(t *testing.T) {
	const transition, exceeds, quantity = "invalid_transition", "amount_exceeds_balance", "quantity_exceeds_remaining"
	rows := []struct{ way, step, want string }{
		{"", "pay_201", exceeds},
		{"pay_50", "pay_201", exceeds},
		{"pay_150", "pay_150", exceeds},
		{"mark_paid", "mark_paid", transition},
		{"mark_paid", "pay_50", transition},
		{"mark_paid refund_50", "pay_50", transition},
		{"pay_50 refund_50", "mark_paid", transition},
		{"pay_150 refund_50", "mark_paid", transition},
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
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		p := ware(t, ctx, r, 100, 1000)
		for _, tc := range rows {
			t.Run(tc.way+"/"+tc.step, func(t *testing.T) {
				o := sale(t, ctx, r, of(p, 2))
				for name := range strings.FieldsSeq(tc.way) {
					o = must[*model.OrderPayload](t)(steps[name](ctx, r.Mutation(), o)).Order
				}
				before := string(encodeOrder(o))
				_, err := steps[tc.step](ctx, r.Mutation(), o)
				if got := faultOf(err); got != tc.want {
					t.Errorf("got %q (%v), want %q", got, err, tc.want)
				}
				read := must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
				if after := string(encodeOrder(read)); after != before {
					t.Errorf("the order changed:\n%s\n%s", before, after)
				}
			})
		}
	})
}
