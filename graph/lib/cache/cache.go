// Package cache holds values that are expensive to compute: a [Cache] is bounded in
// bytes, and a [Group] computes each value once for all concurrent callers.
package cache

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache keeps values up to a number of bytes and drops those first that were not
// asked for the longest. It may be used by many goroutines.
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

// NewCache makes a cache of up to limit bytes.
func NewCache[K comparable, V any](limit int64) *Cache[K, V] {
	c := &Cache[K, V]{limit: limit}
	// Only a size below one is an error; the bytes are the bound.
	c.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ K, gone sized[V]) { c.used -= gone.bytes })
	return c
}

// Get returns what is kept under a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.kept.Get(key)
	return s.value, ok
}

// Put keeps a value of the size in bytes, in place of what the key had. A value
// of more than a quarter of the cache is not kept: it would push out too much.
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

// Delete forgets a key.
func (c *Cache[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
}
