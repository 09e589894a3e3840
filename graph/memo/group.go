package memo

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Group makes each thing once at a time: whoever asks for what is being made waits
// for it. The zero value is ready; it may be used by many goroutines.
type Group[K comparable, V any] struct {
	mu     sync.Mutex
	making map[K]*making[V]
}

// making is one thing being made. Its result is written before done is closed.
type making[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// Do returns what f makes for the key. f runs on behalf of all who wait, so it
// ends by the limit and not with the context of the first of them; a panic in it
// is an error. A caller whose own context ends gets that error at once.
func (g *Group[K, V]) Do(ctx context.Context, key K, limit time.Duration, f func(context.Context) (V, error)) (V, error) {
	g.mu.Lock()
	m, ok := g.making[key]
	if !ok {
		m = &making[V]{done: make(chan struct{})}
		if g.making == nil {
			g.making = map[K]*making[V]{}
		}
		g.making[key] = m
		go g.run(context.WithoutCancel(ctx), key, m, limit, f)
	}
	g.mu.Unlock()
	select {
	case <-m.done:
		return m.value, m.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

func (g *Group[K, V]) run(ctx context.Context, key K, m *making[V], limit time.Duration, f func(context.Context) (V, error)) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer func() {
		if p := recover(); p != nil {
			m.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		cancel()
		g.mu.Lock()
		delete(g.making, key)
		g.mu.Unlock()
		close(m.done)
	}()
	m.value, m.err = f(ctx)
}
