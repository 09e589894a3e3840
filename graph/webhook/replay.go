package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// replayBatch is how many events of the log are read at once.
const replayBatch = 500

// catchUp adds events of the log to the queue whose sequence is at its end:
// those that it missed while it rested, else those of a replay. It happens under
// the queue's lease as fast as deliveries are made, so a month of events fills no
// table.
//
// While missed_from stands, the relay leaves the events from there on to this.
// Those that stand in the outbox are left to the relay; it sees missed_from
// beyond them by then, since one counter, wake, is compared and set by both.
func (d *dispatcher) catchUp(ctx context.Context, q *queue) error {
	d.mu.Lock()
	s, wake, last := q.settings, q.wake, q.last
	d.mu.Unlock()
	from, to, missed := s.missed, (*xid.ID)(nil), true
	if from == nil {
		from, to, missed = s.replay[0], s.replay[1], false
	}
	if from == nil {
		return nil
	}
	var step *found
	var rows map[key]*row
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		step, rows = nil, nil
		n, err := d.exec(ctx, "UPDATE webhook_queues SET wake = wake + 1 WHERE store_id = ? AND id = ? AND lease_token = ? AND wake = ?",
			q.store, q.endpoint, q.token, wake)
		if err != nil {
			return err
		}
		if n == 0 { // somebody changed it: the row tells what
			rows, err = d.readRows(ctx, []*queue{q})
			return err
		}
		if step, err = d.find(ctx, q, s, *from, to, missed); err != nil {
			return err
		}
		return d.extend(ctx, q, step, last, missed)
	})
	if err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if step == nil {
		if r := rows[q.key]; r != nil && r.token == q.token {
			d.refresh(q, r)
		} else if !q.ended {
			d.lose(q)
		}
		return nil
	}
	if q.wake == wake {
		q.wake++
		if missed {
			q.missed = step.next
		} else if q.replay[0] = step.next; step.next == nil {
			q.replay[1] = nil
		}
	}
	q.last = max(q.last, last+int64(len(step.events)))
	return nil
}

// found is one step of catching up.
type found struct {
	events []pending
	next   *xid.ID // where the next step begins; nil at the end
}

// pending is an event that is to become a delivery.
type pending struct {
	event, resource xid.ID
}

// find reads the next events of the log that the queue's endpoint subscribes to.
func (d *dispatcher) find(ctx context.Context, q *queue, s settings, from xid.ID, to *xid.ID, missed bool) (*found, error) {
	waiting := map[xid.ID]bool{}
	if missed {
		err := d.read(ctx, "SELECT id FROM outbox WHERE bucket = ? AND store_id = ? AND id >= ?",
			[]any{bucket.Of(q.store), q.store, from}, func(rs *stdsql.Rows) error {
				var id xid.ID
				err := rs.Scan(&id)
				waiting[id] = true
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	query, args := "SELECT id, type, resource_id FROM events WHERE store_id = ? AND id >= ?", []any{q.store, from}
	if to != nil {
		query, args = query+" AND id < ?", append(args, *to)
	}
	var log []*entry
	err := d.read(ctx, query+fmt.Sprintf(" ORDER BY id LIMIT %d", replayBatch), args, func(rs *stdsql.Rows) error {
		p := &entry{store: q.store}
		log = append(log, p)
		return rs.Scan(&p.event, &p.kind, &p.resource)
	})
	if err == nil {
		err = d.nameApps(ctx, log)
	}
	step, sub := new(found), subscriber{key: q.key, types: s.types, owner: s.owner}
	for _, p := range log {
		if !waiting[p.event] && sub.wants(p) {
			step.events = append(step.events, p.pending)
		}
	}
	if len(log) == replayBatch {
		step.next = new(following(log[len(log)-1].event))
	}
	return step, err
}

// following returns the id right after u.
func following(u xid.ID) xid.ID {
	for i := len(u) - 1; i >= 0; i-- {
		if u[i]++; u[i] != 0 {
			break
		}
	}
	return u
}

// extend adds deliveries at the end of the queue's sequence.
func (d *dispatcher) extend(ctx context.Context, q *queue, step *found, last int64, missed bool) error {
	now, rows := micros.Now(), make([]any, 0, deliveryColumns*len(step.events))
	for i, p := range step.events {
		rows = append(rows, deliveryRow(q.key, last+1+int64(i), p, now)...)
	}
	if err := d.insertDeliveries(ctx, rows); err != nil {
		return err
	}
	set, args := "missed_from = ?", []any{last + int64(len(step.events)), step.next}
	if !missed {
		set = "replay_from = ?"
		if step.next == nil {
			set += ", replay_to = NULL"
		}
	}
	_, err := d.exec(ctx, "UPDATE webhook_queues SET last_sequence = ?, "+set+" WHERE store_id = ? AND id = ?",
		append(args, q.store, q.endpoint)...)
	return err
}
