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

// note writes a row of a person's own log, in the transaction of ctx.
func (k *Keeper) note(ctx context.Context, person xid.ID, action state.AccountAction, detail string) error {
	return audit.Account(ctx, k.store.DB(ctx), person, action, detail)
}

// note is what a person's own log says of a sign-in.
func (s Signed) note() string {
	if s.NewDevice {
		return "with a new browser"
	}
	return ""
}

// refuse counts a wrong password, and notes it in the log of the person whom it is
// about. The bounds on guessing bound that log too: what is refused for being too much
// leaves nothing.
func (k *Keeper) refuse(ctx context.Context, charges []ratelimit.Charge, person xid.ID) error {
	if err := k.count(ctx, charges); err != nil {
		return err
	}
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		if !person.IsNil() {
			return k.note(ctx, person, state.AccountRefused, "")
		}
		// As many statements for nobody: their time shall not reveal who has an account.
		_, err := k.store.DB(ctx).AccountEvent.Query().Where(accountevent.UserID(xid.Nil), accountevent.ID(xid.Nil)).
			Load(ctx)
		return err
	})
	if err == nil {
		k.counts.refused.Add(1)
	}
	return explain("sign in", err)
}

// counts are what happened since the start.
type counts struct{ signedIn, refused, throttled atomic.Uint64 }

// Counts are how many attempts ended how, in this process.
type Counts struct {
	SignedIn  uint64 // sessions that began
	Refused   uint64 // wrong passwords, of people who are signed in too
	Throttled uint64 // attempts that came too soon after others
}

// Counts returns what happened since the start.
func (k *Keeper) Counts() Counts {
	return Counts{SignedIn: k.counts.signedIn.Load(), Refused: k.counts.refused.Load(),
		Throttled: k.counts.throttled.Load()}
}
