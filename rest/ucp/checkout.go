package ucp

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
)

// create is POST /checkout-sessions.
func (c *call) create() (answer, error) {
	var in checkoutInput
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if err := c.sells(); err != nil {
		return answer{}, err
	}
	if in.LineItems == nil {
		return answer{}, invalid("A checkout needs at least one line item.")
	}
	id := xid.New()
	token := c.Links.SessionTokens(c.store, id)[0]
	return c.change(http.StatusCreated, token, in, func(ctx context.Context, w cart.Wish) error {
		return c.Carts.BeginSession(ctx, id, token, w)
	})
}

// update is PUT /checkout-sessions/{id}.
func (c *call) update(token string) (answer, error) {
	var in checkoutInput
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if err := c.sells(); err != nil {
		return answer{}, err
	}
	v, err := c.find(token)
	if err != nil {
		return answer{}, err
	}
	if in.Discounts != nil && slices.Equal(in.Discounts.Codes, v.Session.Codes) {
		in.Discounts = nil // no new try
	}
	return c.change(http.StatusOK, token, in, func(ctx context.Context, w cart.Wish) error {
		return c.Carts.ChangeSession(ctx, token, w)
	})
}

// in returns the call in another context, such as that of a transaction.
func (c *call) in(ctx context.Context) *call {
	d := *c
	d.ctx = ctx
	return &d
}

// change carries out a change and returns the session as it is then. It reads what it needs before the
// transaction, whose first statement on the cart has to be the one that locks it.
func (c *call) change(
	status int, token string, in checkoutInput, f func(context.Context, cart.Wish) error,
) (answer, error) {
	w, wrong := c.wish(in)
	giveBack, err := c.try(token, w.Codes)
	if err != nil {
		return answer{}, err
	}
	return c.once(false, func(ctx context.Context) (answer, error) {
		if wrong != nil { // refused here, because a key of another request is refused first
			return answer{}, wrong
		}
		if err := f(ctx, w); err != nil {
			return answer{}, explained(err)
		}
		v, err := c.in(ctx).find(token)
		if err != nil {
			return answer{}, err
		}
		if w.Codes != nil && !v.Refused() && v.Code != "" {
			giveBack()
		}
		return c.in(ctx).shown(status, token, v)
	})
}

// explained returns the answer to a product that cannot be bought, and to a session that became an order
// since it was found.
func explained(err error) error {
	switch {
	case isMissing(err, "product"):
		return noProduct()
	case isMissing(err, "cart"):
		return ended("The checkout was completed.")
	}
	return err
}

// try counts the tries of discount codes.
func (c *call) try(token string, codes []string) (giveBack func(), err error) {
	giveBack = func() {}
	for _, code := range codes {
		if code == "" {
			continue
		}
		d, back := c.Codes.TryCode(c.r, c.store, token)
		if !d.OK {
			return giveBack, &fault.Error{Kind: fault.RateLimited, RetryAfter: d.RetryAfter,
				Detail: "Too many discount codes. Wait, then try again."}
		}
		giveBack = sync.OnceFunc(back) // a transaction may run again
	}
	return giveBack, nil
}

// session is GET /checkout-sessions/{id}.
func (c *call) session(token string) (answer, error) {
	v, err := c.find(token)
	if err != nil {
		return answer{}, err
	}
	return c.shown(http.StatusOK, token, v)
}

// find returns the session of a token. A cart of the pages is none.
func (c *call) find(token string) (*cart.View, error) {
	v, err := c.Carts.View(c.ctx, token)
	if err == nil && (v == nil || v.Session == nil) {
		err = unknown("Checkout not found.")
	}
	return v, err
}

// open is [call.find] for a session that a program can still change.
func (c *call) open(token string) (*cart.View, error) {
	v, err := c.find(token)
	switch {
	case err != nil:
		return nil, err
	case v.Session.Canceled:
		return nil, ended("The checkout was canceled.")
	case !v.Order.IsNil():
		return nil, ended("The checkout was completed.")
	case v.Session.HandedOver:
		return nil, ended("The shopper continues this checkout on the pages of the shop.")
	}
	return v, nil
}

func ended(detail string) error { return &refusal{http.StatusConflict, "invalid_state", detail} }

// cancel is POST /checkout-sessions/{id}/cancel.
func (c *call) cancel(token string) (answer, error) {
	if err := c.read(&struct{}{}); err != nil {
		return answer{}, err
	}
	if _, err := c.find(token); err != nil {
		return answer{}, err
	}
	return c.once(false, func(ctx context.Context) (answer, error) {
		if err := c.Carts.CancelSession(ctx, token); err != nil {
			return answer{}, explained(err)
		}
		return c.in(ctx).session(token)
	})
}

// paymentInput is the body that completes a session.
type paymentInput struct {
	Data struct {
		Handler    string `json:"handler_id"`
		Credential struct {
			Type  string `json:"type"`
			Token string `json:"token"`
		} `json:"credential"`
	} `json:"payment_data"`
}

// Tokens of the test handler.
const (
	successToken = "success_token"
	failToken    = "fail_token"
)

// complete is POST /checkout-sessions/{id}/complete. The shopper pays on the pages of the shop, unless
// the shop has the test method and the program names its handler.
func (c *call) complete(token string) (answer, error) {
	var in paymentInput
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if err := c.sells(); err != nil {
		return answer{}, err
	}
	return c.once(true, func(ctx context.Context) (answer, error) { return c.in(ctx).finish(token, in) })
}

func (c *call) finish(token string, in paymentInput) (answer, error) {
	v, err := c.find(token)
	if err != nil {
		return answer{}, err
	}
	if v.Order.IsNil() {
		if v, err = c.open(token); err != nil {
			return answer{}, err
		}
	}
	if v.Ships && (v.Address == nil || v.Rate == nil) {
		return answer{}, &refusal{http.StatusBadRequest, "fulfillment_missing",
			"Fulfillment address and option must be selected."}
	}
	offered, err := c.Carts.OffersTest(c.ctx)
	switch {
	case err != nil:
		return answer{}, err
	case !offered || in.Data.Handler != testHandler:
		return c.handOver(token, v)
	case in.Data.Credential.Type == "card":
		return answer{}, invalid("This shop takes no card numbers. Send a token.")
	case in.Data.Credential.Token != successToken:
		return answer{}, &refusal{http.StatusPaymentRequired, "payment_declined", "The payment was declined."}
	}
	if v.Order.IsNil() {
		if v, err = c.place(token, v); err != nil {
			return answer{}, err
		}
	} else if err := c.unpaid(v.Order); err != nil {
		return answer{}, err
	}
	o, err := c.Core.Order(c.ctx, v.Order)
	if err != nil {
		return answer{}, err
	}
	if _, err := c.Carts.PayTest(c.ctx, o.Order); err != nil {
		return answer{}, err
	}
	return c.shown(http.StatusOK, token, v)
}

// handOver answers a program whose shopper has to pay on the pages.
func (c *call) handOver(token string, v *cart.View) (answer, error) {
	if !v.Order.IsNil() {
		return answer{}, ended("The checkout was completed.")
	}
	a, err := c.shown(http.StatusOK, token, v)
	if s, ok := a.body.(*session); ok {
		s.Status = escalated
	}
	return a, err
}

// unpaid refuses to pay an order again: only the payment of a former try is made up for.
func (c *call) unpaid(order xid.ID) error {
	o, err := c.Core.Order(c.ctx, order)
	if err == nil && !o.Held {
		err = ended("The checkout was completed.")
	}
	return err
}

// place makes the order, at the total that the program saw last.
func (c *call) place(token string, v *cart.View) (*cart.View, error) {
	seen := v.Session.TotalMinor
	if c.shop.Test {
		if err := c.standIn(token, v); err != nil {
			return nil, err
		}
	}
	if err := c.Carts.SetDelivery(c.ctx, token, nil, new(state.PaymentTest)); err != nil {
		return nil, err
	}
	_, err := c.Carts.Place(c.ctx, token, cart.Shown{TotalMinor: seen, Contents: v.Contents()})
	if fault.IsState(err, fault.VersionMismatch) {
		if now, failed := c.find(token); failed == nil && now.Order.IsNil() {
			if failed := c.Carts.SessionSeen(c.ctx, token, now.Sums.TotalMinor); failed != nil {
				return nil, failed
			}
		}
	}
	if fault.IsState(err, fault.InvalidTransition) {
		return nil, &refusal{http.StatusBadRequest, "incomplete", "The checkout is incomplete. Read its messages."}
	}
	if err != nil {
		return nil, err
	}
	return c.find(token)
}

// standIn fills in what a program left out, in a test store, so that it can be tried without a shopper.
func (c *call) standIn(token string, v *cart.View) error {
	if v.Next() != cart.StepDetails {
		return nil
	}
	by := cart.Contact{Email: v.Email, Phone: v.Phone, Country: v.Country, Region: v.Region}
	if by.Email == "" {
		by.Email = "shopper@example.com"
	}
	var to *document.AddressFields
	if v.Ships {
		to = new(*v.Address)
		c.complement(v, to)
	} else if by.Country == "" && v.AsksCountry() {
		by.Country = "US"
	}
	return c.Carts.SetDetails(c.ctx, token, &by, to)
}

// complement fills the members of an address that its country requires.
func (c *call) complement(v *cart.View, a *document.AddressFields) {
	form := v.Form(a.Country)
	if a.Name == nil {
		a.Name = new("Test Shopper")
	}
	if a.Line1 == "" {
		a.Line1 = "1 Test Street"
	}
	if a.City == "" {
		a.City = "Test City"
	}
	if a.PostalCode == nil {
		a.PostalCode = examplePostalCode(a.Country)
	}
	known := a.Region != nil && slices.ContainsFunc(form.Regions, func(r region) bool {
		return r.Code == *a.Region || r.Name == *a.Region
	})
	if len(form.Regions) > 0 && !known {
		a.Region = &form.Regions[0].Code
	}
}
