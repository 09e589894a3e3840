package work

import (
	"context"
	"slices"
	"sync"

	"github.com/storefront-go/storefront/ent"
)

// Service works in the background from Start to Stop. Both may be called at any time, concurrently
// and repeatedly: starting a running service and stopping a stopped one do nothing, and a stopped
// service may be started again.
type Service interface {
	// Start begins the work. The end of ctx does not end it.
	Start(ctx context.Context)
	// Stop ends the work and waits for it until limit; then it is cut off.
	Stop(limit context.Context)
}

// Life implements the methods of a [Service] that can begin and end.
type Life struct {
	mu  sync.Mutex
	now *span // nil while the service is stopped
}

// span is one run of a service, from its start to its stop.
type span struct {
	stop     func(limit context.Context)
	stopping bool
	ended    chan struct{}
}

// Start calls begin, which starts the work and returns a function that ends it, unless the service
// is running. If it is stopping, Start waits for that. The context of begin is that of background
// work ([ent.Background]): no request waits for its transactions in a shared commit.
func (l *Life) Start(ctx context.Context, begin func(ctx context.Context) (end func(limit context.Context))) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.now != nil {
		if !l.now.stopping {
			return
		}
		ended := l.now.ended
		l.mu.Unlock()
		<-ended
		l.mu.Lock()
	}
	l.now = &span{stop: begin(ent.Background(context.WithoutCancel(ctx))), ended: make(chan struct{})}
}

// Stop calls the function that begin returned. Concurrent calls wait for it, each until its own
// limit.
func (l *Life) Stop(limit context.Context) {
	l.mu.Lock()
	s := l.now
	if s == nil {
		l.mu.Unlock()
		return
	}
	first := !s.stopping
	s.stopping = true
	l.mu.Unlock()
	if !first {
		within(limit, s.ended)
		return
	}
	defer func() {
		l.mu.Lock()
		l.now = nil
		l.mu.Unlock()
		close(s.ended)
	}()
	s.stop(limit)
}

// Wait waits for a group until limit.
func Wait(limit context.Context, g *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() { defer close(ended); g.Wait() }()
	within(limit, ended)
}

func within(limit context.Context, ended <-chan struct{}) {
	select {
	case <-ended:
	case <-limit.Done():
	}
}

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
