package work

import (
	"context"
	"slices"
	"sync"
)

// Group is a list of services that start in order and stop in reverse.
type Group struct {
	life Life

	mu   sync.Mutex
	list []Service
}

// Add adds services to the group. Call it before Start.
func (g *Group) Add(list ...Service) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = append(g.list, list...)
}

// Start starts every service, in order.
func (g *Group) Start(ctx context.Context) { g.life.Start(ctx, g.begin) }

// Stop stops every service, the last one first.
func (g *Group) Stop(limit context.Context) { g.life.Stop(limit) }

func (g *Group) begin(ctx context.Context) (end func(context.Context)) {
	g.mu.Lock()
	list := slices.Clone(g.list)
	g.mu.Unlock()
	for _, s := range list {
		s.Start(ctx)
	}
	return func(limit context.Context) {
		for _, s := range slices.Backward(list) {
			s.Stop(limit)
		}
	}
}
