package webhook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	queues "github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// The deliveries of an endpoint without a readable secret wait, and its store is notified once. A
// readable second secret is enough.
func TestUnreadableSecret(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, r := open(t, s), receive(t, nil)
		lost, fine := shop.endpoint(r.URL, event.ProductUpdated), shop.endpoint(r.URL, event.ProductUpdated)
		set := func(f func(*db.WebhookEndpointUpdate)) {
			shop.tx(func(ctx context.Context) error {
				u := s.DB(ctx).WebhookEndpoint.Update().Where(endpoints.ID(lost.ID))
				f(u)
				return u.Exec(ctx)
			})
		}
		set(func(u *db.WebhookEndpointUpdate) { u.SetSecret(vault.Seal(xid.New(), webhook.NewSecret())) })
		p := product{id: xid.New()}
		shop.change(&p)
		shop.engine.Start(t.Context())
		until(t, "a notice", func() bool { return s.DB(shop.ctx).Notification.Query().CountX(shop.ctx) > 0 })
		until(t, "the other's delivery", func() bool { return len(shop.logged(fine)) == 1 })
		if q := shop.queueOf(lost); q.LastError == nil || !strings.Contains(*q.LastError, "Rotate it") {
			t.Errorf("the queue says %v", q.LastError)
		}
		row, err := s.DB(shop.ctx).WebhookEndpoint.Query().Where(endpoints.ID(lost.ID)).Only(shop.ctx)
		if err != nil {
			t.Fatal(err)
		}
		_, err = shop.engine.Test(shop.ctx, row)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.SecretUnreadable {
			t.Errorf("a test of it answers %v", err)
		}
		if n := r.attempts(); n != 1 {
			t.Errorf("%d attempts, want the other's", n)
		}
		stop(shop.engine)
		second := webhook.NewSecret()
		set(func(u *db.WebhookEndpointUpdate) {
			u.SetNextSecret(vault.Seal(lost.ID, second)).SetNextSecretHint(webhook.Hint(second)).
				SetNextSecretAt(lost.UpdatedAt)
		})
		shop.tx(func(ctx context.Context) error { // the lease has ended
			return s.DB(ctx).WebhookQueue.Update().Where(queues.ID(lost.ID)).SetLeaseUntil(0).SetDueAt(0).Exec(ctx)
		})
		shop.engine = engine(t, s)
		shop.engine.Start(t.Context())
		until(t, "the delivery", func() bool { return len(shop.logged(lost)) == 1 })
		if n := s.DB(shop.ctx).Notification.Query().CountX(shop.ctx); n != 1 {
			t.Errorf("%d notices, want 1", n)
		}
	})
}
