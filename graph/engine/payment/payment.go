// Package payment takes and refunds money for merchants through a provider. It defines the requests
// to a provider and its answers; the domain decides what an answer means for an order.
package payment

import (
	"context"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent/state"
)

// Provider is a service that takes money for merchants. Every call uses the merchant's own secret
// key, goes over the network and takes as long as its context allows, so it must not run in a
// transaction.
type Provider interface {
	Checkout
	Refunds
	Bank
}

// Checkout is the provider's page on which shoppers pay.
type Checkout interface {
	// Begin creates a session, or returns the session created earlier with the same key.
	Begin(ctx context.Context, secret string, p Purchase) (Session, error)
	// Look returns the current state of a session.
	Look(ctx context.Context, secret, reference string) (Session, error)
	// Expire ends an unpaid session, leaves any other, and returns its state afterwards.
	Expire(ctx context.Context, secret, reference string) (Session, error)
}

// Refunds refunds money.
type Refunds interface {
	// Refund refunds money, once for each key however often it is called, and returns the
	// provider's reference of the refund.
	Refund(ctx context.Context, secret string, r Refund) (reference string, err error)
	// Refunded returns the outcome of a refund.
	Refunded(ctx context.Context, secret, reference string) (Outcome, error)
}

// Bank has the other calls to a provider.
type Bank interface {
	// Probe checks that a secret key can take payments in a currency, and reports whether it moves
	// real money.
	Probe(ctx context.Context, secret, currency string) (live bool, err error)
	// Verify parses an event that is signed with a signing secret. It returns [ErrSignature] if the
	// signature is wrong.
	Verify(body []byte, signature, secret string) (Event, error)
}

// Purchase is a payment to request from a shopper.
type Purchase struct {
	// Key identifies the session: a second call with the same key returns the session of the first.
	Key string
	// Order is the public id of the order, and Title the text that the shopper reads.
	Order, Title string
	AmountMinor  int64
	Currency     string // ISO 4217
	Language     state.Language
	// Return is the page to which the shopper returns, whether they have paid or not.
	Return string
	// Ends is when the session expires.
	Ends time.Time
}

// Status is the state of a session.
type Status string

// States of a session.
const (
	Open  Status = "open"
	Paid  Status = "paid"
	Ended Status = "ended" // it can no longer be paid
	// Processing is a session whose payment is in progress.
	Processing Status = "processing"
)

// Session is a provider's page on which one order is paid.
type Session struct {
	Reference string // such as cs_…
	URL       string
	// Payment is the provider's reference of the payment, such as pi_…; "" if there is none yet.
	Payment string
	Status  Status
	// AmountMinor is -1 if the amount is not a whole number of our minor units.
	AmountMinor int64
	Currency    string // ISO 4217
	Order       string // the public id of the session's order
}

// Refund is an amount to refund.
type Refund struct {
	Key     string
	Payment string // as in [Session]
	// Again reports that it was tried before and may have succeeded.
	Again       bool
	AmountMinor int64
	Currency    string
}

// Outcome is the state of a refund.
type Outcome struct {
	Key, Payment string // as in [Refund]
	// Failure is why the money did not reach the shopper; "" while it may still.
	Failure string
}

// Event is a notification. Only its reference is used: the state is read from the provider.
type Event struct {
	ID, Type string
	// Session and Refund are references of what has changed. Events about anything else have
	// neither.
	Session, Refund string
}

// ErrSignature reports that an event was not signed with the secret, or too long ago.
var ErrSignature = errors.New("the signature does not match")

// RefusedError is the answer of a provider that refuses a request. After any other error the
// outcome is unknown, and the same call can be repeated.
type RefusedError struct {
	// Key reports that the secret key is the reason: it is wrong, revoked or lacks a permission.
	Key bool
	// Text is the provider's explanation for the merchant. It contains no secret.
	Text string
}

// Error implements error.
func (e *RefusedError) Error() string { return "the payment provider refuses: " + e.Text }
