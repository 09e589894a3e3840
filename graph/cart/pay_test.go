package cart_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/storefront"
)

// online lets shoppers pay by the method that is only a test.
func (m *market) online() {
	m.t.Helper()
	graphtest.Must[*model.PaymentSettingsPayload](m.t)(m.Mutation().PaymentSettingsUpdate(m.Ctx, 1,
		model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
			{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
			{Kind: state.PaymentTest, Name: "Test", Active: true}}}))
}

// owed makes an order that is paid online.
func (m *market) owed(w cart.Ware) *storefront.Bought {
	m.t.Helper()
	token := m.add("", w, 1)
	m.ready(token, "ada@example.com")
	if err := m.SetMethod(m.ctx, token, state.PaymentTest); err != nil {
		m.t.Fatal(err)
	}
	id, err := m.place(token)
	if err != nil {
		m.t.Fatal(err)
	}
	return m.bought(id)
}

func (m *market) bought(id xid.ID) *storefront.Bought {
	m.t.Helper()
	return graphtest.Must[*storefront.Bought](m.t)(m.Storefront().Order(m.ctx, id))
}

// late lets the time of all holds be over.
func (m *market) late() {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	if err := m.Store.InTx(ctx, func(ctx context.Context) error {
		return m.Store.DB(ctx).PaymentHold.Update().Where(paymenthold.DueAtGT(1)).SetDueAt(1).Exec(ctx)
	}); err != nil {
		m.t.Fatal(err)
	}
}

// An order is paid once, however often its payment is told of at once.
func TestPayOnce(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		o := m.owed(m.sell("Bell", 1490, 5))
		if !o.Held {
			t.Error("the goods are not held")
		}
		hold := m.Store.DB(m.ctx).PaymentHold.Query().Where(paymenthold.Bucket(bucket.Of(m.Model.ID)))
		if n, err := hold.Count(m.ctx); n != 1 || err != nil {
			t.Errorf("%d holds are in the bucket of the store (%v)", n, err)
		}
		wrong := &db.Order{ID: o.ID, TotalMinor: o.TotalMinor - 1, Currency: o.Currency, PaymentMethod: o.PaymentMethod}
		if taken, err := m.PayTest(m.ctx, wrong); taken || err != nil || !m.bought(o.ID).Held {
			t.Errorf("another amount was taken: %t (%v)", taken, err)
		}
		log := new(storetest.Log)
		log.Mark(t, m.Store)
		var taken atomic.Int64
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				ok, err := m.PayTest(m.ctx, o.Order)
				if err != nil {
					t.Error(err)
				}
				if ok {
					taken.Add(1)
				}
			})
		}
		all.Wait()
		paid := m.bought(o.ID)
		if taken.Load() != 1 || paid.FinancialStatus != state.FinancialPaid || paid.PaidMinor != o.TotalMinor ||
			paid.Held {
			t.Errorf("taken %d times, %+v", taken.Load(), paid.Order)
		}
		var told []event.Type
		for _, e := range log.Next(t, m.Store) {
			told = append(told, e.Type)
		}
		if !slices.Equal(told, []event.Type{event.OrderPaid}) {
			t.Errorf("events %v", told)
		}
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 0 || err != nil || m.bought(o.ID).Status != state.OrderOpen {
			t.Errorf("ended %d (%v)", n, err)
		}
	})
}

// Who does not pay in time has ordered nothing: goods and discount are free again.
func TestPayLate(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell := m.sell("Bell", 1490, 5)
		o, dropped := m.owed(bell), m.owed(bell)
		if n, err := m.EndHolds(t.Context()); n != 0 || err != nil {
			t.Errorf("ended %d too early (%v)", n, err)
		}
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCancel(m.Ctx, xid.Order.Format(dropped.ID),
			dropped.Version, false, nil))
		if taken, err := m.PayTest(m.ctx, dropped.Order); taken || err != nil {
			t.Errorf("a cancelled order is paid: %t (%v)", taken, err)
		}
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 1 || err != nil {
			t.Errorf("ended %d (%v)", n, err)
		}
		ended := m.bought(o.ID)
		if ended.Status != state.OrderCancelled || ended.FinancialStatus != state.FinancialVoided ||
			m.stock(bell) != 5 {
			t.Errorf("%+v, %d left", ended.Order, m.stock(bell))
		}
		if taken, err := m.PayTest(m.ctx, o.Order); taken || err != nil {
			t.Errorf("paid after its end: %t (%v)", taken, err)
		}
		if n, err := m.EndHolds(t.Context()); n != 0 || err != nil {
			t.Errorf("ended %d again (%v)", n, err)
		}
	})
}

// A payment in the moment in which the time is over wins, or goes back; never both.
func TestPayOrEnd(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell, orders := m.sell("Bell", 1490, 100), make([]*storefront.Bought, 16)
		for i := range orders {
			orders[i] = m.owed(bell)
		}
		m.late()
		taken := make([]bool, len(orders))
		var all sync.WaitGroup
		for range 2 { // as two processes do
			all.Go(func() {
				if _, err := m.EndHolds(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		for i, o := range slices.Backward(orders) {
			all.Go(func() {
				var err error
				if taken[i], err = m.PayTest(m.ctx, o.Order); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var paid int64
		for i, o := range orders {
			now := m.bought(o.ID)
			want := state.FinancialVoided
			if taken[i] {
				want = state.FinancialPaid
				paid++
			}
			if now.FinancialStatus != want || (now.Status == state.OrderOpen) != taken[i] {
				t.Errorf("taken %t: %s, %s", taken[i], now.Status, now.FinancialStatus)
			}
		}
		if m.stock(bell) != 100-paid {
			t.Errorf("%d paid, %d left", paid, m.stock(bell))
		}
	})
}
