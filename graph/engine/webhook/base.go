package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/engine/work"
)

// base is what the engine and its loops share.
type base struct {
	Config
	clocks
	machine  lockedMachine
	traffic  traffic
	metrics  *metrics
	guard    work.Guard
	reported sync.Map // from a failed task of a loop to the time when its error was logged

	toRelay, toLease, toWatch signal // each wakes its loops
}

// try runs one task of a loop. It logs and returns an error or a panic.
func (b *base) try(ctx context.Context, doing string, f func(context.Context) error) error {
	err := b.guard.Do(ctx, b.Logger, func() error { return f(ctx) })
	b.report(ctx, doing, err)
	return err
}

// reportEvery is the least time between two log lines about the same task.
const reportEvery = 10 * time.Second

// report logs an error of a loop. Errors of the same task are logged at intervals only, since a
// loop fails ten times a second while the database is down.
func (b *base) report(ctx context.Context, doing string, err error) {
	if err != nil && ctx.Err() == nil && b.shouldLog(doing) {
		b.Logger.WarnContext(ctx, "webhooks: could not "+doing, "error", err)
	}
}

// shouldLog reports whether a thing was not logged recently, and records that it is now.
func (b *base) shouldLog(thing string) bool {
	now := time.Now()
	if last, ok := b.reported.Swap(thing, now); ok && now.Sub(last.(time.Time)) < reportEvery {
		b.reported.Store(thing, last)
		return false
	}
	return true
}

// lockedMachine is the schedule of this process behind a lock, which also guards fields of the
// leaser, the sender and the settler. Functions that take a [schedule.Machine] run with the lock
// held. Nothing waits while it is held.
type lockedMachine struct {
	mu       sync.Mutex
	schedule *schedule.Machine
	apply    func(*schedule.Machine) // applies the effects of the schedule
}

// lock acquires the lock and returns the schedule, for use until [lockedMachine.unlock].
func (l *lockedMachine) lock() *schedule.Machine {
	l.mu.Lock()
	return l.schedule
}

// unlock applies the effects of the schedule and releases the lock.
func (l *lockedMachine) unlock() {
	l.apply(l.schedule)
	l.mu.Unlock()
}

// stillActive reports whether a queue is this process's and its endpoint unchanged since its row
// was read.
func (l *lockedMachine) stillActive(q *schedule.Queue) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return q.State() == schedule.Active
}
