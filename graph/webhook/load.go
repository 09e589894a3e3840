package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// loadQueues is how many queues are read in one statement.
const loadQueues = 32

// loading reads deliveries ahead for the queues that have room, until ctx ends.
func (d *dispatcher) loading(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.toLoad:
		}
		for ctx.Err() == nil {
			hungry := d.hungry()
			if len(hungry) == 0 {
				break
			}
			if err := d.feed(ctx, hungry); err != nil {
				d.report(ctx, "read deliveries", err)
				select {
				case <-ctx.Done():
				case <-time.After(d.Poll):
				}
			}
		}
	}
}

// hungry takes the queues to read for, and marks them.
func (d *dispatcher) hungry() []*queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []*queue
	for _, q := range d.queues {
		// What is full in all still lets every queue go on.
		if q.hungry() && (d.bytes < maxBytes || q.held == 0) {
			q.loading = true
			list = append(list, q)
			if len(list) == loadQueues {
				break
			}
		}
	}
	return list
}

// feed reads what the queues need: a lane that ran dry, or the next rows of the
// sequence, or events of the log where the sequence is at its end.
func (d *dispatcher) feed(ctx context.Context, hungry []*queue) (err error) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, q := range hungry {
			q.loading = false
			d.reset(q)
			d.offer(q)
		}
	}()
	d.mu.Lock()
	var scans []*queue
	var dry []*lane
	var late []*queue
	for _, q := range hungry {
		switch {
		case len(q.dry) > 0:
			dry = append(dry, q.dry[0])
		case q.next <= q.last:
			scans = append(scans, q)
		default:
			late = append(late, q)
		}
	}
	d.mu.Unlock()
	if len(scans) > 0 {
		err = d.scanOn(ctx, scans)
	}
	for _, l := range dry {
		if err == nil {
			err = d.refill(ctx, l)
		}
	}
	for _, q := range late {
		if err == nil {
			err = d.catchUp(ctx, q)
		}
	}
	return err
}

const (
	itemColumns = "SELECT d.store_id, d.endpoint_id, d.sequence, d.id, d.event_id, d.resource_id, d.attempts, d.tries, d.first_at, d.due_at, e.type"
	itemTables  = " FROM deliveries d LEFT JOIN events e ON e.store_id = d.store_id AND e.id = d.event_id" +
		" WHERE d.store_id = ? AND d.endpoint_id = ? AND d.sequence >= ?"
)

// inline is the body of an event where it is small.
var inline = fmt.Sprintf(", CASE WHEN LENGTH(e.body) <= %d THEN e.body END", inlineBody)

// scanItem reads a row of [itemColumns] and [inline].
func scanItem(rs *stdsql.Rows) (key, *item, error) {
	var k key
	it := new(item)
	var kind *string
	err := rs.Scan(&k.store, &k.endpoint, &it.sequence, &it.id, &it.event, &it.resource, &it.attempts, &it.tries,
		&it.first, &it.due, &kind, &it.body)
	if kind != nil {
		it.kind = event.Type(*kind)
	}
	return k, it, err
}

// scanOn reads the next rows of some queues, one statement for all.
func (d *dispatcher) scanOn(ctx context.Context, scans []*queue) error {
	limit := max(windowRows/len(scans), 16)
	one := itemColumns + inline + itemTables + fmt.Sprintf(" ORDER BY d.sequence LIMIT %d", limit)
	var query strings.Builder
	args := make([]any, 0, 3*len(scans))
	from, last := make([]int64, len(scans)), make([]int64, len(scans))
	d.mu.Lock()
	for i, q := range scans {
		if i > 0 {
			query.WriteString(" UNION ALL ")
		}
		// Both engines take a LIMIT within a UNION only in a table of its own.
		fmt.Fprintf(&query, "SELECT * FROM (%s) t%d", one, i)
		from[i], last[i] = q.next, q.last
		args = append(args, q.store, q.endpoint, q.next)
	}
	d.mu.Unlock()
	found := map[key][]*item{}
	err := d.read(ctx, query.String(), args, func(rs *stdsql.Rows) error {
		k, it, err := scanItem(rs)
		found[k] = append(found[k], it)
		return err
	})
	if err != nil {
		return fmt.Errorf("read deliveries: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := micros.Now()
	for i, q := range scans {
		// The rows of one queue may have come in any order.
		rows := found[q.key]
		slices.SortFunc(rows, func(a, b *item) int { return int(a.sequence - b.sequence) })
		d.admitAll(q, rows, from[i], now)
		if len(rows) < limit && q.next == max(from[i], lastOf(rows)+1) {
			q.next = max(q.next, last[i]+1) // all there was when it was read
		}
	}
	return nil
}

func lastOf(rows []*item) int64 {
	if len(rows) == 0 {
		return 0
	}
	return rows[len(rows)-1].sequence
}

// admitAll takes rows that continue what is known of a queue. The lock is held.
func (d *dispatcher) admitAll(q *queue, rows []*item, from int64, now micros.Time) {
	if q.lost || q.resetting || q.next != from {
		return
	}
	for _, it := range rows {
		if !q.admit(it, now) {
			break
		}
		if l := q.lanes[it.resource]; l.due > 0 && l.items[0] == it {
			d.alarm(q, l, l.due)
		}
	}
	d.offer(q)
}

// refill reads what was left in the database of one lane.
func (d *dispatcher) refill(ctx context.Context, l *lane) error {
	q := l.queue
	d.mu.Lock()
	from, before := l.more, q.next
	d.mu.Unlock()
	var rows []*item
	err := d.read(ctx, itemColumns+inline+itemTables+fmt.Sprintf(
		" AND d.sequence < ? AND d.resource_id = ? ORDER BY d.sequence LIMIT %d", laneRows),
		[]any{q.store, q.endpoint, from, before, l.resource}, func(rs *stdsql.Rows) error {
			_, it, err := scanItem(rs)
			rows = append(rows, it)
			return err
		})
	if err != nil {
		return fmt.Errorf("read lane: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.lost || q.resetting || q.lanes[l.resource] != l {
		return nil
	}
	q.dry = slices.DeleteFunc(q.dry, func(other *lane) bool { return other == l })
	l.more = 0
	if len(rows) == laneRows {
		l.more = lastOf(rows) + 1
	} else if q.next > before {
		l.more = before // the sequence was read on meanwhile
	}
	now := micros.Now()
	for _, it := range rows {
		q.account(it)
		q.push(l, it, now)
	}
	switch {
	case len(l.items) > 0:
	case l.more != 0:
		q.dry = append(q.dry, l)
	default:
		delete(q.lanes, l.resource)
	}
	d.offer(q)
	return nil
}

// errGone says that an event has aged out of the log.
var errGone = errors.New("the event is gone")

// body reads the body of an event.
func (d *dispatcher) body(ctx context.Context, store, event xid.ID) (body []byte, err error) {
	err = d.read(ctx, "SELECT body FROM events WHERE store_id = ? AND id = ?", []any{store, event},
		func(rs *stdsql.Rows) error { return rs.Scan(&body) })
	if err == nil && body == nil {
		err = errGone
	}
	return body, err
}
