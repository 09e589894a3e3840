package work

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic as an error, with a text for the log.
type Panic struct {
	Value any
	Stack []byte
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Guard recovers panics of background work and counts them.
type Guard struct{ panics atomic.Uint64 }

// Do calls f. A panic is logged with its stack, once, and returned as a [*Panic]. Every goroutine
// of a piece of work needs its own call.
func (g *Guard) Do(ctx context.Context, log *slog.Logger, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			g.panics.Add(1)
			p := &Panic{Value: v, Stack: debug.Stack()}
			log.ErrorContext(ctx, "background work panicked", "error", p, "stack", string(p.Stack))
			err = p
		}
	}()
	return f()
}

// Panics returns the number of panics.
func (g *Guard) Panics() uint64 { return g.panics.Load() }
