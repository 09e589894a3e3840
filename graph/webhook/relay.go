package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/webhook/schedule"
)

const (
	// relayBatch is how many events one transaction of the relay takes, maxFanOut
	// about how many deliveries it makes of them.
	relayBatch = 256
	maxFanOut  = 1024
	// relayGap is the least time between two rounds: events that come together go
	// together. While nobody subscribes to what comes, quietGap takes its place.
	relayGap = 12 * time.Millisecond
	quietGap = 500 * time.Millisecond
)

// errRaced means that another relay, or a person, was faster: the round is made anew.
var errRaced = errors.New("webhook: the relay was overtaken")

// relayLoop moves events from the outbox to the queues until ctx ends. It looks
// when this process has written events, and now and then for those of others.
func (d *dispatcher) relayLoop(ctx context.Context, written <-chan struct{}) {
	r := relay{dispatcher: d}
	timer := time.NewTimer(0)
	defer timer.Stop()
	gap, idle := relayGap, d.Poll
	for {
		last := time.Now()
		var more bool
		var made int
		err := d.try(ctx, "relay events", func(ctx context.Context) (err error) {
			more, made, err = r.round(ctx)
			return err
		})
		switch {
		case err != nil:
			gap = d.Poll
		case more:
			continue
		case made > 0:
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
		case <-d.toRelay:
			gap = relayGap
		case <-written:
		case <-timer.C:
			continue
		}
		if left := gap - time.Since(last); left > 0 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(left):
			}
		}
	}
}

// relay makes deliveries of events. It goes round the stores, so that one that
// writes much does not keep the others waiting, and it never keeps a place in
// the outbox: commits do not come in the order of ids.
type relay struct {
	*dispatcher
	bucket    int8
	after     xid.ID // the store with which the last round ended
	idleRound bool   // the outbox was empty
	// flood: the last batch was full. Then queues have more to read than memory has
	// room for, and bodies are read with the deliveries alone.
	flood bool
}

// entry is an event in the outbox.
type entry struct {
	pending
	bucket int8
	store  xid.ID
	kind   event.Type // "" when the event is gone
	body   []byte
	app    *xid.ID // whose grant ended, or whose export it is
}

// subscriber is an endpoint with what the relay needs of its queue.
type subscriber struct {
	schedule.Key
	types      map[event.Type]bool
	owner      *app
	active     bool
	wake, last int64
	missed     *xid.ID

	take   []*entry // to become deliveries
	at     micros.Time
	misses *xid.ID // the first event that it misses, since it rests
	passed bool    // some event is left to its reading of the log
}

// wants reports whether an event goes to the endpoint: it subscribed, and it is
// notified neither of its own suspension nor of the end of its own app's access. An
// app is notified of its own exports alone, as it sees no others (contract, section 5).
func (s *subscriber) wants(p *entry) bool {
	switch {
	case !s.types[p.kind] || p.resource == s.Endpoint:
		return false
	case s.owner == nil:
		return true
	case ofExport(p.kind):
		return p.app != nil && s.owner.id == *p.app
	}
	return p.app == nil || s.owner.id != *p.app
}

// round makes deliveries of one batch of events. It reports whether more may wait
// and how many deliveries it made.
func (r *relay) round(ctx context.Context) (more bool, made int, err error) {
	batch, err := r.outbox(ctx)
	r.idleRound = len(batch) == 0
	if err != nil || len(batch) == 0 {
		wrapped := r.bucket != 0 || !r.after.IsNil()
		r.bucket, r.after = 0, xid.Nil
		return err == nil && wrapped, 0, err
	}
	subs, err := r.subscribers(ctx, batch)
	if err != nil {
		return false, 0, err
	}
	if err := r.nameApps(ctx, batch); err != nil {
		return false, 0, err
	}
	read, wrapped := len(batch), r.bucket != 0 || !r.after.IsNil()
	batch = share(batch, subs)
	more = wrapped || len(batch) < read
	r.bucket, r.after = 0, xid.Nil
	if read == relayBatch {
		last := batch[len(batch)-1]
		r.bucket, r.after, more = last.bucket, last.store, true
	}
	err = r.Store.InTx(ctx, func(ctx context.Context) error { return r.write(ctx, batch, subs) })
	if errors.Is(err, errRaced) {
		return true, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	r.metrics.relayed.Add(float64(len(batch)))
	for _, s := range subs {
		made += len(s.take)
	}
	r.hand(subs)
	r.flood = read == relayBatch
	return more, made, nil
}

// outbox reads the next events, store by store.
func (r *relay) outbox(ctx context.Context) (batch []*entry, err error) {
	body := inline
	if r.flood {
		body = ", NULL"
	}
	err = r.read(ctx, "SELECT o.bucket, o.store_id, o.id, e.type, e.resource_id"+body+
		" FROM outbox o LEFT JOIN events e ON e.store_id = o.store_id AND e.id = o.id"+
		" WHERE o."+bucket.Every+" AND (o.bucket > ? OR o.bucket = ? AND o.store_id > ?)"+
		fmt.Sprintf(" ORDER BY o.bucket, o.store_id, o.id LIMIT %d", relayBatch),
		[]any{r.bucket, r.bucket, r.after}, func(rs *stdsql.Rows) error {
			p := new(entry)
			var kind *string
			var resource *xid.ID
			err := rs.Scan(&p.bucket, &p.store, &p.event, &kind, &resource, &p.body)
			if kind != nil {
				p.kind, p.resource = event.Type(*kind), *resource
			}
			batch = append(batch, p)
			return err
		})
	return batch, wrap("read outbox", err)
}

// subscribers reads the endpoints of the batch's stores, those that rest too.
func (r *relay) subscribers(ctx context.Context, batch []*entry) (subs []*subscriber, err error) {
	var stores []any
	for i, p := range batch {
		if i == 0 || p.store != batch[i-1].store {
			stores = append(stores, p.store)
		}
	}
	err = r.read(ctx,
		"SELECT e.store_id, e.id, e.events, e.status, e.app_store_id, e.app_id, q.wake, q.last_sequence, q.missed_from"+
			" FROM webhook_endpoints e JOIN webhook_queues q ON q.store_id = e.store_id AND q.id = e.id"+
			" WHERE e.store_id IN "+marks(len(stores))+" AND e.deleted_at IS NULL", stores,
		func(rs *stdsql.Rows) error {
			s, err := scanSubscriber(rs)
			subs = append(subs, s)
			return err
		})
	return subs, wrap("read subscribers", err)
}

// share gives the events to those who want them, and returns those of the batch
// that were shared: the rest waits when there are too many deliveries for one
// transaction.
func share(batch []*entry, subs []*subscriber) []*entry {
	of := map[xid.ID][]*subscriber{}
	for _, s := range subs {
		of[s.Store] = append(of[s.Store], s)
	}
	made := 0
	for i, p := range batch {
		if made >= maxFanOut {
			return batch[:i]
		}
		for _, s := range of[p.store] {
			// What was committed before the endpoint was registered is not its business.
			if !s.wants(p) || p.event.Time() < s.Endpoint.Time() {
				continue
			}
			switch later := s.missed != nil && p.event.Compare(*s.missed) >= 0; {
			case s.active && later: // it is on its way through the log and comes to this one
				s.passed = true
			case s.active:
				s.take = append(s.take, p)
				made++
			case !later && (s.misses == nil || p.event.Compare(*s.misses) < 0):
				s.misses = &p.event
			}
		}
	}
	return batch
}

// write takes the events out of the outbox, which nobody else can have done, and
// adds the deliveries to the queues.
func (r *relay) write(ctx context.Context, batch []*entry, subs []*subscriber) error {
	args := make([]any, 0, 3*len(batch))
	for _, p := range batch {
		args = append(args, p.bucket, p.store, p.event)
	}
	n, err := r.exec(ctx, "DELETE FROM outbox WHERE (bucket, store_id, id) "+r.among(len(batch), 3), args...)
	if err != nil {
		return err
	}
	if n != len(batch) {
		return errRaced
	}
	if err := r.reserve(ctx, subs); err != nil {
		return err
	}
	now, rows := micros.Now(), []any(nil)
	for _, s := range subs {
		s.at = now
		for i, p := range s.take {
			rows = append(rows, deliveryRow(s.Key, s.last+1+int64(i), p.pending, now)...)
		}
	}
	return r.insertDeliveries(ctx, rows)
}

// reserve raises the sequences of the queues, by compare-and-set on their wake
// counters, and makes due those that have no owner in this process.
func (r *relay) reserve(ctx context.Context, subs []*subscriber) error {
	by := map[int][]*subscriber{} // by the number of deliveries
	for _, s := range subs {
		if len(s.take) > 0 {
			by[len(s.take)] = append(by[len(s.take)], s)
		} else if err := r.pass(ctx, s); err != nil {
			return err
		}
	}
	for count, list := range by {
		for some := range slices.Chunk(list, 4*leaseBatch) {
			if err := r.raise(ctx, some, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass leaves events to an endpoint's reading of the log: what it had not come to
// when its row was read must be before it still.
func (r *relay) pass(ctx context.Context, s *subscriber) error {
	if s.misses == nil && !s.passed {
		return nil
	}
	query, args := "UPDATE webhook_queues SET wake = wake + 1", []any{s.Store, s.Endpoint, s.wake}
	if s.misses != nil {
		query, args = query+", missed_from = ?", append([]any{*s.misses}, args...)
	}
	n, err := r.exec(ctx, query+" WHERE store_id = ? AND id = ? AND wake = ?", args...)
	if err == nil && n != 1 {
		err = errRaced
	}
	return err
}

func (r *relay) raise(ctx context.Context, list []*subscriber, count int) error {
	now, clock := r.clock()
	args := append([]any{count, r.id}, slices.Concat(clock, clock, clock)...)
	for _, s := range list {
		args = append(args, s.Store, s.Endpoint, s.wake)
	}
	n, err := r.exec(ctx, "UPDATE webhook_queues SET last_sequence = last_sequence + ?, wake = wake + 1,"+
		" due_at = CASE WHEN lease_owner = ? AND lease_until > "+now+" THEN due_at WHEN due_at < "+now+
		" THEN due_at ELSE "+now+" END"+" WHERE (store_id, id, wake) "+r.among(len(list), 3), args...)
	if err != nil {
		return err
	}
	if n != len(list) {
		return errRaced
	}
	return nil
}

// deliveryColumns is how many values [deliveryRow] gives.
const deliveryColumns = 6

func deliveryRow(k schedule.Key, sequence int64, p pending, now micros.Time) []any {
	return []any{k.Store, k.Endpoint, sequence, DeliveryID(k.Endpoint, sequence, now), p.event, p.resource}
}

func (e *Engine) insertDeliveries(ctx context.Context, rows []any) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := e.exec(ctx, "INSERT INTO deliveries (store_id, endpoint_id, sequence, id, event_id, resource_id)"+
		values(len(rows)/deliveryColumns, deliveryColumns), rows...)
	return err
}

// hand gives the new deliveries to the queues of this process whose memory ends
// right before them, so that they need not be read back. Others read them.
func (r *relay) hand(subs []*subscriber) {
	r.mu.Lock()
	defer r.unlock()
	now := time.Now()
	for _, s := range subs {
		if len(s.take) == 0 && !s.passed {
			continue
		}
		q := r.schedule.Find(s.Key)
		if q == nil {
			wake(r.toLease)
			continue
		}
		if r.schedule.Raised(q, s.wake, s.last, len(s.take)) && !r.flood {
			r.schedule.Append(q, s.items(), now)
		}
	}
}

// items are the new deliveries as they are in memory.
func (s *subscriber) items() []*schedule.Item {
	items := make([]*schedule.Item, len(s.take))
	for i, p := range s.take {
		sequence := s.last + 1 + int64(i)
		items[i] = &schedule.Item{Sequence: sequence, ID: DeliveryID(s.Endpoint, sequence, s.at), Event: p.event,
			Resource: p.resource, Kind: p.kind, Body: p.body}
	}
	return items
}
