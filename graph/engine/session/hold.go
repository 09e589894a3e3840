package session

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
)

// maxHolds bounds how many people are held at once, so that each holder gets a second connection.
const maxHolds = 4

// Lock prevents others from locking or holding a person until the transaction of ctx ends.
func (k *Keeper) Lock(ctx context.Context, person xid.ID) error {
	query := k.store.DB(ctx).User.Query().Where(user.ID(person))
	query.Modify(ent.ForUpdate)
	_, err := query.Load(ctx)
	return fault.Wrap("lock a person", err)
}

// Hold runs f while a second transaction holds the locks on a person that lock acquired. Use it
// when f writes on another shard than the person's. f runs at most once, and Hold returns its
// error.
func (k *Keeper) Hold(ctx context.Context, lock func(context.Context) error, f func() error) error {
	select {
	case k.holds <- struct{}{}:
		defer func() { <-k.holds }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ran := false
	var answer error
	err := k.store.InTx(ctx, func(ctx context.Context) error {
		if ran {
			return nil // only the lock was lost
		}
		if err := lock(ctx); err != nil {
			return err
		}
		ran = true
		answer = f()
		return nil
	})
	if ran {
		return answer
	}
	return err
}
