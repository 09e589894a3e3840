package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/allowance"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
)

// Rate is how often something may happen: Burst times at once, and then once every Every.
type Rate struct {
	Burst int
	Every time.Duration
}

// Per returns the rate of n within a window.
func Per(n int64, window time.Duration) Rate {
	return Rate{Burst: int(n), Every: window / time.Duration(n)}
}

// Charge is one use of a key at its rate.
type Charge struct {
	Key  digest.Sum
	Rate Rate
}

// Key returns the key of a purpose and what it applies to.
func Key(purpose, of string) digest.Sum { return digest.Of([]byte(purpose + "\x00" + of)) }

// errWithin is returned inside a transaction, since an allowance's row belongs to no store and must
// be written alone.
var errWithin = errors.New("ratelimit: an allowance cannot be taken inside a transaction")

// Take counts one use of a key, in its own transaction. If none is left, it counts nothing and
// returns how long to wait, else 0.
func Take(ctx context.Context, s *ent.Store, key digest.Sum, r Rate) (wait time.Duration, err error) {
	if s.Within(ctx) {
		return 0, errWithin
	}
	err = s.InTx(ctx, func(ctx context.Context) (err error) {
		wait, err = take(ctx, s, key, r)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("count: %w", err)
	}
	return wait, nil
}

// TakeAll counts one use for each charge in turn. If one has nothing left, it uncounts the others
// and returns how long to wait, else 0.
func TakeAll(ctx context.Context, s *ent.Store, charges ...Charge) (wait time.Duration, err error) {
	for i, c := range charges {
		if wait, err = Take(ctx, s, c.Key, c.Rate); err != nil {
			return 0, err
		}
		if wait == 0 {
			continue
		}
		for _, counted := range charges[:i] {
			if err := Return(ctx, s, counted.Key, counted.Rate); err != nil {
				return wait, err
			}
		}
		return wait, nil
	}
	return 0, nil
}

// Wait returns how long it takes until each of the charges can be counted, 0 if they can be now. It
// counts nothing, and takes one statement.
func Wait(ctx context.Context, s *ent.Store, charges ...Charge) (wait time.Duration, err error) {
	keys := make([]digest.Sum, len(charges))
	for i, c := range charges {
		keys[i] = c.Key
	}
	rows, err := s.DB(ctx).Allowance.Query().Where(allowance.IDIn(keys...)).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("read allowances: %w", err)
	}
	now := micros.Now()
	for _, row := range rows {
		for _, c := range charges {
			if c.Key == row.ID {
				wait = max(wait, row.FullAt.Time().Sub(c.Rate.latest(now).Time()))
			}
		}
	}
	return wait, nil
}

// latest returns the latest time of being full again that leaves room for one.
func (r Rate) latest(now micros.Time) micros.Time { return now.Add(time.Duration(r.Burst-1) * r.Every) }

// take counts one use in one statement if there is room. It is an upsert: on MySQL, an UPDATE of a
// missing row locks the gap into which two callers would insert theirs, and they would deadlock.
func take(ctx context.Context, s *ent.Store, key digest.Sum, r Rate) (time.Duration, error) {
	now := micros.Now()
	latest, every := r.latest(now), r.Every.Microseconds()
	query := "INSERT INTO allowances (id, full_at) VALUES (?, ?) "
	next := "CASE WHEN full_at > ? THEN full_at WHEN full_at > ? THEN full_at + ? ELSE ? END"
	args := []any{key, now.Add(r.Every), latest, now, every, now.Add(r.Every)}
	if s.Dialect() == dialect.MySQL { // an unchanged row does not count as affected
		query += "ON DUPLICATE KEY UPDATE full_at = " + next
	} else {
		query += "ON CONFLICT (id) DO UPDATE SET full_at = " + next + " WHERE full_at <= ?"
		args = append(args, latest)
	}
	res, err := s.DB(ctx).ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return 0, err
	}
	row, err := s.DB(ctx).Allowance.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	return max(row.FullAt.Time().Sub(latest.Time()), time.Microsecond), nil
}

// Return uncounts one use of a key.
func Return(ctx context.Context, s *ent.Store, key digest.Sum, r Rate) error {
	err := s.InTx(ctx, func(ctx context.Context) error {
		return s.DB(ctx).Allowance.Update().Where(allowance.ID(key)).
			Modify(func(u *sql.UpdateBuilder) {
				u.Set(allowance.FieldFullAt, sql.Expr("`full_at` - ?", r.Every.Microseconds()))
			}).Exec(ctx)
	})
	if err != nil {
		return fmt.Errorf("return an allowance: %w", err)
	}
	return nil
}

// purgeBatch keeps a transaction short.
const purgeBatch = 90

// Purge deletes the rows of full allowances, which mean the same as none, and returns how many.
func Purge(ctx context.Context, s *ent.Store) (total int, err error) {
	cutoff := micros.Now()
	return s.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for n := purgeBatch; n == purgeBatch; total += n {
			if n, err = purge(ctx, s, cutoff); err != nil {
				return total, fmt.Errorf("purge allowances: %w", err)
			}
		}
		return total, nil
	})
}

func purge(ctx context.Context, s *ent.Store, cutoff micros.Time) (n int, err error) {
	keys, err := s.Seek(ctx).Allowance.Query().Where(allowance.FullAtLTE(cutoff)).Order(allowance.ByFullAt()).
		Limit(purgeBatch).IDs(ctx)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	err = s.InTx(ctx, func(ctx context.Context) error {
		n, err = s.DB(ctx).Allowance.Delete().Where(allowance.IDIn(keys...), allowance.FullAtLTE(cutoff)).Exec(ctx)
		return err
	})
	return n, err
}
