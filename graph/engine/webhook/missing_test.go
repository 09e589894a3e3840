package webhook

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// still returns an engine that is not started, and a store.
func still(t *testing.T, s *ent.Store) (*Engine, context.Context, xid.ID) {
	t.Helper()
	ctx, store := storetest.Merchant(t, s)
	e, err := New(Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	return e, ctx, store.ID
}

// A missing row is an error of its own, which states the number of rows and wraps no nil error.
func TestMissingRows(t *testing.T) {
	s := storetest.Open(t)
	e, ctx, store := still(t, s)
	k := schedule.Key{Store: store, Endpoint: xid.New()}
	err := s.InTx(ctx, func(ctx context.Context) error {
		return s.DB(ctx).WebhookQueue.Create().SetID(k.Endpoint).SetBucket(bucket.Of(store)).SetDueAt(micros.Max).
			SetLeaseToken(7).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{Outcome: schedule.Outcome{Queue: &schedule.Queue{Key: k, Token: 7},
		Health: schedule.Health{FailingSince: new(micros.Now())}}}
	for name, f := range map[string]func(context.Context) error{
		"notice": func(ctx context.Context) error {
			return e.settler.notify(ctx, k, func(string) (n notify.Notice) { return })
		},
		"suspension": func(ctx context.Context) error { return e.settler.suspend(ctx, o) },
		"announcement": func(ctx context.Context) error {
			return e.settler.announce(ctx, k, event.WebhookEndpointFailing)
		},
		"skipping": func(ctx context.Context) error { return e.updateFailingSince(ctx, xid.New()) },
	} {
		t.Run(name, func(t *testing.T) {
			err := s.InTx(ctx, f)
			if err == nil || !strings.Contains(err.Error(), "0 rows") || strings.Contains(err.Error(), "%!") {
				t.Errorf("got %v", err)
			}
		})
	}
}
