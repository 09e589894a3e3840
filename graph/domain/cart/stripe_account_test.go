package cart_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// move gives the store another key.
func (m *till) move(secret string) {
	m.t.Helper()
	graphtest.Must[*model.PaymentSettingsPayload](m.t)(m.Mutation().PaymentAccountSet(m.Shop.Ctx,
		model.PaymentAccountInput{Kind: state.PaymentStripe, SecretKey: &secret}))
}

// forget makes all former accounts expire.
func (m *till) forget() {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	err := m.Store.InTx(ctx, func(ctx context.Context) error {
		return m.Store.DB(ctx).PaymentAccount.Update().SetRetiredAt(1).Exec(ctx)
	})
	if err != nil {
		m.t.Fatal(err)
	}
	if n, err := m.ForgetAccounts(m.t.Context()); n != 1 || err != nil {
		m.t.Fatalf("deleted %d (%v)", n, err)
	}
}

// session returns a session of the fake Stripe.
func (m *till) session(id string) paymenttest.Session {
	all := m.fake.Sessions()
	return all[slices.IndexFunc(all, func(s paymenttest.Session) bool { return s.ID == id })]
}

// cancel cancels an order and refunds it.
func (m *till) cancel(id xid.ID) {
	m.t.Helper()
	o := m.sold(id)
	graphtest.Must[*model.OrderPayload](m.t)(m.Mutation().OrderCancel(m.Shop.Ctx, o.PublicID(), o.Version, true, nil))
}

// Payments that were begun with an account are settled and refunded with it after the store has
// switched to another one. Shoppers who then pay use the new account, and pay once.
func TestStripeMoved(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		paid, back, late := m.order(), m.order(), m.order()
		first, second, third := m.begin(paid), m.begin(back), m.begin(late)
		m.move(paymenttest.Other)
		m.fake.Pay(first)
		m.round()
		if o := m.sold(paid.ID); o.FinancialStatus != state.FinancialPaid {
			t.Errorf("the order is %s", o.FinancialStatus)
		}
		next := m.begin(back)
		if m.session(second).Status != "expired" || m.session(next).Key != paymenttest.Other || m.begin(back) != next {
			t.Errorf("from %+v to %+v", m.session(second), m.session(next))
		}
		m.fake.Pay(next)
		m.fake.Pay(third)
		if m.begin(late) != "" { // it was paid with the first account
			t.Error("it can be paid twice")
		}
		m.round()
		for _, o := range []xid.ID{paid.ID, back.ID, late.ID} {
			if m.sold(o).FinancialStatus != state.FinancialPaid || len(m.ledger(o)) != 1 {
				t.Errorf("%+v", m.sold(o).Order)
			}
			m.cancel(o)
		}
		m.round()
		var accounts []string
		for _, r := range m.fake.Refunds() {
			accounts = append(accounts, r.Key)
		}
		slices.Sort(accounts)
		if !slices.Equal(accounts, []string{paymenttest.Key, paymenttest.Key, paymenttest.Other}) {
			t.Errorf("refunded by %v, notices %v", accounts, m.notices())
		}
	})
}

// A new key of the same account covers payments that an older key began. While no key is valid, no
// second payment page is created, and staff are notified once.
func TestStripeRevoked(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		o, other := m.order(), m.order()
		m.fake.Pay(m.begin(o))
		m.begin(other)
		m.fake.Revoke(paymenttest.Key)
		m.move(paymenttest.Other)
		begun := m.fake.Asked("POST session")
		for range 12 {
			m.due()
			if m.work() == nil {
				t.Error("the state is known without a key")
			}
			_, err := m.BeginPayment(m.ctx, other.Order, "Order", "https://shop.example/orders/x")
			if graphtest.FaultOf(err) != "unavailable" {
				t.Errorf("begun again: %v", err)
			}
		}
		if reported := m.notices(); m.fake.Asked("POST session") != begun || len(reported) != 2 ||
			!strings.HasPrefix(reported[0], "Payment status of order #") {
			t.Errorf("notices %v", reported)
		}
		m.move(paymenttest.Rolled)
		m.round()
		if m.sold(o.ID).FinancialStatus != state.FinancialPaid {
			t.Error("the payment is unknown with the new key")
		}
		m.cancel(o.ID)
		m.round()
		if back := m.fake.Refunds(); len(back) != 1 || m.refunds()[0].State != state.PaymentRefundDone {
			t.Errorf("refunded %+v", back)
		}
	})
}

// A refund that fails days later is noticed once, by Stripe's event or by polling; the refunded
// amount of the order stays as decided.
func TestStripeRefundFails(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		o := m.settled()
		part := graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRefund(m.Shop.Ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: 500})).Order
		graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRefund(m.Shop.Ctx, o.PublicID(), part.Version,
			model.RefundInput{AmountMinor: 300}))
		m.round()
		m.round()
		account := graphtest.Must[selling.Accounts](t)(m.Accounts(m.Shop.Ctx, state.PaymentStripe)).Present()
		notify := func(reference string) {
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := m.SettleRefund(t.Context(), m.Model.ID, account, reference); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		back := m.fake.Refunds()
		notify(back[0].ID)
		notify("re_nobody")
		if len(back) != 2 || m.refunds()[0].State != state.PaymentRefundDone || m.refunds()[0].DueAt == nil {
			t.Fatalf("refunded %+v, stored %+v", back, m.refunds()[0])
		}
		m.fake.Fail(back[0].ID, "expired_or_canceled_card")
		notify(back[0].ID)
		r := m.refunds()
		if r[0].State != state.PaymentRefundFailed || *r[0].Failure != "expired_or_canceled_card" ||
			r[0].DueAt != nil || r[1].State != state.PaymentRefundDone || len(m.notices()) != 1 {
			t.Errorf("by an event: %+v, notices %v", r[0], m.notices())
		}
		m.fake.Fail(back[1].ID, "declined")
		m.round()
		m.round()
		if r := m.refunds()[1]; r.State != state.PaymentRefundFailed || len(m.notices()) != 2 {
			t.Errorf("by polling: %+v, notices %v", r, m.notices())
		}
		now := m.sold(o.ID)
		if now.RefundedMinor != 800 || len(m.ledger(o.ID)) != 3 || len(m.fake.Refunds()) != 2 {
			t.Errorf("%+v", now.Order)
		}
	})
}
