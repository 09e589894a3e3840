package model

import (
	"context"
	"sync"
)

// Batch loads one relation of all parents of a page with one query, at the first Get. Unlike a
// loader that collects callers it knows its keys from the start, so the number of queries is
// constant.
type Batch[K comparable, V any] struct {
	keys func() []K
	load func(context.Context, []K) (map[K]V, error)

	mu   sync.Mutex
	rows map[K]V
}

// NewBatch returns a batch. keys is called at the first Get.
func NewBatch[K comparable, V any](keys func() []K, load func(context.Context, []K) (map[K]V, error)) *Batch[K, V] {
	return &Batch[K, V]{keys: keys, load: load}
}

// Get returns the value of a key, or the zero value if it has none. Errors are not cached: the next
// call tries again.
func (b *Batch[K, V]) Get(ctx context.Context, key K) (V, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rows == nil {
		rows, err := b.load(ctx, b.keys())
		if err != nil {
			var none V
			return none, err
		}
		b.rows = rows
	}
	return b.rows[key], nil
}
