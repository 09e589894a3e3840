package cart_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// ordered places an order of two units that awaits a bank transfer.
func (m *market) ordered(w cart.ProductRef) *storefront.ShopperOrder {
	m.t.Helper()
	token := m.add("", w, 2)
	m.ready(token, "ada@example.com")
	return m.orderOf(graphtest.Must[xid.ID](m.t)(m.place(token)))
}

// cancels reports whether the shopper may cancel an order, and checks that the action agrees.
func (m *market) cancels(o *storefront.ShopperOrder) bool {
	m.t.Helper()
	may := graphtest.Must[bool](m.t)(m.MayCancel(m.ctx, o.Order))
	err := m.CancelOrder(m.ctx, o.Order)
	if (err == nil) != may || err != nil && !fault.IsState(err, fault.InvalidTransition) {
		m.t.Errorf("the button says %t, the action %v", may, err)
	}
	return may
}

// A shopper cancels an order until something was done: stock, email, event and notice follow.
func TestCancelOrder(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New("https://api.example"))
		m.Use(m.Engines)
		m.Carts = m.Shop.Carts()
		bell, do, done := m.sell("Bell", 1490, 50), m.Mutation(), graphtest.Must[*model.OrderPayload](t)
		o := m.ordered(bell)
		if !m.cancels(o) || m.cancels(m.orderOf(o.ID)) {
			t.Error("a new order is canceled other than once")
		}
		if subjects, _ := m.emailsTo("ada@example.com"); m.stock(bell) != 50 || len(subjects) != 2 ||
			m.orderOf(o.ID).FinancialStatus != state.FinancialVoided ||
			m.audited("order.cancel") != viewer.ShopperName {
			t.Errorf("%d left, %q, %s by %q", m.stock(bell), subjects, m.orderOf(o.ID).FinancialStatus,
				m.audited("order.cancel"))
		}
		o = m.ordered(bell)
		done(do.OrderMarkPaid(m.Ctx, o.PublicID(), o.Version, nil, nil))
		if !m.cancels(o) || m.orderOf(o.ID).RefundedMinor != 0 || !strings.Contains(m.lastNotice(), "Send it back") {
			t.Errorf("a transfer: %d refunded, %q", m.orderOf(o.ID).RefundedMinor, m.lastNotice())
		}
		o = m.ordered(bell)
		back := graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnCreate(m.Ctx, o.PublicID(), model.ReturnInput{
			Lines: []*model.ReturnLineInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1,
				Reason: state.ReasonWrong}}})).Return
		if m.cancels(m.orderOf(o.ID)) {
			t.Error("a return is open")
		}
		graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnDecline(m.Ctx, back.PublicID(), back.Version, "No"))
		m.switchOff(true)
		if m.cancels(m.orderOf(o.ID)) {
			t.Error("the store forbids it")
		}
		m.switchOff(false)
		if !m.cancels(m.orderOf(o.ID)) {
			t.Error("the return ended")
		}
		o = m.ordered(bell)
		if err := m.Store.InTx(m.ctx, func(ctx context.Context) error {
			return m.Store.DB(ctx).Download.Create().SetID(o.Lines[0].ID).SetOrderID(o.ID).SetUsed(1).SetLastAt(1).
				Exec(ctx)
		}); err != nil || m.cancels(m.orderOf(o.ID)) {
			t.Errorf("a file was downloaded (%v)", err)
		}
		o = m.ordered(bell)
		done(do.OrderFulfill(m.Ctx, o.PublicID(), o.Version, model.FulfillInput{
			Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}}))
		if m.cancels(m.orderOf(o.ID)) {
			t.Error("a part was shipped")
		}
	})
}

// switchOff says whether shoppers may not cancel.
func (m *market) switchOff(off bool) {
	m.t.Helper()
	s := graphtest.Must[*model.Store](m.t)(m.Query().Store(m.Ctx))
	graphtest.Must[*model.StorePayload](m.t)(m.Mutation().StoreUpdate(m.Ctx, model.StoreUpdateInput{
		ExpectedVersion: s.Version, ShopperCancels: new(!off)}))
}

// audited returns who did an action last.
func (m *market) audited(action string) (by string) {
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	for _, a := range m.Store.DB(ctx).Audit.Query().AllX(ctx) {
		if a.Action == action {
			by = a.ActorName
		}
	}
	return by
}

// lastNotice returns the text of the newest notification to staff.
func (m *market) lastNotice() (body string) {
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	for _, n := range m.Store.DB(ctx).Notification.Query().AllX(ctx) {
		body = n.Body
	}
	return body
}

// An online payment is refunded through its provider, also above the sum for which staff confirm their
// identity.
func TestCancelPaidOnline(t *testing.T) {
	eachTill(t, func(t *testing.T, m *till) {
		s := graphtest.Must[*model.Store](t)(m.Query().Store(m.Shop.Ctx))
		graphtest.Must[*model.StorePayload](t)(m.Mutation().StoreSetRefundProof(m.Shop.Ctx, s.Version, new(int64(1))))
		o := m.order()
		m.fake.Pay(m.begin(o))
		m.round()
		o = m.orderOf(o.ID)
		if o.FinancialStatus != state.FinancialPaid || !m.cancels(o) {
			t.Fatalf("%s", o.FinancialStatus)
		}
		m.round()
		if got := m.orderOf(o.ID); got.FinancialStatus != state.FinancialRefunded || len(m.refunds()) != 1 ||
			m.refunds()[0].AmountMinor != o.TotalMinor || m.refunds()[0].State != state.PaymentRefundDone {
			t.Errorf("%s, refunds %+v", got.FinancialStatus, m.refunds())
		}
	})
}

// Of cancellations and a shipment at once, one wins, and the stock is returned once.
func TestCancelAtOnce(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		bell := m.sell("Bell", 1490, 50)
		o, twice := m.ordered(bell), m.ordered(bell)
		var all sync.WaitGroup
		var canceled error
		var begin sync.Once
		err := m.Store.InTx(m.Ctx, func(ctx context.Context) error {
			_, err := m.Mutation().OrderFulfill(ctx, o.PublicID(), o.Version, model.FulfillInput{})
			begin.Do(func() { all.Go(func() { canceled = m.CancelOrder(m.ctx, o.Order) }) })
			return err
		})
		all.Wait()
		if got := m.orderOf(o.ID); (err == nil) == (canceled == nil) ||
			(got.Status == state.OrderCancelled) != (canceled == nil) {
			t.Errorf("shipped: %v, canceled: %v, %s", err, canceled, got.Status)
		}
		left, wins := m.stock(bell), make(chan bool, 5)
		for range cap(wins) {
			all.Go(func() { wins <- m.CancelOrder(m.ctx, twice.Order) == nil })
		}
		all.Wait()
		close(wins)
		n := 0
		for won := range wins {
			if won {
				n++
			}
		}
		if n != 1 || m.stock(bell) != left+2 {
			t.Errorf("%d cancellations, %d left", n, m.stock(bell))
		}
	})
}
