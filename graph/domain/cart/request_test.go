package cart_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// An order that staff created is paid at its page: first a part by hand, then the rest online, once.
// Without another request, it asks for nothing more.
func TestRequestPayment(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		done := graphtest.Must[*model.OrderPayload](t)
		o := graphtest.NewOrder(t, m.Ctx, m.Resolver, graphtest.CustomLine("Mug", 2, 500))
		in := model.PaymentRequestInput{Method: state.PaymentTest, Days: 3}
		links := m.Shop.Resolver.Engines.Links
		fields := sales.OrderFields{Resolver: sales.New(m.Core, sales.Engines{Links: links}, nil)}
		url := func(o *model.Order) *string {
			shown := graphtest.Must[*model.Order](t)(m.Query().Order(m.Ctx, o.PublicID()))
			return graphtest.Must[*string](t)(fields.PayURL(m.Ctx, shown))
		}
		if m.orderOf(o.ID).Held || url(o) != nil {
			t.Error("an order asks for a payment that nobody requested")
		}
		refused := func(id string, version int64, in model.PaymentRequestInput, want string) {
			t.Helper()
			if _, err := m.Mutation().OrderRequestPayment(m.Ctx, id, version, in); graphtest.FaultOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		refused(o.PublicID(), 1, model.PaymentRequestInput{Method: state.PaymentTest, Days: 91}, "validation_failed")
		refused(o.PublicID(), 1, model.PaymentRequestInput{Method: state.PaymentStripe, Days: 1}, "validation_failed")
		o = done(m.Mutation().OrderRequestPayment(m.Ctx, o.PublicID(), o.Version, in)).Order
		if !m.orderOf(o.ID).Held || url(o) == nil {
			t.Error("the requested payment is not awaited")
		}
		o = done(m.Mutation().OrderRecordPayment(m.Ctx, o.PublicID(), o.Version,
			model.PaymentInput{AmountMinor: 400})).Order
		if taken, err := m.PayTest(m.ctx, m.orderOf(o.ID).Order); !taken || err != nil {
			t.Errorf("the rest was not accepted (%v)", err)
		}
		paid := m.orderOf(o.ID)
		if paid.FinancialStatus != state.FinancialPaid || paid.PaidMinor != 1000 || paid.Held {
			t.Errorf("%+v", paid.Order)
		}
		refused(o.PublicID(), paid.Version, in, "invalid_transition")
	})
}

// A requested payment that does not arrive cancels an order of which nothing is paid, and no other.
func TestRequestPaymentLate(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.online()
		var ids []xid.ID
		for _, part := range []int64{0, 100} {
			o := graphtest.NewOrder(t, m.Ctx, m.Resolver, graphtest.CustomLine("Mug", 1, 500))
			if part > 0 {
				o = graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRecordPayment(m.Ctx, o.PublicID(), 1,
					model.PaymentInput{AmountMinor: part})).Order
			}
			graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderRequestPayment(m.Ctx, o.PublicID(), o.Version,
				model.PaymentRequestInput{Method: state.PaymentTransfer, Days: 1}))
			ids = append(ids, o.ID)
		}
		m.late()
		if n, err := m.EndHolds(t.Context()); n != 1 || err != nil {
			t.Errorf("%d orders were canceled (%v)", n, err)
		}
		if nothing, part := m.orderOf(ids[0]), m.orderOf(ids[1]); nothing.Status != state.OrderCancelled ||
			part.Status != state.OrderOpen {
			t.Errorf("%s and %s", nothing.Status, part.Status)
		}
	})
}
