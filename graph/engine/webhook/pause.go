package webhook

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Pause lets nothing be sent to the endpoint until a time. What was tried before then
// does not count any more, so nobody's 24 h run out meanwhile.
func (e *Engine) Pause(ctx context.Context, endpoint xid.ID, until micros.Time) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		restart(u)
		u.SetResumedAt(until)
	})
}

// Unpause lets deliveries go on now.
func (e *Engine) Unpause(ctx context.Context, endpoint xid.ID) error { return e.Resume(ctx, endpoint) }
