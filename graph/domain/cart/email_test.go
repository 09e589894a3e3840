package cart_test

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

// emailsTo returns the subjects of the queued emails to a shopper, in the order in which they were
// written, and the last body.
func (m *market) emailsTo(to string) (subjects []string, last string) {
	m.t.Helper()
	ctx := viewer.Operator(context.Background(), m.Model.ID)
	rows, err := m.Store.DB(ctx).Mail.Query().Order(mail.ByID()).Load(ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, row := range rows {
		if row.Recipient != to {
			continue
		}
		subjects, last = append(subjects, row.Subject), row.Body
		if row.HTML == nil || row.SenderName == nil || *row.SenderName != "Corner shop" {
			m.t.Errorf("an email without HTML or a sender: %+v", row)
		}
	}
	return subjects, last
}

// A shopper gets emails about the order, each shipment, a refund and a cancellation, but none about
// orders from other sources.
func TestEmails(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		var err error
		if m.Notifier, err = notify.New("https://api.example"); err != nil {
			t.Fatal(err)
		}
		m.Use(m.Engines)
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
		subjects, text := m.emailsTo("ada@example.com")
		if len(subjects) != 1 || !strings.Contains(text, "IBAN DE02") || !strings.Contains(text, "/orders/") ||
			!strings.Contains(text, phrase.In(*o.Language).Say(phrase.PayBy,
				phrase.In(*o.Language).Date(m.orderOf(o.ID).PayBy))) {
			t.Fatalf("%q: %s", subjects, text)
		}
		do := m.Mutation()
		o = graphtest.Must[*model.OrderPayload](t)(do.OrderFulfill(m.Ctx, o.PublicID(), o.Version, model.FulfillInput{
			Carrier: new("Post"), TrackingNumber: new("LX 1"),
			Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}})).Order
		if subjects, text = m.emailsTo("ada@example.com"); len(subjects) != 2 ||
			!strings.Contains(text, "Post LX 1") || !strings.Contains(text, "Still to come:\nBell: 1 ×") {
			t.Errorf("%q: %s", subjects, text)
		}
		o = graphtest.Must[*model.OrderPayload](t)(do.OrderMarkPaid(m.Ctx, o.PublicID(), o.Version, nil, nil)).Order
		// Refunding the rest sends no shipment email.
		graphtest.Must[*model.OrderPayload](t)(do.OrderRefund(m.Ctx, o.PublicID(), o.Version, model.RefundInput{
			AmountMinor: 1490, Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}}))
		o = m.order(o.ID)
		back := graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnCreate(m.Ctx, o.PublicID(), model.ReturnInput{
			Lines: []*model.ReturnLineInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1,
				Reason: state.ReasonWrong}}})).Return
		back = graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnApprove(m.Ctx, back.PublicID(), back.Version,
			model.ReturnApproveInput{Instructions: new("By post"), LabelURL: new("https://post.example/l")})).Return
		if subjects, text = m.emailsTo("ada@example.com"); len(subjects) != 5 ||
			!strings.Contains(text, ":\nBy post\nhttps[:]//post[.]example/l\n") || !strings.Contains(text, "Bell: 1 ×") {
			t.Errorf("of an approved return: %q: %s", subjects, text)
		}
		graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnDecline(m.Ctx, back.PublicID(), back.Version, "Lost"))
		if subjects, text = m.emailsTo("ada@example.com"); len(subjects) != 6 ||
			!strings.Contains(text, ":\nLost\n") || strings.Contains(text, "post[.]example") {
			t.Errorf("of a declined return: %q: %s", subjects, text)
		}
		graphtest.Must[*model.OrderPayload](t)(do.OrderEmailResend(m.Ctx, o.PublicID(), state.EmailReturnDeclined))
		second := place()
		graphtest.Must[*model.OrderPayload](t)(do.OrderCancel(m.Ctx, second.PublicID(), second.Version, false, nil))
		if subjects, _ = m.emailsTo("ada@example.com"); len(subjects) != 9 {
			t.Errorf("%q", subjects)
		}
		third := place()
		graphtest.Must[*model.OrderPayload](t)(do.OrderFulfill(m.Ctx, third.PublicID(), third.Version,
			model.FulfillInput{Notify: new(false)}))
		if subjects, _ = m.emailsTo("ada@example.com"); len(subjects) != 10 {
			t.Errorf("shipped without notice: %q", subjects)
		}
		other := graphtest.Must[*model.OrderPayload](t)(do.OrderCreate(m.Ctx, model.OrderCreateInput{
			Email: new("eve@example.com"), Source: "api", Lines: []*model.OrderLineInput{
				{ProductID: new(xid.Product.Format(bell.Product)), Quantity: 1}}})).Order
		graphtest.Must[*model.OrderPayload](t)(do.OrderCancel(m.Ctx, other.PublicID(), other.Version, false, nil))
		if subjects, _ = m.emailsTo("eve@example.com"); len(subjects) != 0 {
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
		if subjects, _ = m.emailsTo("ada@example.com"); len(subjects) != 10 {
			t.Errorf("of a test store: %q", subjects)
		}
	})
}

// A store that is not trusted yet sends no links in texts of its staff, and its shoppers, who have
// not paid yet, can unsubscribe. The address gets the phone number of the contact.
func TestEmailOfNewStore(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		var err error
		if m.Notifier, err = notify.New("https://api.example"); err != nil {
			t.Fatal(err)
		}
		m.Use(m.Engines)
		letter := func() *db.Mail {
			token := m.add("", m.sell("Bell https://evil.example/x", 1490, 50), 1)
			m.ready(token, "ada@example.com")
			err := m.SetDetails(m.ctx, token, &cart.Contact{Email: "ada@example.com", Phone: "+49 30 1"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			o := m.order(graphtest.Must[xid.ID](t)(m.place(token)))
			for _, a := range []document.Address{o.ShippingAddress, o.BillingAddress} {
				if f, err := a.Fields(); err != nil || f.Phone == nil || *f.Phone != "+49 30 1" {
					t.Errorf("the address is %s (%v)", a, err)
				}
			}
			ctx := viewer.Operator(context.Background(), m.Model.ID)
			rows := graphtest.Must[[]*db.Mail](t)(m.Store.DB(ctx).Mail.Query().Where(mail.OrderID(o.ID)).All(ctx))
			if len(rows) != 1 {
				t.Fatalf("%d emails", len(rows))
			}
			return rows[0]
		}
		row := letter()
		if row.StopURL == nil || !strings.Contains(row.Body, *row.StopURL) ||
			!strings.HasPrefix(*row.StopURL, m.APIHost+link.StopRoot) {
			t.Errorf("no unsubscribe link: %v in %s", row.StopURL, row.Body)
		}
		for _, text := range []string{row.Body, *row.HTML} {
			if strings.Contains(text, "evil.example") || !strings.Contains(text, "evil[.]example") {
				t.Errorf("a link: %s", text)
			}
		}
		store, address, ok := m.Links.Stop(strings.TrimPrefix(*row.StopURL, m.APIHost+link.StopRoot))
		if !ok || store != m.Model.ID || address != notify.Address("ADA@example.com") {
			t.Errorf("the link unsubscribes %v from %v (%t)", address, store, ok)
		}
		m.Limits = limit.Values{limit.NewStoreDays: 0}
		if row := letter(); !strings.Contains(row.Body, "https://evil.example/x") {
			t.Errorf("a trusted store: %s", row.Body)
		}
	})
}

// Staff who handle orders are notified of each order, up to some an hour, and then once that there
// are more. Staff who turned this off get no email.
func TestOrderNews(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		var err error
		if m.Notifier, err = notify.New("https://api.example"); err != nil {
			t.Fatal(err)
		}
		m.Use(m.Engines)
		bell := m.sell("Bell", 1490, 50)
		news := func() (titles []string, emails int) {
			ctx := viewer.Operator(context.Background(), m.Model.ID)
			for _, n := range graphtest.Must[[]*db.Notification](t)(m.Store.DB(ctx).Notification.Query().All(ctx)) {
				titles = append(titles, n.Title)
			}
			emails = graphtest.Must[int](t)(m.Store.DB(ctx).Mail.Query().Where(mail.OrderIDIsNil()).Count(ctx))
			return titles, emails
		}
		for i := range limit.OrderNews + 3 {
			if i == limit.OrderNews-1 {
				graphtest.Must[*model.StaffPayload](t)(m.Mutation().StaffSetOrderEmails(
					m.As(m.Owner.ID, viewer.Owner), false))
			}
			token := m.add("", bell, 1)
			m.ready(token, "ada@example.com")
			graphtest.Must[xid.ID](t)(m.place(token))
		}
		titles, emails := news()
		if len(titles) != limit.OrderNews+1 || !strings.HasPrefix(titles[0], "New order #") ||
			!strings.HasPrefix(titles[len(titles)-1], "Many new orders") || emails != limit.OrderNews-1 {
			t.Errorf("%d emails, notices %q", emails, titles)
		}
	})
}

// A store's own texts go out in their language, are previewed and sent to the caller alone, and an
// email is sent again from the order, which records it.
func TestOwnEmails(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New("https://api.example"))
		m.Use(m.Engines)
		do, owner := m.Mutation(), m.As(m.Owner.ID, viewer.Owner)
		graphtest.Must[*model.StaffPayload](t)(do.StaffSetOrderEmails(owner, false))
		in := model.OrderEmailTextInput{Email: state.EmailPlaced, Language: state.English,
			Subject: "Yours: {{ order.number }}", Intro: "Hi **{{ customer.name }}**",
			Closing: "Bye from {{ shop.name }}"}
		graphtest.Must[*model.OrderEmailTextPayload](t)(do.OrderEmailTextSet(m.Ctx, 0, in))
		if _, err := do.OrderEmailTextSet(m.Ctx, 0, in); graphtest.FaultOf(err) != fault.VersionMismatch {
			t.Errorf("another version: %v", err)
		}
		token := m.add("", m.sell("Bell", 1490, 50), 1)
		m.ready(token, "ada@example.com")
		o := m.order(graphtest.Must[xid.ID](t)(m.place(token)))
		subjects, text := m.emailsTo("ada@example.com")
		number := strconv.FormatInt(o.Number, 10)
		if len(subjects) != 1 || subjects[0] != "Yours: "+number || !strings.HasPrefix(text, "Hi **Ada Lovelace**\n") ||
			!strings.Contains(text, "Bye from Corner shop\n") || !strings.Contains(text, "Post\n") ||
			!strings.Contains(text, "Weg 1\n10115 Berlin\n") || !strings.Contains(text, "Transfer\n") {
			t.Errorf("%q: %s", subjects, text)
		}
		shown := graphtest.Must[*model.Order](t)(m.Query().Order(owner, o.PublicID()))
		waiting := graphtest.Must[[]*model.WaitingEmail](t)(sales.OrderFields{}.WaitingEmails(owner, shown))
		if len(waiting) != 1 || *waiting[0].Email != state.EmailPlaced || waiting[0].Recipient != "" {
			t.Errorf("%v wait", waiting)
		}
		for _, tc := range []struct {
			email   state.OrderEmail
			refused string
		}{{state.EmailPlaced, ""}, {state.EmailShipped, fault.InvalidTransition},
			{state.EmailCancelled, fault.InvalidTransition}, {state.EmailPlaced, fault.LimitReached}} {
			_, err := do.OrderEmailResend(owner, o.PublicID(), tc.email)
			if graphtest.FaultOf(err) != tc.refused {
				t.Errorf("%s again: %v, want %q", tc.email, err, tc.refused)
			}
		}
		if subjects, _ = m.emailsTo("ada@example.com"); len(subjects) != 2 {
			t.Errorf("after sending again: %q", subjects)
		}
		preview := func(send bool) (*model.OrderEmailPreviewPayload, error) {
			return do.OrderEmailPreview(owner, in, send)
		}
		if p, err := preview(false); err != nil || p.Preview.Subject != "Yours: "+number {
			t.Errorf("a preview: %v (%v)", p, err)
		}
		// Without a color of the merchant's, emails have the accent of the theme.
		th := m.ImportSettable(t)
		graphtest.Must[*model.ThemePayload](t)(do.ThemeActivate(m.Ctx, th.PublicID()))
		if p, err := preview(false); err != nil || !strings.Contains(p.Preview.HTML, "background:#102030") {
			t.Errorf("with a theme: %v (%v)", p, err)
		}
		verify := func(at *micros.Time) {
			ctx := viewer.Operator(context.Background(), m.Owner.ID)
			err := m.Store.InTx(ctx, func(ctx context.Context) error {
				u := m.Store.DB(ctx).User.Update().Where(user.ID(m.Owner.ID)).ClearVerifiedAt()
				if at != nil {
					u = m.Store.DB(ctx).User.Update().Where(user.ID(m.Owner.ID)).SetVerifiedAt(*at)
				}
				return u.Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		verify(nil)
		if _, err := preview(true); graphtest.FaultOf(err) != fault.InvalidTransition {
			t.Errorf("a test to an unverified address: %v", err)
		}
		verify(new(micros.Now()))
		if _, err := preview(true); err != nil {
			t.Error(err)
		}
		subjects, _ = m.emailsTo(m.Owner.Email)
		if n := len(subjects); n == 0 || subjects[n-1] != "Yours: "+number {
			t.Errorf("a test: %q", subjects)
		}
		graphtest.Must[*model.OrderEmailTextPayload](t)(do.OrderEmailTextReset(m.Ctx, 1, in.Email, in.Language))
		texts := graphtest.Must[[]*model.OrderEmailText](t)(m.Query().OrderEmailTexts(m.Ctx, state.English))
		if now := texts[0]; now.Version != 0 || now.Subject != "Order {{ order.number }} at {{ shop.name }}" {
			t.Errorf("after the reset: %+v", now)
		}
	})
}

// Staff are notified of payments and refunds if they want to be, and of an item whose stock an order
// brought down to the store's limit.
func TestAlertsOfOrders(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		do, owner := m.Mutation(), m.As(m.Owner.ID, viewer.Owner)
		s := graphtest.Must[*model.Store](t)(m.Query().Store(m.Ctx))
		graphtest.Must[*model.StorePayload](t)(do.StoreUpdate(m.Ctx, model.StoreUpdateInput{ExpectedVersion: s.Version,
			LowStock: model.Some(int64(2))}))
		bell := m.sell("Bell", 1490, 5)
		place := func(n int64) *model.Order {
			token := m.add("", bell, n)
			m.ready(token, "ada@example.com")
			return m.order(graphtest.Must[xid.ID](t)(m.place(token)))
		}
		o := place(2)
		pay := func(o *model.Order) *model.Order {
			done := do.OrderMarkPaid
			return graphtest.Must[*model.OrderPayload](t)(done(m.Ctx, o.PublicID(), o.Version, nil, nil)).Order
		}
		o = pay(o)
		graphtest.Must[*model.StaffPayload](t)(do.StaffSetAlerts(owner, []*model.AlertInput{
			{Topic: state.AlertOrder, Email: state.AlertEmailOff},
			{Topic: state.AlertPayment, Notice: true, Email: state.AlertEmailOff},
			{Topic: state.AlertRefund, Notice: true, Email: state.AlertEmailOff}}))
		graphtest.Must[*model.OrderPayload](t)(do.OrderRefund(m.Ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: 100}))
		pay(place(1))
		place(1)
		var titles []string
		list := graphtest.Must[*model.NotificationConnection](t)(m.Query().Notifications(owner, nil, nil))
		for _, n := range list.Nodes {
			title, _, _ := strings.Cut(n.Title, " #")
			titles = append(titles, title)
		}
		want := []string{"Payment for order", "Low stock: Bell: 2 left", "Refund of order"}
		if diff := cmp.Diff(want, titles); diff != "" {
			t.Error(diff)
		}
		if n, err := m.Query().UnreadNotifications(owner); n != len(want) || err != nil {
			t.Errorf("%d unread (%v), want %d", n, err, len(want))
		}
	})
}
