// Package work runs background work: services with a common start and stop, loops that run at
// intervals, and groups that start in order and stop in reverse. A panic ends only the piece of
// work that it occurs in.
package work

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Config configures a loop.
type Config struct {
	// Name identifies the loop in the log.
	Name string
	// Run does one round. Its context ends when the loop stops.
	Run func(ctx context.Context) error
	// Interval is the time between the end of a round and the start of the next.
	Interval time.Duration
	// Timeout bounds one round; five minutes by default.
	Timeout time.Duration
	// Wakeups starts the next round at once, like [Loop.Wake]; nil never does.
	Wakeups <-chan struct{}
	Logger  *slog.Logger
}

// Loop runs rounds until it is stopped. A round that fails or panics is logged, and the next one
// runs at its time.
type Loop struct {
	Config
	wake  chan struct{}
	life  Life
	guard Guard
}

// New returns a loop that is not started.
func New(c Config) (*Loop, error) {
	if c.Name == "" || c.Run == nil || c.Interval <= 0 {
		return nil, errors.New("work: a loop needs a name, a function and an interval")
	}
	c.Timeout = cmp.Or(c.Timeout, 5*time.Minute)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Loop{Config: c, wake: make(chan struct{}, 1)}, nil
}

// Start starts the loop; the first round comes after one interval. See [Service].
func (l *Loop) Start(ctx context.Context) { l.life.Start(ctx, l.begin) }

// Stop ends the context of the running round and waits for it to return.
func (l *Loop) Stop(limit context.Context) { l.life.Stop(limit) }

func (l *Loop) begin(ctx context.Context) (end func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { l.rounds(ctx) })
	return func(limit context.Context) {
		cancel()
		Wait(limit, &running)
	}
}

// Wake starts the next round at once. Calls during a round cause one round after it.
func (l *Loop) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // one is due already
	}
}

func (l *Loop) rounds(ctx context.Context) {
	timer := time.NewTimer(l.pause())
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-l.Wakeups:
		case <-timer.C:
		}
		// Both may be ready: a stopped loop starts no round.
		if ctx.Err() != nil {
			return
		}
		l.round(ctx)
		timer.Reset(l.pause())
	}
}

// pause returns the interval ± 10 %, so that many processes do not run at the same time.
func (l *Loop) pause() time.Duration {
	return max(time.Duration((0.9+0.2*rand.Float64())*float64(l.Interval)), 1)
}

func (l *Loop) round(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	err := l.guard.Do(ctx, l.Logger.With("loop", l.Name), func() error { return l.Run(bounded) })
	if _, logged := errors.AsType[*Panic](err); logged {
		return
	}
	// A round that was cut off by Stop has not failed.
	if err != nil && ctx.Err() == nil {
		l.Logger.ErrorContext(ctx, "background work failed", "loop", l.Name, "error", err)
	}
}
