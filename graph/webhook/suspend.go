package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/notify"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/trail"
	"github.com/storefront-go/storefront/graph/wire"
)

// warnings are the ages of an incident at which the store's people are warned.
var warnings = [...]time.Duration{time.Hour, 6 * time.Hour, 12 * time.Hour}

// heal notes that less fails of an endpoint, and tells it where people were warned
// and nothing does any more.
func (d *dispatcher) heal(ctx context.Context, o *outcome) error {
	query, args := "UPDATE webhook_queues SET streak = ?, probe_at = ?, failing_since = ?, warned = ?", []any{o.streak, o.probe, o.since, o.warned}
	if o.verdict == verdictDelivered {
		query, args = query+", last_success_at = ?", append(args, o.at)
	}
	n, err := d.exec(ctx, query+" WHERE store_id = ? AND id = ? AND lease_token = ?", append(args, o.q.store, o.q.endpoint, o.q.token)...)
	if err != nil || n == 0 || !o.told {
		return err
	}
	return d.tell(ctx, o.q.key, func(url string) notify.Notice {
		return notify.Notice{Level: state.NotificationInfo, Title: "A webhook endpoint works again",
			Body: url + " accepts deliveries again."}
	})
}

// tell writes a notice about an endpoint.
func (d *dispatcher) tell(ctx context.Context, k key, say func(url string) notify.Notice) error {
	ctx = viewer.Operator(ctx, k.store)
	c := d.Store.DB(ctx)
	rows, err := c.WebhookEndpoint.Query().Where(endpoints.ID(k.endpoint)).Load(ctx)
	if err != nil || len(rows) != 1 {
		return fmt.Errorf("read endpoint: %d rows: %w", len(rows), err)
	}
	n := say(rows[0].URL)
	n.Kind, n.ID, n.Developers = xid.WebhookEndpoint, k.endpoint, true
	return d.Notifier.Append(ctx, c, n)
}

// nextWarning returns when the people of the store are warned next of a queue.
func (d *dispatcher) nextWarning(q *queue) micros.Time {
	if q.failingSince == nil || q.warned >= len(warnings) {
		return micros.Never
	}
	return q.failingSince.Add(warnings[q.warned])
}

// warn warns of the endpoints that have failed for long, once for each level of
// an incident.
func (d *dispatcher) warn(ctx context.Context) error {
	d.mu.Lock()
	now := micros.Now()
	var due, sound []*queue
	for _, q := range d.queues {
		switch {
		case q.lost || q.releasing:
		case q.recovered():
			sound = append(sound, q)
		case d.nextWarning(q) <= now:
			due = append(due, q)
		}
	}
	d.mu.Unlock()
	for _, q := range sound {
		if err := d.acquit(ctx, q); err != nil {
			return err
		}
	}
	for _, q := range due {
		if err := d.warnOf(ctx, q, now); err != nil {
			return err
		}
	}
	return nil
}

// acquit notes that nothing of an endpoint fails any more though it took no
// delivery: a person skipped what failed.
func (d *dispatcher) acquit(ctx context.Context, q *queue) error {
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := d.exec(ctx, "UPDATE webhook_queues SET failing_since = NULL, warned = 0 WHERE store_id = ? AND id = ? AND lease_token = ?",
			q.store, q.endpoint, q.token)
		return err
	})
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if q.recovered() {
			q.failingSince, q.warned = nil, 0
		}
	}
	return err
}

func (d *dispatcher) warnOf(ctx context.Context, q *queue, now micros.Time) error {
	d.mu.Lock()
	before, level, since := q.warned, q.warned, q.failingSince
	for since != nil && level < len(warnings) && since.Add(warnings[level]) <= now {
		level++
	}
	d.mu.Unlock()
	if level == before {
		return nil
	}
	told := false
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		n, err := d.exec(ctx, "UPDATE webhook_queues SET warned = ? WHERE store_id = ? AND id = ? AND lease_token = ? AND warned = ? AND failing_since IS NOT NULL",
			level, q.store, q.endpoint, q.token, before)
		if told = n == 1; err != nil || !told {
			return err
		}
		return d.tell(ctx, q.key, func(url string) notify.Notice {
			return notify.Notice{Level: state.NotificationWarning, Title: "A webhook endpoint does not accept deliveries",
				Body: fmt.Sprintf("%s has failed for %s. Deliveries are tried for 24 hours; then the endpoint is suspended, and its events are held.",
					url, hours(warnings[level-1]))}
		})
	})
	if err == nil && told {
		d.mu.Lock()
		defer d.mu.Unlock()
		q.warned = level
	}
	return err
}

func hours(d time.Duration) string {
	if d == time.Hour {
		return "an hour"
	}
	return fmt.Sprintf("%d hours", int(d.Hours()))
}

// exhaust ends the 24 h of a delivery: it is failed, and its endpoint suspended
// in the same transaction, with its event and the notices.
func (d *dispatcher) exhaust(ctx context.Context, batch []*outcome) error {
	o := batch[0]
	ctx = viewer.Operator(ctx, o.q.store)
	return d.Store.InTx(ctx, func(ctx context.Context) error {
		spared, err := d.spared(ctx, o)
		if err != nil {
			return err
		}
		if spared {
			if whole, err := d.finish(ctx, batch); err != nil || !whole {
				return err
			}
			return d.ail(ctx, o)
		}
		n, err := d.exec(ctx, "UPDATE deliveries SET attempts = ?, tries = ?, first_at = ?, due_at = 0, failed = ?"+
			" WHERE store_id = ? AND endpoint_id = ? AND sequence = ? AND attempts = ?",
			o.attempts, o.tries, o.first, true, o.q.store, o.q.endpoint, o.item.sequence, o.attempts-1)
		if err != nil || n == 0 {
			return err // a person ended it meanwhile
		}
		if err := d.logAttempts(ctx, attemptRow(o)); err != nil {
			return err
		}
		return d.suspend(ctx, o)
	})
}

// spared tells that the operator wants silence to suspend, and there was none.
func (d *dispatcher) spared(ctx context.Context, o *outcome) (ok bool, err error) {
	if !d.SuspendOnSilence {
		return false, nil
	}
	err = d.read(ctx, "SELECT last_success_at FROM webhook_queues WHERE store_id = ? AND id = ?", []any{o.q.store, o.q.endpoint},
		func(rs *stdsql.Rows) error {
			var at *micros.Time
			err := rs.Scan(&at)
			ok = at != nil && *at >= o.first
			return err
		})
	return ok, err
}

// suspend takes the endpoint out of service, if the lease is still ours.
func (d *dispatcher) suspend(ctx context.Context, o *outcome) error {
	c, q := d.Store.DB(ctx), o.q
	u := c.WebhookQueue.Update().Where(webhookqueue.ID(q.endpoint), webhookqueue.LeaseToken(q.token))
	seize(u)
	n, err := u.AddWake(1).AddEpoch(1).SetFailingSince(*o.since).SetLastError(describe(o.result)).SetWarned(len(warnings)).Save(ctx)
	if err != nil || n == 0 {
		return wrap("suspend endpoint", err)
	}
	rows, err := c.WebhookEndpoint.Query().Where(endpoints.ID(q.endpoint)).Load(ctx)
	if err != nil || len(rows) != 1 {
		return fmt.Errorf("suspend endpoint: %d rows: %w", len(rows), err)
	}
	e, why := rows[0], state.StoppedByFailure
	if d.SuspendOnSilence {
		why = state.StoppedBySilence
	}
	at := outbox.After(e.UpdatedAt)
	before := e.Version
	e.Status, e.StoppedAt, e.StoppedReason, e.UpdatedAt = state.EndpointSuspended, &at, &why, at
	e.Version++
	e.EventSequence++
	n, err = c.WebhookEndpoint.Update().Where(endpoints.ID(q.endpoint), endpoints.Version(before), endpoints.StatusEQ(state.EndpointActive)).
		SetStatus(e.Status).SetStoppedAt(at).SetStoppedReason(why).SetUpdatedAt(at).
		SetVersion(e.Version).SetEventSequence(e.EventSequence).Save(ctx)
	if err != nil || n == 0 {
		return wrap("suspend endpoint", err)
	}
	ent.OnCommit(ctx, func() { o.suspended = true })
	if err := trail.Write(ctx, c, "webhook_endpoint.suspend", xid.WebhookEndpoint, q.endpoint, string(why)); err != nil {
		return err
	}
	if err := d.announce(ctx, e); err != nil {
		return err
	}
	return d.tell(ctx, q.key, func(url string) notify.Notice {
		return notify.Notice{Level: state.NotificationCritical, Title: "A webhook endpoint was suspended",
			Body: url + " did not accept a delivery for 24 hours. Its deliveries are held, and events are kept for 30 days. Reactivate it when the receiver works again."}
	})
}

// announce tells the store's other endpoints.
func (d *dispatcher) announce(ctx context.Context, e *db.WebhookEndpoint) error {
	c := d.Store.DB(ctx)
	rows, err := c.WebhookQueue.Query().Where(webhookqueue.ID(e.ID)).Load(ctx)
	if err != nil || len(rows) != 1 {
		return fmt.Errorf("read queue: %d rows: %w", len(rows), err)
	}
	return outbox.Append(ctx, c, outbox.Resource{Store: e.StoreID, ID: e.ID, Version: e.Version, Sequence: e.EventSequence, At: e.UpdatedAt},
		outbox.Entry{Type: event.WebhookEndpointSuspended, Object: wire.AppendWebhookEndpoint(nil, e, rows[0], nil)})
}

// afterExhaustion forgets a queue whose endpoint was suspended, or lets the lane
// go on whose delivery was given up alone.
func (d *dispatcher) afterExhaustion(o *outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := o.q
	if o.suspended {
		d.retire(q)
		return
	}
	l := q.lanes[o.item.resource]
	if q.lost || l == nil || len(l.items) == 0 || l.items[0] != o.item {
		return
	}
	l.busy = false
	q.pop(l)
	q.ready(l)
}
