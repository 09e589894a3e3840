package webhook

import (
	"context"
	"time"
)

// leaveTime is how long a process that leaves takes at most, once attempts have ended,
// to write down what came of them and to give its queues back.
const leaveTime = 3 * time.Second

// open lets workers work.
func (d *dispatcher) open() {
	d.mu.Lock()
	defer d.unlock()
	d.stopping = false
	d.schedule.Pause(false)
	d.toLease.ring()
}

// drain lets no attempt start and waits for those in flight. Each queue is given back
// as soon as nothing of it is under way: one attempt that hangs keeps no other waiting.
func (d *dispatcher) drain(limit context.Context) {
	d.mu.Lock()
	d.stopping = true
	d.schedule.Pause(true)
	d.jobs.Broadcast()
	d.unlock()
	d.await(limit, func() bool {
		d.giveBack(limit, true)
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.schedule.Inflight() == 0
	})
}

// written waits until every outcome is written down.
func (d *dispatcher) written(limit context.Context) {
	d.await(limit, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.schedule.Idle()
	})
}

// await looks now and then whether something is so.
func (d *dispatcher) await(limit context.Context, so func() bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-limit.Done():
			return
		case <-tick.C:
		}
	}
}

// giveBack gives back every queue, or every quiet one. One to which something is added
// meanwhile is kept, and given back the next time.
func (d *dispatcher) giveBack(ctx context.Context, quiet bool) {
	d.mu.Lock()
	list := d.schedule.ReleaseAll(quiet, d.now())
	d.unlock()
	d.report(ctx, "release queues", d.releaseAll(ctx, list))
}

// leave gives every queue back at once, so that nobody waits for leases to end.
func (d *dispatcher) leave(ctx context.Context) {
	d.group.Wait()
	d.await(ctx, func() bool {
		d.giveBack(ctx, false)
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.schedule.Len() == 0
	})
	d.mu.Lock()
	defer d.unlock()
	d.schedule.Forget()
	d.settles = nil
}
