package sales_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// atOnce runs n concurrent calls of f.
func atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// Fifty concurrent notes all succeed, and each raises the order's version by one.
func TestNotesAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		const n = 50
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 100))
		versions := make([]int64, n)
		atOnce(n, func(i int) {
			p, err := r.Mutation().OrderNoteAppend(ctx, o.PublicID(), noteInput(fmt.Sprint(i)))
			if err != nil {
				t.Errorf("note %d: %v", i, err)
				return
			}
			versions[i] = p.Order.Version
		})
		after := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		if after.NotesCount != n || after.Version != 1+n {
			t.Errorf("%d notes, version %d", after.NotesCount, after.Version)
		}
		seen := map[int64]bool{}
		for _, v := range versions {
			seen[v] = true
		}
		if len(seen) != n {
			t.Errorf("the answers show %d versions", len(seen))
		}
		graphtest.EventTypes(t, ctx, r, o.ID, 1+n)
		notes := graphtest.Must[*model.OrderNoteConnection](t)(r.Query().OrderNotes(ctx, o.PublicID(), new(100),
			nil)).Nodes
		for i := 1; i < len(notes); i++ {
			if notes[i].ID.Compare(notes[i-1].ID) >= 0 {
				t.Errorf("note %d is not older than the one before", i)
			}
		}
		if len(notes) != n {
			t.Errorf("%d notes are listed", len(notes))
		}
	})
}

// Twenty concurrent payments each reread the version until they are accepted or refused: the order
// never takes more than its total.
func TestPaymentsAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := buyer(t, ctx, r, "jo@example.com", state.CustomerActive)
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			CustomerID: new(c.PublicID()), Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 1000)}})).Order
		var taken atomic.Int64
		atOnce(20, func(int) {
			for {
				now, err := r.Query().Order(ctx, o.PublicID())
				if err != nil {
					t.Error(err)
					return
				}
				_, err = graphtest.Pay(110)(ctx, r.Mutation(), now)
				switch graphtest.FaultOf(err) {
				case "":
					taken.Add(1)
					return
				case "version_mismatch":
				case "amount_exceeds_balance":
					return
				default:
					t.Error(err)
					return
				}
			}
		})
		after := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		if taken.Load() != 9 || after.PaidMinor != 990 || after.FinancialStatus != state.FinancialPartiallyPaid {
			t.Errorf("%d payments taken, paid %d, %s", taken.Load(), after.PaidMinor, after.FinancialStatus)
		}
		checkMoney(t, ctx, r, after, graphtest.ReadCustomer(t, ctx, r, c.ID))
	})
}

// One version takes one change: of twenty with the same version, one succeeds.
func TestOneVersionOneChange(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 1000))
		var taken atomic.Int64
		atOnce(20, func(int) {
			_, err := r.Mutation().OrderMarkPaid(ctx, o.PublicID(), o.Version, nil, nil)
			if err == nil {
				taken.Add(1)
			} else if graphtest.FaultOf(err) != "version_mismatch" {
				t.Error(err)
			}
		})
		events := graphtest.EventTypes(t, ctx, r, o.ID, 2)
		if taken.Load() != 1 || events[1] != "order.paid" {
			t.Errorf("%d succeeded, emitted %v", taken.Load(), events)
		}
	})
}

// Orders of the same two products, named in both orders, run concurrently with each other and with
// cancellations: stock never falls below zero and none is lost.
func TestStockAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		a, b := graphtest.NewStockedProduct(t, ctx, r, 1, 30), graphtest.NewStockedProduct(t, ctx, r, 1, 30)
		c := buyer(t, ctx, r, "jo@example.com", state.CustomerActive)
		var sold, cancelled atomic.Int64
		atOnce(24, func(i int) {
			lines := []*model.OrderLineInput{graphtest.ProductLine(a, 2), graphtest.ProductLine(b, 2)}
			if i%2 == 1 {
				lines[0], lines[1] = lines[1], lines[0]
			}
			p, err := r.Mutation().OrderCreate(ctx,
				model.OrderCreateInput{Source: "test", CustomerID: new(c.PublicID()), Lines: lines})
			switch {
			case graphtest.FaultOf(err) == "out_of_stock":
			case err != nil:
				t.Error(err)
			case i%6 == 0:
				if _, err := r.Mutation().OrderCancel(ctx, p.Order.PublicID(), p.Order.Version, false,
					nil); err != nil {
					t.Error(err)
				}
				cancelled.Add(1)
				sold.Add(1)
			default:
				sold.Add(1)
			}
		})
		kept := sold.Load() - cancelled.Load()
		for _, p := range []*db.Product{a, b} {
			if n := stockOf(t, ctx, r, p); n < 0 || n != 30-2*kept {
				t.Errorf("stock %d after %d orders", n, kept)
			}
		}
		if got := graphtest.ReadCustomer(t, ctx, r, c.ID); got.OrdersCount != sold.Load() ||
			got.Version != 1+sold.Load() {
			t.Errorf("the customer has %d orders at version %d, want %d", got.OrdersCount, got.Version, sold.Load())
		}
		numbers := map[int64]bool{}
		all := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(100), nil, nil, nil, nil))
		for _, o := range all.Nodes {
			numbers[o.Number] = true
		}
		if int64(len(numbers)) != sold.Load() {
			t.Errorf("%d numbers for %d orders", len(numbers), sold.Load())
		}
	})
}

// A customer's total is an amount too: a payment that would raise it above the largest amount is
// refused as a whole.
func TestCustomerTotalTooLarge(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := buyer(t, ctx, r, "jo@example.com", state.CustomerActive)
		orders := make([]*model.Order, 2)
		for i := range orders {
			orders[i] = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx,
				model.OrderCreateInput{Source: "test",
					CustomerID: new(c.PublicID()),
					Lines:      []*model.OrderLineInput{graphtest.CustomLine("a", 1, sales.MaxAmount)}})).Order
		}
		graphtest.Must[*model.OrderPayload](t)(graphtest.Steps["mark_paid"](ctx, r.Mutation(), orders[0]))
		if _, err := graphtest.Steps["pay_50"](ctx, r.Mutation(),
			orders[1]); graphtest.FaultOf(err) != "amount_too_large" {
			t.Errorf("got %v", err)
		}
		after := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, orders[1].PublicID()))
		if after.PaidMinor != 0 || graphtest.ReadCustomer(t, ctx, r, c.ID).TotalSpentMinor != sales.MaxAmount {
			t.Errorf("paid %d", after.PaidMinor)
		}
	})
}
