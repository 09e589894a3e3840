package session

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// purgeBatch keeps a transaction short.
const purgeBatch = 90

// SignOut ends the session of a token, if there is one.
func (k *Keeper) SignOut(ctx context.Context, token string) error {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil
	}
	return explain("sign out", k.store.InTx(ctx, func(ctx context.Context) error {
		rows, err := k.store.DB(ctx).Session.Query().Where(session.ID(sum)).Load(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		return k.endNoted(ctx, rows[0])
	}))
}

// PublicID names a session to its person. The hash that finds it is a secret of the
// server's, as far as it can be kept; nobody reads it from this.
func PublicID(sum digest.Sum) string {
	of := digest.Of(append([]byte("session id\x00"), sum[:]...))
	return "ses_" + hex.EncodeToString(of[:16])
}

// End ends the one session of a person that has a public id, and reports whether there
// was one. It joins the transaction of ctx.
func (k *Keeper) End(ctx context.Context, person xid.ID, public string) (ended bool, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		rows, err := k.List(ctx, person)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(rows, func(row *db.Session) bool { return PublicID(row.ID) == public })
		if ended = i >= 0; !ended {
			return nil
		}
		return k.endNoted(ctx, rows[i])
	})
	return ended, err
}

// endNoted deletes one session and notes it in its person's log, with what was signed
// out.
func (k *Keeper) endNoted(ctx context.Context, row *db.Session) error {
	n, err := k.store.DB(ctx).Session.Delete().Where(session.UserID(row.UserID), session.ID(row.ID)).Exec(ctx)
	if err != nil || n == 0 {
		return err
	}
	return k.note(ctx, row.UserID, state.AccountSignedOut, row.Agent)
}

// end deletes one session, in a transaction of its own.
func (k *Keeper) end(ctx context.Context, sum digest.Sum) {
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).Session.Delete().Where(session.ID(sum)).Exec(ctx)
		return err
	})
	if err != nil {
		k.log.WarnContext(ctx, "the former session of a browser was not ended", "error", err)
	}
}

// EndAll ends every session of a person but one, or, with the zero digest, that
// too, and returns how many. It joins the transaction of ctx.
func (k *Keeper) EndAll(ctx context.Context, person xid.ID, except digest.Sum) (n int, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		n, err = k.store.DB(ctx).Session.Delete().Where(session.UserID(person), session.IDNEQ(except)).Exec(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return n, nil
}

// Purge deletes the sessions that are past their whole life and returns how
// many. Nothing depends on it but space; those that rested too long wait for
// that end too, since no index leads to them.
func (k *Keeper) Purge(ctx context.Context) (total int, err error) {
	cutoff := micros.Now()
	return k.store.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for n := purgeBatch; n == purgeBatch; total += n {
			if n, err = k.purge(ctx, cutoff); err != nil {
				return total, fmt.Errorf("purge sessions: %w", err)
			}
		}
		return total, nil
	})
}

// purge deletes one batch. It reads the keys first: a DELETE by range would lock
// what lies between them.
func (k *Keeper) purge(ctx context.Context, cutoff micros.Time) (n int, err error) {
	sums, err := k.store.Seek(ctx).Session.Query().Where(session.ExpiresAtLTE(cutoff)).Order(session.ByExpiresAt()).
		Limit(purgeBatch).IDs(ctx)
	if err != nil || len(sums) == 0 {
		return 0, err
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		n, err = k.store.DB(ctx).Session.Delete().Where(session.IDIn(sums...)).Exec(ctx)
		return err
	})
	return n, err
}
