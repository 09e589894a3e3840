package rest

import (
	"cmp"
	"errors"
	"io"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// stripeRoot is where Stripe sends events, followed by the store's id.
	stripeRoot = "/payments/stripe/"
	// maxEvent bounds the body of an event, in bytes.
	maxEvent = 64 << 10
)

// payments mounts the endpoints for events of payment providers.
func (a *API) payments(router *mux.Router) {
	const path = stripeRoot + "{store}"
	router.Path(path).Handler(a.handler(&served{meter: a.metrics.route("*", path)}, func(c *call) error {
		if err := a.paymentEvent(c, mux.Vars(c.r)["store"]); err != nil {
			return err
		}
		a.send(c, http.StatusOK, nil)
		return nil
	}))
}

// paymentEvent answers an event of Stripe. A 200 means that its effect is committed; Stripe sends
// the event again after any other status.
func (a *API) paymentEvent(c *call, store string) error {
	if c.r.Method != http.MethodPost {
		return wrongMethod(c.w.Header(), http.MethodPost)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxEvent))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return fault.New(fault.PayloadTooLarge, "An event has at most 64 KiB.")
	}
	if err != nil {
		return fault.New(fault.InvalidRequest, "The body is incomplete.")
	}
	id, err := xid.Store.Parse(store)
	if err != nil {
		return a.unsigned(c)
	}
	accounts, err := a.Core.Accounts(viewer.Operator(c.ctx, id), state.PaymentStripe)
	if err != nil {
		return err
	}
	account, event, err := signer(accounts, body, c.r.Header.Get("Stripe-Signature"))
	switch {
	case errors.Is(err, payment.ErrSignature):
		return a.unsigned(c)
	case err != nil:
		return fault.New(fault.MalformedBody, "The event cannot be read.")
	case event.Session == "" && event.Refund == "":
		return nil
	}
	if err := exceeded(a.rates.stores.Take(id), tooMany); err != nil {
		return err
	}
	if event.Refund != "" {
		return a.Core.SettleRefund(c.ctx, id, account, event.Refund)
	}
	return a.Core.SettleReference(c.ctx, id, event.Session)
}

// signer returns the account of a store that sent an event, which may be a former account. A store
// without an account is answered as if the signature were wrong.
func signer(accounts selling.Accounts, body []byte, signature string) (*selling.Account, payment.Event, error) {
	for _, account := range accounts {
		event, err := account.Verify(body, signature, account.Signing)
		if !errors.Is(err, payment.ErrSignature) {
			return account, event, err
		}
	}
	return nil, payment.Event{}, payment.ErrSignature
}

// unsigned refuses an event without a valid signature, and limits how fast one address may send
// them.
func (a *API) unsigned(c *call) error {
	d := ratelimit.TakeNetwork(a.rates.failures, c.client, 1)
	return cmp.Or[error](exceeded(d, "Too many events with wrong signatures."),
		fault.New(fault.InvalidRequest, "The signature does not match."))
}
