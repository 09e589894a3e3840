package idem

import (
	"sync"

	"github.com/storefront-go/storefront/ent/xid"
)

// gate lets one request of this process run per key. Concurrent requests with the same key (twins)
// wait here, in memory, before they take a database connection that requests of other stores need.
type gate struct {
	mu      sync.Mutex
	running map[xid.ID]chan struct{}
}

// enter returns leave, or else a channel that is closed when the request inside leaves.
func (g *gate) enter(key xid.ID) (leave func(), twin <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if done, ok := g.running[key]; ok {
		return nil, done
	}
	done := make(chan struct{})
	g.running[key] = done
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.running, key)
		close(done)
	}, nil
}
