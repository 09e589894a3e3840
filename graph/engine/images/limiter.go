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

// decoder bounds the images that are decoded at once: by their total weight, and by their number
// for each store. A store that sends many waits only for its own.
type decoder struct {
	room     *semaphore.Weighted // see [pixel.Header.Weight]
	most     int64
	perStore *storeLimiter
}

func newDecoder(most int64, ofStore int) *decoder {
	return &decoder{semaphore.NewWeighted(most), most, newStoreLimiter(ofStore)}
}

// decoded runs f, which decodes an image of a store, once there is capacity.
func decoded[T any](
	ctx context.Context, d *decoder, store xid.ID, h pixel.Header, f func() (T, error),
) (result T, err error) {
	ctx, cancel := context.WithTimeout(ctx, scaleLimit)
	defer cancel()
	leave, err := d.perStore.enter(ctx, store)
	if err != nil {
		return result, busy(err)
	}
	defer leave()
	weight := min(h.Weight(), d.most)
	if err := d.room.Acquire(ctx, weight); err != nil {
		return result, busy(err)
	}
	defer d.room.Release(weight)
	if h.Weight() > heavy {
		// Return the memory before the next image needs as much.
		defer debug.FreeOSMemory()
	}
	return f()
}
