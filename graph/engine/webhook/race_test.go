package webhook

import (
	"context"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// If an endpoint is registered between the relay's two reads, the relay reads again: by then the
// events are older than the endpoint.
func TestRelayMeetsRegistration(t *testing.T) {
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
		tx := func(f func(context.Context) error) error { return s.InTx(ctx, f) }
		err = tx(func(ctx context.Context) error {
			about := outbox.Resource{Store: store.ID, ID: xid.New(), Version: 1, Sequence: 1, At: micros.Now()}
			return outbox.Append(ctx, s.DB(ctx), about, outbox.Entry{Type: event.ProductUpdated, Object: []byte("{}")})
		})
		if err != nil {
			t.Fatal(err)
		}
		r := e.newRelay()
		_, all := storetest.AllStores(t, s)
		batch, err := r.outbox(all)
		if err != nil || len(batch) != 1 {
			t.Fatalf("%d events, %v", len(batch), err)
		}
		if err := tx(func(ctx context.Context) error { return e.Create(ctx, xid.New()) }); err != nil {
			t.Fatal(err)
		}
		write := func(ctx context.Context) error { return r.write(ctx, []*part{{events: batch}}) }
		if err := tx(write); !errors.Is(err, errRaced) {
			t.Errorf("the relay wrote a stale event: %v", err)
		}
		if batch, err = r.outbox(all); err != nil || len(batch) != 1 || batch[0].before == 0 {
			t.Fatalf("%d events are left, %v", len(batch), err)
		}
		if err := tx(write); err != nil {
			t.Errorf("the second time: %v", err)
		}
	})
}
