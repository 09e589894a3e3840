package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/singleflight"
)

// Group makes each thing once at a time: whoever asks for what is being made waits
// for it. The zero value is ready; it may be used by many goroutines. Keys are distinguished
// apart by how %#v prints them, so they hold no pointers.
type Group[K comparable, V any] struct{ flights singleflight.Group }

// Do returns what f makes for the key. f runs on behalf of all who wait, so it
// ends by the limit and not with the context of the first of them; a panic in it
// is an error. A caller whose own context ends gets that error at once.
func (g *Group[K, V]) Do(
	ctx context.Context, key K, limit time.Duration, f func(context.Context) (V, error),
) (V, error) {
	made := g.flights.DoChan(fmt.Sprintf("%#v", key), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		return guarded(ctx, f)
	})
	var none V
	select {
	case r := <-made:
		if r.Err != nil {
			return none, r.Err
		}
		return r.Val.(V), nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// guarded turns a panic of f into an error: singleflight would end the process
// with it.
func guarded[V any](ctx context.Context, f func(context.Context) (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx)
}
