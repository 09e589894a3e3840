// Package cache holds values that are expensive to compute: a [Cache] is bounded in
// bytes, and a [Group] computes each value once for all concurrent callers.
package cache

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache stores values up to a number of bytes and evicts the least recently used first. It is safe
// for concurrent use.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int64
	used  int64
	kept  *simplelru.LRU[K, sized[V]]
}

type sized[V any] struct {
	value V
	bytes int64
}

// NewCache returns a cache of up to limit bytes.
func NewCache[K comparable, V any](limit int64) *Cache[K, V] {
	c := &Cache[K, V]{limit: limit}
	// NewLRU fails only for a size below one; the bytes are the bound.
	c.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ K, gone sized[V]) { c.used -= gone.bytes })
	return c
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.kept.Get(key)
	return s.value, ok
}

// Put stores a value of the given size in bytes under a key. It does not store a value of more than
// a quarter of the cache, which would evict too much.
func (c *Cache[K, V]) Put(key K, value V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
	if size > c.limit/4 {
		return
	}
	c.kept.Add(key, sized[V]{value, size})
	for c.used += size; c.used > c.limit; {
		c.kept.RemoveOldest()
	}
}

// Delete removes a key.
func (c *Cache[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
}
