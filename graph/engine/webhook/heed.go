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

// heedLoop looks for what people changed of the queues of a shard that this process owns, until
// ctx ends. It does nothing else, so that nothing is sent to an endpoint for long after
// a person was told that it is deleted, disabled or elsewhere.
func (d *dispatcher) heedLoop(ctx context.Context) {
	called, deaf := d.toHeed.listen()
	defer deaf()
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
			_ = d.try(ctx, "look for changes", d.heed)
		}
		// A look reads all queues that are due: beside a large backlog it takes longer, and
		// is not to take all there is.
		timer.Reset(min(max(heedRest*time.Since(began), d.Poll/2), d.Poll*3/2))
	}
}

// heedRest is how many times as long as a look its pause is, within bounds.
const heedRest = 8

// owns reports whether rows may name this process as their owner.
func (d *dispatcher) owns() bool {
	d.mu.Lock()
	defer d.unlock()
	return d.schedule.Len() > 0 || time.Since(d.seized) < terms.Length
}

// change is a queue of this process whose row somebody made due.
type change struct {
	candidate
	epoch int64
}

// heed stops what is sent to endpoints that were taken out of service, gives their
// queues free, and takes over what was changed of others. What may be sent is decided
// by what was read, before anything is written.
func (d *dispatcher) heed(ctx context.Context) error {
	list, err := d.changes(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	fenced, changed := d.fenced(list)
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

// changes reads this process's queues that somebody made due.
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

// fenced retires the queues whose tokens were raised, and returns them, with those
// whose endpoints were changed.
func (d *dispatcher) fenced(list []change) (fenced []candidate, changed []schedule.Key) {
	d.mu.Lock()
	defer d.unlock()
	for _, c := range list {
		switch q := d.schedule.Find(c.Key); {
		case q == nil:
			fenced = append(fenced, c.candidate)
		case q.Token < c.token:
			d.retireQueue(q)
			fenced = append(fenced, c.candidate)
		case q.Token == c.token && q.Epoch() < c.epoch:
			changed = append(changed, c.Key)
		}
	}
	return fenced, changed
}

// rereadAll takes over what the rows of queues say now.
func (d *dispatcher) rereadAll(ctx context.Context, keys []schedule.Key) error {
	for some := range slices.Chunk(keys, leaseBatch) {
		rows, err := d.readRows(ctx, some)
		if err != nil {
			return err
		}
		d.mu.Lock()
		for k, r := range rows {
			if q := d.schedule.Find(k); q != nil && q.Token == r.Token && r.target != nil {
				d.reread(q, r)
			}
		}
		d.unlock()
	}
	return nil
}

// free gives up queues that this process owns and does not serve. They are due again at
// once, and not when the claim would have ended: who takes one whose endpoint rests lets it
// rest.
func (d *dispatcher) free(ctx context.Context, list []candidate) error {
	d.claiming.Lock() // what was claimed just now is served in a moment
	defer d.claiming.Unlock()
	return d.giveUp(ctx, list)
}

// giveUp is [dispatcher.free] while nothing else is claimed.
func (d *dispatcher) giveUp(ctx context.Context, list []candidate) error {
	d.mu.Lock()
	list = slices.DeleteFunc(list, func(c candidate) bool { return d.schedule.Find(c.Key) != nil })
	d.unlock()
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
	d.toLease.ring()
	return err
}

// stands reports whether a queue is this process's, and its endpoint as it was when
// its row was read.
func (d *dispatcher) stands(q *schedule.Queue) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return q.State() == schedule.Active
}
