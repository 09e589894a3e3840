package session

import (
	"context"

	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Renew records, in the transaction of ctx, that the person of a session has confirmed their
// identity, and returns the time. It returns NotFound if the session has ended or belongs to
// someone else.
func (k *Keeper) Renew(ctx context.Context, person xid.ID, sum digest.Sum) (micros.Time, error) {
	now := micros.Now()
	n, err := k.store.DB(ctx).Session.Update().Where(session.ID(sum), session.UserID(person)).
		SetProvedAt(now).Save(ctx)
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, fault.Missing("session")
	}
	return now, k.note(ctx, person, state.AccountProved, "")
}
