package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

const (
	// clockEvery is the time between two looks at the clocks. searchEvery is the time between two
	// searches for queues that these looks missed: with 20,000 waiting queues, a search takes about
	// 7 ms on MariaDB and 70 ms on SQLite.
	clockEvery  = 250 * time.Millisecond
	searchEvery = 30 * time.Second
	// maxFound bounds the rows that one search finds.
	maxFound = 4096
	// maxSkew is the difference between the database's wall clock and this machine's from which on
	// the operator is warned.
	maxSkew = time.Minute
)

// clockWatcher finds queues whose rows were written before the queue clock was put back (by hand,
// by a change of servers or by a restart of the machine), and that would otherwise wait until the
// clock has caught up.
type clockWatcher struct {
	*base
	off      time.Duration // how far the queue clock is ahead of this process's
	searched time.Time
	leased   lease.Watch[schedule.Key, leaseState]
	skewed   bool
}

// leaseState is the lease in a queue's row.
type leaseState struct {
	token int64
	until micros.Time
}

// clockLoop checks the clocks of a shard until ctx ends.
func (l *leaser) clockLoop(ctx context.Context) {
	m := clockWatcher{base: l.base}
	tick := time.NewTicker(max(clockEvery, l.Poll))
	defer tick.Stop()
	for more := true; more; more = wait(ctx, nil, tick.C) {
		_ = l.try(ctx, "check the clocks", m.check)
	}
}

// check searches when the clock was put back, at the start, while a lease is watched, and every
// [searchEvery].
func (m *clockWatcher) check(ctx context.Context) error {
	if m.noteClockStep() {
		m.Logger.WarnContext(ctx, "the wall clock of this machine was set",
			"by", time.Duration(m.stepped.Load())*time.Microsecond)
	}
	now, err := m.Store.QueueTime(ctx)
	if err != nil {
		return err
	}
	off := now.Sub(micros.Of(m.now()))
	back := off < m.off-slack
	m.off = off
	if !back && m.leased.Len() == 0 && !m.searched.IsZero() && time.Since(m.searched) < searchEvery {
		return nil
	}
	m.searched = time.Now()
	m.compare(ctx)
	return m.search(ctx)
}

// compare logs when the database's wall clock begins or ceases to differ. Delivery does not depend
// on it.
func (m *clockWatcher) compare(ctx context.Context) {
	theirs, err := m.Store.ServerTime(ctx)
	if err != nil {
		return
	}
	skew := time.Until(theirs)
	m.metrics.skew.Set(skew.Seconds())
	if skewed := skew.Abs() > maxSkew; skewed != m.skewed {
		m.skewed = skewed
		m.Logger.WarnContext(ctx, "the database's wall clock differs from this machine's", "difference", skew, "too_far", skewed)
	}
}

// search makes queues due that wait for longer than they can, and ends leases that reach further
// ahead than a lease can and that no process renews.
func (m *clockWatcher) search(ctx context.Context) error {
	waits, leases, err := m.find(ctx)
	if err != nil {
		return err
	}
	err = m.free(ctx, waits, "lease_owner IS NULL AND due_at < ?", int64(micros.Max))
	if err != nil {
		return err
	}
	var dead [][]any
	for _, k := range m.leased.Unchanged(leases, terms.Length) {
		dead = append(dead, []any{k.Store, k.Endpoint, leases[k].token, leases[k].until})
	}
	if err := m.free(ctx, dead, "lease_owner IS NOT NULL"); err != nil {
		return err
	}
	if len(waits)+len(dead) > 0 {
		m.Logger.WarnContext(ctx, "the queue clock was put back", "waits", len(waits), "leases", len(dead))
		m.toLease.fire()
	}
	return nil
}

// find reads suspect rows: waiting queues, as tuples of the key, the token and the end of the
// lease, and leased ones.
func (m *clockWatcher) find(ctx context.Context) (waits [][]any, leases map[schedule.Key]leaseState, err error) {
	now, args := m.clock()
	far := lease.Clock(now).In(terms.Length + slack)
	leases = map[schedule.Key]leaseState{}
	err = m.seek(ctx, "SELECT store_id, id, lease_token, lease_until, CASE WHEN lease_owner IS NULL THEN 1 ELSE 0 END"+
		" FROM webhook_queues WHERE "+bucket.Every+" AND due_at < ?"+
		" AND (lease_until > "+far+" OR lease_owner IS NULL AND due_at > "+far+
		" AND (set_at = 0 OR set_at > "+lease.Clock(now).In(slack)+"))"+fmt.Sprintf(" LIMIT %d", maxFound),
		slices.Concat([]any{int64(micros.Max)}, args, args, args),
		func(rs *stdsql.Rows) error {
			var k schedule.Key
			var h leaseState
			var waiting bool
			err := rs.Scan(&k.Store, &k.Endpoint, &h.token, &h.until, &waiting)
			if waiting {
				waits = append(waits, []any{k.Store, k.Endpoint, h.token, h.until})
			} else {
				leases[k] = h
			}
			return err
		})
	return waits, leases, wrap("find queues", err)
}

// free makes queues due if their rows are still as they were found.
func (m *clockWatcher) free(ctx context.Context, rows [][]any, condition string, args ...any) error {
	for some := range slices.Chunk(rows, leaseBatch) {
		err := m.Store.InTx(ctx, func(ctx context.Context) error {
			_, err := m.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", due_at = 0 WHERE "+condition+
				" AND "+m.among("store_id, id, lease_token, lease_until", len(some)),
				append(slices.Clone(args), slices.Concat(some...)...)...)
			return err
		})
		if err != nil {
			return wrap("free queues", err)
		}
	}
	return nil
}
