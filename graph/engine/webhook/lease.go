package webhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// No other process sends to an endpoint before the lease of its queue ends.
var terms = lease.Terms{
	Length: 6 * time.Second,
	Every:  2 * time.Second,
	Begin:  2500 * time.Millisecond, // of an attempt
	Margin: time.Second,
}

const (
	// linger is how long a queue with nothing to send is kept while there is room: renewing it is
	// cheaper than leasing it again for each event.
	linger = 5 * time.Second

	leaseBatch = 64
	renewBatch = 256
)

// leaseLoop renews, takes and releases leases on the queues of a shard until ctx ends.
func (d *dispatcher) leaseLoop(ctx context.Context) {
	called, unsubscribe := d.toLease.subscribe()
	defer unsubscribe()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var renewed, looked time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-called:
		}
		if start := time.Now(); start.Sub(renewed) >= terms.Every && d.try(ctx, "renew leases", d.renewAll) == nil {
			renewed = start
		}
		busy := false
		_ = d.try(ctx, "lease queues", func(ctx context.Context) (err error) {
			busy, err = d.acquire(ctx)
			return err
		})
		if busy || time.Since(looked) >= d.Poll {
			looked = time.Now()
			_ = d.try(ctx, "release queues", d.releaseIdle)
			_ = d.try(ctx, "warn of failures", d.warn)
		}
		timer.Reset(d.pause(busy))
	}
}

// pause returns the time between two searches for due queues.
func (d *dispatcher) pause(busy bool) time.Duration {
	m := d.machine.lock()
	defer d.machine.unlock()
	switch {
	case busy:
		return time.Millisecond
	case m.Len() > 0:
		return min(d.Poll, terms.Every/4)
	}
	return d.Poll
}

// renewAll renews every lease of a shard by its token. A lease that another process took or a
// person ended is lost.
func (d *dispatcher) renewAll(ctx context.Context) error {
	m := d.machine.lock()
	all := m.Queues()
	d.machine.unlock()
	all = ent.Here(ctx, all, storeOf)
	for batch := range slices.Chunk(all, renewBatch) {
		if err := d.renew(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func storeOf(q *schedule.Queue) xid.ID { return q.Store }

func (d *dispatcher) renew(ctx context.Context, batch []*schedule.Queue) error {
	asked := time.Now()
	var rows map[schedule.Key]*row
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		now, args := d.clock()
		args = slices.Concat(args, args) // the clock is in the statement twice
		args = append(args, d.id)
		keys := make([]schedule.Key, len(batch))
		for i, q := range batch {
			keys[i] = q.Key
			args = append(args, q.Store, q.Endpoint, q.Token)
		}
		_, err := d.exec(ctx, "UPDATE webhook_queues SET "+terms.Renewal(lease.Clock(now))+
			" WHERE lease_owner = ? AND "+d.among("store_id, id, lease_token", len(batch)), args...)
		if err != nil {
			return err
		}
		rows, err = d.readRows(ctx, keys)
		return err
	})
	if err != nil {
		return err
	}
	m := d.machine.lock()
	defer d.machine.unlock()
	for _, q := range batch {
		r, l := rows[q.Key], d.leased[q]
		switch {
		case l == nil: // it was lost meanwhile
		case r == nil:
			m.Lose(q)
		case r.Token != q.Token || r.inactive || r.target == nil: // a person did this: no other process sends
			d.retireQueue(m, q)
		default:
			l.held.Renewed(asked)
			l.adopt(r.settings, m.Renewed(q, r.Row, asked, d.now()))
		}
	}
	return nil
}

// reread adopts the row of a queue.
func (d *dispatcher) reread(m *schedule.Machine, q *schedule.Queue, r *row) {
	if l := d.leased[q]; l != nil {
		l.adopt(r.settings, m.Reread(q, r.Row, d.now()))
	}
}

// adopt takes over the settings of the row if a person changed them.
func (l *leased) adopt(s settings, changed bool) {
	switch {
	case changed:
		l.settings = s
	case l.promoted != s.promoted: // the second secret was promoted by time
		l.promoted, l.target = s.promoted, s.target
	}
}

// enter takes a leased queue into memory.
func (d *dispatcher) enter(m *schedule.Machine, r *row, asked time.Time) {
	q := m.Enter(r.Key, r.Row, asked, d.now())
	l := &leased{settings: r.settings, held: terms.Take(d.sending, asked)}
	l.ctx, l.cancel = context.WithCancel(d.sending)
	l.stopWatch = context.AfterFunc(l.held.Context(), func() {
		if errors.Is(context.Cause(l.held.Context()), lease.ErrLost) {
			m := d.machine.lock()
			defer d.machine.unlock()
			m.Lose(q)
		}
	})
	d.leased[q] = l
}

// releaseIdle releases the queues that have had nothing to send for a while.
func (d *dispatcher) releaseIdle(ctx context.Context) error {
	m := d.machine.lock()
	idle := m.Releases(d.now())
	d.machine.unlock()
	return d.releaseAll(ctx, idle)
}

func (d *dispatcher) releaseAll(ctx context.Context, by map[micros.Time][]schedule.Release) error {
	var errs []error
	for _, due := range slices.Sorted(maps.Keys(by)) {
		for part := range ent.ByShard(d.Store, by[due], func(r schedule.Release) xid.ID { return r.Queue.Store }) {
			for batch := range slices.Chunk(part, leaseBatch) {
				errs = append(errs, d.release(ctx, batch, due)) // each queue is kept or dropped
			}
		}
	}
	return errors.Join(errs...)
}

// release releases queues unless something was added since they were found empty, be it by this
// process's own relay: it compares the wake counter of that moment.
func (d *dispatcher) release(ctx context.Context, batch []schedule.Release, due micros.Time) error {
	var kept map[schedule.Key]*row
	err := d.Store.InTx(ctx, func(ctx context.Context) (err error) {
		kept, err = d.writeRelease(ctx, batch, due)
		return err
	})
	m := d.machine.lock()
	defer d.machine.unlock()
	for _, rel := range batch {
		q := rel.Queue
		r, l := kept[q.Key], d.leased[q]
		switch {
		case l == nil: // it was lost meanwhile
		case err != nil:
			m.Kept(q, nil, d.now())
		case r != nil && r.Token == q.Token:
			l.adopt(r.settings, m.Kept(q, &r.Row, d.now()))
		default:
			m.Released(q)
		}
	}
	return err
}

// writeRelease releases queues and returns the rows of those that were kept.
func (d *dispatcher) writeRelease(
	ctx context.Context, batch []schedule.Release, due micros.Time,
) (map[schedule.Key]*row, error) {
	set, args := fmt.Sprintf("due_at = %d", micros.Never), []any(nil)
	if due != micros.Never {
		// Due times of queues are times of the queue clock.
		now, clock := d.clock()
		set = fmt.Sprintf("due_at = %s + %d, set_at = %s", now, max(due-micros.Of(d.now()), 0), now)
		args = slices.Concat(clock, clock)
	}
	args = append(args, d.id)
	keys := make([]schedule.Key, len(batch))
	for i, rel := range batch {
		keys[i] = rel.Queue.Key
		args = append(args, rel.Queue.Store, rel.Queue.Endpoint, rel.Queue.Token, rel.Wake)
	}
	_, err := d.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", "+set+
		" WHERE lease_owner = ? AND "+d.among("store_id, id, lease_token, wake", len(batch)), args...)
	if err != nil {
		return nil, err
	}
	return d.readRows(ctx, keys)
}
