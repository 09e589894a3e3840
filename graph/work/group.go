package work

import (
	"context"
	"slices"
	"sync"
)

// Group is loops that belong together, in the order in which they start.
type Group struct {
	mu    sync.Mutex
	loops []*Loop
}

// Add makes a loop of the group. Call it before Start.
func (g *Group) Add(c Config) (*Loop, error) {
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.loops = append(g.loops, l)
	return l, nil
}

// Start starts every loop, in order.
func (g *Group) Start(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.loops {
		l.Start(ctx)
	}
}

// Stop stops every loop, the last one first, and waits for each.
func (g *Group) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range slices.Backward(g.loops) {
		l.Stop()
	}
}
