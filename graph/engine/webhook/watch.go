package webhook

import (
	"context"
	stdsql "database/sql"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// watchLoop applies what people changed in the queues that this process owns on a shard, until ctx
// ends. It has a loop of its own so that sending stops soon after an endpoint is deleted, disabled
// or moved to another URL.
func (d *dispatcher) watchLoop(ctx context.Context) {
	called, unsubscribe := d.toWatch.subscribe()
	defer unsubscribe()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-called:
		case <-timer.C:
		}
		began := time.Now()
		if d.owns() {
			_ = d.try(ctx, "look for changes", d.applyChanges)
		}
		// A look reads all due queues. Beside a large backlog it takes longer, and must not use up
		// the database.
		timer.Reset(min(max(watchPause*time.Since(began), d.Poll/2), d.Poll*3/2))
	}
}

// The pause after a look is watchPause times as long as the look, within bounds.
const watchPause = 8

// owns reports whether rows may name this process as their owner.
func (d *dispatcher) owns() bool {
	m := d.machine.lock()
	defer d.machine.unlock()
	return m.Len() > 0 || time.Since(d.fencedAt) < terms.Length
}

// change is a queue of this process whose row was made due.
type change struct {
	candidate
	epoch int64
}

// applyChanges stops sending to endpoints that were taken out of service, releases their queues,
// and adopts the changes of others. Sending stops when the rows are read, before anything is
// written.
func (d *dispatcher) applyChanges(ctx context.Context) error {
	list, err := d.changes(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	fenced, changed := d.retireFenced(list)
	if len(changed) > 0 {
		if err := d.rereadAll(ctx, changed); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(fenced, leaseBatch) {
		if err := d.free(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// changes reads this process's queues that were made due.
func (d *dispatcher) changes(ctx context.Context) (list []change, err error) {
	now, args := d.clock()
	args = append(slices.Concat(args, []any{d.id}), args...)
	err = d.seek(ctx, "SELECT store_id, id, lease_token, epoch FROM webhook_queues WHERE "+bucket.Every+
		" AND due_at <= "+now+" AND lease_owner = ? AND lease_until > "+now, args, func(rs *stdsql.Rows) error {
		var c change
		err := rs.Scan(&c.Store, &c.Endpoint, &c.token, &c.epoch)
		list = append(list, c)
		return err
	})
	slices.SortFunc(list, func(a, b change) int { return a.Compare(b.Key) })
	return list, err
}

// retireFenced retires the queues whose tokens were raised. It returns their rows and the keys of
// the queues whose endpoints were changed.
func (d *dispatcher) retireFenced(list []change) (fenced []candidate, changed []schedule.Key) {
	m := d.machine.lock()
	defer d.machine.unlock()
	for _, c := range list {
		switch q := m.Find(c.Key); {
		case q == nil:
			fenced = append(fenced, c.candidate)
		case q.Token < c.token:
			d.retireQueue(m, q)
			fenced = append(fenced, c.candidate)
		case q.Token == c.token && q.Epoch() < c.epoch:
			changed = append(changed, c.Key)
		}
	}
	return fenced, changed
}

// rereadAll adopts the present rows of queues.
func (d *dispatcher) rereadAll(ctx context.Context, keys []schedule.Key) error {
	for some := range slices.Chunk(keys, leaseBatch) {
		rows, err := d.readRows(ctx, some)
		if err != nil {
			return err
		}
		m := d.machine.lock()
		for k, r := range rows {
			if q := m.Find(k); q != nil && q.Token == r.Token && r.target != nil {
				d.reread(m, q, r)
			}
		}
		d.machine.unlock()
	}
	return nil
}

// free releases queues that this process owns and does not serve. They are due at once instead of
// when their lease ends; the process that claims the queue of an inactive endpoint releases it.
func (d *dispatcher) free(ctx context.Context, list []candidate) error {
	d.claiming.Lock() // queues claimed just now are about to be served
	defer d.claiming.Unlock()
	return d.giveUp(ctx, list)
}

// giveUp is [dispatcher.free] for a caller that excludes claims.
func (d *dispatcher) giveUp(ctx context.Context, list []candidate) error {
	m := d.machine.lock()
	list = slices.DeleteFunc(list, func(c candidate) bool { return m.Find(c.Key) != nil })
	d.machine.unlock()
	if len(list) == 0 {
		return nil
	}
	now, args := d.clock()
	args = append(slices.Clone(args), d.id)
	for _, c := range list {
		args = append(args, c.Store, c.Endpoint, c.token)
	}
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := d.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", due_at = "+now+
			" WHERE lease_owner = ? AND "+d.among("store_id, id, lease_token", len(list)), args...)
		return err
	})
	d.toLease.fire()
	return err
}
