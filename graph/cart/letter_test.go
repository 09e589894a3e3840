package cart_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/notify"
)

// letters are the subjects of the mails that wait for a shopper, in the order in which they
// were written.
func (m *market) letters(to string) (subjects []string, last string) {
	m.t.Helper()
	ctx := viewer.Operator(context.Background(), m.Model.ID)
	rows, err := m.Store.DB(ctx).Mail.Query().Load(ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, row := range rows {
		if row.Recipient == to {
			subjects, last = append(subjects, row.Subject), row.Body
		}
		if row.HTML == nil || row.SenderName == nil || *row.SenderName != "Corner shop" {
			m.t.Errorf("a mail without HTML or a sender: %+v", row)
		}
	}
	return subjects, last
}

// A shopper hears of the order, of each shipment, of a refund and of a cancellation; nobody
// hears of an order that came another way.
func TestLetters(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		var err error
		if m.Notifier, err = notify.New("https://api.example"); err != nil {
			t.Fatal(err)
		}
		bell := m.sell("Bell", 1490, 50)
		place := func() *model.Order {
			token := m.add("", bell, 2)
			m.ready(token, "ada@example.com")
			id, err := m.place(token)
			if err != nil {
				t.Fatal(err)
			}
			return m.order(id)
		}
		o := place()
		subjects, text := m.letters("ada@example.com")
		if len(subjects) != 1 || !strings.Contains(text, "IBAN DE02") || !strings.Contains(text, "/orders/") {
			t.Fatalf("%q: %s", subjects, text)
		}
		do := m.Mutation()
		o = graphtest.Must[*model.OrderPayload](t)(do.OrderFulfill(m.Ctx, o.PublicID(), o.Version, model.FulfillInput{
			Carrier: new("Post"), TrackingNumber: new("LX 1"),
			Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}})).Order
		if subjects, text = m.letters("ada@example.com"); len(subjects) != 2 || !strings.Contains(text, "Post LX 1") {
			t.Errorf("%q: %s", subjects, text)
		}
		o = graphtest.Must[*model.OrderPayload](t)(do.OrderMarkPaid(m.Ctx, o.PublicID(), o.Version, nil, nil)).Order
		// The rest is refunded: that is no shipment.
		graphtest.Must[*model.OrderPayload](t)(do.OrderRefund(m.Ctx, o.PublicID(), o.Version, model.RefundInput{
			AmountMinor: 1490, Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}}))
		second := place()
		graphtest.Must[*model.OrderPayload](t)(do.OrderCancel(m.Ctx, second.PublicID(), second.Version, false, nil))
		if subjects, _ = m.letters("ada@example.com"); len(subjects) != 5 {
			t.Errorf("%q", subjects)
		}
		other := graphtest.Must[*model.OrderPayload](t)(do.OrderCreate(m.Ctx, model.OrderCreateInput{
			Email: new("eve@example.com"), Source: "api", Lines: []*model.OrderLineInput{
				{ProductID: new(xid.Product.Format(bell.Product)), Quantity: 1}}})).Order
		graphtest.Must[*model.OrderPayload](t)(do.OrderCancel(m.Ctx, other.PublicID(), other.Version, false, nil))
		if subjects, _ = m.letters("eve@example.com"); len(subjects) != 0 {
			t.Errorf("an imported order: %q", subjects)
		}
		err = m.Store.Admin(t.Context(), func(c *sql.Conn) error {
			_, err := c.ExecContext(t.Context(), "UPDATE stores SET test = ? WHERE id = ?", true, m.Model.ID[:])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		place()
		if subjects, _ = m.letters("ada@example.com"); len(subjects) != 5 {
			t.Errorf("of a test store: %q", subjects)
		}
	})
}
