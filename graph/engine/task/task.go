// Package task carries what a change does to the rows of another owner.
//
// One transaction writes the rows of one owner: of a store, of a person, or of nobody. They
// lie on one shard, and another owner's may lie on another. What has to happen there is a
// [Task], a row that commits with the change. Right behind the commit, before whoever asked
// is answered, its [Effect] runs in a transaction of the other owner; a loop does so where a
// crash came between, or the other shard was away. A receipt commits with the effect, so it
// comes about exactly once.
package task

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/task"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Kind names what a task does. It is stored: a kind that was released is never renamed, and
// its effect reads the payloads of before.
type Kind string

// Task is one thing that is to happen in the rows of another owner.
type Task struct {
	// Home is the store, the person or [ent.Nobody] whose rows the change writes, and
	// Target the one whose rows the effect writes.
	Home, Target xid.ID
	ID           xid.ID
	Kind         Kind
	Payload      []byte
}

// Read decodes the payload.
func (t Task) Read(into any) error {
	if err := json.Unmarshal(t.Payload, into); err != nil {
		return fmt.Errorf("read a task: %w", err)
	}
	return nil
}

// Effect does what a task says, in the transaction of ctx, and writes rows of its target
// alone. It may run again, as [ent.Store.InTx] says. A fault refuses the task for good:
// nothing of it happens. Any other error is tried again.
type Effect func(ctx context.Context, t Task) error

// Keeper carries tasks out. It is safe for concurrent use once [Keeper.Use] was called.
type Keeper struct {
	store   *ent.Store
	log     *slog.Logger
	effects map[Kind]Effect
}

// NewKeeper makes a keeper without effects. The logger may be nil.
func NewKeeper(s *ent.Store, log *slog.Logger) *Keeper {
	return &Keeper{store: s, log: cmp.Or(log, slog.New(slog.DiscardHandler)), effects: map[Kind]Effect{}}
}

// Use enters the effect of a kind. Call it before anything else.
func (k *Keeper) Use(kind Kind, f Effect) { k.effects[kind] = f }

// grace is how long a task is left to the process that made it.
const grace = 2 * time.Second

// Done is what became of a task behind the commit.
type Done struct{ err error }

// Before is an error while an earlier task of a kind, of the same home for the same target,
// is not carried out: for an effect that must come behind it.
func (k *Keeper) Before(ctx context.Context, t Task, kind Kind) error {
	ctx = k.store.Aside(ctx) // the tasks are their home's
	left, err := k.store.DB(ctx).Task.Query().
		Where(task.Home(t.Home), task.IDLT(t.ID), task.Target(t.Target), task.Kind(string(kind))).Exist(ctx)
	if err == nil && left {
		err = fmt.Errorf("a task %s is not carried out yet", kind)
	}
	return err
}

// Err is nil before the commit, without a task, and where the task has had its effect. It is a fault where
// the effect refused it; any other error says that it will happen later.
func (d *Done) Err() error {
	if d == nil {
		return nil
	}
	return d.err
}

// Put writes a task in the transaction of ctx, and carries it out behind the commit. The
// payload becomes JSON.
func (k *Keeper) Put(ctx context.Context, kind Kind, home, target xid.ID, payload any) (*Done, error) {
	if !k.store.Within(ctx) {
		return nil, fmt.Errorf("put task %s: %w", kind, ent.ErrNoTx)
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("put task %s: %w", kind, err)
	}
	t := Task{Home: home, Target: target, ID: xid.New(), Kind: kind, Payload: text}
	err = k.store.DB(ctx).Task.Create().SetHome(home).SetID(t.ID).SetKind(string(kind)).SetTarget(target).
		SetPayload(text).SetDueAt(micros.Now().Add(grace)).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("put task %s: %w", kind, err)
	}
	done := new(Done)
	ent.OnCommit(ctx, func() { done.err = k.carryOut(ent.Outside(ctx), t) })
	return done, nil
}

// carryOut lets a task have its effect, unless it had, and forgets it.
func (k *Keeper) carryOut(ctx context.Context, t Task) error {
	err := k.apply(ctx, t)
	refused, final := errors.AsType[*fault.Error](err)
	final = final && refused.Kind != fault.Unavailable
	if err != nil {
		k.log.WarnContext(ctx, "a task was not carried out", "kind", t.Kind, "id", t.ID, "given_up", final,
			"error", err)
	}
	if err != nil && !final {
		return err
	}
	if err := k.forget(ctx, t); err != nil { // a loop finds the receipt, or the refusal
		k.log.WarnContext(ctx, "a task that is done was not forgotten", "kind", t.Kind, "id", t.ID, "error", err)
	}
	return err
}

// apply runs the effect and leaves the receipt.
func (k *Keeper) apply(ctx context.Context, t Task) error {
	effect := k.effects[t.Kind]
	if effect == nil { // of a newer program, which carries it out
		return fmt.Errorf("task %s is unknown to this program", t.Kind)
	}
	return k.store.InTxKeyed(ctx, func(ctx context.Context) error {
		err := k.store.DB(ctx).TaskReceipt.Create().SetHome(t.Target).SetID(t.ID).Exec(ctx)
		if ent.IsDuplicate(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("leave a receipt: %w", err)
		}
		return effect(ctx, t)
	})
}

// forget deletes a task.
func (k *Keeper) forget(ctx context.Context, t Task) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).Task.Delete().Where(task.Home(t.Home), task.ID(t.ID)).Exec(ctx)
		return err
	})
}
