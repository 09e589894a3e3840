package webhook

import (
	"context"
	"time"
)

// leaveTime bounds how long a stopping process takes, once its attempts have ended, to save their
// outcomes and to release its queues.
const leaveTime = 3 * time.Second

// open lets workers start.
func (d *dispatcher) open() {
	d.mu.Lock()
	defer d.unlock()
	d.stopping = false
	d.schedule.Pause(false)
	d.toLease.fire()
}

// drain lets no attempt start and waits for those in flight. Each queue is released as soon as it
// has no work under way, so one attempt that hangs delays no other queue.
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

// awaitSettled waits until every outcome is saved.
func (d *dispatcher) awaitSettled(limit context.Context) {
	d.await(limit, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.schedule.Idle()
	})
}

// await polls until done returns true or limit ends.
func (d *dispatcher) await(limit context.Context, done func() bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-limit.Done():
			return
		case <-tick.C:
		}
	}
}

// giveBack releases every queue, or only the quiet ones. A queue to which something is added
// meanwhile is kept, and released the next time.
func (d *dispatcher) giveBack(ctx context.Context, quiet bool) {
	d.mu.Lock()
	list := d.schedule.ReleaseAll(quiet, d.now())
	d.unlock()
	d.report(ctx, "release queues", d.releaseAll(ctx, list))
}

// leave releases every queue, so that no other process waits for leases to end.
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
