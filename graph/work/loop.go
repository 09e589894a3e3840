// Package work runs what happens beside the requests: loops that wake at
// intervals, and groups of them that start in order and stop in reverse.
package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"
)

// Config describes a loop.
type Config struct {
	// Name stands in the log.
	Name string
	// Run does one round. Its context ends when the loop stops.
	Run func(ctx context.Context) error
	// Interval is the time between the end of a round and the start of the next.
	Interval time.Duration
	// Jitter is the part of the interval that chance adds or takes, so that many
	// processes do not come at once: 0.1, the default, is a tenth.
	Jitter float64
	// Timeout bounds one round; default five minutes.
	Timeout time.Duration
	// Woken makes the next round come now; nil never does.
	Woken  <-chan struct{}
	Logger *slog.Logger
}

// Loop runs rounds until it is stopped. A round that fails, or panics, is logged
// and the next one comes at its time.
type Loop struct {
	Config

	mu   sync.Mutex
	stop context.CancelFunc // nil while the loop stands
	done chan struct{}
}

// New makes a loop that stands still.
func New(c Config) (*Loop, error) {
	if c.Name == "" || c.Run == nil || c.Interval <= 0 || c.Jitter < 0 || c.Jitter >= 1 {
		return nil, errors.New("work: a loop needs a name, a function, an interval and a jitter below 1")
	}
	c.Jitter = cmp.Or(c.Jitter, 0.1)
	c.Timeout = cmp.Or(c.Timeout, 5*time.Minute)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Loop{Config: c}, nil
}

// Start lets the loop run; the first round comes after one interval. It does
// nothing when the loop runs already.
func (l *Loop) Start(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		return
	}
	ctx, l.stop = context.WithCancel(ctx)
	done := make(chan struct{})
	l.done = done
	go func() {
		defer close(done)
		l.rounds(ctx)
	}()
}

// Stop ends the context of the round that runs and waits for it to return. The
// loop may be started again.
func (l *Loop) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop == nil {
		return
	}
	l.stop()
	<-l.done
	l.stop = nil
}

func (l *Loop) rounds(ctx context.Context) {
	timer := time.NewTimer(l.pause())
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.Woken:
		case <-timer.C:
		}
		// Both may be ready: a loop that was stopped begins nothing.
		if ctx.Err() != nil {
			return
		}
		l.round(ctx)
		timer.Reset(l.pause())
	}
}

// pause is the interval with its jitter.
func (l *Loop) pause() time.Duration {
	part := l.Jitter * (2*rand.Float64() - 1)
	return max(l.Interval+time.Duration(part*float64(l.Interval)), 1)
}

func (l *Loop) round(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	// A round that was cut off by Stop has not failed.
	if err := l.guarded(bounded); err != nil && ctx.Err() == nil {
		l.Logger.ErrorContext(ctx, "background work failed", "loop", l.Name, "error", err)
	}
}

// guarded turns a panic into an error: one broken round must not end the
// requests of the process.
func (l *Loop) guarded(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return l.Run(ctx)
}
