package webhook

import (
	"context"
	stdsql "database/sql"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// watchLoop applies what people changed in the queues that this process owns on a shard, until ctx
// ends. It has a loop of its own so that sending stops soon after an endpoint is deleted, disabled
// or moved to another URL.
func (l *leaser) watchLoop(ctx context.Context) {
	called, unsubscribe := l.toWatch.subscribe()
	defer unsubscribe()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for wait(ctx, called, timer.C) {
		began := time.Now()
		if l.owns() {
			_ = l.try(ctx, "look for changes", l.applyChanges)
		}
		// A look reads all due queues. Beside a large backlog it takes longer, and must not use up
		// the database.
		timer.Reset(min(max(watchPause*time.Since(began), l.Poll/2), l.Poll*3/2))
	}
}

// The pause after a look is watchPause times as long as the look, within bounds.
const watchPause = 8

// owns reports whether rows may name this process as their owner.
func (l *leaser) owns() bool {
	m := l.machine.lock()
	defer l.machine.unlock()
	return m.Len() > 0 || time.Since(l.fencedAt) < terms.Length
}

// applyChanges stops sending to endpoints that were taken out of service, releases their queues,
// and adopts the changes of others. Sending stops when the rows are read, before anything is
// written.
func (l *leaser) applyChanges(ctx context.Context) error {
	list, err := l.changes(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	fenced, changed := l.retireFenced(list)
	if len(changed) > 0 {
		if err := l.rereadAll(ctx, changed); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(fenced, leaseBatch) {
		if err := l.free(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// changes reads this process's queues that were made due.
func (l *leaser) changes(ctx context.Context) (list []candidate, err error) {
	now, args := l.clock()
	args = append(slices.Concat(args, []any{l.Process}), args...)
	err = l.seek(ctx, "SELECT store_id, id, lease_token, epoch FROM webhook_queues WHERE "+bucket.Every+
		" AND due_at <= "+now+" AND lease_owner = ? AND lease_until > "+now, args, func(rs *stdsql.Rows) error {
		var c candidate
		err := rs.Scan(&c.Store, &c.Endpoint, &c.token, &c.epoch)
		list = append(list, c)
		return err
	})
	slices.SortFunc(list, func(a, b candidate) int { return a.Compare(b.Key) })
	return list, err
}

// retireFenced retires the queues whose tokens were raised. It returns their rows and the keys of
// the queues whose endpoints were changed.
func (l *leaser) retireFenced(list []candidate) (fenced []candidate, changed []schedule.Key) {
	m := l.machine.lock()
	defer l.machine.unlock()
	for _, c := range list {
		switch q := m.Find(c.Key); {
		case q == nil:
			fenced = append(fenced, c)
		case q.Token < c.token:
			l.retireQueue(m, q)
			fenced = append(fenced, c)
		case q.Token == c.token && q.Epoch() < c.epoch:
			changed = append(changed, c.Key)
		}
	}
	return fenced, changed
}

// rereadAll adopts the present rows of queues.
func (l *leaser) rereadAll(ctx context.Context, keys []schedule.Key) error {
	for some := range slices.Chunk(keys, leaseBatch) {
		rows, err := l.readRows(ctx, some)
		if err != nil {
			return err
		}
		m := l.machine.lock()
		for k, r := range rows {
			if q := m.Find(k); q != nil && q.Token == r.Token && r.target != nil {
				l.reread(m, q, r)
			}
		}
		l.machine.unlock()
	}
	return nil
}

// free releases queues that this process owns and does not serve. They are due at once instead of
// when their lease ends; the process that claims the queue of an inactive endpoint releases it.
func (l *leaser) free(ctx context.Context, list []candidate) error {
	l.claiming.Lock() // queues claimed just now are about to be served
	defer l.claiming.Unlock()
	return l.giveUp(ctx, list)
}

// giveUp is [leaser.free] for a caller that excludes claims.
func (l *leaser) giveUp(ctx context.Context, list []candidate) error {
	m := l.machine.lock()
	list = slices.DeleteFunc(list, func(c candidate) bool { return m.Find(c.Key) != nil })
	l.machine.unlock()
	if len(list) == 0 {
		return nil
	}
	now, args := l.clock()
	args = append(slices.Clone(args), l.Process)
	for _, c := range list {
		args = append(args, c.Store, c.Endpoint, c.token)
	}
	err := l.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := l.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", due_at = "+now+
			" WHERE lease_owner = ? AND "+l.among("store_id, id, lease_token", len(list)), args...)
		return err
	})
	l.toLease.fire()
	return err
}

// retire stops sending to an endpoint that a person took out of service.
func (l *leaser) retire(store, endpoint xid.ID) {
	m := l.machine.lock()
	defer l.machine.unlock()
	l.retireQueue(m, m.Find(schedule.Key{Store: store, Endpoint: endpoint}))
}

// retireQueue stops sending from a queue that a person took out of service; q is nil if it is not
// in memory. Its row may still name this process as the owner, so a signal makes the watch loop
// release it at once instead of when the lease ends.
func (l *leaser) retireQueue(m *schedule.Machine, q *schedule.Queue) {
	if q != nil {
		m.Retire(q)
	}
	l.fencedAt = time.Now()
	l.toWatch.fire()
}
