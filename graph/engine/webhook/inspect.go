package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// Rule is something that holds of the rows of webhooks at any time, whatever dies.
type Rule string

// The rules, each by what is the case where it does not hold.
const (
	// EventOverdue: an event stands in the outbox for longer than [Overdue].
	EventOverdue Rule = "event_overdue"
	// EventSetAside: an event could not be relayed, and waits for [Engine.Requeue].
	EventSetAside Rule = "event_set_aside"
	// NoQueue: an endpoint has no queue, and gets nothing.
	NoQueue Rule = "endpoint_without_queue"
	// QueueOverdue: a queue has been due for longer than [Overdue], and nobody owns it.
	QueueOverdue Rule = "queue_overdue"
	// LeaseEnded: a lease ended longer than [Overdue] ago, and nobody may take the queue.
	LeaseEnded Rule = "lease_ended"
	// QueueRests: a queue of an active endpoint has something to send, and is not due
	// before any of it can have to wait for.
	QueueRests Rule = "queue_rests"
	// CounterBehind: a queue has deliveries after its last sequence, or gave up more than
	// there are.
	CounterBehind Rule = "counter_behind"
	// OutOfOrder: a delivery was tried while an earlier one of its resource waits.
	OutOfOrder Rule = "out_of_order"
)

// Overdue is how long a row may wait for somebody at most: a lease, and a second.
var Overdue = terms.Length + time.Second

// Breach is a row of which a rule does not hold.
type Breach struct {
	Rule  Rule
	Store xid.ID
	// Row is the event or the endpoint, as the API writes it.
	Row string
	// Since is 0 where nothing says it.
	Since micros.Time
	// Found is what is the case.
	Found string
	mark  string // what changes when somebody works on the row
}

const (
	// maxBreaches bounds what one look finds, inspectPage the endpoints of a statement,
	// and laneDepth the deliveries of a queue whose order is looked at.
	maxBreaches = 1000
	inspectPage = 200
	laneDepth   = 512
)

// Inspect looks for rows of which a rule does not hold, at most 1,000, and changes
// nothing. It may be used under load: it names what two looks find that are [Overdue]
// apart, so nothing that somebody works on; it looks again only where that matters.
func (e *Engine) Inspect(ctx context.Context) ([]Breach, error) { return e.inspect(ctx, Overdue) }

func (e *Engine) inspect(ctx context.Context, pause time.Duration) ([]Breach, error) {
	list, err := ent.Gather(ctx, e.Store, e.look)
	if err != nil || !slices.ContainsFunc(list, func(b Breach) bool { return b.Rule != EventSetAside }) {
		return list, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(pause):
	}
	seen := map[Breach]bool{}
	for _, b := range list {
		b.Since = 0 // two clocks are read for it, which are never quite the same
		seen[b] = true
	}
	again, err := ent.Gather(ctx, e.Store, e.look)
	list = list[:0]
	for _, b := range again {
		same := b
		if same.Since = 0; seen[same] {
			list = append(list, b)
		}
	}
	return list, err
}

// Aside returns the events that were set aside, at most 1,000.
func (e *Engine) Aside(ctx context.Context) ([]Breach, error) {
	return ent.Gather(ctx, e.Store, func(ctx context.Context) ([]Breach, error) {
		i := &inspection{Engine: e}
		err := i.setAside(ctx)
		return i.list, err
	})
}

// inspection is one look at the rows.
type inspection struct {
	*Engine
	now, queues micros.Time // the time of day, and that of the clock of queues
	list        []Breach
}

// look is one look at a shard.
func (e *Engine) look(ctx context.Context) ([]Breach, error) {
	server, err := e.Store.ServerTime(ctx)
	if err != nil {
		return nil, err
	}
	queues, err := e.Store.QueueTime(ctx)
	if err != nil {
		return nil, err
	}
	i := &inspection{Engine: e, now: micros.Of(server), queues: queues}
	for _, find := range []func(context.Context) error{i.setAside, i.outbox, i.endpoints} {
		if err := find(ctx); err != nil {
			return nil, fmt.Errorf("inspect deliveries: %w", err)
		}
	}
	return i.list[:min(len(i.list), maxBreaches)], nil
}

func (i *inspection) setAside(ctx context.Context) error {
	return i.seek(ctx, fmt.Sprintf("SELECT store_id, id, failed_at, detail FROM outbox_failures WHERE store_id >= ?"+
		" ORDER BY store_id, id LIMIT %d", maxBreaches), []any{xid.Nil}, func(rs *stdsql.Rows) error {
		b := Breach{Rule: EventSetAside}
		var id xid.ID
		err := rs.Scan(&b.Store, &id, &b.Since, &b.Found)
		b.Row = xid.Event.Format(id)
		i.list = append(i.list, b)
		return err
	})
}

func (i *inspection) outbox(ctx context.Context) error {
	return i.seek(ctx, "SELECT store_id, id FROM outbox WHERE "+bucket.Every+" AND store_id >= ? AND id < ?"+
		fmt.Sprintf(" ORDER BY bucket, store_id, id LIMIT %d", maxBreaches),
		[]any{xid.Nil, xid.First(i.now.Add(-Overdue))}, func(rs *stdsql.Rows) error {
			b := Breach{Rule: EventOverdue, Found: "the event stands in the outbox"}
			var id xid.ID
			err := rs.Scan(&b.Store, &id)
			b.Row, b.Since = xid.Event.Format(id), id.Time()
			i.list = append(i.list, b)
			return err
		})
}

// inspected is an endpoint with its queue and the ends of its deliveries.
type inspected struct {
	schedule.Key
	status       string
	paused       *micros.Time
	queue, owner *xid.ID
	row          schedule.Row
	due, until   *micros.Time
	// Of the deliveries that are not given up, the first; of all, the last.
	first, last *int64
}

const inspectColumns = "SELECT e.store_id, e.id, e.status, e.paused_until," +
	" q.id, q.lease_owner, q.due_at, q.lease_until," +
	" COALESCE(q.lease_token, 0), COALESCE(q.last_sequence, 0), COALESCE(q.floor_sequence, 0)," +
	" COALESCE(q.failed_through, 0), q.missed_from, q.replay_from," +
	" (SELECT d.sequence FROM deliveries d WHERE d.store_id = e.store_id AND d.endpoint_id = e.id" +
	" AND d.sequence > q.floor_sequence ORDER BY d.sequence LIMIT 1)," +
	" (SELECT d.sequence FROM deliveries d WHERE d.store_id = e.store_id AND d.endpoint_id = e.id" +
	" ORDER BY d.sequence DESC LIMIT 1)" +
	" FROM webhook_endpoints e LEFT JOIN webhook_queues q ON q.store_id = e.store_id AND q.id = e.id" +
	" WHERE e.store_id >= ? AND (e.store_id > ? OR e.id > ?) AND e.deleted_at IS NULL ORDER BY e.store_id, e.id"

// endpoints walks the endpoints of all stores, page by page.
func (i *inspection) endpoints(ctx context.Context) error {
	var at schedule.Key
	for len(i.list) < maxBreaches {
		var page []*inspected
		err := i.seek(ctx, inspectColumns+fmt.Sprintf(" LIMIT %d", inspectPage), []any{at.Store, at.Store, at.Endpoint},
			func(rs *stdsql.Rows) error {
				q := new(inspected)
				page = append(page, q)
				return rs.Scan(&q.Store, &q.Endpoint, &q.status, &q.paused, &q.queue, &q.owner, &q.due, &q.until,
					&q.row.Token, &q.row.Last, &q.row.Floor, &q.row.FailedThrough,
					&q.row.Missed, &q.row.Replay[0], &q.first, &q.last)
			})
		for _, q := range page {
			if err == nil {
				err = i.judge(ctx, q)
			}
			at = q.Key
		}
		if err != nil || len(page) < inspectPage {
			return err
		}
	}
	return nil
}

// day returns the time of day of a time by the clock of queues.
func (i *inspection) day(t micros.Time) micros.Time { return i.now - (i.queues - t) }

// judge applies the rules of one endpoint.
func (i *inspection) judge(ctx context.Context, q *inspected) error {
	if q.queue == nil {
		i.add(q, NoQueue, 0, "the endpoint has no queue")
		return nil
	}
	late := i.queues.Add(-Overdue)
	more := q.first != nil || q.row.Missed != nil || q.row.Replay[0] != nil
	active := q.status == string(state.EndpointActive) && (q.paused == nil || *q.paused <= i.now)
	switch {
	case active && *q.due <= late && *q.until <= late:
		i.add(q, QueueOverdue, i.day(max(*q.due, *q.until)), "the queue is due, and nobody owns it")
	case q.owner != nil && *q.until <= late:
		i.add(q, LeaseEnded, i.day(*q.until), "the lease has ended, and the queue is not due")
	case active && more && q.owner == nil && *q.due > i.queues.Add(schedule.Window+time.Hour):
		i.add(q, QueueRests, 0, "the endpoint is active, and its queue rests with something to send")
	}
	if q.last != nil && *q.last > q.row.Last {
		i.add(q, CounterBehind, 0, fmt.Sprintf("the last sequence is %d, and there is a delivery %d", q.row.Last, *q.last))
	}
	if q.row.Floor > q.row.Last {
		i.add(q, CounterBehind, 0, fmt.Sprintf("the last sequence is %d, and all is given up to %d", q.row.Last,
			q.row.Floor))
	}
	if q.first == nil || q.row.FailedThrough < *q.first {
		return nil // nothing that waits has been tried
	}
	return i.order(ctx, q)
}

// order looks for a delivery that was tried though it is not the first of its resource.
func (i *inspection) order(ctx context.Context, q *inspected) error {
	first := map[xid.ID]int64{}
	return i.read(ctx, "SELECT sequence, resource_id, attempts FROM deliveries"+
		fmt.Sprintf(" WHERE store_id = ? AND endpoint_id = ? AND sequence >= ? ORDER BY sequence LIMIT %d", laneDepth),
		[]any{q.Store, q.Endpoint, *q.first}, func(rs *stdsql.Rows) error {
			var sequence, attempts int64
			var resource xid.ID
			if err := rs.Scan(&sequence, &resource, &attempts); err != nil {
				return err
			}
			if head, behind := first[resource]; !behind {
				first[resource] = sequence
			} else if attempts > 0 {
				i.add(q, OutOfOrder, 0, fmt.Sprintf("delivery %d was tried while %d of its resource waits", sequence, head))
			}
			return nil
		})
}

func (i *inspection) add(q *inspected, rule Rule, since micros.Time, found string) {
	b := Breach{Rule: rule, Store: q.Store, Row: xid.WebhookEndpoint.Format(q.Endpoint), Since: since, Found: found}
	if rule == QueueOverdue || rule == LeaseEnded || rule == QueueRests {
		b.mark = fmt.Sprint(q.row.Token, *q.due)
	}
	i.list = append(i.list, b)
}
