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
	// clockEvery is the time between two looks at the clocks, searchEvery that between
	// two searches for what none of them has shown: with 20,000 queues that wait, one
	// takes about 7 ms on MariaDB, and 70 ms on SQLite.
	clockEvery  = 250 * time.Millisecond
	searchEvery = 30 * time.Second
	// maxMended bounds what one search finds.
	maxMended = 4096
	// maxSkew is from where on the operator is told that the database's time of day
	// differs from this machine's.
	maxSkew = time.Minute
)

// mender finds queues whose rows were written before the clock of queues was put back,
// by hand, with another server or with the start of the machine, and that would wait
// until it has come round again.
type mender struct {
	*dispatcher
	off      time.Duration // how far the clock of queues is ahead of this process's
	searched time.Time
	leased   lease.Watch[schedule.Key, holding]
	skewed   bool
}

// holding is what a row says of its lease.
type holding struct {
	token int64
	until micros.Time
}

// clockLoop looks after the clocks of a shard until ctx ends.
func (d *dispatcher) clockLoop(ctx context.Context) {
	m := mender{dispatcher: d}
	tick := time.NewTicker(max(clockEvery, d.Poll))
	defer tick.Stop()
	for {
		_ = d.try(ctx, "look after the clocks", m.look)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look searches where the clock was put back, at the start, while some lease is
// watched, and now and then.
func (m *mender) look(ctx context.Context) error {
	if m.adrift() {
		m.Logger.WarnContext(ctx, "the time of day of this machine was set",
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

// compare tells the operator, once, that the database's time of day is another one.
// Nothing of the delivery depends on it.
func (m *mender) compare(ctx context.Context) {
	theirs, err := m.Store.ServerTime(ctx)
	if err != nil {
		return
	}
	skew := time.Until(theirs)
	m.metrics.skew.Set(skew.Seconds())
	if skewed := skew.Abs() > maxSkew; skewed != m.skewed {
		m.skewed = skewed
		m.Logger.WarnContext(ctx, "the database's clock and this machine's", "difference", skew, "too far", skewed)
	}
}

// search makes due what waits for longer than it was to, and ends leases that reach
// further than a lease can and that nobody renews.
func (m *mender) search(ctx context.Context) error {
	waits, leases, err := m.find(ctx)
	if err != nil {
		return err
	}
	err = m.free(ctx, waits, "lease_owner IS NULL AND due_at < ?", int64(micros.Never))
	if err != nil {
		return err
	}
	var dead [][]any
	for _, k := range m.leased.Still(leases, terms.Length) {
		dead = append(dead, []any{k.Store, k.Endpoint, leases[k].token, leases[k].until})
	}
	if err := m.free(ctx, dead, "lease_owner IS NOT NULL"); err != nil {
		return err
	}
	if len(waits)+len(dead) > 0 {
		m.Logger.WarnContext(ctx, "the clock of queues was put back", "waits", len(waits), "leases", len(dead))
		m.toLease.ring()
	}
	return nil
}

// find reads the rows in question: what waits, as tuples of a key, a token and the end
// of the lease, and what is leased.
func (m *mender) find(ctx context.Context) (waits [][]any, leases map[schedule.Key]holding, err error) {
	now, args := m.clock()
	far := lease.Clock(now).In(terms.Length + slack)
	leases = map[schedule.Key]holding{}
	err = m.seek(ctx, "SELECT store_id, id, lease_token, lease_until, CASE WHEN lease_owner IS NULL THEN 1 ELSE 0 END"+
		" FROM webhook_queues WHERE "+bucket.Every+" AND due_at < ?"+
		" AND (lease_until > "+far+" OR lease_owner IS NULL AND due_at > "+far+
		" AND (set_at = 0 OR set_at > "+lease.Clock(now).In(slack)+"))"+fmt.Sprintf(" LIMIT %d", maxMended),
		slices.Concat([]any{int64(micros.Never)}, args, args, args),
		func(rs *stdsql.Rows) error {
			var k schedule.Key
			var h holding
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

// free makes queues due that are as they were found.
func (m *mender) free(ctx context.Context, rows [][]any, so string, args ...any) error {
	for some := range slices.Chunk(rows, leaseBatch) {
		err := m.Store.InTx(ctx, func(ctx context.Context) error {
			_, err := m.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", due_at = 0 WHERE "+so+
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
