package webhook

import (
	"context"

	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// unreadable is the error of an endpoint none of whose secrets can be opened: the root secret that
// sealed them is gone.
const unreadable = "The signing secret can no longer be decrypted. Rotate it and promote the new one."

// noteUnreadable notifies the people of a store once that an endpoint's deliveries wait because
// none of its secrets can be opened.
func (l *leaser) noteUnreadable(ctx context.Context, r *row) error {
	if r.target != nil {
		return nil
	}
	return wrap("record an unreadable secret", l.Store.InTx(viewer.Operator(ctx, r.Store),
		func(ctx context.Context) error {
			n, err := l.Store.DB(ctx).WebhookQueue.Update().
				Where(webhookqueue.ID(r.Endpoint), webhookqueue.LeaseToken(r.Token),
					webhookqueue.Or(webhookqueue.LastErrorIsNil(), webhookqueue.LastErrorNEQ(unreadable))).
				SetLastError(unreadable).Save(ctx)
			if err != nil || n == 0 {
				return err
			}
			return l.announcer.notify(ctx, r.Key, func(url string) notify.Notice {
				return notify.Notice{Level: state.NotificationCritical, Title: "Webhook deliveries are blocked",
					Body: "The deliveries to " + url + " wait. " + unreadable}
			})
		}))
}
