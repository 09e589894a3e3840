package sales_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// books is a bookkeeper's model of an order of two units at 100, independent of the code: only
// sums, no status.
type books struct {
	paid, refunded int64
	open, returned int64 // units that were not refunded, and those that are back in stock
	cancelled      bool
	paidUp         int
}

// pay records a payment and reports whether an order may take it.
func (b *books) pay(amount int64) bool {
	if b.cancelled || amount < 1 || b.paid+amount > 200 {
		return false
	}
	if b.paid += amount; b.paid == 200 {
		b.paidUp++
	}
	return true
}

// refund records a refund of an amount for some units.
func (b *books) refund(amount, units int64, restock bool) bool {
	if b.refunded+amount > b.paid || units > b.open {
		return false
	}
	b.refunded += amount
	b.open -= units
	if restock && !b.cancelled {
		b.returned += units
	}
	return true
}

// cancel records a cancellation.
func (b *books) cancel(refund bool) bool {
	if b.cancelled {
		return false
	}
	b.cancelled = true
	b.returned += b.open
	if refund {
		b.refunded = b.paid
	}
	return true
}

// status returns the financial status of the books.
func (b *books) status() state.FinancialStatus {
	switch {
	case b.paid == 0 && b.cancelled:
		return state.FinancialVoided
	case b.paid == 0:
		return state.FinancialPending
	case b.refunded == b.paid:
		return state.FinancialRefunded
	case b.refunded > 0:
		return state.FinancialPartiallyRefunded
	case b.paid < 200:
		return state.FinancialPartiallyPaid
	}
	return state.FinancialPaid
}

// step picks a random operation and records it in the books. It reports whether the order must
// accept it.
func (b *books) step(rng *rand.Rand) (graphtest.Step, bool) {
	amount := 1 + rng.Int64N(120)
	switch rng.IntN(8) {
	case 0, 1, 2:
		return graphtest.Pay(amount), b.pay(amount)
	case 3:
		return graphtest.Steps["mark_paid"], b.pay(200 - b.paid)
	case 4, 5:
		units, restock := rng.Int64N(2), false
		if units > 0 {
			restock = rng.IntN(2) == 0
		}
		return graphtest.Refund(amount, units, restock), b.refund(amount, units, restock)
	case 6:
		if rng.IntN(3) > 0 { // most orders live longer
			return graphtest.Steps["tag"], true
		}
		return graphtest.Steps["cancel"], b.cancel(false)
	}
	if rng.IntN(3) > 0 {
		return graphtest.Refund(1, 0, false), b.refund(1, 0, false)
	}
	return graphtest.Steps["cancel_refund"], b.cancel(true)
}

// TestOrderLedger compares orders with the books after random operations in random order: what they
// accept, their sums and status, order.paid and the stock.
func TestOrderLedger(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for seed := range uint64(40) {
			ledgerWay(t, ctx, r, rand.New(rand.NewPCG(seed, 4)))
		}
	})
}

func ledgerWay(t *testing.T, ctx context.Context, r *graph.Resolver, rng *rand.Rand) {
	p := graphtest.NewStockedProduct(t, ctx, r, 100, 10)
	c := buyer(t, ctx, r, xid.New().String()+"@example.com", state.CustomerActive)
	o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{
		Lines: []*model.OrderLineInput{graphtest.ProductLine(p, 2)}, Source: "test",
		CustomerID: new(c.PublicID())})).Order
	b := &books{open: 2}
	for i := range 10 {
		step, takes := b.step(rng)
		done, err := step(ctx, r.Mutation(), o)
		if (err == nil) != takes {
			t.Fatalf("step %d: %v, where the books say %+v", i, err, b)
		}
		if err == nil {
			o = done.Order
		}
		if o.PaidMinor != b.paid || o.RefundedMinor != b.refunded || o.FinancialStatus != b.status() {
			t.Fatalf("step %d: paid %d, refunded %d, %s; the books say %+v", i, o.PaidMinor, o.RefundedMinor,
				o.FinancialStatus, b)
		}
	}
	events := graphtest.EventTypes(t, ctx, r, o.ID, o.EventSequence)
	events = slices.DeleteFunc(events, func(s string) bool { return s != "order.paid" })
	if len(events) != b.paidUp {
		t.Errorf("order.paid was emitted %d times, the books have %d", len(events), b.paidUp)
	}
	if n := stockOf(t, ctx, r, p); n != 8+b.returned {
		t.Errorf("stock is %d, the books have %d: %+v", n, 8+b.returned, b)
	}
	checkMoney(t, ctx, r, o, graphtest.ReadCustomer(t, ctx, r, c.ID))
}
