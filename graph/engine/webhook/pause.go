package webhook

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Pause stops deliveries to the endpoint until a time. Failures before that time no longer count,
// so no delivery's 24 h run out meanwhile.
func (e *Engine) Pause(ctx context.Context, endpoint xid.ID, until micros.Time) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		resetHealth(u)
		u.SetResumedAt(until)
	})
}

// EndPause continues deliveries now.
func (e *Engine) EndPause(ctx context.Context, endpoint xid.ID) error { return e.Resume(ctx, endpoint) }
