package audit

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/task"
)

// Kinds of tasks that write a row into the log of another owner.
const (
	StoreTask   task.Kind = "audit.store"
	AccountTask task.Kind = "audit.account"
)

// WriteBehind is like [Write], for a transaction that writes rows of another owner than the
// viewer's store: home is a person or nobody. A task stored in the transaction of ctx writes the
// row.
func WriteBehind(ctx context.Context, k *task.Keeper, home xid.ID, action string, kind xid.Kind, id xid.ID,
	detail string,
) error {
	store, err := rule.Stamp(ctx)
	if err != nil {
		return err
	}
	_, err = k.Put(ctx, StoreTask, home, store, entryOf(ctx, action, kind, id, detail))
	return err
}

// StoreEffect returns the effect of a [StoreTask]: it writes the row.
func StoreEffect(s *ent.Store) task.Effect {
	return func(ctx context.Context, t task.Task) error {
		var e entry
		if err := t.Read(&e); err != nil {
			return err
		}
		return e.write(ctx, s.DB(ctx), t.Target, t.ID)
	}
}

// AccountBehind is like [Account], for a transaction that writes rows of the viewer's store. A task
// stored in the transaction of ctx writes the row.
func AccountBehind(ctx context.Context, k *task.Keeper, person xid.ID, action state.AccountAction,
	detail string,
) error {
	store, err := rule.Stamp(ctx)
	if err != nil {
		return err
	}
	from := viewer.OriginOf(ctx)
	_, err = k.Put(ctx, AccountTask, store, person,
		note{Action: action, Address: from.Address(), Agent: from.Program(), Detail: detail})
	return err
}

// AccountEffect returns the effect of an [AccountTask]: it writes the row.
func AccountEffect(s *ent.Store) task.Effect {
	return func(ctx context.Context, t task.Task) error {
		var n note
		if err := t.Read(&n); err != nil {
			return err
		}
		return n.write(ctx, s.DB(ctx), t.Target, t.ID)
	}
}
