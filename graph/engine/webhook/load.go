package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

const loadQueues = 32

// loadLoop reads deliveries ahead for the queues that have room, until ctx ends. With events, it
// creates deliveries from the event log instead; that takes longer, so no queue with deliveries
// waits for it.
func (s *sender) loadLoop(ctx context.Context, called <-chan struct{}, events bool) {
	for wait(ctx, called, nil) {
		for ctx.Err() == nil {
			m := s.machine.lock()
			list := m.Reads(loadQueues, events, s.now())
			s.machine.unlock()
			if len(list) == 0 {
				break
			}
			err := s.try(ctx, "read deliveries", func(ctx context.Context) error { return s.load(ctx, list) })
			m = s.machine.lock()
			m.ReadDone(list, s.now())
			s.machine.unlock()
			if err != nil {
				sleep(ctx, s.Poll)
			}
		}
	}
}

// load reads what the queues need, the next rows of all of them with one statement.
func (s *sender) load(ctx context.Context, list []schedule.Read) (err error) {
	var rows []schedule.Read
	for _, r := range list {
		if r.Source == schedule.Rows {
			rows = append(rows, r)
		}
	}
	if len(rows) > 0 {
		err = s.loadRows(ctx, rows)
	}
	for _, r := range list {
		switch {
		case err != nil:
		case r.Source == schedule.OneLane:
			err = s.loadLane(ctx, r)
		case r.Source == schedule.Events:
			err = s.catchUp(ctx, r)
		}
	}
	return err
}

const (
	itemColumns = "SELECT d.store_id, d.endpoint_id, d.sequence, d.id, d.event_id, d.resource_id," +
		" d.attempts, d.tries, d.first_at, d.due_at, d.tried_at, e.type"
	itemEvents = " LEFT JOIN events e ON e.store_id = d.store_id AND e.id = d.event_id WHERE "
	fromItem   = "d.store_id = ? AND d.endpoint_id = ? AND d.sequence >= ?"
)

// itemQuery begins a query of deliveries with their small bodies. It names the primary key, so that
// key ranges bound the read whatever row counts the engine has for a table that is empty at times.
func (s *sender) itemQuery() string {
	return itemColumns + inline + " FROM deliveries d" +
		ent.IndexHint(s.Store.Dialect(), "deliveries", ent.Primary) + itemEvents
}

// inlineBody is the size in bytes up to which bodies are read with their rows.
const inlineBody = 16 << 10

// inline selects the body of an event if it is small.
var inline = fmt.Sprintf(", CASE WHEN LENGTH(e.body) <= %d THEN e.body END", inlineBody)

// inlined scans an inline body and decompresses it. A body that is large when decompressed is left
// out too.
type inlined []byte

// Scan implements sql.Scanner.
func (b *inlined) Scan(src any) error {
	stored, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("body of an event: %T", src)
	}
	*b = nil
	size, err := eventbody.Size(stored)
	if err != nil || size == 0 || size > inlineBody {
		return err
	}
	return (*eventbody.Body)(b).Scan(stored)
}

// items reads rows of [itemColumns] and [inline] and converts their times to the monotonic clock.
// Deliveries of one event share its body.
func (s *sender) items(
	ctx context.Context, query string, args []any,
) (map[schedule.Key][]*schedule.Item, error) {
	found, now := map[schedule.Key][]*schedule.Item{}, s.wallTime()
	bodies := map[xid.ID][]byte{}
	var ahead []ahead
	err := s.read(ctx, query, args, func(rs *stdsql.Rows) error {
		var k schedule.Key
		it := new(schedule.Item)
		var tried micros.Time
		var kind *string
		var body stdsql.RawBytes
		err := rs.Scan(&k.Store, &k.Endpoint, &it.Sequence, &it.ID, &it.Event, &it.Resource, &it.Attempts,
			&it.Tries, &it.First, &it.Due, &tried, &kind, &body)
		if it.Body = bodies[it.Event]; it.Body == nil && err == nil {
			err = (*inlined)(&it.Body).Scan([]byte(body))
			bodies[it.Event] = it.Body
		}
		if kind != nil {
			it.Kind = event.Type(*kind)
		}
		if e, ok := aheadOf(k, it, tried, now); ok {
			ahead, it.Due = append(ahead, e), e.due
		}
		it.First, it.Due = s.toMonotonic(it.First), s.toMonotonic(it.Due)
		found[k] = append(found[k], it)
		return err
	})
	if err == nil {
		err = s.rewriteDue(ctx, ahead, now)
	}
	return found, wrap("read deliveries", err)
}

func (s *sender) loadRows(ctx context.Context, list []schedule.Read) error {
	limit := max(schedule.WindowRows/len(list), 16)
	query, args := s.rowsQuery(list, limit)
	found, err := s.items(ctx, query, args)
	if err != nil {
		return err
	}
	m := s.machine.lock()
	defer s.machine.unlock()
	for _, r := range list {
		// The rows of one queue may arrive in any order.
		items := found[r.Queue.Key]
		slices.SortFunc(items, func(a, b *schedule.Item) int { return int(a.Sequence - b.Sequence) })
		m.Admit(r, items, len(items) < limit || within(r, limit), s.now())
	}
	return nil
}

// within reports whether a queue has no more rows than the limit.
func within(r schedule.Read, limit int) bool { return r.Last-r.From < int64(limit) }

// rowsQuery reads up to limit rows of each queue. Queues with no more rows than that are ranges of
// one query, which halves the cost of a query for each on MySQL.
func (s *sender) rowsQuery(list []schedule.Read, limit int) (query string, args []any) {
	var stores, ranges, rest []any
	for _, r := range list {
		if within(r, limit) {
			stores = append(stores, r.Queue.Store)
			ranges = append(ranges, r.Queue.Store, r.Queue.Endpoint, r.From, r.Last)
		} else {
			rest = append(rest, r.Queue.Store, r.Queue.Endpoint, r.From)
		}
	}
	var parts []string
	if n := len(stores); n > 0 {
		one := fromItem + " AND d.sequence <= ?"
		of := "(" + one + strings.Repeat(" OR "+one, n-1) + ")"
		if s.Store.Dialect() == dialect.MySQL {
			// Vitess needs them to route the query; SQLite would read the stores whole.
			of, args = "d.store_id IN "+placeholders(n)+" AND "+of, stores
		}
		parts = append(parts, s.itemQuery()+of)
	}
	if n := len(list) - len(stores); n > 0 {
		parts = append(parts, s.union(s.itemQuery()+fromItem+fmt.Sprintf(" ORDER BY d.sequence LIMIT %d", limit), n))
	}
	return strings.Join(parts, " UNION ALL "), slices.Concat(args, ranges, rest)
}

func (s *sender) loadLane(ctx context.Context, r schedule.Read) error {
	found, err := s.items(ctx, s.itemQuery()+fromItem+fmt.Sprintf(
		" AND d.sequence < ? AND d.resource_id = ? ORDER BY d.sequence LIMIT %d", schedule.LaneRows),
		[]any{r.Queue.Store, r.Queue.Endpoint, r.From, r.Before, r.Resource})
	if err != nil {
		return err
	}
	m := s.machine.lock()
	defer s.machine.unlock()
	m.Refill(r, found[r.Queue.Key], s.now())
	return nil
}

// errGone means that an event has aged out of the log.
var errGone = errors.New("the event is gone")

// eventBody reads the body of an event. It returns [errGone] if the event is gone.
func (b *base) eventBody(ctx context.Context, store, event xid.ID) (body []byte, err error) {
	err = b.read(ctx, "SELECT body FROM events WHERE store_id = ? AND id = ?", []any{store, event},
		func(rs *stdsql.Rows) error { return rs.Scan((*eventbody.Body)(&body)) })
	if err == nil && body == nil {
		err = errGone
	}
	return body, err
}
