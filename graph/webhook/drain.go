package webhook

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// maxSkew is how far the database's clock may be from ours for sending to go on:
// leases run by the one, windows and signatures by the other.
const maxSkew = 60 * time.Second

// open lets workers work.
func (d *dispatcher) open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopping = false
	wake(d.toLease)
}

// drain lets no attempt start and waits for those in flight.
func (d *dispatcher) drain(limit context.Context) {
	d.mu.Lock()
	d.stopping = true
	d.work.Broadcast()
	d.mu.Unlock()
	d.await(limit, func() bool { return d.inflight == 0 })
}

// written waits until every outcome is written down.
func (d *dispatcher) written(limit context.Context) {
	d.await(limit, func() bool { return d.inflight == 0 && d.unsettled == 0 })
}

// await looks now and then whether something is so.
func (d *dispatcher) await(limit context.Context, so func() bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		d.mu.Lock()
		done := so()
		d.mu.Unlock()
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
	by := map[micros.Time][]*queue{}
	for _, q := range d.sorted() {
		q.releasing, q.emptyAt = true, q.wake
		due, ok := q.empty()
		if !ok {
			due = 0
		}
		by[due] = append(by[due], q)
	}
	d.mu.Unlock()
	for due, list := range by {
		for len(list) > 0 {
			n := min(len(list), leaseBatch)
			d.report(limit, "release queues", d.release(limit, list[:n], due))
			list = list[n:]
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		d.forget(q)
	}
	d.ring, d.alarms, d.settles = nil, nil, nil
}

// watchClock compares the database's clock with ours now and then.
func (d *dispatcher) watchClock(ctx context.Context) {
	tick := time.NewTicker(30 * time.Second)
	defer tick.Stop()
	for {
		if theirs, err := d.Store.ServerTime(ctx); err == nil {
			skew := time.Since(theirs).Abs()
			if was := d.skewed.Swap(skew > maxSkew); was != (skew > maxSkew) {
				d.Logger.ErrorContext(ctx, "the database's clock differs from this machine's: webhooks wait while it is by more than a minute", "difference", skew)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
