package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
)

// Only rows older than 180 days are deleted, for all people, in batches.
func TestPurge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, people := t.Context(), []xid.ID{xid.New(), xid.New(), xid.New()}
		old := micros.Now().Add(-audit.Kept)
		const gone = 201
		for p, person := range people {
			err := s.InTx(ctx, func(ctx context.Context) error {
				for i := p; i < gone; i += len(people) {
					err := s.DB(ctx).AccountEvent.Create().SetID(xid.At(old.Add(-time.Duration(i) * time.Minute))).
						SetUserID(person).SetAction(state.AccountSignedIn).Exec(ctx)
					if err != nil {
						return err
					}
				}
				if p == 0 {
					return nil
				}
				young := s.DB(ctx).AccountEvent.Create().SetID(xid.At(old.Add(time.Minute))).SetUserID(person)
				return young.SetAction(state.AccountSignedIn).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []int{gone, 0} {
			if n, err := audit.Purge(ctx, s); n != want || err != nil {
				t.Errorf("purged %d, want %d: %v", n, want, err)
			}
		}
		c, all := storetest.AllStores(t, s)
		if n := c.AccountEvent.Query().CountX(all); n != 2 {
			t.Errorf("%d rows are left, want 2", n)
		}
	})
}
