package cart_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymentrefund"
	"github.com/storefront-go/storefront/ent/db/paymentsession"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// till is a market whose shoppers pay with a fake Stripe.
type till struct {
	*market
	fake *paymenttest.Stripe
	bell cart.ProductRef
}

func eachTill(t *testing.T, f func(t *testing.T, m *till)) {
	t.Helper()
	each(t, func(t *testing.T, p *market) {
		m := &till{p, paymenttest.New(t), p.sell("Bell", 1490, 100)}
		m.Payments.Stripe = payment.NewStripe(m.fake.URL)
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.Mutation().PaymentAccountSet(m.Shop.Ctx,
			model.PaymentAccountInput{Kind: state.PaymentStripe, SecretKey: new(paymenttest.Key),
				SigningSecret: new(paymenttest.Signing)}))
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.Mutation().PaymentSettingsUpdate(m.Shop.Ctx, 1,
			model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
				{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
				{Kind: state.PaymentStripe, Name: "Card", Active: true}}}))
		f(t, m)
	})
}

// order creates an order that is paid with Stripe.
func (m *till) order() *storefront.ShopperOrder {
	m.t.Helper()
	token := m.add("", m.bell, 1)
	m.ready(token, "ada@example.com")
	if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentStripe)); err != nil {
		m.t.Fatal(err)
	}
	id, err := m.place(token)
	if err != nil {
		m.t.Fatal(err)
	}
	return m.orderOf(id)
}

// begin begins the payment of an order and returns the session.
func (m *till) begin(o *storefront.ShopperOrder) string {
	m.t.Helper()
	address, err := m.BeginPayment(m.ctx, o.Order, "Order", "https://shop.example/orders/x")
	if err != nil {
		m.t.Fatal(err)
	}
	return address[strings.LastIndexByte(address, '/')+1:]
}

// due makes all sessions and refunds due.
func (m *till) due() {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	if err := m.Store.InTx(ctx, func(ctx context.Context) error {
		err := m.Store.DB(ctx).PaymentSession.Update().Where(paymentsession.DueAtNotNil()).SetDueAt(1).Exec(ctx)
		if err != nil {
			return err
		}
		return m.Store.DB(ctx).PaymentRefund.Update().Where(paymentrefund.DueAtNotNil()).SetDueAt(1).Exec(ctx)
	}); err != nil {
		m.t.Fatal(err)
	}
}

// round runs the background work of the service.
func (m *till) round() {
	m.t.Helper()
	m.due()
	if err := m.work(); err != nil {
		m.t.Fatal(err)
	}
}

// work runs the background work that is due.
func (m *till) work() error {
	_, looked := m.SettlePayments(m.t.Context())
	_, returned := m.ReturnMoney(m.t.Context())
	return errors.Join(looked, returned)
}

// refunds returns the stored refunds.
func (m *till) refunds() []*db.PaymentRefund {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	return m.Store.DB(ctx).PaymentRefund.Query().Order(paymentrefund.ByID(sql.OrderAsc())).AllX(ctx)
}

// notices returns the titles of the notifications to staff.
func (m *till) notices() (list []string) {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	for _, n := range m.Store.DB(ctx).Notification.Query().AllX(ctx) {
		if !strings.HasPrefix(n.Title, "New order #") {
			list = append(list, n.Title)
		}
	}
	return list
}

// However the service learns of a payment first, and however often, the order is paid once.
func TestStripeWays(t *testing.T) {
	ways := map[string]func(m *till, o *storefront.ShopperOrder, session string) error{
		"the page": func(m *till, o *storefront.ShopperOrder, _ string) error {
			return m.SettlePayment(m.ctx, o.Order)
		},
		"an event": func(m *till, _ *storefront.ShopperOrder, session string) error {
			return m.SettleReference(m.t.Context(), m.Model.ID, session)
		},
		"a round": func(m *till, _ *storefront.ShopperOrder, _ string) error {
			return m.work()
		},
	}
	names := []string{"the page", "an event", "a round"}
	for _, set := range [][]string{names[:1], names[1:2], names[2:], names, slices.Concat(names, names)} {
		t.Run(strings.Join(set, ", "), func(t *testing.T) {
			eachTill(t, func(t *testing.T, m *till) {
				o := m.order()
				session, log := m.begin(o), new(storetest.Log)
				for _, name := range names { // too early
					if err := ways[name](m, o, session); err != nil {
						t.Error(err)
					}
				}
				if !m.orderOf(o.ID).Held {
					t.Fatal("the order is already paid or canceled")
				}
				m.fake.Pay(session)
				m.due()
				log.Mark(t, m.Store)
				var all sync.WaitGroup
				for _, name := range set {
					all.Go(func() {
						if err := ways[name](m, o, session); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				paid := m.sold(o.ID)
				var reported []event.Type
				for _, e := range log.Next(t, m.Store) {
					reported = append(reported, e.Type)
				}
				if paid.FinancialStatus != state.FinancialPaid ||
					!slices.Equal(reported, []event.Type{event.OrderPaid}) {
					t.Errorf("%s, events %v", paid.FinancialStatus, reported)
				}
				if list := m.ledger(o.ID); len(list) != 1 || *list[0].Method != "stripe" ||
					*list[0].Reference != "pi_"+strings.TrimPrefix(session, "cs_") {
					t.Errorf("ledger %+v", list)
				}
				m.round()
				if n := len(m.fake.Refunds()); n != 0 || m.begin(o) != "" {
					t.Errorf("%d refunds", n)
				}
			})
		})
	}
}

func (m *till) sold(id xid.ID) *model.Order { return m.market.order(id) }

func (m *till) fields() sales.OrderFields { return fieldsOf(m.Core) }

func (m *till) ledger(id xid.ID) []*db.Payment {
	m.t.Helper()
	return graphtest.Must[[]*db.Payment](m.t)(m.fields().Payments(m.Shop.Ctx, m.sold(id)))
}

// Clicking twice or coming back later leads to the same page.
func TestStripeBegin(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		o, sessions := m.order(), make([]string, 8)
		var all sync.WaitGroup
		for i := range sessions {
			all.Go(func() {
				address, err := m.BeginPayment(m.ctx, o.Order, "Order", "https://shop.example/")
				if err != nil {
					t.Error(err)
				}
				sessions[i] = address
			})
		}
		all.Wait()
		made := m.fake.Sessions()
		if len(made) != 2 || len(slices.Compact(sessions)) != 1 { // one is the test of the key
			t.Errorf("created %d, led to %v", len(made), sessions)
		}
		// An expired page is replaced by another one.
		m.fake.Change(made[1].ID, func(s *paymenttest.Session) { s.Status = "expired" })
		if next := m.begin(o); next == made[1].ID || next != m.fake.Sessions()[2].ID {
			t.Errorf("led to %s", next)
		}
		// If the answer is lost, the shopper saw no page, and the next attempt begins again.
		other := m.order()
		m.fake.Lose("POST session", 100)
		if _, err := m.BeginPayment(m.ctx, other.Order, "Order", "x"); graphtest.FaultOf(err) != "unavailable" {
			t.Errorf("without an answer: %v", err)
		}
		m.fake.Lose("POST session", 0)
		if m.begin(other) == "" {
			t.Error("no page")
		}
		m.fake.Refuse("POST session", http.StatusInternalServerError)
		if _, err := m.BeginPayment(m.ctx, m.order().Order, "Order", "x"); graphtest.FaultOf(err) != "unavailable" {
			t.Errorf("a failing Stripe: %v", err)
		}
	})
}

// Payments without an event are polled, first soon and then less often.
func TestStripePolling(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		m.begin(m.order())
		ctx := viewer.Operator(t.Context(), m.Model.ID)
		for i, minutes := range []int64{1, 2, 5, 10, 10} {
			want := time.Duration(minutes * int64(time.Minute))
			row := m.Store.DB(ctx).PaymentSession.Query().OnlyX(ctx)
			wait := row.DueAt.Time().Sub(micros.Now().Time())
			if row.Tries != i || wait > want || wait < want-20*time.Second {
				t.Errorf("after %d polls it waits %s, want %s", row.Tries, wait, want)
			}
			m.round()
		}
		if n := m.fake.Asked("GET session"); n != 5 {
			t.Errorf("polled %d times", n)
		}
	})
}

// Stripe is not offered for amounts that it cannot charge.
func TestStripePayable(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		for price, want := range map[int64]int{99_999_990: 2, 100_000_000: 1} {
			token := m.add("", m.sell("Yacht", price, 1), 1)
			m.ready(token, "ada@example.com")
			if err := m.SetDelivery(m.ctx, token, nil, new(state.PaymentStripe)); (err == nil) != (want == 2) {
				t.Errorf("%d: %v", price, err)
			}
			if v := m.view(token); len(v.Methods) != want || (v.Method.Kind == state.PaymentStripe) != (want == 2) {
				t.Errorf("%d can be paid by %+v", price, v.Methods)
			}
		}
	})
}

// An amount other than the total is refunded, and the order can still be paid.
func TestStripeAmount(t *testing.T) {
	for name, wrong := range map[string]func(s *paymenttest.Session){
		"too little":       func(s *paymenttest.Session) { s.Units-- },
		"too much":         func(s *paymenttest.Session) { s.Units++ },
		"another currency": func(s *paymenttest.Session) { s.Currency = "usd" },
	} {
		t.Run(name, func(t *testing.T) {
			eachTill(t, func(t *testing.T, m *till) {
				o := m.order()
				session := m.begin(o)
				m.fake.Change(session, wrong)
				m.fake.Pay(session)
				m.round()
				m.round()
				sum := m.fake.Sessions()[1].Units
				if back := m.fake.Refunds(); len(back) != 1 || back[0].Units != sum {
					t.Errorf("of %d refunded %+v", sum, back)
				}
				if !m.orderOf(o.ID).Held || len(m.notices()) != 1 {
					t.Errorf("%+v, notices %v", m.orderOf(o.ID).Order, m.notices())
				}
				m.fake.Pay(m.begin(o))
				m.round()
				if m.orderOf(o.ID).FinancialStatus != state.FinancialPaid || len(m.fake.Refunds()) != 1 {
					t.Errorf("%+v", m.orderOf(o.ID).Order)
				}
			})
		})
	}
}

// The page of a canceled order is expired; an earlier payment on it is refunded, once.
func TestStripeLate(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		unpaid, late, dropped, marked := m.order(), m.order(), m.order(), m.order()
		sessions := map[string]string{"unpaid": m.begin(unpaid), "late": m.begin(late), "dropped": m.begin(dropped),
			"marked": m.begin(marked)}
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderMarkPaid(m.Shop.Ctx, xid.Order.Format(marked.ID),
			marked.Version, nil, nil))
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCancel(m.Shop.Ctx, xid.Order.Format(dropped.ID),
			dropped.Version, false, nil))
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 2 || err != nil {
			t.Fatalf("ended %d (%v)", n, err)
		}
		for _, name := range []string{"late", "dropped", "marked"} {
			m.fake.Pay(sessions[name])
		}
		if err := m.work(); err != nil { // without a wait
			t.Fatal(err)
		}
		m.round()
		for _, s := range m.fake.Sessions() {
			if s.ID == sessions["unpaid"] && s.Status != "expired" {
				t.Errorf("the page of a canceled order is %s", s.Status)
			}
		}
		back := m.fake.Refunds()
		if len(back) != 3 || len(m.notices()) != 3 || m.fake.Pay(sessions["unpaid"]) {
			t.Errorf("refunded %+v, notices %v", back, m.notices())
		}
		for _, r := range m.refunds() {
			if r.State != state.PaymentRefundDone || r.LedgerID != nil || r.AmountMinor != late.TotalMinor {
				t.Errorf("%+v", r)
			}
		}
		for _, o := range []*storefront.ShopperOrder{unpaid, late, dropped} {
			if now := m.orderOf(o.ID); now.FinancialStatus != state.FinancialVoided || now.PaidMinor != 0 {
				t.Errorf("%+v", now.Order)
			}
		}
	})
}

// Of a payment and an expiry at the same moment, exactly one wins.
func TestStripeOrEnd(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		orders, sessions := make([]*storefront.ShopperOrder, 24), make([]string, 24)
		for i := range orders {
			orders[i] = m.order()
			sessions[i] = m.begin(orders[i])
		}
		m.late()
		m.due()
		accepted := make([]bool, len(orders))
		var all sync.WaitGroup
		for range 2 { // like two processes
			all.Go(func() {
				if _, err := m.EndHolds(t.Context()); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if err := m.work(); err != nil {
					t.Error(err)
				}
			})
		}
		for i, session := range slices.Backward(sessions) {
			all.Go(func() {
				accepted[i] = m.fake.Pay(session)
				if err := m.SettleReference(t.Context(), m.Model.ID, session); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		m.round()
		m.round()
		back := map[string]int{}
		for _, r := range m.fake.Refunds() {
			back["cs_"+strings.TrimPrefix(r.Intent, "pi_")]++
		}
		for i, o := range orders {
			now, want := m.orderOf(o.ID), 0
			paid := now.FinancialStatus == state.FinancialPaid
			if accepted[i] && !paid {
				want = 1
			}
			if paid == (now.Status == state.OrderCancelled) || paid && !accepted[i] || back[sessions[i]] != want {
				t.Errorf("Stripe accepted it: %t, the order is %s and %s, %d refunds", accepted[i], now.Status,
					now.FinancialStatus, back[sessions[i]])
			}
		}
	})
}

// settled creates a paid order.
func (m *till) settled() *model.Order {
	m.t.Helper()
	o := m.order()
	m.fake.Pay(m.begin(o))
	m.round()
	return m.sold(o.ID)
}

// A refund is made once, whatever happens between Stripe's answer and storing it.
func TestStripeRefund(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		o := m.settled()
		part := graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRefund(m.Shop.Ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: 500})).Order
		m.fake.Lose("POST refund", 100)
		m.due()
		if m.work() == nil { // it is done, but the answer is lost
			t.Error("an answer arrived")
		}
		if len(m.fake.Refunds()) != 1 || m.refunds()[0].State != state.PaymentRefundWaiting {
			t.Errorf("refunded %+v, stored %+v", m.fake.Refunds(), m.refunds()[0])
		}
		m.fake.Lose("POST refund", 0)
		m.fake.Forget() // a day later
		var all sync.WaitGroup
		m.due()
		for range 4 {
			all.Go(func() {
				if err := m.work(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if back := m.fake.Refunds(); len(back) != 1 || back[0].Units != 500 {
			t.Errorf("refunded %+v", back)
		}
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCancel(m.Shop.Ctx, o.PublicID(), part.Version, true,
			nil))
		m.round()
		m.round()
		back := m.fake.Refunds()
		if len(back) != 2 || back[0].Units+back[1].Units != o.TotalMinor || len(m.notices()) != 0 {
			t.Errorf("refunded %+v, notices %v", back, m.notices())
		}
		shown := graphtest.Must[[]*model.PaymentRefund](t)(m.fields().ProviderRefunds(m.Shop.Ctx, m.sold(o.ID)))
		ledger := m.ledger(o.ID)
		for i, r := range shown {
			if r.State != state.PaymentRefundDone || *r.PaymentID() != ledger[i+1].PublicID() {
				t.Errorf("%+v", r)
			}
		}
		if len(shown) != 2 {
			t.Errorf("%d refunds are shown", len(shown))
		}
	})
}

// A refund that Stripe will never make is left to staff; one that it cannot make now is retried.
func TestStripeRefundRefused(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		o := m.settled()
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRefund(m.Shop.Ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: 500}))
		for _, status := range []int{http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusBadGateway} {
			m.fake.Refuse("POST refund", status)
			m.round()
			if r := m.refunds()[0]; r.State != state.PaymentRefundWaiting || len(m.notices()) != 0 {
				t.Errorf("status %d: %+v, notices %v", status, r, m.notices())
			}
		}
		m.fake.Refuse("POST refund", http.StatusBadRequest)
		m.round()
		m.round()
		if r := m.refunds()[0]; r.State != state.PaymentRefundFailed || *r.Failure != "It is as it is." ||
			r.DueAt != nil || len(m.notices()) != 1 {
			t.Errorf("%+v, notices %v", r, m.notices())
		}
		// Once the account is deleted, no refund is possible.
		m.fake.Refuse("POST refund", 0)
		other := m.settled()
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCancel(m.Shop.Ctx, other.PublicID(), other.Version,
			true, nil))
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.Mutation().PaymentSettingsUpdate(m.Shop.Ctx, 2,
			model.PaymentSettingsInput{}))
		graphtest.Must[*model.PaymentSettingsPayload](t)(m.Mutation().PaymentAccountRemove(m.Shop.Ctx,
			state.PaymentStripe))
		m.forget()
		m.round()
		if r := m.refunds()[1]; r.State != state.PaymentRefundFailed || len(m.notices()) != 2 {
			t.Errorf("%+v, notices %v", r, m.notices())
		}
	})
}
