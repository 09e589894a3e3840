package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// replayBatch is how many events of the log are read at once.
const replayBatch = 500

// catchUp adds events of the log to a queue that is in memory up to its end: the events that it
// missed while inactive, or else those of a replay. It runs under the queue's lease at the speed of
// delivery, so that a month of events fills no table.
//
// While missed_from is set, the relay leaves the events from there on to catchUp. Events that are
// still in the outbox and not yet fanned out to this endpoint are left to the relay, which will
// find missed_from beyond them: both compare and set the same counter, wake.
func (s *sender) catchUp(ctx context.Context, r schedule.Read) error {
	st := s.stepOf(r)
	if st == nil {
		return nil
	}
	var rows map[schedule.Key]*row
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		st.events, st.next, rows = nil, nil, nil
		n, err := s.exec(ctx, "UPDATE webhook_queues SET wake = wake + 1"+
			" WHERE store_id = ? AND id = ? AND lease_token = ? AND wake = ?", st.q.Store, st.q.Endpoint, st.q.Token,
			r.Wake)
		if err != nil {
			return err
		}
		if n == 0 { // the queue was changed: read its row
			rows, err = s.leaser.readRows(ctx, []schedule.Key{st.q.Key})
			return err
		}
		if err := s.find(ctx, st); err != nil {
			return err
		}
		return s.extend(ctx, st, r.Last)
	})
	if err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	m := s.machine.lock()
	defer s.machine.unlock()
	switch found := rows[st.q.Key]; {
	case rows == nil:
		m.Extended(r, len(st.events), st.next)
	case found == nil:
		m.Lose(st.q)
	case found.Token != st.q.Token || found.inactive:
		s.leaser.retireQueue(m, st.q)
	default:
		s.leaser.reread(m, st.q, found)
	}
	return nil
}

// step is one step of catching up.
type step struct {
	q      *schedule.Queue
	from   xid.ID
	to     *xid.ID
	missed bool // missed events; otherwise a replay
	sub    subscriber

	events []pending
	next   *xid.ID // where the next step begins; nil at the end
}

// stepOf returns the next step, or nil.
func (s *sender) stepOf(r schedule.Read) *step {
	from, to := r.Log.Missed, (*xid.ID)(nil)
	if from == nil {
		from, to = r.Log.Replay[0], r.Log.Replay[1]
	}
	s.machine.lock()
	defer s.machine.unlock()
	l := s.leaser.leased[r.Queue]
	if from == nil || l == nil {
		return nil
	}
	return &step{q: r.Queue, from: *from, to: to, missed: r.Log.Missed != nil,
		sub: subscriber{Key: r.Queue.Key, types: l.types, filters: l.filters, owner: l.owner}}
}

// pending is an event that is about to become a delivery.
type pending struct {
	event, resource xid.ID
}

// find reads the next events of the log that the queue's endpoint subscribes to.
func (s *sender) find(ctx context.Context, st *step) error {
	relayed := map[xid.ID]bool{}
	if st.missed {
		err := s.read(ctx, "SELECT id FROM outbox WHERE bucket = ? AND store_id = ? AND id >= ?"+
			" AND (dealt_to IS NULL OR dealt_to < ?)",
			[]any{bucket.Of(st.q.Store), st.q.Store, st.from, st.q.Endpoint}, func(rs *stdsql.Rows) error {
				var id xid.ID
				err := rs.Scan(&id)
				relayed[id] = true
				return err
			})
		if err != nil {
			return err
		}
	}
	body := ", NULL"
	if len(st.sub.filters) > 0 {
		body = inline
	}
	query, args := "SELECT e.id, e.type, e.resource_id"+body+" FROM events e WHERE e.store_id = ? AND e.id >= ?",
		[]any{st.q.Store, st.from}
	if st.to != nil {
		query, args = query+" AND e.id < ?", append(args, *st.to)
	}
	var log []*entry
	err := s.read(ctx, query+fmt.Sprintf(" ORDER BY e.id LIMIT %d", replayBatch), args, func(rs *stdsql.Rows) error {
		p := &entry{store: st.q.Store}
		log = append(log, p)
		return rs.Scan(&p.event, &p.kind, &p.resource, (*inlined)(&p.body))
	})
	if err != nil {
		return err
	}
	if err := s.findApps(ctx, log); err != nil {
		return err
	}
	if err := s.applyFilters(ctx, log, []*subscriber{&st.sub}); err != nil {
		return err
	}
	for _, p := range log {
		if !relayed[p.event] && st.sub.wants(p) {
			st.events = append(st.events, p.pending)
		}
	}
	if len(log) == replayBatch {
		st.next = new(following(log[len(log)-1].event))
	}
	return nil
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

// extend adds the step's deliveries at the end of the queue.
func (s *sender) extend(ctx context.Context, st *step, last int64) error {
	now, rows := micros.Now(), make([]any, 0, deliveryColumns*len(st.events))
	for i, p := range st.events {
		rows = append(rows, deliveryRow(st.q.Key, last+1+int64(i), p, now)...)
	}
	if err := s.insertDeliveries(ctx, rows); err != nil {
		return err
	}
	set := "missed_from = ?"
	if !st.missed {
		set = "replay_from = ?"
		if st.next == nil {
			set += ", replay_to = NULL"
		}
	}
	_, err := s.exec(ctx, "UPDATE webhook_queues SET last_sequence = ?, "+set+" WHERE store_id = ? AND id = ?",
		last+int64(len(st.events)), st.next, st.q.Store, st.q.Endpoint)
	return err
}
