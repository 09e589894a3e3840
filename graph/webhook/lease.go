package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/attempt"
	"github.com/storefront-go/storefront/graph/model"
)

// A lease is a promise to the others: nobody else sends to the endpoint before
// it ends. Its owner keeps away from that end by his own clock.
const (
	leaseTime  = 6 * time.Second
	renewEvery = 2 * time.Second
	// sendWithin is how old a renewal may be for an attempt to start.
	sendWithin = 2500 * time.Millisecond
	// loseAfter is how old it may be for one to go on: a second before the end.
	loseAfter = leaseTime - time.Second
	// linger is how long a queue is kept that has nothing to send, while there is
	// room: renewing it is cheaper than leasing it anew for each event.
	linger = 5 * time.Second

	// reportEvery is the least time between two lines of the log about one thing.
	reportEvery = 10 * time.Second

	leaseBatch = 64
	maxLeased  = 1024
)

// leasing renews, takes and gives back leases until ctx ends.
func (d *dispatcher) leasing(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var renewed, looked time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-d.toLease:
		}
		d.expire()
		if d.clockwork()-renewed >= renewEvery {
			start := d.clockwork()
			if err := d.renewAll(ctx); err != nil {
				d.report(ctx, "renew leases", err)
			} else {
				renewed = start
			}
		}
		busy, err := d.acquire(ctx)
		d.report(ctx, "lease queues", err)
		if busy || d.clockwork()-looked >= d.Poll {
			looked = d.clockwork()
			d.report(ctx, "release queues", d.releaseIdle(ctx))
			d.report(ctx, "warn of failures", d.warn(ctx))
		}
		timer.Reset(d.pause(busy))
	}
}

// pause is the time between two looks for queues that are due.
func (d *dispatcher) pause(busy bool) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case busy:
		return time.Millisecond
	case len(d.queues) > 0:
		return min(d.Poll, renewEvery/4)
	}
	return 2 * d.Poll
}

// report logs an error of a loop, which goes on; the same work at most now and
// then, since it fails ten times a second while the database is away.
func (d *dispatcher) report(ctx context.Context, doing string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	now := d.clockwork()
	if last, ok := d.reported.Swap(doing, now); ok && now-last.(time.Duration) < reportEvery {
		d.reported.Store(doing, last)
		return
	}
	d.Logger.WarnContext(ctx, "webhooks: could not "+doing, "error", err)
}

// expire gives up the queues whose lease was not renewed in time.
func (d *dispatcher) expire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		if d.sinceRenewal(q) >= loseAfter {
			d.lose(q)
		}
	}
}

// renewAll renews every lease, with its token: one that was taken by another, or
// ended by a person, is lost.
func (d *dispatcher) renewAll(ctx context.Context) error {
	d.mu.Lock()
	all := d.sorted()
	d.mu.Unlock()
	for batch := range slices.Chunk(all, leaseBatch) {
		if err := d.renew(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (d *dispatcher) renew(ctx context.Context, batch []*queue) error {
	asked := d.clockwork()
	var rows map[key]*row
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		now, args := d.clock()
		args = slices.Concat(args, args) // it stands there twice
		args = append(args, d.id)
		for _, q := range batch {
			args = append(args, q.store, q.endpoint, q.token)
		}
		lease := fmt.Sprintf(" + %d", leaseTime.Microseconds())
		_, err := d.exec(ctx, "UPDATE webhook_queues SET lease_until = "+now+lease+", due_at = "+now+lease+
			" WHERE lease_owner = ? AND (store_id, id, lease_token) "+d.among(len(batch), 3), args...)
		if err != nil {
			return err
		}
		rows, err = d.readRows(ctx, batch)
		return err
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range batch {
		r := rows[q.key]
		if r == nil || r.token != q.token || r.target == nil {
			d.lose(q)
			continue
		}
		q.renewed.Store(int64(asked))
		d.refresh(q, r)
		d.offer(q)
	}
	wake(d.toLoad)
	return nil
}

// refresh takes over what the row says now. Where a person changed something,
// all of the queue is read anew. The lock is held.
func (d *dispatcher) refresh(q *queue, r *row) {
	if q.promoted != r.promoted {
		q.promoted, q.target = r.promoted, r.target // the second secret took over by itself
	}
	if q.wake == r.wake {
		return
	}
	q.wake, q.last = r.wake, max(q.last, r.last)
	q.missed, q.replay = r.missed, r.replay
	if q.epoch == r.epoch {
		return
	}
	q.epoch = r.epoch
	streak, probe := q.streak, q.probe
	q.settings = r.settings
	q.streak, q.probe = streak, probe
	q.resetting = true
	d.reset(q)
}

// row is the row of a queue, with its endpoint's.
type row struct {
	key
	settings
	token, wake, epoch, last int64
}

// columns of a queue and its endpoint, in the order of [dispatcher.scan].
const columns = "q.store_id, q.id, q.lease_token, q.wake, q.epoch, q.last_sequence, q.floor_sequence, q.resumed_at," +
	" q.missed_from, q.replay_from, q.replay_to, q.failing_since, q.failed_through, q.warned, q.streak, q.probe_at," +
	" e.url, e.events, e.secret, e.next_secret, e.next_secret_at, e.app_store_id, e.app_id"

// readRows reads the rows of queues that are this process's own; others are left out.
func (d *dispatcher) readRows(ctx context.Context, batch []*queue) (map[key]*row, error) {
	args := []any{d.id, string(state.EndpointActive)}
	for _, q := range batch {
		args = append(args, q.store, q.endpoint)
	}
	rows := make(map[key]*row, len(batch))
	err := d.read(ctx, "SELECT "+columns+" FROM webhook_queues q JOIN webhook_endpoints e ON e.store_id = q.store_id AND e.id = q.id"+
		" WHERE q.lease_owner = ? AND e.status = ? AND e.deleted_at IS NULL AND (q.store_id, q.id) "+d.among(len(batch), 2), args,
		func(rs *stdsql.Rows) error {
			r, err := d.scan(rs)
			if err == nil {
				rows[r.key] = r
			}
			return err
		})
	return rows, err
}

// scan reads a row of [columns].
func (d *dispatcher) scan(rs *stdsql.Rows) (*row, error) {
	r := new(row)
	var url, names string
	var e db.WebhookEndpoint
	var appStore, appID *xid.ID
	err := rs.Scan(&r.store, &r.endpoint, &r.token, &r.wake, &r.epoch, &r.last, &r.floor, &r.resumed,
		&r.missed, &r.replay[0], &r.replay[1], &r.failingSince, &r.failedThrough, &r.warned, &r.streak, &r.probe,
		&url, &names, &e.Secret, &e.NextSecret, &e.NextSecretAt, &appStore, &appID)
	if err != nil {
		return nil, err
	}
	r.types = map[event.Type]bool{}
	for name := range strings.FieldsSeq(names) {
		r.types[event.Type(name)] = true
	}
	if appID != nil {
		r.owner = &app{*appStore, *appID}
	}
	e.ID, e.URL = r.endpoint, url
	if promotes := (&model.WebhookEndpoint{WebhookEndpoint: &e}).NextSecretPromotesAt(); promotes != nil {
		r.promoted = micros.Now() >= *promotes
	}
	if r.target, err = d.targetOf(&e); err != nil {
		// It waits alone: the others of the batch have nothing to do with it.
		d.Logger.Error("webhooks: an endpoint cannot be sent to", "endpoint", xid.WebhookEndpoint.Format(r.endpoint), "error", err)
	}
	return r, nil
}

// targetOf makes what an endpoint's attempts share.
func (e *Engine) targetOf(endpoint *db.WebhookEndpoint) (*attempt.Target, error) {
	var secrets []string
	current, next := model.Secrets(endpoint, micros.Now())
	for _, sealed := range [][]byte{current, next} {
		if len(sealed) == 0 {
			continue
		}
		secret, err := e.Vault.Open(endpoint.ID, sealed)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return attempt.NewTarget(endpoint.URL, secrets...)
}

// acquire leases queues that are due, and looks again at its own among them. It
// tells whether there may be more.
func (d *dispatcher) acquire(ctx context.Context) (more bool, err error) {
	d.mu.Lock()
	room := min(maxLeased-len(d.queues), leaseBatch)
	stopping := d.stopping || d.skewed.Load()
	d.mu.Unlock()
	if room <= 0 || stopping {
		return false, nil
	}
	free, own, err := d.candidates(ctx, room)
	if err != nil {
		return false, err
	}
	if len(own) > 0 {
		if err := d.renew(ctx, own); err != nil {
			return false, err
		}
	}
	if len(free) == 0 {
		return false, nil
	}
	won, err := d.lease(ctx, free)
	return won > 0 && len(free) == room, err
}

// candidate is a queue that is due, as it was seen without a lock.
type candidate struct {
	key
	token int64
}

func (d *dispatcher) candidates(ctx context.Context, room int) (free []candidate, own []*queue, err error) {
	now, args := d.clock()
	due := args
	args = slices.Concat(due, due)
	var mine []key
	err = d.read(ctx, "SELECT store_id, id, lease_token, lease_owner, CASE WHEN lease_until > "+now+" THEN 1 ELSE 0 END"+
		" FROM webhook_queues WHERE "+bucket.Every+" AND due_at <= "+now+fmt.Sprintf(" LIMIT %d", 2*room), args,
		func(rs *stdsql.Rows) error {
			var c candidate
			var owner *xid.ID
			var leased bool
			if err := rs.Scan(&c.store, &c.endpoint, &c.token, &owner, &leased); err != nil {
				return err
			}
			switch {
			case !leased && len(free) < room:
				free = append(free, c)
			case leased && owner != nil && *owner == d.id:
				mine = append(mine, c.key)
			}
			return nil
		})
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range mine {
		if q := d.queues[k]; q != nil {
			own = append(own, q)
		}
	}
	slices.SortFunc(own, byKey)
	return free, own, err
}

// lease takes free queues by compare-and-set on their tokens, and reads back
// which it won.
func (d *dispatcher) lease(ctx context.Context, free []candidate) (won int, err error) {
	slices.SortFunc(free, func(a, b candidate) int { return compareKeys(a.key, b.key) })
	asked := d.clockwork()
	batch := make([]*queue, len(free))
	for i, c := range free {
		batch[i] = &queue{key: c.key}
	}
	var rows map[key]*row
	err = d.Store.InTx(ctx, func(ctx context.Context) error {
		now, args := d.clock()
		clock := args
		args = append([]any{d.id}, slices.Concat(clock, clock, clock)...)
		for _, c := range free {
			args = append(args, c.store, c.endpoint, c.token)
		}
		lease := fmt.Sprintf(" + %d", leaseTime.Microseconds())
		_, err := d.exec(ctx, "UPDATE webhook_queues SET lease_token = lease_token + 1, lease_owner = ?, lease_until = "+now+lease+
			", due_at = "+now+lease+" WHERE lease_until <= "+now+" AND (store_id, id, lease_token) "+d.among(len(free), 3), args...)
		if err != nil {
			return err
		}
		if rows, err = d.readRows(ctx, batch); err != nil || len(rows) == len(free) {
			return err
		}
		return d.rest(ctx, free, rows)
	})
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, c := range free {
		r := rows[c.key]
		if r == nil || r.token != c.token+1 || r.target == nil || d.queues[c.key] != nil {
			continue // somebody else was first, the endpoint rests, or its secret does not open
		}
		won++
		d.enter(batch[i], r, asked)
	}
	wake(d.toLoad)
	return won, nil
}

// rest lets queues be that were won but whose endpoint is not active: they are
// due again when it is reactivated.
func (d *dispatcher) rest(ctx context.Context, free []candidate, rows map[key]*row) error {
	args, n := []any{int64(micros.Never), d.id}, 0
	for _, c := range free {
		if rows[c.key] == nil {
			args = append(args, c.store, c.endpoint, c.token+1)
			n++
		}
	}
	_, err := d.exec(ctx, "UPDATE webhook_queues SET lease_owner = NULL, lease_until = 0, due_at = ?"+
		" WHERE lease_owner = ? AND (store_id, id, lease_token) "+d.among(n, 3), args...)
	return err
}

// enter takes a leased queue into memory. The lock is held.
func (d *dispatcher) enter(q *queue, r *row, asked time.Duration) {
	q.settings, q.token, q.wake, q.epoch, q.last = r.settings, r.token, r.wake, r.epoch, r.last
	q.total = &d.bytes
	q.ctx, q.cancel = context.WithCancel(d.sending)
	q.renewed.Store(int64(asked))
	q.window = min(slowStart, d.Slots)
	if q.streak > 0 {
		q.window = 1
	}
	q.clear()
	d.queues[q.key] = q
	if q.streak >= gateAt && q.probe > micros.Now() && q.probe != micros.Never {
		d.alarm(q, nil, q.probe)
	}
}

// releaseIdle gives back the queues that have nothing to send for a while.
func (d *dispatcher) releaseIdle(ctx context.Context) error {
	idle := d.idle(false)
	var errs []error
	for due, list := range idle {
		for batch := range slices.Chunk(list, leaseBatch) {
			errs = append(errs, d.release(ctx, batch, due)) // each takes its mark off the queues
		}
	}
	return errors.Join(errs...)
}

// idle returns the queues that may be given back, by the time at which each is
// due again.
func (d *dispatcher) idle(all bool) map[micros.Time][]*queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := map[micros.Time][]*queue{}
	now, crowded := micros.Now(), len(d.queues) > maxLeased/2
	for _, q := range d.sorted() {
		until, ok := q.empty()
		if !ok {
			q.idleSince = 0
			continue
		}
		if q.idleSince == 0 {
			q.idleSince = max(d.clockwork(), 1)
		}
		until = min(until, d.nextWarning(q))
		rests := d.clockwork()-q.idleSince >= d.Linger && until > now.Add(d.Linger)
		if all || rests || crowded && until > now.Add(time.Second) {
			q.releasing, q.emptyAt = true, q.wake
			list[until] = append(list[until], q)
		}
	}
	return list
}

// release gives queues back, unless something was added since they were found
// empty, be it by this process's own relay: the wake counter of that moment tells.
func (d *dispatcher) release(ctx context.Context, batch []*queue, due micros.Time) error {
	var kept map[key]*row
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		at, args := fmt.Sprint(int64(micros.Never)), []any(nil)
		if due != micros.Never {
			// Queues are due by the clock of leases.
			at, args = d.clock()
			at += fmt.Sprintf(" + %d", max(due-micros.Now(), 0))
		}
		args = append(args, d.id)
		for _, q := range batch {
			args = append(args, q.store, q.endpoint, q.token, q.emptyAt)
		}
		_, err := d.exec(ctx, "UPDATE webhook_queues SET lease_owner = NULL, lease_until = 0, due_at = "+at+
			" WHERE lease_owner = ? AND (store_id, id, lease_token, wake) "+d.among(len(batch), 4), args...)
		if err != nil {
			return err
		}
		kept, err = d.readRows(ctx, batch)
		return err
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range batch {
		q.releasing = false
		if r := kept[q.key]; err != nil || r != nil && r.token == q.token {
			if err == nil {
				d.refresh(q, r)
			}
			d.offer(q)
			continue
		}
		d.forget(q)
	}
	wake(d.toLoad)
	return err
}
