package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/predicate"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/state"
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

// terms are the terms of the lease on a theme. Another process takes over what a killed one leaves.
// The tries are the token.
var terms = lease.Terms{Length: 10 * time.Second, Every: 3 * time.Second, Margin: 2 * time.Second}

// errLost reports that a theme was deleted or taken over while it was processed.
var errLost = fmt.Errorf("another process owns the theme now: %w", lease.ErrLost)

// Round processes the due archives one after the other. It returns errors of the database; the
// error of a single archive is logged, and its theme is retried.
func (k *Keeper) Round(ctx context.Context) error { return k.Store.EachShard(ctx, k.round) }

// round is [Keeper.Round] on one shard.
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

// newRepairer returns what finds themes that a changed clock delays.
func newRepairer(s *ent.Store) *lease.ClockRepair {
	longest := make([]time.Duration, maxTries+1)
	for n := 1; n < len(longest); n++ {
		longest[n] = max(terms.Length, retryAfter<<(n-1))
	}
	return &lease.ClockRepair{Terms: terms, Store: s, Table: dbtheme.Table, Token: dbtheme.FieldTries,
		New:   dbtheme.FieldTries + " = 0",
		Ahead: func(now lease.Clock) string { return lease.Beyond(now, dbtheme.FieldTries, longest) }}
}

// due returns the due themes, the longest overdue first. It locks nothing: processes claim one
// theme at a time.
func (k *Keeper) due(ctx context.Context) ([]*db.Theme, error) {
	query := k.Store.Seek(ctx).Theme.Query().Where(dbtheme.BucketIn(bucket.All()...))
	query.Modify(func(s *sql.Selector) {
		due := s.C(dbtheme.FieldDueAt)
		s.Where(sql.ExprP(due + " <= " + string(lease.Now(s.Dialect())))).OrderBy(due).Limit(batch)
	})
	rows, err := query.Load(viewer.Everywhere(ctx))
	if err != nil {
		return nil, fmt.Errorf("find due themes: %w", err)
	}
	return rows, nil
}

// try processes a theme, unless another process has claimed it.
func (k *Keeper) try(ctx context.Context, row *db.Theme) error {
	if row.Tries >= maxTries { // its last attempt was killed
		return k.fail(ctx, row, "Several attempts did not finish.")
	}
	asked := time.Now()
	mine, err := k.claim(ctx, row)
	if err != nil || !mine {
		return err
	}
	row.Tries++
	return k.settle(ctx, row, k.leased(ctx, row, asked))
}

// claim claims a theme as it was read. Of concurrent processes one gets it.
func (k *Keeper) claim(ctx context.Context, row *db.Theme) (mine bool, err error) {
	err = k.change(ctx, row, "claim theme", func(u *db.ThemeUpdate) {
		u.AddTries(1).Modify(dueIn(terms.Length))
	})
	if errors.Is(err, errLost) {
		return false, nil
	}
	return err == nil, err
}

// dueIn sets when a theme is due, by the clock of leases.
func dueIn(d time.Duration) func(*sql.UpdateBuilder) {
	return func(u *sql.UpdateBuilder) { u.Set(dbtheme.FieldDueAt, sql.Expr(lease.Now(u.Dialect()).In(d))) }
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

// keep renews the lease on a theme.
func (k *Keeper) keep(held *lease.Held, row *db.Theme) {
	held.Keep(func(ctx context.Context) error {
		return k.change(ctx, row, "renew theme", func(u *db.ThemeUpdate) { u.Modify(dueIn(terms.Length)) })
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
		return k.postpone(ctx, row, 0, -1)
	case final:
		log.WarnContext(ctx, "theme cannot be used")
		return k.fail(ctx, row, bad.Error())
	case row.Tries >= maxTries:
		log.ErrorContext(ctx, "theme given up")
		return k.fail(ctx, row, why(failure))
	}
	log.WarnContext(ctx, "theme not processed yet")
	return k.postpone(ctx, row, retryAfter<<(row.Tries-1), 0)
}

// why returns the text for the people of the store after the last attempt failed.
func why(failure error) string {
	if _, panicked := errors.AsType[*work.Panic](failure); panicked {
		return "Part of it could not be processed. If it fails again, ask the operator of the service."
	}
	return "Its files could not be stored. Import it again later."
}

// postpone ends a claim and sets the time of the next attempt.
func (k *Keeper) postpone(ctx context.Context, row *db.Theme, next time.Duration, tries int) error {
	err := k.change(ctx, row, "postpone theme", func(u *db.ThemeUpdate) { u.AddTries(tries).Modify(dueIn(next)) })
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// change updates a theme that is being processed. It returns [errLost] if the theme is not as row
// says.
func (k *Keeper) change(ctx context.Context, row *db.Theme, doing string, set func(*db.ThemeUpdate)) error {
	return k.Store.InTx(ctx, func(ctx context.Context) error {
		u := k.Store.DB(ctx).Theme.Update().Where(dbtheme.ID(row.ID)).Where(claimed(row)...)
		set(u)
		n, err := u.Save(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", doing, err)
		case n == 0:
			return errLost
		}
		return nil
	})
}

// claimed returns the conditions that a theme is processed as row says.
func claimed(row *db.Theme) []predicate.Theme {
	return []predicate.Theme{dbtheme.Tries(row.Tries), dbtheme.StatusEQ(state.ThemeProcessing)}
}
