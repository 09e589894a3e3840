package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/singleflight"
)

// Group computes each value once for all concurrent callers. The zero value is ready; it is safe
// for concurrent use. Keys are compared by their %#v form, so they must not hold pointers.
type Group[K comparable, V any] struct{ flights singleflight.Group }

// Do returns what f returns for the key. f runs on behalf of all waiting callers, so it is bounded
// by limit, not by the context of the first caller; a panic in it becomes an error. A caller whose
// own context ends gets that error at once.
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

// guarded turns a panic of f into an error. singleflight would crash the process.
func guarded[V any](ctx context.Context, f func(context.Context) (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx)
}
