package model

import (
	"context"
	"sync"
)

// Batch loads one relation of all the parents of a page with one query, when
// the first of them is asked for it. Unlike a loader that waits for callers, it
// knows its keys from the start, so the number of queries never varies.
type Batch[K comparable, V any] struct {
	keys func() []K
	load func(context.Context, []K) (map[K]V, error)

	mu   sync.Mutex
	rows map[K]V
}

// NewBatch makes a batch; keys is called once, at the first Get.
func NewBatch[K comparable, V any](keys func() []K, load func(context.Context, []K) (map[K]V, error)) *Batch[K, V] {
	return &Batch[K, V]{keys: keys, load: load}
}

// Get returns what belongs to key, the zero value when nothing does. An error
// is not kept: the next caller tries again.
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
