package idem

import (
	"sync"

	"github.com/storefront-go/storefront/ent/xid"
)

// gate lets one request of this process through per key. Twins wait here, in
// memory, before they take a connection: in the database they would hold one
// each, and other stores' requests would wait for those.
type gate struct {
	mu      sync.Mutex
	running map[xid.ID]chan struct{}
}

func newGate() gate { return gate{running: map[xid.ID]chan struct{}{}} }

// enter returns leave when nobody is inside, or else what is closed when whoever
// is inside has left.
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
