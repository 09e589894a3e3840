package sales

import (
	"context"
	"fmt"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// numberBlock is how many order numbers a process takes at once (contract, section 5). Taking one
// per transaction would serialize a store's orders.
const numberBlock = 20

// maxBlocks is for how many stores a process holds numbers. An evicted block leaves a gap, as does
// the end of the process.
const maxBlocks = 10_000

// numbers issues order numbers. They are unique per store, but not in order of time.
type numbers struct {
	store  *ent.Store
	blocks *lru.Cache[xid.ID, *block]
}

// block is the rest of the numbers that this process took for a store.
type block struct {
	mu        sync.Mutex
	next, end int64
}

func newNumbers(s *ent.Store) *numbers {
	blocks, _ := lru.New[xid.ID, *block](maxBlocks) // fails only for a size below one
	return &numbers{store: s, blocks: blocks}
}

// next returns a number that no other order of the viewer's store has or will have. Outside a
// transaction it comes from this process's block. Inside one it is taken as part of the change: the
// block's own transaction would wait for the surrounding one.
func (n *numbers) next(ctx context.Context) (int64, error) {
	if n.store.Within(ctx) {
		return n.take(ctx, 1)
	}
	b := n.of(viewer.From(ctx).Store)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == b.end {
		first, err := n.take(ctx, numberBlock)
		if err != nil {
			return 0, err
		}
		b.next, b.end = first, first+numberBlock
	}
	b.next++
	return b.next - 1, nil
}

func (n *numbers) of(id xid.ID) *block {
	if b, ok := n.blocks.Get(id); ok {
		return b
	}
	b := &block{}
	if other, ok, _ := n.blocks.PeekOrAdd(id, b); ok {
		return other
	}
	return b
}

// take advances the store's counter by count and returns the first number.
func (n *numbers) take(ctx context.Context, count int64) (first int64, err error) {
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
