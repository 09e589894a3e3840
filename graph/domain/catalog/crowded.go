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

// crowded remembers handles that were taken when a product was to get them. One of these is
// looked for before the next insert: on MySQL an insert that meets a taken handle keeps the end
// of the table from everybody until its transaction ends, since the gap inherits the lock of the
// row that InnoDB took back. Of many products of one title at once most would deadlock.
//
// It is a guess, which costs a read where it is wrong: a slot holds the last of its handles, and
// a handle may be free again.
type crowded struct {
	seed  maphash.Seed
	slots [1 << 10]atomic.Uint64
}

func newCrowded() *crowded { return &crowded{seed: maphash.MakeSeed()} }

func (c *crowded) add(store xid.ID, handle string) {
	slot, sum := c.slot(store, handle)
	slot.Store(sum)
}

func (c *crowded) has(store xid.ID, handle string) bool {
	slot, sum := c.slot(store, handle)
	return slot.Load() == sum
}

func (c *crowded) slot(store xid.ID, handle string) (*atomic.Uint64, uint64) {
	sum := maphash.String(c.seed, string(store[:])+handle)
	return &c.slots[sum%uint64(len(c.slots))], sum
}

// sparing is save, which looks first for a handle that was taken before, and remembers it.
func (m Mutation) sparing(ctx context.Context, save func(handle string) (*db.Product, error),
) func(handle string) (*db.Product, error) {
	of := viewer.From(ctx).Store
	return func(handle string) (*db.Product, error) {
		if m.crowded.has(of, handle) {
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
			m.crowded.add(of, handle)
		}
		return p, err
	}
}
