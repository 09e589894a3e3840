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
	m := d.machine.lock()
	defer d.machine.unlock()
	m.Pause(false)
	d.toLease.fire()
}

// drain lets no attempt start and waits for those in flight. Each queue is released as soon as it
// has no work under way, so one attempt that hangs delays no other queue.
func (d *dispatcher) drain(limit context.Context) {
	m := d.machine.lock()
	m.Pause(true)
	d.jobs.Broadcast()
	d.machine.unlock()
	d.await(limit, func() bool {
		d.giveBack(limit, true)
		m := d.machine.lock()
		defer d.machine.unlock()
		return m.Inflight() == 0
	})
}

// awaitSettled waits until every outcome is saved.
func (d *dispatcher) awaitSettled(limit context.Context) {
	d.await(limit, func() bool {
		m := d.machine.lock()
		defer d.machine.unlock()
		return m.Idle()
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
	m := d.machine.lock()
	list := m.ReleaseAll(quiet, d.now())
	d.machine.unlock()
	d.report(ctx, "release queues", d.releaseAll(ctx, list))
}

// leave releases every queue, so that no other process waits for leases to end.
func (d *dispatcher) leave(ctx context.Context) {
	d.group.Wait()
	d.await(ctx, func() bool {
		d.giveBack(ctx, false)
		m := d.machine.lock()
		defer d.machine.unlock()
		return m.Len() == 0
	})
	m := d.machine.lock()
	defer d.machine.unlock()
	m.Forget()
	d.settles = nil
}
