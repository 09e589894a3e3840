// Package task changes rows of another owner after a commit.
//
// One transaction writes the rows of one owner: a store, a person, or nobody. They are on one
// shard, and another owner's rows may be on another. A change of those is a [Task], a row that
// commits with the change that caused it. Right after the commit, before the request is answered,
// its [Effect] runs in a transaction of the other owner; a loop retries it after a crash or while
// the other shard is down. A receipt commits with the effect, so it happens exactly once.
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

// Kind names what a task does. It is stored: a released kind is never renamed, and its effect must
// read the payloads of previous releases.
type Kind string

// Task is a change of another owner's rows.
type Task struct {
	// Home is the owner of the change that caused the task, Target the owner of the rows that the
	// effect writes: a store, a person or [ent.NoOwner].
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

// Effect carries out a task in the transaction of ctx, and writes only rows of its target. It may
// run again, like every function of [ent.Store.InTx]. If it returns a fault, the task is refused
// for good and has no effect. After any other error it is tried again.
type Effect func(ctx context.Context, t Task) error

// Keeper carries out tasks. It is safe for concurrent use after the calls of [Keeper.Register].
type Keeper struct {
	store   *ent.Store
	log     *slog.Logger
	effects map[Kind]Effect
}

// NewKeeper returns a keeper without effects. The logger may be nil.
func NewKeeper(s *ent.Store, log *slog.Logger) *Keeper {
	return &Keeper{store: s, log: cmp.Or(log, slog.New(slog.DiscardHandler)), effects: map[Kind]Effect{}}
}

// Register registers the effect of a kind. Call it before any other method.
func (k *Keeper) Register(kind Kind, f Effect) { k.effects[kind] = f }

// grace is how long a task is left to the process that wrote it.
const grace = 2 * time.Second

// Result is the result of a task after the commit.
type Result struct{ err error }

// Before returns an error while an earlier task of a kind, with the same home and target, is not
// carried out. Effects that depend on that task call it.
func (k *Keeper) Before(ctx context.Context, t Task, kind Kind) error {
	ctx = k.store.Aside(ctx) // tasks are rows of their home
	left, err := k.store.DB(ctx).Task.Query().
		Where(task.Home(t.Home), task.IDLT(t.ID), task.Target(t.Target), task.Kind(string(kind))).Exist(ctx)
	if err == nil && left {
		err = fmt.Errorf("task %s has not run yet", kind)
	}
	return err
}

// Err returns nil before the commit, without a task, and if the task has had its effect. It returns
// a fault if the effect refused the task; after any other error, the task will be carried out
// later.
func (d *Result) Err() error {
	if d == nil {
		return nil
	}
	return d.err
}

// Put writes a task in the transaction of ctx, and carries it out after the commit. The payload is
// encoded as JSON.
func (k *Keeper) Put(ctx context.Context, kind Kind, home, target xid.ID, payload any) (*Result, error) {
	t, err := k.write(ctx, kind, home, target, payload)
	if err != nil {
		return nil, fmt.Errorf("put task %s: %w", kind, err)
	}
	done := new(Result)
	ent.OnCommit(ctx, func() { done.err = k.carryOut(ent.Outside(ctx), t) })
	return done, nil
}

// Leave writes a task in the transaction of ctx, and leaves it to the loop: nobody waits for it.
func (k *Keeper) Leave(ctx context.Context, kind Kind, home, target xid.ID, payload any) error {
	_, err := k.write(ctx, kind, home, target, payload)
	return fault.Wrap("leave task "+string(kind), err)
}

func (k *Keeper) write(ctx context.Context, kind Kind, home, target xid.ID, payload any) (Task, error) {
	if !k.store.Within(ctx) {
		return Task{}, ent.ErrNoTx
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return Task{}, err
	}
	t := Task{Home: home, Target: target, ID: xid.New(), Kind: kind, Payload: text}
	return t, k.store.DB(ctx).Task.Create().SetHome(home).SetID(t.ID).SetKind(string(kind)).SetTarget(target).
		SetPayload(text).SetDueAt(micros.Now().Add(grace)).Exec(ctx)
}

// carryOut applies a task, unless that was done before, and deletes it.
func (k *Keeper) carryOut(ctx context.Context, t Task) error {
	err := k.apply(ctx, t)
	refused, final := errors.AsType[*fault.Error](err)
	final = final && refused.Kind != fault.Unavailable
	if err != nil {
		k.log.WarnContext(ctx, "a task failed", "kind", t.Kind, "id", t.ID, "given_up", final,
			"error", err)
	}
	if err != nil && !final {
		return err
	}
	deleted := k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).Task.Delete().Where(task.Home(t.Home), task.ID(t.ID)).Exec(ctx)
		return err
	})
	if deleted != nil { // the loop finds the receipt, or the refusal
		k.log.WarnContext(ctx, "could not delete a completed task", "kind", t.Kind, "id", t.ID, "error", deleted)
	}
	return err
}

// apply runs the effect and writes the receipt.
func (k *Keeper) apply(ctx context.Context, t Task) error {
	effect := k.effects[t.Kind]
	if effect == nil { // a newer release carries it out
		return fmt.Errorf("task %s is unknown to this program", t.Kind)
	}
	return k.store.InTxKeyed(ctx, func(ctx context.Context) error {
		err := k.store.DB(ctx).TaskReceipt.Create().SetHome(t.Target).SetID(t.ID).Exec(ctx)
		if ent.IsDuplicate(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("write a receipt: %w", err)
		}
		return effect(ctx, t)
	})
}
