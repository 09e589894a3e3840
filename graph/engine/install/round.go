package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/work"
)

const (
	// batch is how many themes are read at once.
	batch = 20
	// maxTries is how often a theme is tried. retryAfter is the pause after the first attempt; it
	// doubles each time: 5, 10, … 320 seconds.
	maxTries   = 8
	retryAfter = 5 * time.Second
)

// terms are those of the lease on a theme. The tries are the token.
var terms = lease.Terms{Length: 10 * time.Second, Every: 3 * time.Second, Margin: 2 * time.Second}

var errLost = fmt.Errorf("another process owns the theme now: %w", lease.ErrLost)

// Round processes the due archives one after the other. It returns errors of the database; the
// error of a single archive is logged, and its theme is retried.
func (k *Keeper) Round(ctx context.Context) error { return k.Store.EachShard(ctx, k.round) }

func (k *Keeper) round(ctx context.Context) error {
	if err := k.repairer.Run(ctx); err != nil {
		return err
	}
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

func pause(tries int) time.Duration { return retryAfter << (tries - 1) }

func (k *Keeper) due(ctx context.Context) ([]*db.Theme, error) {
	query := k.Store.Seek(ctx).Theme.Query().Where(dbtheme.BucketIn(bucket.All()...))
	query.Modify(lease.Due(batch))
	rows, err := query.Load(viewer.Everywhere(ctx))
	return rows, fault.Wrap("find due themes", err)
}

func (k *Keeper) try(ctx context.Context, row *db.Theme) error {
	if row.Tries >= maxTries { // its last attempt was killed
		return k.fail(ctx, row, "Several attempts did not finish.")
	}
	asked := time.Now()
	mine, err := k.queue.Claim(ctx, row.StoreID, row.ID, row.Tries, terms.Length)
	if err != nil || !mine {
		return err
	}
	row.Tries++
	return k.settle(ctx, row, k.leased(ctx, row, asked))
}

// leased processes a theme whose claim was requested at asked, and renews the claim meanwhile. It
// stops if the claim is lost. A panic ends only the attempt at this theme.
func (k *Keeper) leased(ctx context.Context, row *db.Theme, asked time.Time) error {
	held := terms.Take(ctx, asked)
	defer held.End()
	k.keep(held, row)
	err := k.guard.Do(ctx, k.log(row), func() error { return k.process(held.Context(), row) })
	if err != nil && held.Lost() {
		return context.Cause(held.Context())
	}
	return err
}

func (k *Keeper) keep(held *lease.Held, row *db.Theme) {
	held.Keep(func(ctx context.Context) error {
		return k.queue.Delay(ctx, row.StoreID, row.ID, row.Tries, terms.Length)
	}, func(err error) {
		k.log(row).Warn("the lease on a theme could not be renewed", "error", err)
	})
}

func (k *Keeper) log(row *db.Theme) *slog.Logger {
	return k.Logger.With("theme", row.PublicID(), "store", row.StoreID, "try", row.Tries)
}

// settle records the outcome of an attempt at a claimed theme. A success is already recorded by
// [Keeper.process]. Outcomes are recorded even while the program shuts down.
func (k *Keeper) settle(ctx context.Context, row *db.Theme, failure error) error {
	stopped := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	log := k.log(row).With("error", failure)
	bad, final := errors.AsType[*unusable](failure)
	switch {
	case failure == nil:
		return nil
	case errors.Is(failure, lease.ErrLost):
		log.InfoContext(ctx, "theme was deleted or taken over")
		return nil
	case stopped: // not a failure: another process continues at once
		return ignoreLost(k.queue.Return(ctx, row.StoreID, row.ID, row.Tries))
	case final:
		log.WarnContext(ctx, "theme cannot be used")
		return k.fail(ctx, row, bad.Error())
	case row.Tries >= maxTries:
		log.ErrorContext(ctx, "theme given up")
		return k.fail(ctx, row, why(failure))
	}
	log.WarnContext(ctx, "theme not processed yet")
	return ignoreLost(k.queue.Delay(ctx, row.StoreID, row.ID, row.Tries, pause(row.Tries)))
}

func why(failure error) string {
	if _, panicked := errors.AsType[*work.Panic](failure); panicked {
		return "Part of it could not be processed. If it fails again, ask the operator of the service."
	}
	return "Its files could not be stored. Import it again later."
}

func ignoreLost(err error) error {
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	return err
}
