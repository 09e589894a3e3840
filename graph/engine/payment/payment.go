// Package payment takes money for merchants through a provider, and gives it back. It
// knows what a provider is asked and what it answers; what an answer means for an order
// is decided by the domain.
package payment

import (
	"context"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent/state"
)

// Provider is a service that takes money for merchants. Each call is made with a
// merchant's own secret key, asks over the network and may take as long as its context
// lets it: no transaction is open meanwhile.
type Provider interface {
	Checkout
	Returns
	Bank
}

// Checkout is the provider's own page on which shoppers pay.
type Checkout interface {
	// Begin makes a session, or returns the one that was made with the same key before.
	Begin(ctx context.Context, secret string, p Purchase) (Session, error)
	// Look returns a session as it is now.
	Look(ctx context.Context, secret, reference string) (Session, error)
	// Expire ends a session that nobody has paid; any other stays as it is. It returns
	// the session as it is then.
	Expire(ctx context.Context, secret, reference string) (Session, error)
}

// Returns is money that goes back.
type Returns interface {
	// Refund gives money back, once for each key however often it is called, and returns
	// what the provider calls the refund.
	Refund(ctx context.Context, secret string, r Refund) (reference string, err error)
	// Refunded returns what has become of a refund.
	Refunded(ctx context.Context, secret, reference string) (Outcome, error)
}

// Bank is what else is asked of a provider.
type Bank interface {
	// Probe judges a secret key by what it is needed for in a currency, and reports
	// whether it moves real money.
	Probe(ctx context.Context, secret, currency string) (live bool, err error)
	// Verify reads an event whose signature is that of a signing secret.
	Verify(body []byte, signature, secret string) (Event, error)
}

// Purchase is what a shopper is asked to pay.
type Purchase struct {
	// Key names the session: of two calls with one key the second gets the session of
	// the first.
	Key string
	// Order is the public id, Title what the shopper reads.
	Order, Title string
	AmountMinor  int64
	Currency     string // ISO 4217
	Language     state.Language
	// Return is the page to which the shopper comes back, paid or not.
	Return string
	// Ends is when the session ends by itself.
	Ends time.Time
}

// Status is how far a session is.
type Status string

// The values of [Status].
const (
	Open  Status = "open"
	Paid  Status = "paid"
	Ended Status = "ended" // it can be paid no more
	// Processing is a session whose payment is on its way.
	Processing Status = "processing"
)

// Session is a page of the provider's on which one order is paid.
type Session struct {
	Reference string // such as cs_…
	URL       string
	// Payment is what the provider calls the money, such as pi_…; "" before there is any.
	Payment string
	Status  Status
	// AmountMinor is -1 where it is no whole number of our minor units.
	AmountMinor int64
	Currency    string // ISO 4217
	Order       string // the public id that the session was made for
}

// Refund is money that goes back.
type Refund struct {
	Key     string
	Payment string // as [Session] has it
	// Again says that it was tried before, and may have been made.
	Again       bool
	AmountMinor int64
	Currency    string
}

// Outcome is what has become of a refund.
type Outcome struct {
	Key, Payment string // as [Refund] has them
	// Failure is why the money did not reach the shopper, "" as long as it may.
	Failure string
}

// Event is what a provider tells of by itself. Nothing in it is believed but which
// session or refund it is about.
type Event struct {
	ID, Type string
	// Session and Refund are the references of what has changed; an event that is about
	// something else has neither.
	Session, Refund string
}

// ErrSignature says that an event was not signed with the secret, or too long ago.
var ErrSignature = errors.New("the signature does not match")

// RefusedError is the answer of a provider that does not do what it is asked. Any other
// error of a call says that nothing is known: the same call can be made again.
type RefusedError struct {
	// Key says that the secret key is the reason: it is wrong, revoked or may not do this.
	Key bool
	// Text is what the provider says, for the merchant. It names no secret.
	Text string
}

// Error implements error.
func (e *RefusedError) Error() string { return "the payment provider refuses: " + e.Text }
