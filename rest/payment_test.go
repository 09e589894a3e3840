package rest_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// till is a shop that uses a fake Stripe.
type till struct {
	t *testing.T
	*server
	shop *shop
	core *graph.Resolver
	fake *paymenttest.Stripe
	b    *shopper
	mug  xid.ID
}

func eachTill(t *testing.T, f func(t *testing.T, c *till), edit ...func(*rest.Config)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		c := &till{t: t, fake: paymenttest.New(t)}
		c.server = newServer(t, store, append(edit, underTest(t, store), func(r *rest.Config) {
			c.core = r.Core
			c.core.Payments.Stripe = payment.NewStripe(c.fake.URL)
		})...)
		c.shop = newShop(t, store, shopRow{Handle: "first"})
		c.mug = selling(t, c.shop, state.German, 5)
		c.account(c.shop, paymenttest.Signing)
		graphtest.Must[*model.PaymentSettingsPayload](t)(c.core.Mutation().PaymentSettingsUpdate(c.shop.ctx, 1,
			model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
				{Kind: state.PaymentTransfer, Name: "Transfer", Active: true},
				{Kind: state.PaymentStripe, Name: "Karte", Active: true}}}))
		c.b = &shopper{t: t, s: c.server, host: "first.shops.test:8080"}
		f(t, c)
	})
}

// account connects a shop with a Stripe account.
func (c *till) account(m *shop, signing string) {
	c.t.Helper()
	graphtest.Must[*model.PaymentSettingsPayload](c.t)(c.core.Mutation().PaymentAccountSet(m.ctx,
		model.PaymentAccountInput{Kind: state.PaymentStripe, SecretKey: new(paymenttest.Key), SigningSecret: &signing}))
}

// send sends an event to a shop's endpoint for events.
func (c *till) send(id, kind, session, signing string, age time.Duration) *shopper {
	c.t.Helper()
	body := paymenttest.Event(kind, session)
	door := &shopper{t: c.t, s: c.server, host: "api.shops.test:8080"}
	return door.ask(http.MethodPost, "/payments/stripe/"+id, string(body), "Content-Type", "application/json",
		"Stripe-Signature", paymenttest.Sign(body, signing, time.Now().Add(-age)))
}

// away orders a mug and follows to Stripe; it returns the order's page and the session.
func (c *till) away() (order, session string) {
	c.t.Helper()
	c.b.review(c.mug, "1").get("/checkout/delivery")
	c.b.fill("/checkout/delivery", "payment", "stripe").want(http.StatusOK, "/checkout/review", "Karte")
	if policy := c.b.header.Get("Content-Security-Policy"); !strings.Contains(policy,
		"form-action 'self' https://checkout.stripe.com;") {
		c.t.Errorf("the policy is %s", policy)
	}
	c.b.fill("/checkout/place")
	made := c.fake.Sessions()
	last := made[len(made)-1]
	if c.b.status != http.StatusSeeOther || c.b.path != c.fake.Pages+last.ID {
		c.t.Fatalf("%d to %s:\n%s", c.b.status, c.b.path, c.b.body)
	}
	_, page, ok := strings.Cut(last.Success, "/orders/")
	if !ok || last.Form.Get("cancel_url") != last.Success {
		c.t.Errorf("the way back is %s", last.Success)
	}
	return "/orders/" + page, last.ID
}

// TestStripePages: a shopper is redirected to Stripe, may return unpaid and go there again, and
// finds the order paid.
func TestStripePages(t *testing.T) {
	eachTill(t, func(t *testing.T, c *till) {
		order, session := c.away()
		c.b.get(order).want(http.StatusOK, order, "Zahlung ausstehend", `action="`+order+`/pay"`)
		if !strings.Contains(c.b.header.Get("Content-Security-Policy"), "https://checkout.stripe.com") {
			t.Error("the form may not lead to Stripe")
		}
		c.b.get(order+"/pay").want(http.StatusOK, order)
		for range 2 {
			if c.b.ask(http.MethodPost, order+"/pay", ""); c.b.path != c.fake.Pages+session {
				t.Errorf("%d to %s", c.b.status, c.b.path)
			}
		}
		c.fake.Pages = "https://pay.shop.example/c/pay/"
		c.b.ask(http.MethodPost, order+"/pay", "").want(http.StatusOK, order+"/pay", `href="`+c.fake.Pages+session+`"`)
		c.fake.Refuse("GET session", http.StatusBadGateway)
		c.b.ask(http.MethodPost, order+"/pay", "").want(http.StatusServiceUnavailable, order+"/pay",
			"gerade nicht möglich")
		c.b.get(order).want(http.StatusOK, order, "Zahlung ausstehend")
		c.fake.Refuse("GET session", 0)
		c.fake.Pay(session)
		asked := c.fake.Asked("GET session")
		for range 10 {
			c.b.get(order).want(http.StatusOK, order, "Zahlung ausstehend")
		}
		if n := c.fake.Asked("GET session") - asked; n > 1 {
			t.Errorf("10 looks at the page asked Stripe %d times", n)
		}
		c.send(xid.Store.Format(c.shop.id), "checkout.session.completed", session, paymenttest.Signing, 0)
		c.b.get(order).want(http.StatusOK, order, "Bezahlt")
		if strings.Contains(c.b.header.Get("Content-Security-Policy"), "stripe") ||
			strings.Contains(c.b.body, "/pay") {
			t.Error("what is paid can be paid")
		}
		c.b.ask(http.MethodPost, order+"/pay", "").want(http.StatusOK, order, "Bezahlt")
	})
}

// TestStripeReopen: a shopper who returns unpaid continues the checkout, and the former page of
// Stripe accepts no payment; a shopper who has paid gets to the order.
func TestStripeReopen(t *testing.T) {
	eachTill(t, func(t *testing.T, c *till) {
		order, session := c.away()
		c.b.get(order).want(http.StatusOK, order, "Andere Zahlungsart wählen")
		c.b.fill("/checkout/reopen").want(http.StatusOK, "/cart", "Mug &lt;blue&gt;")
		if _, err := c.core.SettlePayments(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := c.fake.Sessions()[0]; s.Status != "expired" {
			t.Errorf("the session %s is %s", session, s.Status)
		}
		c.b.get("/checkout").want(http.StatusOK, "/checkout/review", "Karte")
		c.b.fill("/checkout/place")
		made := c.fake.Sessions()
		last := made[len(made)-1]
		if c.b.path != c.fake.Pages+last.ID {
			t.Fatalf("%d to %s", c.b.status, c.b.path)
		}
		c.fake.Pay(last.ID)
		c.b.ask(http.MethodPost, "/checkout/reopen", "to=payment").want(http.StatusOK, "/orders/", "Bezahlt")
	})
}

// TestStripeEvents: an event pays an order only if it is signed with the shop's secret.
func TestStripeEvents(t *testing.T) {
	const paid, signing, theirs = "checkout.session.completed", paymenttest.Signing, "whsec_of_the_second_shop"
	eachTill(t, func(t *testing.T, c *till) {
		other := newShop(t, c.store, shopRow{Handle: "second"})
		c.account(other, theirs)
		order, session := c.away()
		c.fake.Pay(session)
		first, second := xid.Store.Format(c.shop.id), xid.Store.Format(other.id)
		for name, e := range map[string]struct {
			shop, kind, session, signing string
			age                          time.Duration
			taken                        bool
		}{
			"another secret":        {shop: first, signing: "whsec_wrong"},
			"another shop's secret": {shop: first, signing: theirs},
			"too old":               {shop: first, signing: signing, age: 6 * time.Minute},
			"no such shop":          {shop: xid.Store.Format(xid.New()), signing: signing},
			"no shop":               {shop: "x", signing: signing},
			"another shop's door":   {shop: second, signing: theirs, taken: true},
			"another kind":          {shop: first, signing: signing, kind: "customer.created", taken: true},
			"an unknown session":    {shop: first, signing: signing, session: "cs_test_none", taken: true},
		} {
			want := http.StatusBadRequest
			if e.taken {
				want = http.StatusOK
			}
			got := c.send(e.shop, cmp.Or(e.kind, paid), cmp.Or(e.session, session), e.signing, e.age).status
			if got != want {
				t.Errorf("%s: %d, want %d", name, got, want)
			}
			if o := c.order(order); o.FinancialStatus != state.FinancialPending {
				t.Fatalf("%s: the order is %s", name, o.FinancialStatus)
			}
		}
		c.fake.Refuse("GET session", http.StatusBadGateway)
		if door := c.send(first, paid, session, signing, 0); door.status != http.StatusServiceUnavailable ||
			door.header.Get("Retry-After") == "" {
			t.Errorf("while Stripe is away: %d", door.status)
		}
		c.fake.Refuse("GET session", 0)
		// Events arrive twice, and in any order.
		for _, kind := range []string{"checkout.session.expired", paid, "checkout.session.async_payment_succeeded", paid} {
			if door := c.send(first, kind, session, signing, 0); door.status != http.StatusOK {
				t.Errorf("%s: %d %s", kind, door.status, door.body)
			}
		}
		if o := c.order(order); o.FinancialStatus != state.FinancialPaid || o.Version != 2 {
			t.Errorf("the order is %s, of version %d", o.FinancialStatus, o.Version)
		}
		c.sendRefund(first, second, theirs)
		door := &shopper{t: t, s: c.server, host: "api.shops.test:8080"}
		door.ask(http.MethodPost, "/payments/stripe/"+first, strings.Repeat("x", 64<<10+1))
		if door.status != http.StatusRequestEntityTooLarge {
			t.Errorf("a large body: %d", door.status)
		}
		if door.get("/payments/stripe/" + first); door.status != http.StatusMethodNotAllowed {
			t.Errorf("GET: %d", door.status)
		}
	})
}

// order returns the order of a page.
func (c *till) order(path string) *model.Order {
	c.t.Helper()
	list := graphtest.Must[*model.OrderConnection](c.t)(c.core.Query().Orders(
		viewer.Operator(c.t.Context(), c.shop.id), nil, nil, nil, nil, nil))
	if len(list.Nodes) != 1 {
		c.t.Fatalf("%d orders, want the one of %s", len(list.Nodes), path)
	}
	return list.Nodes[0]
}

// sendRefund sends an event about a failed refund, of which only the shop is notified.
func (c *till) sendRefund(first, second, theirs string) {
	c.t.Helper()
	o := c.order("")
	graphtest.Must[*model.OrderPayload](c.t)(c.core.Mutation().OrderRefund(c.shop.ctx, o.PublicID(), o.Version,
		model.RefundInput{AmountMinor: 100}))
	if _, err := c.core.ReturnMoney(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	id := c.fake.Refunds()[0].ID
	c.fake.Fail(id, "declined")
	for i, e := range []struct {
		shop, kind, signing string
		status              int
		failed              bool
	}{
		{shop: first, kind: "refund.failed", signing: theirs, status: http.StatusBadRequest},
		{shop: second, kind: "refund.failed", signing: theirs, status: http.StatusOK},
		{shop: first, kind: "refund.created", signing: paymenttest.Signing, status: http.StatusOK},
		{shop: first, kind: "charge.refund.updated", signing: paymenttest.Signing, status: http.StatusOK, failed: true},
		{shop: first, kind: "refund.failed", signing: paymenttest.Signing, status: http.StatusOK, failed: true},
	} {
		door := c.send(e.shop, e.kind, id, e.signing, 0)
		r := c.store.DB(c.shop.ctx).PaymentRefund.Query().OnlyX(c.shop.ctx)
		if door.status != e.status || (r.State == state.PaymentRefundFailed) != e.failed {
			c.t.Errorf("%d: %d, the refund is %s", i, door.status, r.State)
		}
	}
}
