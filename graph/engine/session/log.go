package session

import (
	"context"
	"sync/atomic"

	"github.com/storefront-go/storefront/ent/db/accountevent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

func (k *Keeper) note(ctx context.Context, person xid.ID, action state.AccountAction, detail string) error {
	return audit.Account(ctx, k.store.DB(ctx), person, action, detail)
}

// refuse counts a wrong password and records it in the log of the person whose account it was.
// Attempts beyond the rates on guessing are not recorded, which bounds the log as well.
func (k *Keeper) refuse(ctx context.Context, charges []ratelimit.Charge, person xid.ID) error {
	if err := k.admit(ctx, ratelimit.TakeAll, charges); err != nil {
		return err
	}
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		if !person.IsNil() {
			return k.note(ctx, person, state.AccountRefused, "")
		}
		// The same number of statements for an unknown account, so that the time does not reveal
		// who has one.
		_, err := k.store.DB(ctx).AccountEvent.Query().Where(accountevent.UserID(xid.Nil), accountevent.ID(xid.Nil)).
			Load(ctx)
		return err
	})
	if err == nil {
		k.counts.refused.Add(1)
	}
	return explain("sign in", err)
}

type counts struct{ signedIn, refused, throttled atomic.Uint64 }

// Counts holds how many attempts ended how in this process.
type Counts struct {
	SignedIn  uint64 // sessions that began
	Refused   uint64 // wrong passwords, including those of signed-in people
	Throttled uint64 // attempts beyond a rate
}

// Counts returns the counters since the start.
func (k *Keeper) Counts() Counts {
	return Counts{SignedIn: k.counts.signedIn.Load(), Refused: k.counts.refused.Load(),
		Throttled: k.counts.throttled.Load()}
}
