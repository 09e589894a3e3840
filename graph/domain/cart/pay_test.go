package cart_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// fieldsOf resolves the fields of orders without engines.
func fieldsOf(c *core.Core) sales.OrderFields {
	return sales.OrderFields{Resolver: sales.New(c, sales.Engines{}, nil)}
}

// online enables the test payment method.
func (m *market) online() {
	m.t.Helper()
	graphtest.Must[*model.PaymentSettingsPayload](m.t)(m.Mutation().PaymentSettingsUpdate(m.Ctx, 1,
		model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
			{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
			{Kind: state.PaymentTest, Name: "Test", Active: true}}}))
}

// owed creates an order with an online payment.
func (m *market) owed(w cart.ProductRef) *storefront.ShopperOrder {
	m.t.Helper()
	token := m.add("", w, 1)
	m.ready(token, "ada@example.com")
	if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentTest)); err != nil {
		m.t.Fatal(err)
	}
	id, err := m.place(token)
	if err != nil {
		m.t.Fatal(err)
	}
	return m.orderOf(id)
}

func (m *market) orderOf(id xid.ID) *storefront.ShopperOrder {
	m.t.Helper()
	return graphtest.Must[*storefront.ShopperOrder](m.t)(m.Storefront().Order(m.ctx, id))
}

// late makes all holds expire.
func (m *market) late() {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	if err := m.Store.InTx(ctx, func(ctx context.Context) error {
		return m.Store.DB(ctx).PaymentHold.Update().Where(paymenthold.DueAtGT(1)).SetDueAt(1).Exec(ctx)
	}); err != nil {
		m.t.Fatal(err)
	}
}

// An order is paid once, however many concurrent reports of its payment arrive.
func TestPayOnce(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		o := m.owed(m.sell("Bell", 1490, 5))
		if !o.Held {
			t.Error("the stock is not reserved")
		}
		hold := m.Store.DB(m.ctx).PaymentHold.Query().Where(paymenthold.Bucket(bucket.Of(m.Model.ID)))
		if n, err := hold.Count(m.ctx); n != 1 || err != nil {
			t.Errorf("%d holds in the bucket of the store (%v)", n, err)
		}
		wrong := &db.Order{ID: o.ID, TotalMinor: o.TotalMinor - 1, Currency: o.Currency, PaymentMethod: o.PaymentMethod}
		if taken, err := m.PayTest(m.ctx, wrong); taken || err != nil || !m.orderOf(o.ID).Held {
			t.Errorf("another amount was accepted: %t (%v)", taken, err)
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
		paid := m.orderOf(o.ID)
		if taken.Load() != 1 || paid.FinancialStatus != state.FinancialPaid || paid.PaidMinor != o.TotalMinor ||
			paid.Held {
			t.Errorf("accepted %d times, %+v", taken.Load(), paid.Order)
		}
		var reported []event.Type
		for _, e := range log.Next(t, m.Store) {
			reported = append(reported, e.Type)
		}
		if !slices.Equal(reported, []event.Type{event.OrderPaid}) {
			t.Errorf("events %v", reported)
		}
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 0 || err != nil || m.orderOf(o.ID).Status != state.OrderOpen {
			t.Errorf("ended %d (%v)", n, err)
		}
	})
}

// An order that is not paid in time is canceled: its stock and discount are available again.
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
		ended := m.orderOf(o.ID)
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

// Of a payment and an expiry at the same moment, one wins and the other is undone.
func TestPayOrEnd(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell, orders := m.sell("Bell", 1490, 100), make([]*storefront.ShopperOrder, 16)
		for i := range orders {
			orders[i] = m.owed(bell)
		}
		m.late()
		taken := make([]bool, len(orders))
		var all sync.WaitGroup
		for range 2 { // like two processes
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
			now := m.orderOf(o.ID)
			want := state.FinancialVoided
			if taken[i] {
				want = state.FinancialPaid
				paid++
			}
			if now.FinancialStatus != want || (now.Status == state.OrderOpen) != taken[i] {
				t.Errorf("accepted %t: %s, %s", taken[i], now.Status, now.FinancialStatus)
			}
		}
		if m.stock(bell) != 100-paid {
			t.Errorf("%d paid, %d left", paid, m.stock(bell))
		}
	})
}

// due checks the payment deadline of an order as staff see it.
func (m *market) due(id xid.ID, want *micros.Time) {
	m.t.Helper()
	got := graphtest.Must[*micros.Time](m.t)(fieldsOf(m.Core).PaymentDueAt(m.Ctx, m.order(id)))
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Error(diff)
	}
}

// A disabled test payment is refused, an unpaid transfer reserves its stock for two weeks, and a
// closed store stops selling at once.
func TestSellingEnds(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell := m.sell("Bell", 1490, 5)
		o := m.owed(bell)
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.Mutation().PaymentSettingsUpdate(m.Ctx, 2,
			model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
				{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
				{Kind: state.PaymentTest, Name: "Test"}}}))
		if taken, err := m.PayTest(m.ctx, o.Order); taken || graphtest.FaultOf(err) != "not_found" {
			t.Errorf("disabled, but accepted: %t (%v)", taken, err)
		}
		token := m.add("", bell, 2)
		m.ready(token, "ada@example.com")
		id := graphtest.Must[xid.ID](t)(m.place(token))
		row := m.Store.DB(m.Ctx).PaymentHold.Query().Where(paymenthold.ID(id)).OnlyX(m.Ctx)
		b := m.orderOf(id)
		last := b.PlacedOn.Add(sales.TransferTime)
		due := time.Date(last.Year(), last.Month(), last.Day()+1, 0, 0, 0, 0, last.Location())
		if !row.DueAt.Time().Equal(due) || b.PayBy.Format(time.DateOnly) != last.Format(time.DateOnly) {
			t.Errorf("the stock is reserved until %s, want %s; the page shows %s", row.DueAt, due, b.PayBy)
		}
		m.due(id, &row.DueAt)
		paid := m.order(id)
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRecordPayment(m.Ctx, paid.PublicID(),
			paid.Version, model.PaymentInput{AmountMinor: 1}))
		if m.due(id, nil); !m.orderOf(id).PayBy.IsZero() {
			t.Error("partly paid, but the page shows a deadline")
		}
		token = m.add("", bell, 1)
		m.ready(token, "ada@example.com")
		graphtest.Must[xid.ID](t)(m.place(token))
		if b.PlacedOn.Location().String() != m.Model.Timezone ||
			!b.PlacedOn.Equal(b.PlacedAt.Time()) {
			t.Errorf("ordered on %s, in a store in %s", b.PlacedOn, m.Model.Timezone)
		}
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 2 || err != nil || m.stock(bell) != 3 {
			t.Errorf("ended %d (%v), %d left", n, err, m.stock(bell))
		}
		token = m.add("", bell, 1)
		total := m.ready(token, "ada@example.com").Sums.TotalMinor
		s := graphtest.Must[*model.Store](t)(m.Query().Store(m.Ctx))
		graphtest.Must[*model.StorePayload](t)(m.Mutation().StoreClose(m.Ctx, s.Version))
		if _, err := m.Place(m.ctx, token, cart.Shown{TotalMinor: total}); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a closed store sold: %v", err)
		}
	})
}

// reopened reopens the shopper's cart, and fails the test if that is impossible.
func (m *market) reopened(token string) *cart.View {
	m.t.Helper()
	if err := m.Reopen(m.ctx, token); err != nil {
		m.t.Fatal(err)
	}
	return m.view(token)
}

// A shopper who does not pay online gets the checkout back unchanged, with the last piece and the
// last use of the code, and can order with another payment method. There are never two orders that
// can be paid.
func TestReopen(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell := m.sell("Bell", 1490, 1)
		graphtest.Must[*model.DiscountPayload](t)(m.Mutation().DiscountCreate(m.Ctx, model.DiscountInput{Code: "ten",
			Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), UsesMax: new(int64(1)),
			CustomerUsesMax: new(int64(1)), Active: true}))
		token := m.add("", bell, 1)
		m.ready(token, "ada@example.com")
		for _, err := range []error{m.SetCode(m.ctx, token, "ten"), m.SetNote(m.ctx, token, "Ring twice"),
			m.SetDelivery(m.ctx, token, nil, new(state.PaymentTest))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		before := m.view(token)
		first := graphtest.Must[xid.ID](t)(m.place(token))
		var all sync.WaitGroup
		for range 4 { // several tabs
			all.Go(func() {
				if err := m.Reopen(m.ctx, token); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		after := m.view(token)
		if after.Next() != cart.StepReview || after.Sums != before.Sums || after.Note != before.Note ||
			after.Email != before.Email || *after.Address.Name != *before.Address.Name ||
			after.Rate.ID != before.Rate.ID || after.Code != "TEN" || !after.Discounted {
			t.Errorf("before %+v, after %+v", before, after)
		}
		if o := m.order(first); o.Status != state.OrderCancelled || o.FinancialStatus != state.FinancialVoided {
			t.Errorf("the first order is %s, %s", o.Status, o.FinancialStatus)
		}
		if taken, err := m.PayTest(m.ctx, m.orderOf(first).Order); taken || err != nil {
			t.Errorf("the first order was paid: %t (%v)", taken, err)
		}
		if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentTransfer)); err != nil {
			t.Fatal(err)
		}
		second := graphtest.Must[xid.ID](t)(m.place(token))
		o := m.order(second)
		if o.TotalMinor != before.Sums.TotalMinor || *o.DiscountCode != "TEN" || m.stock(bell) != 0 {
			t.Errorf("the second order: %+v, %d left", o.Order, m.stock(bell))
		}
		err := m.Reopen(m.ctx, token)
		if graphtest.FaultOf(err) != "invalid_transition" || m.view(token).Order != second {
			t.Errorf("an order that is not paid online: %v", err)
		}
	})
}

// A payment removes the shopper's data from the cart. A lapsed order releases its cart, and so does
// adding to a cart whose order awaits payment.
func TestReopenOrPay(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell := m.sell("Bell", 1490, 3)
		begin := func() (string, *storefront.ShopperOrder) {
			token := m.add("", bell, 1)
			m.ready(token, "ada@example.com")
			if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentTest)); err != nil {
				t.Fatal(err)
			}
			return token, m.orderOf(graphtest.Must[xid.ID](t)(m.place(token)))
		}
		paid, o := begin()
		if taken, err := m.PayTest(m.ctx, o.Order); !taken || err != nil {
			t.Fatalf("not paid: %v", err)
		}
		if err := m.Reopen(m.ctx, paid); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("a paid order: %v", err)
		}
		row := m.Store.DB(m.Ctx).Cart.Query().OnlyX(m.Ctx)
		if row.Email != nil || row.Address != nil {
			t.Errorf("the cart of a paid order keeps %v", row)
		}
		if m.add(paid, bell, 1) == paid {
			t.Error("the cart of a paid order accepts products")
		}
		more, o := begin()
		if m.add(more, bell, 1) != more || m.orderOf(o.ID).Status != state.OrderCancelled || m.view(more).Count != 2 {
			t.Errorf("%+v after adding, the order is %s", m.view(more), m.orderOf(o.ID).Status)
		}
		late, o := begin()
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 1 || err != nil {
			t.Fatalf("ended %d (%v)", n, err)
		}
		if v := m.view(late); !v.Lapsed || v.Order != o.ID {
			t.Errorf("%+v", v)
		}
		if v := m.reopened(late); v.Next() != cart.StepReview || v.Email != "ada@example.com" {
			t.Errorf("%+v", v)
		}
	})
}

// Concurrent payments and reopenings: each order is paid, or its cart is open again.
func TestReopenRace(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		bell, tokens, orders := m.sell("Bell", 1490, 12), make([]string, 12), make([]*storefront.ShopperOrder, 12)
		for i := range tokens {
			tokens[i] = m.add("", bell, 1)
			m.ready(tokens[i], "ada@example.com")
			if err := m.SetDelivery(m.ctx, tokens[i], nil, new(state.PaymentTest)); err != nil {
				t.Fatal(err)
			}
			orders[i] = m.orderOf(graphtest.Must[xid.ID](t)(m.place(tokens[i])))
		}
		var all sync.WaitGroup
		var paid atomic.Int64
		for i, o := range orders {
			all.Go(func() {
				if taken, err := m.PayTest(m.ctx, o.Order); err != nil {
					t.Error(err)
				} else if taken {
					paid.Add(1)
				}
			})
			all.Go(func() {
				err := m.Reopen(m.ctx, tokens[i])
				if code := graphtest.FaultOf(err); err != nil && code != "invalid_transition" {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i, o := range orders {
			now, open := m.orderOf(o.ID), m.view(tokens[i]).Order.IsNil()
			if (now.FinancialStatus == state.FinancialPaid) == open || (now.Status == state.OrderCancelled) != open {
				t.Errorf("%s, %s, the cart is open: %t", now.Status, now.FinancialStatus, open)
			}
		}
		if m.stock(bell) != 12-paid.Load() {
			t.Errorf("%d paid, %d left", paid.Load(), m.stock(bell))
		}
	})
}
