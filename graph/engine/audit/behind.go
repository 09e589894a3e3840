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

// The kinds of tasks that write a row of another owner's log.
const (
	StoreTask   task.Kind = "audit.store"
	AccountTask task.Kind = "audit.account"
)

// WriteBehind is [Write] for a change of what is of another home than the viewer's store: of
// a person, or of nobody. A task in the transaction of ctx writes the row.
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

// StoreEffect writes the row of a [StoreTask].
func StoreEffect(s *ent.Store) task.Effect {
	return func(ctx context.Context, t task.Task) error {
		var e entry
		if err := t.Read(&e); err != nil {
			return err
		}
		return e.write(ctx, s.DB(ctx), t.Target, t.ID)
	}
}

// AccountBehind is [Account] for what the viewer's store does. A task in the transaction of
// ctx writes the row.
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

// AccountEffect writes the row of an [AccountTask].
func AccountEffect(s *ent.Store) task.Effect {
	return func(ctx context.Context, t task.Task) error {
		var n note
		if err := t.Read(&n); err != nil {
			return err
		}
		return n.write(ctx, s.DB(ctx), t.Target, t.ID)
	}
}
