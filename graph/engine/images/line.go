package images

import (
	"context"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// lines bound what is done for each store at once, so that no store takes every place.
type lines struct {
	most   int // at once, of one store
	mu     sync.Mutex
	stores map[xid.ID]*line
}

// line is where the work of one store waits.
type line struct {
	places chan struct{}
	length int // of the work that waits and the work that is done
}

func newLines(most int) *lines { return &lines{most: most, stores: map[xid.ID]*line{}} }

// enter waits for a place of the store, which leave gives back.
func (l *lines) enter(ctx context.Context, store xid.ID) (leave func(), err error) {
	one := l.join(store)
	select {
	case one.places <- struct{}{}:
		return func() { <-one.places; l.part(store, one) }, nil
	case <-ctx.Done():
		l.part(store, one)
		return nil, ctx.Err()
	}
}

// join finds the line of a store, which exists as long as something is in it.
func (l *lines) join(store xid.ID) *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.stores[store]
	if !ok {
		one = &line{places: make(chan struct{}, l.most)}
		l.stores[store] = one
	}
	one.length++
	return one
}

func (l *lines) part(store xid.ID, one *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.length--; one.length == 0 {
		delete(l.stores, store)
	}
}

// decoder bounds the pictures that are decoded at once: all of them together by their weight, and
// those of each store by their number. A store that sends many waits for its own.
type decoder struct {
	room  *semaphore.Weighted // see [pixel.Header.Weight]
	most  int64
	lines *lines
}

func newDecoder(most int64, ofStore int) *decoder {
	return &decoder{semaphore.NewWeighted(most), most, newLines(ofStore)}
}

// decoded runs what decodes a picture of a store, once there is room for it.
func decoded[T any](
	ctx context.Context, d *decoder, store xid.ID, h pixel.Header, f func() (T, error),
) (made T, err error) {
	ctx, cancel := context.WithTimeout(ctx, scaleLimit)
	defer cancel()
	leave, err := d.lines.enter(ctx, store)
	if err != nil {
		return made, busy(err)
	}
	defer leave()
	weight := min(h.Weight(), d.most)
	if err := d.room.Acquire(ctx, weight); err != nil {
		return made, busy(err)
	}
	defer d.room.Release(weight)
	if h.Weight() > heavy {
		// The next one is not to find the memory of this one taken.
		defer debug.FreeOSMemory()
	}
	return f()
}
