package session

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

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

// PublicID returns the id under which a session is listed to its person. It is a hash of the
// session's own hash, which stays secret.
func PublicID(sum digest.Sum) string {
	of := digest.Of(append([]byte("session id\x00"), sum[:]...))
	return "ses_" + hex.EncodeToString(of[:16])
}

// End ends the session of a person with a public id and reports whether there was one. It joins the
// transaction of ctx.
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

// endNoted deletes one session and records it in the person's log, with the browser that was signed
// out.
func (k *Keeper) endNoted(ctx context.Context, row *db.Session) error {
	n, err := k.store.DB(ctx).Session.Delete().Where(session.UserID(row.UserID), session.ID(row.ID)).Exec(ctx)
	if err != nil || n == 0 {
		return err
	}
	return k.note(ctx, row.UserID, state.AccountSignedOut, row.Agent)
}

func (k *Keeper) end(ctx context.Context, sum digest.Sum) {
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).Session.Delete().Where(session.ID(sum)).Exec(ctx)
		return err
	})
	if err != nil {
		k.log.WarnContext(ctx, "the previous session of a browser could not be ended", "error", err)
	}
}

// EndAll ends all sessions of a person except one, or all of them if except is zero, and returns
// how many. It joins the transaction of ctx.
func (k *Keeper) EndAll(ctx context.Context, person xid.ID, except digest.Sum) (n int, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		n, err = k.store.DB(ctx).Session.Delete().Where(session.UserID(person), session.IDNEQ(except)).Exec(ctx)
		return err
	})
	return n, fault.Wrap("end sessions", err)
}
