package webhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// No other process sends to an endpoint before the lease of its queue ends.
var terms = lease.Terms{
	Length: 6 * time.Second,
	Every:  2 * time.Second,
	Begin:  2500 * time.Millisecond, // of an attempt
	Margin: time.Second,
}

const (
	// linger is how long a queue with nothing to send is kept while there is room: renewing it is
	// cheaper than leasing it again for each event.
	linger = 5 * time.Second

	leaseBatch = 64
	renewBatch = 256
)

// leased is the part of a leased queue outside of the schedule.
type leased struct {
	settings
	held *lease.Held
	// ctx is the context of the attempts. Attempts of a queue that a person stopped outlive the
	// lease.
	ctx       context.Context
	cancel    context.CancelFunc
	stopWatch func() bool // stops watching the end of the lease
}

// settings are the settings in the endpoint's row.
type settings struct {
	target   *attempt.Target
	headers  []Header // the endpoint's custom headers
	promoted bool     // the target signs with the promoted second secret
	owner    *app
	types    map[event.Type]bool
	filters  filter.Set
	payload  state.WebhookPayload
	// selection is the text of the selected fields, if that is the payload.
	selection *string
}

func (l *leased) end() {
	l.stopWatch()
	l.cancel()
	l.held.End()
}

// leaser acquires, renews and releases the leases of queues, and keeps the settings of those that
// this process owns.
type leaser struct {
	*base
	warn    func(context.Context) error // warns people of endpoints that fail
	sending context.Context             // of the attempts

	// The lock of the machine guards these.
	leased   map[*schedule.Queue]*leased
	fencedAt time.Time // when a queue was last found to be taken out of service by a person

	claiming sync.Mutex // held from the claim of queues until they are in memory
}

// leaseLoop renews, takes and releases leases on the queues of a shard until ctx ends.
func (l *leaser) leaseLoop(ctx context.Context) {
	called, unsubscribe := l.toLease.subscribe()
	defer unsubscribe()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var renewed, looked time.Time
	for wait(ctx, called, timer.C) {
		if start := time.Now(); start.Sub(renewed) >= terms.Every && l.try(ctx, "renew leases", l.renewAll) == nil {
			renewed = start
		}
		busy := false
		_ = l.try(ctx, "lease queues", func(ctx context.Context) (err error) {
			busy, err = l.acquire(ctx)
			return err
		})
		if busy || time.Since(looked) >= l.Poll {
			looked = time.Now()
			_ = l.try(ctx, "release queues", func(ctx context.Context) error {
				m := l.machine.lock()
				idle := m.Releases(l.now())
				l.machine.unlock()
				return l.releaseAll(ctx, idle)
			})
			_ = l.try(ctx, "warn of failures", l.warn)
		}
		timer.Reset(l.pause(busy))
	}
}

// pause returns the time between two searches for due queues.
func (l *leaser) pause(busy bool) time.Duration {
	m := l.machine.lock()
	defer l.machine.unlock()
	switch {
	case busy:
		return time.Millisecond
	case m.Len() > 0:
		return min(l.Poll, terms.Every/4)
	}
	return l.Poll
}

// renewAll renews every lease of a shard by its token. A lease that another process took or a
// person ended is lost.
func (l *leaser) renewAll(ctx context.Context) error {
	m := l.machine.lock()
	all := m.Queues()
	l.machine.unlock()
	all = ent.Here(ctx, all, func(q *schedule.Queue) xid.ID { return q.Store })
	for batch := range slices.Chunk(all, renewBatch) {
		if err := l.renew(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (l *leaser) renew(ctx context.Context, batch []*schedule.Queue) error {
	asked := time.Now()
	var rows map[schedule.Key]*row
	err := l.Store.InTx(ctx, func(ctx context.Context) error {
		now, args := l.clock()
		args = slices.Concat(args, args) // the clock is in the statement twice
		args = append(args, l.Process)
		keys := make([]schedule.Key, len(batch))
		for i, q := range batch {
			keys[i] = q.Key
			args = append(args, q.Store, q.Endpoint, q.Token)
		}
		_, err := l.exec(ctx, "UPDATE webhook_queues SET "+terms.Renewal(lease.Clock(now))+
			" WHERE lease_owner = ? AND "+l.among("store_id, id, lease_token", len(batch)), args...)
		if err != nil {
			return err
		}
		rows, err = l.readRows(ctx, keys)
		return err
	})
	if err != nil {
		return err
	}
	m := l.machine.lock()
	defer l.machine.unlock()
	for _, q := range batch {
		r, h := rows[q.Key], l.leased[q]
		switch {
		case h == nil: // it was lost meanwhile
		case r == nil:
			m.Lose(q)
		case r.Token != q.Token || r.inactive || r.target == nil: // a person did this: no other process sends
			l.retireQueue(m, q)
		default:
			h.held.Renewed(asked)
			h.adopt(r.settings, m.Renewed(q, r.Row, asked, l.now()))
		}
	}
	return nil
}

func (l *leaser) reread(m *schedule.Machine, q *schedule.Queue, r *row) {
	if h := l.leased[q]; h != nil {
		h.adopt(r.settings, m.Reread(q, r.Row, l.now()))
	}
}

// adopt takes over the settings of the row if a person changed them.
func (l *leased) adopt(s settings, changed bool) {
	switch {
	case changed:
		l.settings = s
	case l.promoted != s.promoted: // the second secret was promoted by time
		l.promoted, l.target = s.promoted, s.target
	}
}

func (l *leaser) enter(m *schedule.Machine, r *row, asked time.Time) {
	q := m.Enter(r.Key, r.Row, asked, l.now())
	h := &leased{settings: r.settings, held: terms.Take(l.sending, asked)}
	h.ctx, h.cancel = context.WithCancel(l.sending)
	h.stopWatch = context.AfterFunc(h.held.Context(), func() {
		if errors.Is(context.Cause(h.held.Context()), lease.ErrLost) {
			m := l.machine.lock()
			defer l.machine.unlock()
			m.Lose(q)
		}
	})
	l.leased[q] = h
}

// giveBack releases every queue, or only the quiet ones. A queue to which something is added
// meanwhile is kept, and released the next time.
func (l *leaser) giveBack(ctx context.Context, quiet bool) {
	m := l.machine.lock()
	list := m.ReleaseAll(quiet, l.now())
	l.machine.unlock()
	l.report(ctx, "release queues", l.releaseAll(ctx, list))
}

func (l *leaser) releaseAll(ctx context.Context, by map[micros.Time][]schedule.Release) error {
	var errs []error
	for _, due := range slices.Sorted(maps.Keys(by)) {
		for part := range ent.ByShard(l.Store, by[due], func(r schedule.Release) xid.ID { return r.Queue.Store }) {
			for batch := range slices.Chunk(part, leaseBatch) {
				errs = append(errs, l.release(ctx, batch, due)) // each queue is kept or dropped
			}
		}
	}
	return errors.Join(errs...)
}

// release releases queues unless something was added since they were found empty, be it by this
// process's own relay: it compares the wake counter of that moment.
func (l *leaser) release(ctx context.Context, batch []schedule.Release, due micros.Time) error {
	var kept map[schedule.Key]*row
	err := l.Store.InTx(ctx, func(ctx context.Context) (err error) {
		kept, err = l.writeRelease(ctx, batch, due)
		return err
	})
	m := l.machine.lock()
	defer l.machine.unlock()
	for _, rel := range batch {
		q := rel.Queue
		r, h := kept[q.Key], l.leased[q]
		switch {
		case h == nil: // it was lost meanwhile
		case err != nil:
			m.Kept(q, nil, l.now())
		case r != nil && r.Token == q.Token:
			h.adopt(r.settings, m.Kept(q, &r.Row, l.now()))
		default:
			m.Released(q)
		}
	}
	return err
}

// writeRelease releases queues and returns the rows of those that were kept.
func (l *leaser) writeRelease(
	ctx context.Context, batch []schedule.Release, due micros.Time,
) (map[schedule.Key]*row, error) {
	set, args := fmt.Sprintf("due_at = %d", micros.Max), []any(nil)
	if due != micros.Max {
		// Due times of queues are times of the queue clock.
		now, clock := l.clock()
		set = fmt.Sprintf("due_at = %s + %d, set_at = %s", now, max(due-micros.Of(l.now()), 0), now)
		args = slices.Concat(clock, clock)
	}
	args = append(args, l.Process)
	keys := make([]schedule.Key, len(batch))
	for i, rel := range batch {
		keys[i] = rel.Queue.Key
		args = append(args, rel.Queue.Store, rel.Queue.Endpoint, rel.Queue.Token, rel.Wake)
	}
	_, err := l.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", "+set+
		" WHERE lease_owner = ? AND "+l.among("store_id, id, lease_token, wake", len(batch)), args...)
	if err != nil {
		return nil, err
	}
	return l.readRows(ctx, keys)
}
