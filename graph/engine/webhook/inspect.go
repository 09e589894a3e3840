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

// Rule is an invariant of the rows of webhooks, which holds whatever process dies.
type Rule string

// The rules, each named after its violation.
const (
	// EventOverdue: an event has been in the outbox for longer than [Overdue].
	EventOverdue Rule = "event_overdue"
	// EventSetAside: an event could not be relayed, and waits for [Engine.Requeue].
	EventSetAside Rule = "event_set_aside"
	// NoQueue: an endpoint has no queue, and receives nothing.
	NoQueue Rule = "endpoint_without_queue"
	// QueueOverdue: a queue has been due for longer than [Overdue] and has no owner.
	QueueOverdue Rule = "queue_overdue"
	// LeaseEnded: a lease ended longer than [Overdue] ago, and the queue is not due.
	LeaseEnded Rule = "lease_ended"
	// QueueRests: the queue of an active endpoint has something to send, but its due time is
	// further away than any delivery can wait.
	QueueNotDue Rule = "queue_rests"
	// CounterBehind: a queue has deliveries after its last sequence, or its floor is above it.
	CounterBehind Rule = "counter_behind"
	// OutOfOrder: a delivery was tried while an earlier delivery of its resource waits.
	OutOfOrder Rule = "out_of_order"
)

// Overdue is the longest time that a row may wait for a process: a lease and a second.
var Overdue = terms.Length + time.Second

// Violation is a row that violates a rule.
type Violation struct {
	Rule  Rule
	Store xid.ID
	// Row is the id of the event or the endpoint in its API form.
	Row string
	// Since is 0 if unknown.
	Since micros.Time
	// Found describes the violation.
	Found string
	mark  string // changes when a process works on the row
}

const (
	// maxBreaches bounds the result of a pass, inspectPage the endpoints read by a statement, and
	// laneDepth the deliveries of a queue whose order is checked.
	maxBreaches = 1000
	inspectPage = 200
	laneDepth   = 512
)

// Inspect returns up to 1,000 rows that violate a rule, and changes nothing. It may run under load:
// it returns only what two passes, [Overdue] apart, both find, so rows that a process is working on
// are left out. Without findings that can change, it makes one pass.
func (e *Engine) Inspect(ctx context.Context) ([]Violation, error) { return e.inspect(ctx, Overdue) }

func (e *Engine) inspect(ctx context.Context, pause time.Duration) ([]Violation, error) {
	list, err := ent.Gather(ctx, e.Store, e.inspectShard)
	if err != nil || !slices.ContainsFunc(list, func(b Violation) bool { return b.Rule != EventSetAside }) {
		return list, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(pause):
	}
	seen := map[Violation]bool{}
	for _, b := range list {
		b.Since = 0 // derived from two clocks that never agree exactly
		seen[b] = true
	}
	again, err := ent.Gather(ctx, e.Store, e.inspectShard)
	list = list[:0]
	for _, b := range again {
		same := b
		if same.Since = 0; seen[same] {
			list = append(list, b)
		}
	}
	return list, err
}

// EventsSetAside returns the events that were set aside, at most 1,000.
func (e *Engine) EventsSetAside(ctx context.Context) ([]Violation, error) {
	return ent.Gather(ctx, e.Store, func(ctx context.Context) ([]Violation, error) {
		i := &inspection{Engine: e}
		err := i.setAside(ctx)
		return i.list, err
	})
}

type inspection struct {
	*Engine
	now, queues micros.Time // the wall clock and the queue clock
	list        []Violation
}

func (e *Engine) inspectShard(ctx context.Context) ([]Violation, error) {
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
		b := Violation{Rule: EventSetAside}
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
			b := Violation{Rule: EventOverdue, Found: "the event stands in the outbox"}
			var id xid.ID
			err := rs.Scan(&b.Store, &id)
			b.Row, b.Since = xid.Event.Format(id), id.Time()
			i.list = append(i.list, b)
			return err
		})
}

// inspected is an endpoint with its queue and the sequences of its deliveries.
type inspected struct {
	schedule.Key
	status       string
	paused       *micros.Time
	queue, owner *xid.ID
	row          schedule.Row
	due, until   *micros.Time
	// The first sequence above the floor, and the last of all.
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

// wallTime converts a time of the queue clock to wall time.
func (i *inspection) wallTime(t micros.Time) micros.Time { return i.now - (i.queues - t) }

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
		i.add(q, QueueOverdue, i.wallTime(max(*q.due, *q.until)), "the queue is due, and no process owns it")
	case q.owner != nil && *q.until <= late:
		i.add(q, LeaseEnded, i.wallTime(*q.until), "the lease has expired, and the queue is not due")
	case active && more && q.owner == nil && *q.due > i.queues.Add(schedule.Window+time.Hour):
		i.add(q, QueueNotDue, 0, "the endpoint is active and its queue has something to send, but is not due")
	}
	if q.last != nil && *q.last > q.row.Last {
		i.add(q, CounterBehind, 0, fmt.Sprintf("the last sequence is %d, but delivery %d exists", q.row.Last, *q.last))
	}
	if q.row.Floor > q.row.Last {
		i.add(q, CounterBehind, 0, fmt.Sprintf("the last sequence is %d, but deliveries up to %d were given up", q.row.Last,
			q.row.Floor))
	}
	if q.first == nil || q.row.FailedThrough < *q.first {
		return nil // no waiting delivery has been tried
	}
	return i.order(ctx, q)
}

// order looks for deliveries that were tried while an earlier one of their resource waits.
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
	b := Violation{Rule: rule, Store: q.Store, Row: xid.WebhookEndpoint.Format(q.Endpoint), Since: since, Found: found}
	if rule == QueueOverdue || rule == LeaseEnded || rule == QueueNotDue {
		b.mark = fmt.Sprint(q.row.Token, *q.due)
	}
	i.list = append(i.list, b)
}
