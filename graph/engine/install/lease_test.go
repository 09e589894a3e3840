package install

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

// A process that cannot renew its lease, for whatever reason, stops before another may begin.
func TestRenewFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMerchant(t, storetest.Open(t))
		row := m.accept("Linen", "a")
		if mine, err := m.claim(m.ctx, row); !mine || err != nil {
			t.Fatal(err)
		}
		row.Tries++
		m.judging <- struct{}{} // another archive is being validated
		err := m.Store.InTx(m.ctx, func(ctx context.Context) error {
			_, err := m.Store.DB(ctx).ExecContext(ctx,
				"CREATE TRIGGER broken BEFORE UPDATE ON themes BEGIN SELECT RAISE(ABORT, 'no'); END")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(m.ctx, time.Minute)
		defer cancel()
		if err := m.leased(ctx, row, start); !errors.Is(err, lease.ErrLost) || time.Since(start) >= terms.Length {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

// A panic ends the attempt at one theme. The others of the round are processed, and this one is
// retried and given up like after an error.
func TestPanics(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m, fine := newMerchant(t, s), false
		s.DB(m.ctx).ThemeUpload.Intercept(db.TraverseFunc(func(context.Context, db.Query) error {
			if fine {
				return nil
			}
			fine = true
			panic("an archive nobody foresaw")
		}))
		bad, good := m.accept("Linen", "a"), m.accept("Wool", "b")
		for n := 1; n <= maxTries; n++ {
			fine = false
			m.round(m.Keeper)
			if now := m.now(bad); n < maxTries &&
				(now.Status != state.ThemeProcessing || now.Tries != n || now.DueAt <= micros.Now()) {
				t.Fatalf("after try %d: %v", n, now)
			}
			m.pull()
		}
		if now := m.now(bad); now.Status != state.ThemeFailed || m.now(good).Status != state.ThemeInactive ||
			m.Panics() != maxTries {
			t.Errorf("%s, the other %s, %d panics", now.Status, m.now(good).Status, m.Panics())
		}
	})
}

// The clock is set back by an hour after a process that is gone claimed a theme, or after one was
// uploaded. Both are processed within seconds, the second one at once.
func TestClockPutBack(t *testing.T) {
	for tries, within := range map[int]time.Duration{0: 0, 1: 14 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			m := newMerchant(t, storetest.Open(t))
			row := m.accept("Linen", "a")
			err := m.Store.InTx(m.ctx, func(ctx context.Context) error {
				return m.Store.DB(ctx).Theme.Update().Where(dbtheme.ID(row.ID)).AddTries(tries).
					SetDueAt(micros.Now().Add(time.Hour + terms.Length)).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
			m.round(m.Keeper)
			for began := time.Now(); time.Since(began) < within; m.round(m.Keeper) {
				time.Sleep(2 * time.Second)
			}
			if now := m.Store.DB(m.ctx).Theme.GetX(m.ctx, row.ID); now.Status != state.ThemeInactive {
				t.Errorf("after %d tries the theme is %s, due %s", tries, now.Status, now.DueAt)
			}
		})
	}
}
