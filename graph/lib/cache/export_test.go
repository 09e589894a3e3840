package cache

// Used returns how many bytes are stored.
func (c *Cache[K, V]) Used() int64 { return c.used }
