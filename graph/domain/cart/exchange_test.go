package cart_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestExchangeToPay: the shopper gets one email about the new order. If it costs more, they pay the rest at its
// page.
func TestExchangeToPay(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New("https://api.example"))
		m.Use(m.Engines)
		m.Carts = m.Shop.Carts()
		m.online()
		bell, do := m.sell("Bell", 1000, 50), m.Mutation()
		for _, tc := range []struct{ price, due int64 }{{price: 900}, {price: 1500, due: 500}} {
			o := m.ordered(bell)
			paid := graphtest.Must[*model.OrderPayload](t)(do.OrderMarkPaid(m.Ctx, o.PublicID(), o.Version, nil,
				nil)).Order
			back := graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnCreate(m.Ctx, o.PublicID(), model.ReturnInput{
				Lines: []*model.ReturnLineInput{{LineItemID: paid.Lines[0].PublicID(), Quantity: 1,
					Reason: state.ReasonWrong}}})).Return
			back = graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnApprove(m.Ctx, back.PublicID(), 1,
				model.ReturnApproveInput{})).Return
			before, _ := m.emailsTo("ada@example.com")
			spent := graphtest.ReadCustomer(t, m.Ctx, m.Resolver, *o.CustomerID).TotalSpentMinor
			made := graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnExchange(m.Ctx, back.PublicID(), back.Version,
				model.ReturnExchangeInput{Lines: []*model.OrderLineInput{graphtest.CustomLine("Gong", 1, tc.price)},
					Payment: &model.PaymentRequestInput{Method: state.PaymentTest, Days: 7, SendEmail: true}},
			)).Return.Exchange
			subjects, text := m.emailsTo("ada@example.com")
			if len(subjects) != len(before)+1 || !strings.Contains(text, "Gong") {
				t.Errorf("%d: emails %q after %q", tc.price, subjects, before)
			}
			shown := m.orderOf(made.ID)
			if shown.TotalMinor-shown.PaidMinor != tc.due || shown.Held != (tc.due > 0) ||
				string(made.ShippingAddress) != string(paid.ShippingAddress) || *made.CustomerID != *o.CustomerID {
				t.Errorf("%d: %+v, held %t", tc.price, shown.Order, shown.Held)
			}
			if tc.due > 0 {
				if taken, err := m.PayTest(m.ctx, shown.Order); !taken || err != nil {
					t.Errorf("the rest was not accepted (%v)", err)
				}
			}
			after := graphtest.ReadCustomer(t, m.Ctx, m.Resolver, *o.CustomerID).TotalSpentMinor
			if done := m.orderOf(made.ID); done.FinancialStatus != state.FinancialPaid || after != spent+tc.due {
				t.Errorf("%s, spent %d after %d", done.FinancialStatus, after, spent)
			}
		}
	})
}
