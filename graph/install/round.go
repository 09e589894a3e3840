package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
)

const (
	// batch is how many themes are read at once.
	batch = 20
	// leaseTime is how long a theme belongs to who claimed it, unless he renews;
	// another takes over what a killed process leaves. renewEvery is when he does.
	leaseTime  = 10 * time.Second
	renewEvery = 3 * time.Second
	// maxTries is how often a theme is tried, and retryAfter the pause after the
	// first try; it doubles: 5, 10, … 320 seconds.
	maxTries   = 8
	retryAfter = 5 * time.Second
)

// errLost says that a theme was deleted, or taken over, while it was processed.
var errLost = errors.New("the theme is another one's by now")

// Round processes the archives that are due, one after the other. An error is the
// database's; that of an archive alone is in the log, and its theme is tried
// again.
func (k *Keeper) Round(ctx context.Context) error {
	for more := true; more; {
		rows, err := k.due(ctx)
		if err != nil {
			return err
		}
		for i := 0; i < len(rows) && ctx.Err() == nil; i++ {
			row := rows[i]
			if err := k.try(viewer.Operator(ctx, row.StoreID), row); err != nil {
				return err
			}
		}
		more = len(rows) == batch && ctx.Err() == nil
	}
	return nil
}

// due reads the themes whose time has come, the longest overdue first. It locks
// nothing: whoever wants one claims it.
func (k *Keeper) due(ctx context.Context) ([]*db.Theme, error) {
	query := k.Store.DB(ctx).Theme.Query().Where(dbtheme.BucketIn(bucket.All()...), dbtheme.DueAtLTE(micros.Now()))
	query.Modify(func(s *sql.Selector) { s.OrderBy(s.C(dbtheme.FieldDueAt)).Limit(batch) })
	rows, err := query.Load(viewer.Everywhere(ctx))
	if err != nil {
		return nil, fmt.Errorf("find due themes: %w", err)
	}
	return rows, nil
}

// try processes a theme, unless another one is about to.
func (k *Keeper) try(ctx context.Context, row *db.Theme) error {
	if row.Tries >= maxTries { // its last try was killed
		return k.fail(ctx, row, "It was tried several times, and none came to its end.")
	}
	mine, err := k.claim(ctx, row)
	if err != nil || !mine {
		return err
	}
	row.Tries++
	return k.settle(ctx, row, k.leased(ctx, row))
}

// claim takes a theme as it was read: of those who try at once, one gets it.
func (k *Keeper) claim(ctx context.Context, row *db.Theme) (mine bool, err error) {
	err = k.change(ctx, row, "claim theme", func(u *db.ThemeUpdate) {
		u.AddTries(1).SetDueAt(micros.Now().Add(leaseTime))
	})
	if errors.Is(err, errLost) {
		return false, nil
	}
	return err == nil, err
}

// leased processes a claimed theme and renews the claim meanwhile. Whoever cannot
// renew it ends.
func (k *Keeper) leased(ctx context.Context, row *db.Theme) error {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.renew(ctx, row, cancel)
	}()
	defer func() { // after a panic, too
		cancel(nil)
		<-done
	}()
	err := k.process(ctx, row)
	if lost := context.Cause(ctx); err != nil && errors.Is(lost, errLost) {
		err = lost
	}
	return err
}

func (k *Keeper) renew(ctx context.Context, row *db.Theme, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := k.change(ctx, row, "renew theme", func(u *db.ThemeUpdate) { u.SetDueAt(micros.Now().Add(leaseTime)) })
		if errors.Is(err, errLost) {
			cancel(errLost)
			return
		}
	}
}

// settle writes what came of a try of a theme that was claimed, but for a success,
// which [Keeper.process] has written. What has ended is settled even while the
// program ends.
func (k *Keeper) settle(ctx context.Context, row *db.Theme, failure error) error {
	stopped := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	log := k.Logger.With("theme", row.PublicID(), "store", row.StoreID, "try", row.Tries, "error", failure)
	bad, final := errors.AsType[*unusable](failure)
	switch {
	case failure == nil:
		return nil
	case errors.Is(failure, errLost):
		log.InfoContext(ctx, "theme was deleted or taken over")
		return nil
	case stopped: // it is no failure, and another one goes on at once
		return k.postpone(ctx, row, micros.Now(), -1)
	case final:
		log.WarnContext(ctx, "theme cannot be used")
		return k.fail(ctx, row, bad.Error())
	case row.Tries >= maxTries:
		log.ErrorContext(ctx, "theme given up")
		return k.fail(ctx, row, "Its files could not be stored. Import it again later.")
	}
	log.WarnContext(ctx, "theme not processed yet")
	return k.postpone(ctx, row, micros.Now().Add(retryAfter<<(row.Tries-1)), 0)
}

// postpone ends a claim with the time of the next try.
func (k *Keeper) postpone(ctx context.Context, row *db.Theme, next micros.Time, tries int) error {
	err := k.change(ctx, row, "postpone theme", func(u *db.ThemeUpdate) { u.SetDueAt(next).AddTries(tries) })
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// change writes into a theme that is processed, if it is as row says: [errLost] if
// not.
func (k *Keeper) change(ctx context.Context, row *db.Theme, doing string, set func(*db.ThemeUpdate)) error {
	return k.Store.InTx(ctx, func(ctx context.Context) error { return k.swap(ctx, row, doing, set) })
}

// swap is [Keeper.change] in the transaction of ctx.
func (k *Keeper) swap(ctx context.Context, row *db.Theme, doing string, set func(*db.ThemeUpdate)) error {
	u := k.Store.DB(ctx).Theme.Update().Where(dbtheme.ID(row.ID), dbtheme.Tries(row.Tries), dbtheme.StatusEQ(state.ThemeProcessing))
	set(u)
	n, err := u.Save(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", doing, err)
	case n == 0:
		return errLost
	}
	return nil
}
