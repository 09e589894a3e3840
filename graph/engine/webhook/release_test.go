package webhook

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// A queue to which this process's own relay adds a delivery, after it was found empty and before it
// is released, is kept.
func TestReleaseKeepsWhatCameMeanwhile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		ring, err := keyring.Parse("a secret of more than thirty-two characters")
		if err != nil {
			t.Fatal(err)
		}
		e, err := New(Config{Store: s, Vault: NewVault(ring)})
		if err != nil {
			t.Fatal(err)
		}
		e.leaser.sending = t.Context()
		id, secret := xid.New(), NewSecret()
		err = s.InTx(ctx, func(ctx context.Context) error {
			err := s.DB(ctx).WebhookEndpoint.Create().SetID(id).SetURL("https://receiver.example/").
				SetEvents("product.updated").SetStatus(state.EndpointActive).SetSecret(e.Vault.Seal(id, secret)).
				SetSecretHint(Hint(secret)).SetUpdatedAt(micros.Now()).Exec(ctx)
			if err != nil {
				return err
			}
			if err := e.Create(ctx, id); err != nil {
				return err
			}
			return e.SettingsChanged(ctx, id) // due now
		})
		if err != nil {
			t.Fatal(err)
		}
		_, all := storetest.AllStores(t, s)
		if _, err := e.leaser.acquire(all); err != nil {
			t.Fatal(err)
		}
		q := e.machine.schedule.Find(schedule.Key{Store: store.ID, Endpoint: id})
		var idle []schedule.Release
		if q != nil {
			idle = e.machine.schedule.ReleaseAll(false, time.Now())[micros.Max]
		}
		if len(idle) != 1 {
			t.Fatalf("the queue is not leased and empty: %v", q)
		}
		sub := &subscriber{Key: q.Key, wake: q.Wake(), at: micros.Now(), taken: []*entry{{store: store.ID}}}
		r := e.newRelay()
		if err := s.InTx(ctx,
			func(ctx context.Context) error { return r.raise(ctx, []*subscriber{sub}, 1) }); err != nil {
			t.Fatal(err)
		}
		r.appendLocal([]*subscriber{sub})
		if err := e.leaser.release(t.Context(), idle, micros.Max); err != nil {
			t.Fatal(err)
		}
		row := s.DB(ctx).WebhookQueue.Query().OnlyX(ctx)
		if row.LeaseOwner == nil || row.DueAt == micros.Max || e.machine.schedule.Find(q.Key) != q ||
			q.State() != schedule.Active {
			t.Errorf("the queue was released with a delivery in it: %v", row)
		}
	})
}
