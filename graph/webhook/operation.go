package webhook

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// errUnwritten answers what is being written.
var errUnwritten = errors.New("webhook: not there yet")

// The operations below are what people and apps do to an endpoint's queue. Each
// runs in the transaction that ctx is in, beside the change of the endpoint's
// own row, as the viewer of its store.

// Create makes the queue of a new endpoint.
func (e *Engine) Create(ctx context.Context, endpoint xid.ID) error { return errUnwritten }

// Changed tells that the endpoint's address, events or secrets are others.
func (e *Engine) Changed(ctx context.Context, endpoint xid.ID) error { return errUnwritten }

// Hold stops deliveries to the endpoint: it was suspended or disabled.
func (e *Engine) Hold(ctx context.Context, endpoint xid.ID) error { return errUnwritten }

// Cancel gives up everything that waits for the endpoint: it was deleted, or its
// owner may not have it any more.
func (e *Engine) Cancel(ctx context.Context, endpoint xid.ID) error { return errUnwritten }

// Resume lets deliveries go on: those that failed or were held, each with a new
// 24 h, then the events since.
func (e *Engine) Resume(ctx context.Context, endpoint xid.ID) error { return errUnwritten }

// ResumeFrom gives up what waits and sends the events of the log since a time.
func (e *Engine) ResumeFrom(ctx context.Context, endpoint xid.ID, since micros.Time) error {
	return errUnwritten
}

// ResumeEmpty gives up what waits, and what was missed.
func (e *Engine) ResumeEmpty(ctx context.Context, endpoint xid.ID) error { return errUnwritten }

// Replay sends the events of the log from a time to before another once more.
// ErrReplaying while an earlier replay is under way.
func (e *Engine) Replay(ctx context.Context, endpoint xid.ID, from, to micros.Time) error {
	return errUnwritten
}

// ErrReplaying is returned while an earlier replay is under way.
var ErrReplaying = errors.New("a replay of the endpoint is under way")

// Hurry makes the next attempt of a waiting delivery due now.
func (e *Engine) Hurry(ctx context.Context, d *db.Delivery) error { return errUnwritten }

// Resend makes a new delivery of an event to the endpoint, at the end of its
// queue, and returns it.
func (e *Engine) Resend(ctx context.Context, endpoint, event, resource xid.ID) (*db.Delivery, error) {
	return nil, errUnwritten
}

// Skip ends a waiting delivery; the resource's next one goes on. False when it
// had ended meanwhile.
func (e *Engine) Skip(ctx context.Context, d *db.Delivery) (bool, error) { return false, errUnwritten }

// Test sends a ping to the endpoint, whatever its status, and logs what came of
// it. It waits for the receiver: never call it in a transaction.
func (e *Engine) Test(ctx context.Context, endpoint *db.WebhookEndpoint) (*db.DeliveryLog, error) {
	return nil, errUnwritten
}

// CheckURL judges the form of a receiver's address at registration. It returns
// what is wrong, as a sentence, or "".
func (e *Engine) CheckURL(address string) string { return "" }
