package sales

import (
	"context"
	"fmt"
	"sync"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// numberBlock is how many order numbers a process takes at once (contract,
// section 5): one number a transaction would let a store sell only one order at
// a time.
const numberBlock = 20

// numbers hands out order numbers, unique per store and not in order of time.
type numbers struct {
	store *ent.Store

	mu     sync.Mutex
	blocks map[xid.ID]*block
}

// block is what is left of the numbers that this process took for a store.
type block struct {
	mu        sync.Mutex
	next, end int64
}

func newNumbers(s *ent.Store) *numbers { return &numbers{store: s, blocks: map[xid.ID]*block{}} }

// Next returns a number that no other order of the viewer's store has or will
// have. Outside a transaction it comes from this process's block. Inside one,
// where the block's own transaction would wait for the one that it serves, it
// is taken with the rest of the change.
func (n *numbers) Next(ctx context.Context) (int64, error) {
	if n.store.Within(ctx) {
		return n.Take(ctx, 1)
	}
	b := n.of(viewer.From(ctx).Store)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == b.end {
		first, err := n.Take(ctx, numberBlock)
		if err != nil {
			return 0, err
		}
		b.next, b.end = first, first+numberBlock
	}
	b.next++
	return b.next - 1, nil
}

func (n *numbers) of(id xid.ID) *block {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.blocks[id] == nil {
		n.blocks[id] = &block{}
	}
	return n.blocks[id]
}

// Take moves the store's counter on by count and returns the first number.
func (n *numbers) Take(ctx context.Context, count int64) (first int64, err error) {
	id := viewer.From(ctx).Store
	err = n.store.InTx(ctx, func(ctx context.Context) error {
		client := n.store.DB(ctx)
		moved, err := client.Store.Update().Where(store.ID(id)).AddNextNumber(count).Save(ctx)
		if err != nil {
			return fmt.Errorf("take order numbers: %w", err)
		}
		if moved == 0 {
			return core.ErrNoRow
		}
		after, err := client.Store.Query().Where(store.ID(id)).Only(ctx)
		if err != nil {
			return fmt.Errorf("take order numbers: %w", err)
		}
		first = after.NextNumber - count
		return nil
	})
	return first, err
}
