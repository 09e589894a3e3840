// Package memo keeps what is costly to make: a [Cache] that is bounded in bytes
// and a [Group] that makes one thing once, however many ask for it.
package memo

import (
	"container/list"
	"sync"
)

// Cache keeps values up to a number of bytes and drops those first that were not
// asked for the longest. It may be used by many goroutines.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int64
	used  int64
	order *list.List // of *item[K, V], the last used first
	items map[K]*list.Element
}

type item[K comparable, V any] struct {
	key   K
	value V
	size  int64
}

// NewCache makes a cache of up to limit bytes.
func NewCache[K comparable, V any](limit int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, order: list.New(), items: map[K]*list.Element{}}
}

// Get returns what is kept under a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*item[K, V]).value, true
}

// Put keeps a value of the size in bytes, in place of what the key had. A value
// of more than a quarter of the cache is not kept: it would push out too much.
func (c *Cache[K, V]) Put(key K, value V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.drop(e)
	}
	if size > c.limit/4 {
		return
	}
	c.items[key] = c.order.PushFront(&item[K, V]{key, value, size})
	c.used += size
	for c.used > c.limit {
		c.drop(c.order.Back())
	}
}

// Delete forgets a key.
func (c *Cache[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.drop(e)
	}
}

// Used returns how many bytes are kept.
func (c *Cache[K, V]) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

func (c *Cache[K, V]) drop(e *list.Element) {
	i := c.order.Remove(e).(*item[K, V])
	delete(c.items, i.key)
	c.used -= i.size
}
