package catalog

import (
	"context"
	"hash/maphash"
	"sync/atomic"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// takenHandles is a cache of handles that were taken when a product was to get them. Such a handle
// is read before the next insert, because on MySQL an insert of a taken handle locks the end of the
// table until its transaction ends: the gap inherits the lock of the row that InnoDB rolled back.
// Many concurrent products with the same title would mostly deadlock.
//
// A wrong entry only costs a read: a slot holds its latest handle, and a handle may be free again.
type takenHandles struct {
	seed  maphash.Seed
	slots [1 << 10]atomic.Uint64
}

func newTakenHandles() *takenHandles { return &takenHandles{seed: maphash.MakeSeed()} }

func (c *takenHandles) add(store xid.ID, handle string) {
	slot, sum := c.slot(store, handle)
	slot.Store(sum)
}

func (c *takenHandles) has(store xid.ID, handle string) bool {
	slot, sum := c.slot(store, handle)
	return slot.Load() == sum
}

func (c *takenHandles) slot(store xid.ID, handle string) (*atomic.Uint64, uint64) {
	sum := maphash.String(c.seed, string(store[:])+handle)
	return &c.slots[sum%uint64(len(c.slots))], sum
}

// avoidTaken wraps save: it first checks handles in the cache, and adds handles that turn out to be
// taken.
func (m Mutation) avoidTaken(ctx context.Context, save func(handle string) (*db.Product, error),
) func(handle string) (*db.Product, error) {
	of := viewer.From(ctx).Store
	return func(handle string) (*db.Product, error) {
		if m.taken.has(of, handle) {
			taken, err := m.Client(ctx).Product.Query().Where(product.Handle(handle)).Exist(ctx)
			if err != nil {
				return nil, err
			}
			if taken {
				return nil, core.ErrTaken
			}
		}
		p, err := save(handle)
		if ent.IsDuplicate(err) {
			m.taken.add(of, handle)
		}
		return p, err
	}
}
