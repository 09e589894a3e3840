package payment_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
)

var _ payment.Provider = (*payment.Stripe)(nil)

// purchase is an order of EUR 19.80.
func purchase(key string) payment.Purchase {
	return payment.Purchase{Key: key, Order: "ord_1", Title: "Order 1001", AmountMinor: 1980, Currency: "EUR",
		Language: state.German, Return: "https://shop.example/orders/x", Ends: time.Now().Add(65 * time.Minute)}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A key has one session, which is paid and reported as paid, and the money is refunded once.
func TestStripe(t *testing.T) {
	fake, ctx := paymenttest.New(t), t.Context()
	s := payment.NewStripe(fake.URL)
	buy := purchase("one")
	first := must[payment.Session](t)(s.Begin(ctx, paymenttest.Key, buy))
	again := must[payment.Session](t)(s.Begin(ctx, paymenttest.Key, buy))
	if first != again || first.Status != payment.Open || first.URL == "" || first.AmountMinor != 1980 ||
		first.Currency != "EUR" || first.Order != "ord_1" {
		t.Fatalf("began %+v, then %+v", first, again)
	}
	form := fake.Sessions()[0].Form
	for name, want := range map[string]string{"locale": "de", "success_url": buy.Return, "cancel_url": buy.Return,
		"metadata[order]": "ord_1", "payment_intent_data[metadata][order]": "ord_1", "line_items[0][quantity]": "1",
		"line_items[0][price_data][product_data][name]": "Order 1001"} {
		if form.Get(name) != want {
			t.Errorf("%s is %q", name, form.Get(name))
		}
	}
	fake.Pay(first.Reference)
	ended := must[payment.Session](t)(s.Expire(ctx, paymenttest.Key, first.Reference))
	if ended.Status != payment.Paid || ended.Payment == "" || ended.URL != "" {
		t.Errorf("a paid session was ended: %+v", ended)
	}
	other := must[payment.Session](t)(s.Begin(ctx, paymenttest.Key, purchase("two")))
	if now := must[payment.Session](t)(s.Expire(ctx, paymenttest.Key, other.Reference)); now.Status != payment.Ended {
		t.Errorf("an open session is ended: %+v", now)
	}
	back := payment.Refund{Key: "row", Payment: ended.Payment, AmountMinor: 980, Currency: "EUR"}
	for i := range 3 {
		id := must[string](t)(s.Refund(ctx, paymenttest.Key, back))
		if o := must[payment.Outcome](t)(s.Refunded(ctx, paymenttest.Key, id)); o != (payment.Outcome{Key: "row",
			Payment: ended.Payment}) {
			t.Errorf("refunded %+v", o)
		}
		if i == 1 { // a day later
			fake.Forget()
			back.Again = true
		}
	}
	list := fake.Refunds()
	if len(list) != 1 || list[0].Units != 980 {
		t.Fatalf("refunded: %+v", list)
	}
	fake.Fail(list[0].ID, "lost_or_stolen_card")
	o := must[payment.Outcome](t)(s.Refunded(ctx, paymenttest.Key, list[0].ID))
	if _, err := s.Refund(ctx, paymenttest.Key, back); err == nil || o.Failure != "lost_or_stolen_card" {
		t.Errorf("failed refund: %+v (%v)", o, err)
	}
}

// Refusals are distinguished from unknown outcomes.
func TestStripeRefusals(t *testing.T) {
	fake, ctx := paymenttest.New(t), t.Context()
	fake.Lacks = "xcd"
	s := payment.NewStripe(fake.URL)
	for name, c := range map[string]struct {
		key, currency string
		status        int
		refused, ours bool
	}{
		"a good key":          {key: paymenttest.Key, currency: "EUR"},
		"no key":              {key: "sk_test_no", currency: "EUR", refused: true, ours: true},
		"a key that may not":  {key: paymenttest.Weak, currency: "EUR", refused: true, ours: true},
		"no such currency":    {key: paymenttest.Key, currency: "XCD", refused: true},
		"Stripe is away":      {key: paymenttest.Key, currency: "EUR", status: http.StatusBadGateway},
		"too many requests":   {key: paymenttest.Key, currency: "EUR", status: http.StatusTooManyRequests},
		"somebody else tries": {key: paymenttest.Key, currency: "EUR", status: http.StatusConflict},
	} {
		t.Run(name, func(t *testing.T) {
			fake.Refuse("POST session", c.status)
			_, err := s.Probe(ctx, c.key, c.currency)
			r, refused := errors.AsType[*payment.RefusedError](err)
			if refused != c.refused || refused && r.Key != c.ours || (err == nil) != (!c.refused && c.status == 0) {
				t.Errorf("refused %t, %v", refused, err)
			}
		})
	}
	fake.Refuse("POST session", 0)
	if live := must[bool](t)(s.Probe(ctx, paymenttest.Live, "EUR")); !live {
		t.Error("a live key is reported as a test key")
	}
	for _, x := range fake.Sessions() {
		if x.Status != "expired" {
			t.Errorf("a session of a test is %s", x.Status)
		}
	}
}

func TestStripeVerify(t *testing.T) {
	const secret = paymenttest.Signing
	s, now := payment.NewStripe(""), time.Now()
	paid := paymenttest.Event("checkout.session.completed", "cs_1")
	other := paymenttest.Event("customer.created", "cus_1")
	back := paymenttest.Event("refund.failed", "re_1")
	for name, c := range map[string]struct {
		body, signed []byte
		secret       string
		age          time.Duration
		session      string
		refund       string
		wrong        bool
	}{
		"an event":       {body: paid, signed: paid, secret: secret, session: "cs_1"},
		"of a refund":    {body: back, signed: back, secret: secret, refund: "re_1"},
		"another type":   {body: other, signed: other, secret: secret},
		"still fresh":    {body: paid, signed: paid, secret: secret, age: 4 * time.Minute, session: "cs_1"},
		"too old":        {body: paid, signed: paid, secret: secret, age: 6 * time.Minute, wrong: true},
		"another body":   {body: paid, signed: other, secret: secret, wrong: true},
		"another secret": {body: paid, signed: paid, secret: "whsec_another", wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := s.Verify(c.body, paymenttest.Sign(c.signed, c.secret, now.Add(-c.age)), paymenttest.Signing)
			if errors.Is(err, payment.ErrSignature) != c.wrong || e.Session != c.session || e.Refund != c.refund {
				t.Errorf("%+v (%v)", e, err)
			}
		})
	}
	if _, err := s.Verify(paid, "", paymenttest.Signing); !errors.Is(err, payment.ErrSignature) {
		t.Errorf("without a signature: %v", err)
	}
}

// FuzzVerify: any input is an event or is refused.
func FuzzVerify(f *testing.F) {
	f.Add([]byte(`{"type": "checkout.session.completed", "data": {"object": {"id": 1}}}`), "t=1,v1=00")
	s := payment.NewStripe("")
	f.Fuzz(func(t *testing.T, body []byte, signature string) {
		if e, err := s.Verify(body, signature, paymenttest.Signing); err == nil {
			t.Errorf("accepted: %+v", e)
		}
		signature = paymenttest.Sign(body, paymenttest.Signing, time.Now())
		if _, err := s.Verify(body, signature, paymenttest.Signing); errors.Is(err, payment.ErrSignature) {
			t.Error("a signed event is refused")
		}
	})
}
