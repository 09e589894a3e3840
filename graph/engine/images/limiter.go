package images

import (
	"context"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// storeLimiter bounds the concurrent work for each store, so that no store takes all the capacity.
type storeLimiter struct {
	most   int // per store
	mu     sync.Mutex
	stores map[xid.ID]*storeSlots
}

// storeSlots are the slots of one store.
type storeSlots struct {
	slots chan struct{}
	users int // work that waits or runs
}

func newStoreLimiter(most int) *storeLimiter {
	return &storeLimiter{most: most, stores: map[xid.ID]*storeSlots{}}
}

// enter waits for a slot of the store. Call leave to release it.
func (l *storeLimiter) enter(ctx context.Context, store xid.ID) (leave func(), err error) {
	one := l.join(store)
	select {
	case one.slots <- struct{}{}:
		return func() { <-one.slots; l.part(store, one) }, nil
	case <-ctx.Done():
		l.part(store, one)
		return nil, ctx.Err()
	}
}

// join returns the slots of a store, which exist as long as any work uses them.
func (l *storeLimiter) join(store xid.ID) *storeSlots {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.stores[store]
	if !ok {
		one = &storeSlots{slots: make(chan struct{}, l.most)}
		l.stores[store] = one
	}
	one.users++
	return one
}

func (l *storeLimiter) part(store xid.ID, one *storeSlots) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.stores, store)
	}
}

// capacity bounds the images that are processed at once: by their total weight, and by their number
// for each store. A store that sends many waits only for its own.
type capacity struct {
	room     *semaphore.Weighted
	most     int64
	perStore *storeLimiter
}

func newCapacity(most int64, ofStore int) *capacity {
	return &capacity{semaphore.NewWeighted(most), most, newStoreLimiter(ofStore)}
}

// enter waits for capacity. Call leave to release it.
func (c *capacity) enter(ctx context.Context, store xid.ID, weight int64) (leave func(), err error) {
	part, err := c.perStore.enter(ctx, store)
	if err != nil {
		return nil, err
	}
	weight = min(weight, c.most)
	if err := c.room.Acquire(ctx, weight); err != nil {
		part()
		return nil, err
	}
	return func() { c.room.Release(weight); part() }, nil
}

// decoded runs f, which decodes an image of a store, once there is capacity.
func decoded[T any](
	ctx context.Context, c *capacity, store xid.ID, h pixel.Header, f func() (T, error),
) (result T, err error) {
	ctx, cancel := context.WithTimeout(ctx, scaleLimit)
	defer cancel()
	leave, err := c.enter(ctx, store, h.Weight())
	if err != nil {
		return result, busy(err)
	}
	defer leave()
	if h.Weight() > heavy {
		// Return the memory before the next image needs as much.
		defer debug.FreeOSMemory()
	}
	return f()
}
