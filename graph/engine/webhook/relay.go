package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

const (
	// relayBatch is how many events one transaction of the relay takes, maxFanOut the most
	// deliveries it creates.
	relayBatch = 256
	maxFanOut  = 1024
	// fanOutPage is how many endpoints of a store are read at once. One transaction fans an event
	// out to that many; the other endpoints wait for the next.
	fanOutPage = 256
	// relayGap is the least time between two rounds, so that events that arrive together go
	// together. While the events have no subscribers, quietGap takes its place.
	relayGap = 12 * time.Millisecond
	quietGap = 50 * time.Millisecond
	// For activeTime after the last events, the outbox is polled activeFactor times as often.
	activeTime, activeFactor = 2 * time.Second, 4
)

// errRaced means that another relay, or a person, was faster: the round is repeated.
var errRaced = errors.New("webhook: another process took over the relay")

// loop moves events from the outbox of a shard to the queues until ctx ends. It runs when this
// process has written events, and polls for those of other processes.
func (r *relay) loop(ctx context.Context) {
	written, stopListening := r.Store.Listen()
	defer stopListening()
	called, unsubscribe := r.toRelay.subscribe()
	defer unsubscribe()
	timer := time.NewTimer(0)
	defer timer.Stop()
	gap := relayGap
	var lastActive time.Time // when there were last events
	for {
		last := time.Now()
		var more bool
		var created int
		err := r.try(ctx, "relay events", func(ctx context.Context) (err error) {
			more, created, err = r.round(ctx)
			return err
		})
		idle := r.Poll
		if err == nil && !r.idleRound {
			lastActive = last
		}
		if last.Sub(lastActive) < activeTime {
			idle /= activeFactor
		}
		switch {
		case err != nil:
			gap, idle = r.Poll, r.Poll
		case more:
			continue
		case created > 0:
			gap = relayGap
		case r.idleRound:
			gap = max(gap, relayGap)
		default:
			gap = quietGap
		}
		timer.Reset(idle)
		select {
		case <-ctx.Done():
			return
		case <-called:
			gap = relayGap
		case <-written:
		case <-timer.C:
			continue
		}
		if sleep(ctx, gap-time.Since(last)); ctx.Err() != nil {
			return
		}
	}
}

// relay creates deliveries of events. It goes round the stores, so that a store with many events or
// endpoints does not delay the others. It keeps no position within a store, since transactions do
// not commit in the order of ids.
type relay struct {
	*base
	bucket    int8
	after     xid.ID // the last store of the previous round
	most      int    // events per round; fewer while one of them fails
	size      int    // events of the last round
	suspect   *entry // the only event of the round, when most is 1
	idleRound bool   // the outbox was empty
	// flood: the last batch was full. Queues then have more to read than fits into memory, and
	// bodies are read with the deliveries only.
	flood bool
}

// entry is an event in the outbox.
type entry struct {
	pending
	bucket int8
	store  xid.ID
	before int64      // the number of the first endpoint registered after it; 0: none
	kind   event.Type // "" when the event is gone
	body   []byte
	dealt  *xid.ID // the last endpoint that has its delivery, while others have not
	app    *xid.ID // whose grant ended, or that requested the export
	// refused are the endpoints whose filters the event does not match.
	refused []*subscriber
}

// subscriber is an endpoint with the columns of its queue that the relay needs.
type subscriber struct {
	schedule.Key
	types      map[event.Type]bool
	filters    filter.Set
	owner      *app
	active     bool
	number     int64 // in the order in which the store's endpoints were registered
	wake, last int64
	missed     *xid.ID

	taken     []*entry // become deliveries
	at        micros.Time
	misses    *xid.ID // the first event that it misses while inactive
	leftToLog bool    // some event is left to its reading of the log
}

// wants reports whether an endpoint receives an event: it was registered before the event and
// subscribed to the type, and its filters match ([base.applyFilters]). An endpoint is not notified
// of its own suspension nor of the end of its own app's access. An app is notified of its own
// exports only, since it sees no others (contract, section 5).
func (s *subscriber) wants(p *entry) bool {
	switch {
	case p.before != 0 && s.number >= p.before:
		return false
	case !s.types[p.kind] || p.resource == s.Endpoint || slices.Contains(p.refused, s):
		return false
	case s.owner == nil:
		return true
	case ofExport(p.kind):
		return p.app != nil && s.owner.id == *p.app
	}
	return p.app == nil || s.owner.id != *p.app
}

// fanOut creates deliveries of one batch of events. It reports whether more may wait and how many
// deliveries it created.
func (r *relay) fanOut(ctx context.Context) (more bool, created int, err error) {
	batch, err := r.outbox(ctx)
	r.idleRound = err == nil && len(batch) == 0
	if err != nil || len(batch) == 0 {
		wrapped := r.bucket != 0 || !r.after.IsNil()
		if err == nil {
			r.bucket, r.after = 0, xid.Nil
		}
		return err == nil && wrapped, 0, err
	}
	r.size = len(batch)
	if err := r.findApps(ctx, batch); err != nil {
		return false, 0, err
	}
	parts, created, err := r.parts(ctx, batch)
	if err != nil {
		return false, 0, err
	}
	err = r.Store.InTx(ctx, func(ctx context.Context) error { return r.write(ctx, parts) })
	if err != nil {
		return false, 0, err
	}
	left := len(batch)
	for _, p := range parts {
		if p.to == nil {
			left -= len(p.events)
		}
		r.appendLocal(p.subs)
	}
	r.metrics.relayed.Add(float64(len(batch) - left))
	if r.flood = r.size == relayBatch; !r.flood {
		r.traffic.live.Store(new(time.Now()))
	}
	more = left > 0 || r.size == r.most || r.bucket != 0 || !r.after.IsNil()
	r.bucket, r.after = 0, xid.Nil
	if left > 0 || r.size == r.most {
		last := parts[len(parts)-1].events[0]
		r.bucket, r.after = last.bucket, last.store
	}
	return more, created, nil
}

// outbox reads the next events, store by store.
func (r *relay) outbox(ctx context.Context) (batch []*entry, err error) {
	where := "(o.bucket > ? OR o.bucket = ? AND o.store_id > ?)"
	args := []any{r.bucket, r.bucket, r.after}
	r.size, r.suspect = r.most, nil
	if r.most == 1 {
		if r.suspect, err = r.next(ctx, where, args); err != nil || r.suspect == nil {
			return nil, err
		}
		where, args = "o.bucket = ? AND o.store_id = ? AND o.id = ?", r.suspect.place()
	}
	body := inline
	if r.flood {
		body = ", NULL"
	}
	err = r.seek(ctx, "SELECT o.bucket, o.store_id, o.id, o.generation, o.dealt_to, e.type, e.resource_id"+body+
		" FROM outbox o LEFT JOIN events e ON e.store_id = o.store_id AND e.id = o.id"+
		" WHERE o."+bucket.Every+" AND "+where+
		fmt.Sprintf(" ORDER BY o.bucket, o.store_id, o.id LIMIT %d", r.most),
		args, func(rs *stdsql.Rows) error {
			p := new(entry)
			var kind *string
			var resource *xid.ID
			err := rs.Scan(&p.bucket, &p.store, &p.event, &p.before, &p.dealt, &kind, &resource, (*inlined)(&p.body))
			if kind != nil {
				p.kind, p.resource = event.Type(*kind), *resource
			}
			batch = append(batch, p)
			return err
		})
	return batch, wrap("read outbox", err)
}

// assign assigns the events of a part to the endpoints that want them, and returns the number of
// deliveries so far. Events that do not fit into the transaction wait for another round.
func (d *part) assign(created int) int {
	for i, p := range d.events {
		if created > maxFanOut-fanOutPage {
			d.events = d.events[:i]
			break
		}
		for _, s := range d.subs {
			if !s.wants(p) {
				continue
			}
			switch later := s.missed != nil && p.event.Compare(*s.missed) >= 0; {
			case s.active && later: // its reading of the log will reach the event
				s.leftToLog = true
			case s.active:
				s.taken = append(s.taken, p)
				created++
			case !later && (s.misses == nil || p.event.Compare(*s.misses) < 0):
				s.misses = &p.event
			}
		}
	}
	return created
}

// write removes the events from the outbox, or records how far they were fanned out, and adds the
// deliveries to the queues. It fails with [errRaced] if another relay changed the events.
func (r *relay) write(ctx context.Context, parts []*part) error {
	var batch []*entry
	var subs []*subscriber
	for _, d := range parts {
		batch, subs = append(batch, d.events...), append(subs, d.subs...)
	}
	// If there are several parts, none is large.
	if err := r.advance(ctx, batch, parts[0].from, parts[0].to); err != nil {
		return err
	}
	if err := r.reserve(ctx, subs); err != nil {
		return err
	}
	now, rows := micros.Now(), []any(nil)
	for _, s := range subs {
		s.at = now
		for i, p := range s.taken {
			rows = append(rows, deliveryRow(s.Key, s.last+1+int64(i), p.pending, now)...)
		}
	}
	if err := r.insertDeliveries(ctx, rows); err != nil || parts[0].to != nil {
		return err
	}
	return r.count(ctx, batch)
}

// count marks sales sums for recomputation, in the transaction that takes the events out of the
// outbox.
func (r *relay) count(ctx context.Context, batch []*entry) error {
	var sales []rollup.Sale
	for _, p := range batch {
		switch {
		case p.kind == "": // its event is gone
			if err := rollup.Restart(ctx, r.Store, p.store); err != nil {
				return err
			}
		case rollup.Counts(p.kind):
			sales = append(sales, rollup.Sale{Store: p.store, Order: p.resource})
		}
	}
	return rollup.Mark(ctx, r.Store, sales...)
}

// advance removes events that were fanned out up to endpoint from, or records that they now are up
// to endpoint to.
func (r *relay) advance(ctx context.Context, batch []*entry, from, to *xid.ID) error {
	query, args := "DELETE FROM outbox", make([]any, 0, 4*len(batch)+2)
	if to != nil {
		query, args = "UPDATE outbox SET dealt_to = ?", append(args, *to)
	}
	for _, p := range batch {
		args = append(args, p.bucket, p.store, p.event, p.before) // unchanged since the subscribers were read
	}
	query += " WHERE " + r.among("bucket, store_id, id, generation", len(batch))
	if from == nil {
		query += " AND dealt_to IS NULL"
	} else {
		query, args = query+" AND dealt_to = ?", append(args, *from)
	}
	return r.swap(ctx, len(batch), query, args...)
}

// swap runs a compare-and-set on n rows. It fails with [errRaced] if one of them has changed.
func (r *relay) swap(ctx context.Context, n int, query string, args ...any) error {
	changed, err := r.exec(ctx, query, args...)
	if err == nil && changed != n {
		err = errRaced
	}
	return err
}

// reserve raises the sequences of the queues, by compare-and-set on their wake counters, and makes
// those due that this process does not own.
func (r *relay) reserve(ctx context.Context, subs []*subscriber) error {
	by := map[int][]*subscriber{} // by the number of deliveries
	byMissed := map[xid.ID][]*subscriber{}
	for _, s := range subs {
		switch {
		case len(s.taken) > 0:
			by[len(s.taken)] = append(by[len(s.taken)], s)
		case s.misses != nil:
			byMissed[*s.misses] = append(byMissed[*s.misses], s)
		case s.leftToLog:
			byMissed[xid.Nil] = append(byMissed[xid.Nil], s)
		}
	}
	// In a fixed order, like every statement that writes several of them.
	for _, missed := range slices.SortedFunc(maps.Keys(byMissed), xid.ID.Compare) {
		for some := range slices.Chunk(byMissed[missed], 4*leaseBatch) {
			if err := r.leaveToLog(ctx, some, missed); err != nil {
				return err
			}
		}
	}
	for _, count := range slices.Sorted(maps.Keys(by)) {
		for some := range slices.Chunk(by[count], 4*leaseBatch) {
			if err := r.raise(ctx, some, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveToLog leaves events to the endpoints' reading of the log, starting with missed if they just missed
// it. The unchanged wake counter proves that this reading is still before these events.
func (r *relay) leaveToLog(ctx context.Context, list []*subscriber, missed xid.ID) error {
	query, args := "UPDATE webhook_queues SET wake = wake + 1", make([]any, 0, 3*len(list)+1)
	if !missed.IsNil() {
		query, args = query+", missed_from = ?", append(args, missed)
	}
	for _, s := range list {
		args = append(args, s.Store, s.Endpoint, s.wake)
	}
	return r.swap(ctx, len(list), query+" WHERE "+r.among("store_id, id, wake", len(list)), args...)
}

func (r *relay) raise(ctx context.Context, list []*subscriber, count int) error {
	now, clock := r.clock()
	args := append([]any{count, r.Process}, slices.Concat(clock, clock, clock)...)
	for _, s := range list {
		args = append(args, s.Store, s.Endpoint, s.wake)
	}
	return r.swap(ctx, len(list), "UPDATE webhook_queues SET last_sequence = last_sequence + ?, wake = wake + 1,"+
		" due_at = CASE WHEN lease_owner = ? AND lease_until > "+now+" THEN due_at WHEN due_at < "+now+
		" THEN due_at ELSE "+now+" END"+" WHERE "+r.among("store_id, id, wake", len(list)), args...)
}

// deliveryColumns is the number of values of [deliveryRow].
const deliveryColumns = 6

func deliveryRow(k schedule.Key, sequence int64, p pending, now micros.Time) []any {
	return []any{k.Store, k.Endpoint, sequence, DeliveryID(k.Endpoint, sequence, now), p.event, p.resource}
}

func (b *base) insertDeliveries(ctx context.Context, rows []any) error {
	for some := range slices.Chunk(rows, deliveryColumns*maxFanOut/2) {
		_, err := b.exec(ctx, "INSERT INTO deliveries (store_id, endpoint_id, sequence, id, event_id, resource_id)"+
			values(len(some)/deliveryColumns, deliveryColumns), some...)
		if err != nil {
			return err
		}
	}
	return nil
}

// appendLocal appends the new deliveries to the queues of this process that are in memory up to
// right before them, so that they need not be read back. Other queues read them.
func (r *relay) appendLocal(subs []*subscriber) {
	m := r.machine.lock()
	defer r.machine.unlock()
	now := r.now()
	for _, s := range subs {
		if len(s.taken) == 0 && !s.leftToLog {
			continue
		}
		q := m.Find(s.Key)
		if q == nil {
			r.toLease.fire()
			continue
		}
		if m.Raised(q, s.wake, s.last, len(s.taken)) && !r.flood {
			m.Append(q, s.items(), now)
		}
	}
}

// items returns the new deliveries in their in-memory form.
func (s *subscriber) items() []*schedule.Item {
	items := make([]*schedule.Item, len(s.taken))
	for i, p := range s.taken {
		sequence := s.last + 1 + int64(i)
		items[i] = &schedule.Item{Sequence: sequence, ID: DeliveryID(s.Endpoint, sequence, s.at), Event: p.event,
			Resource: p.resource, Kind: p.kind, Body: p.body}
	}
	return items
}
