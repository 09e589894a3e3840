package cart_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	dbcart "github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
)

// reminding lets the store send emails and remind after two hours.
func (m *market) reminding() {
	m.t.Helper()
	m.Notifier = graphtest.Must[*notify.Notifier](m.t)(notify.New("https://api.example"))
	m.Use(m.Engines)
	m.Carts = m.Shop.Carts()
	m.remindAfter(new(int64(2)))
}

func (m *market) remindAfter(hours *int64) {
	m.t.Helper()
	s := graphtest.Must[*model.Store](m.t)(m.Query().Store(m.Ctx))
	graphtest.Must[*model.StorePayload](m.t)(m.Mutation().StoreUpdate(m.Ctx, model.StoreUpdateInput{
		ExpectedVersion: s.Version, RemindHours: graphtest.Given(hours)}))
}

// leaves fills a cart, enters an address and leaves, and returns the cart.
func (m *market) leaves(w cart.ProductRef, by cart.Contact) (token string, id xid.ID) {
	m.t.Helper()
	token = m.add("", w, 1)
	if err := m.SetDetails(m.ctx, token, &by, nil); err != nil {
		m.t.Fatal(err)
	}
	return token, m.view(token).ID
}

// ago moves the last change of a cart back, and makes it due.
func (m *market) ago(id xid.ID, since time.Duration) {
	m.t.Helper()
	ctx := viewer.Operator(m.t.Context(), m.Model.ID)
	if err := m.Store.InTx(ctx, func(ctx context.Context) error {
		return m.Store.DB(ctx).Cart.Update().Where(dbcart.ID(id)).SetUpdatedAt(micros.Now().Add(-since)).
			SetDueAt(1).Exec(ctx)
	}); err != nil {
		m.t.Fatal(err)
	}
}

// customer creates a customer.
func (m *market) customer(email string, s state.EmailMarketing) *db.Customer {
	m.t.Helper()
	return graphtest.Must[*model.CustomerPayload](m.t)(m.Mutation().CustomerCreate(m.Ctx, model.CustomerCreateInput{
		Email: &email, Status: state.CustomerActive, EmailMarketing: s})).Customer.Customer
}

// Who is reminded of a cart, and who is not.
func TestRemind(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.reminding()
		bell := m.sell("Bell", 1490, 50)
		m.customer("sub@example.com", state.EmailSubscribed)
		m.customer("un@example.com", state.EmailUnsubscribed)
		asked := cart.Contact{Email: "ada@example.com", Remind: true}
		for _, tc := range []struct {
			name  string
			by    cart.Contact
			hours int // since the last change
			then  func(token string, id xid.ID)
			want  int
		}{
			{name: "asked", by: asked, hours: 2, want: 1},
			{name: "too early", by: asked, hours: 1},
			{name: "did not ask", by: cart.Contact{Email: "eve@example.com"}, hours: 2},
			{name: "subscribed", by: cart.Contact{Email: "Sub@example.com"}, hours: 2, want: 1},
			{name: "unsubscribed", by: cart.Contact{Email: "un@example.com", Remind: true}, hours: 2},
			{name: "empty", by: asked, hours: 2, then: func(token string, _ xid.ID) {
				if err := m.SetLine(m.ctx, token, bell, 0); err != nil {
					t.Fatal(err)
				}
			}},
			{name: "ordered", by: asked, hours: 2, then: func(token string, _ xid.ID) {
				m.ready(token, "ada@example.com")
				graphtest.Must[xid.ID](t)(m.place(token))
			}},
			{name: "ordered another cart since", by: cart.Contact{Email: "two@example.com", Remind: true}, hours: 2,
				then: func(string, xid.ID) {
					other := m.add("", bell, 1)
					m.ready(other, "two@example.com")
					graphtest.Must[xid.ID](t)(m.place(other))
				}},
			{name: "redacted", by: cart.Contact{Email: "gone@example.com", Remind: true}, hours: 2,
				then: func(string, xid.ID) {
					c := m.customer("gone@example.com", state.EmailSubscribed)
					graphtest.Must[*model.CustomerPayload](t)(m.Mutation().CustomerRedact(m.Ctx, c.PublicID(),
						c.Version))
				}},
			{name: "switched off", by: asked, hours: 2, then: func(string, xid.ID) { m.remindAfter(nil) }},
		} {
			token, id := m.leaves(bell, tc.by)
			if tc.then != nil {
				tc.then(token, id)
			}
			m.ago(id, time.Duration(tc.hours)*time.Hour)
			if n, err := m.Remind(t.Context()); n != tc.want || err != nil {
				t.Errorf("%s: %d reminders, want %d (%v)", tc.name, n, tc.want, err)
			}
			m.ago(id, time.Duration(tc.hours)*time.Hour)
			if n, err := m.Remind(t.Context()); n != 0 || err != nil {
				t.Errorf("%s: %d more reminders (%v)", tc.name, n, err)
			}
		}
		counts := graphtest.Must[*model.CartReminders](t)(m.Query().CartReminders(m.Ctx))
		if counts.Sent != 2 || counts.Recovered != 0 {
			t.Errorf("%+v", counts)
		}
	})
}

// One of many processes sends the reminder. Its links show the items alone, and end marketing emails until
// the shopper subscribes again in their account.
func TestReminder(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.reminding()
		bell := m.sell("Bell", 1490, 50)
		c := m.customer("ada@example.com", state.EmailSubscribed)
		_, id := m.leaves(bell, cart.Contact{Email: "ada@example.com"})
		m.ago(id, 3*time.Hour)
		var sent atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				n, err := m.Remind(t.Context())
				if err != nil {
					t.Error(err)
				}
				sent.Add(int64(n))
			})
		}
		all.Wait()
		subjects, text := m.emailsTo("ada@example.com")
		if sent.Load() != 1 || len(subjects) != 1 || subjects[0] != "Your cart at Corner shop" ||
			!strings.Contains(text, "Bell: 1 × ") {
			t.Fatalf("%d sent: %q\n%s", sent.Load(), subjects, text)
		}
		after := func(root string) string {
			_, rest, _ := strings.Cut(text, root)
			return strings.Fields(rest)[0]
		}
		links := m.Shop.Resolver.Engines.Links
		left, ok := links.Cart(m.Model.ID, after(link.CartRoot))
		if v := graphtest.Must[*cart.View](t)(m.Left(m.ctx, left)); !ok || left != id || len(v.Lines) != 1 {
			t.Errorf("%v, %+v", ok, v)
		}
		store, customer, address, ok := links.MarketingStop(after(link.MarketingStopRoot))
		if !ok || store != m.Model.ID || customer != c.ID {
			t.Fatalf("%v of %v: %t", customer, store, ok)
		}
		for range 2 {
			if err := m.StopMarketing(m.ctx, customer, address); err != nil {
				t.Fatal(err)
			}
		}
		now := graphtest.Must[*model.Customer](t)(m.Query().Customer(m.Ctx, c.PublicID()))
		if now.EmailMarketing != state.EmailUnsubscribed || *now.EmailMarketingSource != state.ConsentAccount {
			t.Errorf("%s by %v", now.EmailMarketing, now.EmailMarketingSource)
		}
		stopped := func() bool {
			return graphtest.Must[bool](t)(notify.MarketingStopped(m.ctx, m.Store.DB(m.ctx), "Ada@example.com"))
		}
		if !stopped() || graphtest.Must[bool](t)(notify.Stopped(m.ctx, m.Store.DB(m.ctx), "ada@example.com")) {
			t.Error("the stop of marketing emails also stops those about orders, or nothing")
		}
		graphtest.Must[*model.CustomerPayload](t)(m.Mutation().CustomerUpdate(m.ctx, c.PublicID(), now.Version,
			model.CustomerUpdateInput{EmailMarketing: model.Some(state.EmailSubscribed)}))
		if stopped() {
			t.Error("a shopper who subscribes again gets nothing")
		}
	})
}

// A network asks for few reminders, because the addresses may be those of strangers.
func TestRemindNetwork(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.reminding()
		bell := m.sell("Bell", 1490, 50)
		m.ctx = viewer.WithOrigin(m.ctx, viewer.Origin{Client: netip.MustParseAddr("203.0.113.9")})
		token := m.add("", bell, 1)
		for n := range limit.NetworkMails + 1 {
			by := cart.Contact{Email: "ada@example.com", Remind: true}
			if err := m.SetDetails(m.ctx, token, &by, nil); err != nil {
				t.Fatal(err)
			}
			if got := m.view(token).Remind; got != (n < limit.NetworkMails) {
				t.Fatalf("request %d: %t", n, got)
			}
		}
	})
}
