package task

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/task"
	"github.com/storefront-go/storefront/ent/db/taskreceipt"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

const (
	// Every is the time between two rounds: tasks left by a crash, such as the revocation of a
	// person's tokens, are carried out a few seconds later.
	Every = time.Second
	// batch bounds the rows that are read at once.
	batch = 90
	// maxWait is the longest wait between two tries.
	maxWait = 5 * time.Minute
	// ReceiptRetention is how long a receipt is kept at least.
	ReceiptRetention = 24 * time.Hour
)

// Round carries out the remaining tasks, shard by shard. A task that fails is tried again later and
// does not delay others.
func (k *Keeper) Round(ctx context.Context) error {
	return k.store.EachShard(ctx, func(ctx context.Context) error {
		for {
			query := k.store.Seek(ctx).Task.Query()
			query.Modify(lease.Due(batch))
			rows, err := query.All(ctx)
			if err != nil {
				return fmt.Errorf("look for tasks: %w", err)
			}
			var errs []error
			for _, row := range rows {
				errs = append(errs, k.try(ctx, row))
			}
			if err := errors.Join(errs...); err != nil || len(rows) < batch {
				return err
			}
		}
	})
}

// try postpones a task and carries it out. Of two concurrent calls, one does.
func (k *Keeper) try(ctx context.Context, row *db.Task) error {
	wait := min(grace<<min(row.Attempts, 10), maxWait)
	queue := lease.Queue{Store: k.store, Table: task.Table, Owner: task.FieldHome, Tries: task.FieldAttempts}
	mine, err := queue.Claim(ctx, row.Home, row.ID, row.Attempts, wait)
	if err != nil {
		return fmt.Errorf("take a task: %w", err)
	}
	if mine { // the failure was logged
		_ = k.carryOut(ctx, Task{Home: row.Home, Target: row.Target, ID: row.ID, Kind: Kind(row.Kind),
			Payload: row.Payload})
	}
	return nil
}

// Purge deletes the receipts that are older than both [ReceiptRetention] and every remaining task, and returns
// their number. Without its receipt, a task would have its effect again.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	end, err := k.oldest(ctx, xid.First(micros.Now().Add(-ReceiptRetention)))
	if err != nil {
		return 0, fmt.Errorf("purge receipts: %w", err)
	}
	return k.store.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for n := batch; n == batch; total += n {
			if n, err = k.purge(ctx, end); err != nil {
				return total, fmt.Errorf("purge receipts: %w", err)
			}
		}
		return total, nil
	})
}

// oldest returns the lowest id of all remaining tasks, or end if that is lower.
func (k *Keeper) oldest(ctx context.Context, end xid.ID) (xid.ID, error) {
	var mu sync.Mutex
	err := k.store.EachShard(ctx, func(ctx context.Context) error {
		rows, err := k.store.Seek(ctx).Task.Query().Where(task.IDLT(end)).Order(task.ByID()).Limit(1).All(ctx)
		mu.Lock()
		defer mu.Unlock()
		if len(rows) == 1 && rows[0].ID.Compare(end) < 0 {
			end = rows[0].ID
		}
		return err
	})
	return end, err
}

func (k *Keeper) purge(ctx context.Context, end xid.ID) (int, error) {
	rows, err := k.store.Seek(ctx).TaskReceipt.Query().Where(taskreceipt.IDLT(end)).Order(taskreceipt.ByID()).
		Limit(batch).All(ctx)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	args := make([]any, 0, 2*len(rows))
	for _, r := range rows {
		args = append(args, r.Home, r.ID)
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).ExecContext(ctx,
			"DELETE FROM task_receipts WHERE "+ent.Among(k.store.Dialect(), "home, id", len(rows)), args...)
		return err
	})
	return len(rows), err
}
