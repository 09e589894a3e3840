package cache

// Used returns how many bytes are kept.
func (c *Cache[K, V]) Used() int64 { return c.used }
