package apikey_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbkey "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/revocation"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// use authenticates with the shop's key.
func (p *shop) use(t *testing.T, k *apikey.Keeper) error {
	t.Helper()
	_, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key)
	return err
}

// end revokes the shop's key through a keeper, and calls meanwhile before the commit.
func (p *shop) end(t *testing.T, k *apikey.Keeper, meanwhile func()) {
	t.Helper()
	p.change(t, func(ctx context.Context, c *db.Client) error {
		err := errors.Join(
			c.APIKey.Update().Where(dbkey.ID(p.keyID)).ClearSlot().SetRevokedAt(micros.Now()).Exec(ctx),
			k.Revoke(ctx, p.row.ID, p.row.ID))
		meanwhile()
		return err
	})
}

func watch(t *testing.T, k *apikey.Keeper) {
	t.Helper()
	if err := k.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A revocation takes effect at once in its process, and in another one with its next Watch, which
// takes one statement.
func TestRevokeElsewhere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p, stays := newShop(t, s, nil), newShop(t, s, nil)
		here, there := apikey.NewKeeper(s), apikey.NewKeeper(s)
		for there.Together(p.row.ID, stays.row.ID) || there.Together(p.row.ID, stays.keyID) {
			stays = newShop(t, s, nil)
		}
		watch(t, there)
		if err := errors.Join(p.use(t, here), p.use(t, there), stays.use(t, there)); err != nil {
			t.Fatal(err)
		}
		p.end(t, here, func() {})
		if err := p.use(t, here); !refused(err) {
			t.Errorf("where it was revoked: %v, want refused", err)
		}
		before := s.Statements()
		watch(t, there)
		if n := s.Statements() - before; n != 1 {
			t.Errorf("Watch took %d statements, want 1", n)
		}
		if err := p.use(t, there); !refused(err) {
			t.Errorf("elsewhere, after Watch: %v, want refused", err)
		}
		watch(t, there)
		before = s.Statements()
		if err := stays.use(t, there); err != nil || s.Statements() != before {
			t.Errorf("another store's key: %v, %d statements, want none", err, s.Statements()-before)
		}
	})
}

// A transaction may commit long after it wrote a revocation. The revocation is found all the same,
// and a rolled-back one has no effect.
func TestRevokeCommitsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		p, here, there := newShop(t, s, nil), apikey.NewKeeper(s), apikey.NewKeeper(s)
		p.end(t, here, func() {
			for range 14 {
				time.Sleep(time.Second)
				watch(t, there)
			}
			if err := p.use(t, there); err != nil {
				t.Errorf("before the commit: %v", err)
			}
		})
		if err := p.use(t, there); err != nil {
			t.Errorf("before the next Watch: %v, want it cached", err)
		}
		watch(t, there)
		if err := p.use(t, there); !refused(err) {
			t.Errorf("after Watch: %v, want refused", err)
		}
	})
}

// The clock of revocations may be set back.
func TestRevokeAfterClockIsSetBack(t *testing.T) {
	var behind atomic.Int64
	s := storetest.OpenWithClock(t, storetest.SQLite(t), func() micros.Time {
		return micros.Now().Add(-time.Duration(behind.Load()))
	})
	p, here, there := newShop(t, s, nil), apikey.NewKeeper(s), apikey.NewKeeper(s)
	watch(t, there)
	if err := p.use(t, there); err != nil {
		t.Fatal(err)
	}
	behind.Store(int64(5 * time.Minute))
	p.end(t, here, func() {})
	watch(t, there)
	if err := p.use(t, there); !refused(err) {
		t.Errorf("after Watch: %v, want refused", err)
	}
}

// A process that cannot read revocations uses no entry for longer than promised.
func TestRevokeUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		p, here, there := newShop(t, s, nil), apikey.NewKeeper(s), apikey.NewKeeper(s)
		watch(t, there)
		if err := p.use(t, there); err != nil {
			t.Fatal(err)
		}
		p.end(t, here, func() {})
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		time.Sleep(apikey.RevocationDelay - 100*time.Millisecond)
		if err := there.Watch(ended); err == nil {
			t.Fatal("Watch succeeded without a database")
		}
		if err := p.use(t, there); !refused(err) {
			t.Errorf("%v after the revocation: %v, want refused", apikey.RevocationDelay, err)
		}
	})
}

// Watch keeps entries valid: a process that calls it looks up a credential once in
// [apikey.Freshness].
func TestWatchKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		p, k := newShop(t, s, nil), apikey.NewKeeper(s)
		watch(t, k)
		if err := p.use(t, k); err != nil {
			t.Fatal(err)
		}
		before, looks := s.Statements(), uint64(0)
		for range int(apikey.Freshness/apikey.WatchEvery) - 1 {
			time.Sleep(apikey.WatchEvery)
			watch(t, k)
			looks++
			if err := p.use(t, k); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.Statements() - before; n != looks {
			t.Errorf("%d statements in %d calls", n, looks)
		}
	})
}

func TestPurgeRevocations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p, k := newShop(t, s, nil), apikey.NewKeeper(s)
		now, err := s.QueueTime(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.change(t, func(ctx context.Context, c *db.Client) error {
			for i := range 200 {
				at := now.Add(-2 * time.Minute)
				switch i {
				case 0:
					at = now // must still be found
				case 1:
					at = now.Add(5 * time.Minute) // by a clock that was set back
				case 2:
					at = now.Add(2 * time.Hour) // by a clock that started again
				}
				if err := c.Revocation.Create().SetHome(p.row.ID).SetOwner(p.row.ID).SetAt(at).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		if n, err := k.Purge(t.Context()); n != 198 || err != nil {
			t.Errorf("purged %d, %v, want 198", n, err)
		}
		if n := s.DB(t.Context()).Revocation.Query().Where(revocation.Home(p.row.ID)).CountX(t.Context()); n != 2 {
			t.Errorf("%d are left, want 2", n)
		}
	})
}
