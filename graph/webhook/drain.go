package webhook

import (
	"context"
	"time"
)

// maxSkew is how far the database's clock may be from ours for sending to go on:
// leases run by the one, windows and signatures by the other.
const maxSkew = 60 * time.Second

// open lets workers work.
func (d *dispatcher) open() {
	d.mu.Lock()
	defer d.unlock()
	d.stopping = false
	d.schedule.Pause(d.skewed.Load())
	wake(d.toLease)
}

// drain lets no attempt start and waits for those in flight.
func (d *dispatcher) drain(limit context.Context) {
	d.mu.Lock()
	d.stopping = true
	d.schedule.Pause(true)
	d.work.Broadcast()
	d.unlock()
	d.await(limit, func() bool { return d.schedule.Inflight() == 0 })
}

// written waits until every outcome is written down.
func (d *dispatcher) written(limit context.Context) {
	d.await(limit, d.schedule.Idle)
}

// await looks now and then whether something is so.
func (d *dispatcher) await(limit context.Context, so func() bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		d.mu.Lock()
		done := so()
		d.unlock()
		if done {
			return
		}
		select {
		case <-limit.Done():
			return
		case <-tick.C:
		}
	}
}

// leave gives every queue back at once, so that nobody waits for leases to end.
func (d *dispatcher) leave(limit context.Context) {
	d.group.Wait()
	d.mu.Lock()
	all := d.schedule.ReleaseAll()
	d.unlock()
	d.report(limit, "release queues", d.releaseAll(limit, all))
	d.mu.Lock()
	defer d.unlock()
	d.schedule.Forget()
	d.settles = nil
}

// clockLoop compares the database's clock with ours now and then.
func (d *dispatcher) clockLoop(ctx context.Context) {
	tick := time.NewTicker(30 * time.Second)
	defer tick.Stop()
	for {
		if theirs, err := d.Store.ServerTime(ctx); err == nil {
			d.setSkew(ctx, time.Since(theirs).Abs())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// setSkew lets attempts wait while the clocks differ by too much.
func (d *dispatcher) setSkew(ctx context.Context, skew time.Duration) {
	skewed := skew > maxSkew
	if d.skewed.Swap(skewed) == skewed {
		return
	}
	d.Logger.ErrorContext(ctx, "the database's clock differs from this machine's: "+
		"webhooks wait while it is by more than a minute", "difference", skew)
	d.mu.Lock()
	defer d.unlock()
	d.schedule.Pause(skewed)
}
