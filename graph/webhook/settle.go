package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/attempt"
)

// What ends a delivery, or lets it wait, without the receiver.
const (
	// outcomeExpired: the event has aged out of the log.
	outcomeExpired attempt.Outcome = "expired"
	// outcomeForbidden: the endpoint's owner may not have the event any more.
	outcomeForbidden attempt.Outcome = "not_permitted"
)

const (
	settleBatch = 512
	// settleAfter is how long outcomes are collected before they are written.
	settleAfter = 3 * time.Millisecond
)

// verdict is what an outcome means for its delivery.
type verdict int

const (
	verdictDelivered verdict = iota
	verdictCancelled         // it ends without success, and without blame
	verdictRetry             // another attempt is due
	verdictExhausted         // the last attempt failed
)

// outcome is an attempt that has ended and is not written down yet. It holds what
// was true then; the item may have moved on.
type outcome struct {
	q       *queue
	item    *item
	result  attempt.Result
	at      micros.Time
	verdict verdict

	// Of a success: the endpoint had failed before; what fails of it is less now;
	// its people were warned of what is over.
	recovered, healed, told bool
	warned                  int
	// Of a failure: the delivery's counters and the queue's.
	attempts, tries, streak int
	first, due, probe       micros.Time
	through                 int64
	suspended               bool
	since                   *micros.Time // of a success, too
}

// settling writes outcomes down, in batches, until ctx ends.
func (d *dispatcher) settling(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.toSettle:
		}
		for ctx.Err() == nil {
			batch := d.collect(ctx)
			if len(batch) == 0 {
				break
			}
			d.settleAll(ctx, batch)
		}
	}
}

// collect takes the next outcomes. Few ones wait a moment for company.
func (d *dispatcher) collect(ctx context.Context) []*outcome {
	d.mu.Lock()
	n := len(d.settles)
	d.mu.Unlock()
	if n > 0 && n < settleBatch {
		select {
		case <-ctx.Done():
		case <-time.After(settleAfter):
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n = min(len(d.settles), settleBatch)
	batch := slices.Clone(d.settles[:n])
	d.settles = slices.Delete(d.settles, 0, n)
	return batch
}

// settleAll writes a batch, again and again while the database is away: what is
// not written is sent once more by the next owner.
func (d *dispatcher) settleAll(ctx context.Context, batch []*outcome) {
	var plain, last []*outcome
	for _, o := range batch {
		if o.verdict == verdictExhausted {
			last = append(last, o)
		} else {
			plain = append(plain, o)
		}
	}
	d.insist(ctx, plain, d.write)
	for _, o := range last {
		d.insist(ctx, []*outcome{o}, d.exhaust)
		d.afterExhaustion(o)
	}
	d.count(batch)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range batch {
		q := o.q
		q.unsettled--
		d.unsettled--
		d.reset(q)
		d.offer(q)
	}
}

// insist tries to write outcomes until it works or none of their queues is owned
// any more.
func (d *dispatcher) insist(ctx context.Context, batch []*outcome, write func(context.Context, []*outcome) error) {
	for len(batch) > 0 {
		err := write(ctx, batch)
		if err == nil || ctx.Err() != nil {
			return
		}
		d.report(ctx, "write outcomes down", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(d.Poll):
		}
		d.expire()
		d.mu.Lock()
		batch = slices.DeleteFunc(batch, func(o *outcome) bool { return o.q.lost })
		d.mu.Unlock()
	}
}

// write writes successes and retries in one transaction: the log, the attempt
// counts and the next due times together, or nothing.
func (d *dispatcher) write(ctx context.Context, batch []*outcome) error {
	health := lastOfEach(batch)
	batch = slices.SortedFunc(slices.Values(batch), bySequence) // the caller's stays as it came, for another try
	var ended, failed []*outcome
	for _, o := range batch {
		if o.verdict == verdictRetry {
			failed = append(failed, o)
		} else {
			ended = append(ended, o)
		}
	}
	err := d.Store.InTx(ctx, func(ctx context.Context) error {
		whole, err := d.finish(ctx, ended)
		if err != nil {
			return err
		}
		if !whole {
			return errSome
		}
		return d.writeRest(ctx, failed, health)
	})
	if err == errSome { //nolint:errorlint // our own, never wrapped
		return d.writeEach(ctx, ended, failed, health)
	}
	return err
}

// lastOfEach returns the outcome that came last of each queue among those that
// say something of its health: it alone decides. Batches are in the order in
// which attempts ended.
func lastOfEach(batch []*outcome) []*outcome {
	last := map[*queue]*outcome{}
	for _, o := range batch {
		if o.verdict != verdictRetry && !o.recovered && !o.healed {
			continue
		}
		if before := last[o.q]; before != nil {
			o.told = o.told || before.told
		}
		last[o.q] = o
	}
	return slices.SortedFunc(maps.Values(last), bySequence)
}

func bySequence(a, b *outcome) int {
	if c := byKey(a.q, b.q); c != 0 {
		return c
	}
	return int(a.item.sequence - b.item.sequence)
}

func (d *dispatcher) writeRest(ctx context.Context, failed, health []*outcome) error {
	if err := d.retry(ctx, failed); err != nil {
		return err
	}
	for _, o := range health {
		note := d.heal
		if o.verdict == verdictRetry {
			note = d.ail
		}
		if err := note(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// finish takes deliveries out of the hot table and into the log. It tells whether
// each of them was still there.
func (d *dispatcher) finish(ctx context.Context, ended []*outcome) (whole bool, err error) {
	if len(ended) == 0 {
		return true, nil
	}
	args := make([]any, 0, 3*len(ended))
	for _, o := range ended {
		args = append(args, o.q.store, o.q.endpoint, o.item.sequence)
	}
	n, err := d.exec(ctx, "DELETE FROM deliveries WHERE (store_id, endpoint_id, sequence) "+d.among(len(ended), 3), args...)
	if err != nil || n != len(ended) {
		return false, err
	}
	return true, d.log(ctx, ended)
}

// log writes the rows of deliveries that have ended.
func (d *dispatcher) log(ctx context.Context, ended []*outcome) error {
	args := make([]any, 0, 17*len(ended))
	for _, o := range ended {
		it, r, ends := o.item, o.result, state.DeliveryCancelled
		var began, attemptID, detail any
		attempts := it.attempts
		switch o.verdict {
		case verdictDelivered:
			ends, attempts = state.DeliveryDelivered, it.attempts+1
		case verdictExhausted:
			ends = state.DeliveryFailed
		}
		if ends != state.DeliveryCancelled {
			began, attemptID = micros.Of(r.Began), xid.At(micros.Of(r.Began))
		}
		if r.Detail != "" {
			detail = r.Detail
		}
		args = append(args, o.q.store, o.q.endpoint, it.sequence, it.id, it.event, string(it.kind), it.resource,
			string(ends), attempts, o.at, began, attemptID, string(r.Outcome), r.Status, r.Duration.Microseconds(), detail, r.Response)
	}
	_, err := d.exec(ctx, "INSERT INTO delivery_logs (store_id, endpoint_id, sequence, id, event_id, type, resource_id,"+
		" state, attempts, settled_at, began_at, attempt_id, outcome, status, duration, detail, response)"+values(len(ended), 17), args...)
	return err
}

// retry writes failed attempts: the row's counters by compare-and-set, so that a
// late one undoes nothing, and their places in the log.
func (d *dispatcher) retry(ctx context.Context, failed []*outcome) error {
	args := make([]any, 0, 12*len(failed))
	for _, o := range failed {
		n, err := d.exec(ctx, "UPDATE deliveries SET attempts = ?, tries = ?, first_at = ?, due_at = ?, failed = ?"+
			" WHERE store_id = ? AND endpoint_id = ? AND sequence = ? AND attempts = ?",
			o.attempts, o.tries, o.first, o.due, false, o.q.store, o.q.endpoint, o.item.sequence, o.attempts-1)
		if err != nil {
			return err
		}
		if n == 0 {
			if err := d.logLate(ctx, o); err != nil {
				return err
			}
			continue
		}
		args = append(args, attemptRow(o)...)
	}
	return d.logAttempts(ctx, args)
}

// attemptColumns is how many values [attemptRow] gives.
const attemptColumns = 12

// attemptRow is the log's row of an attempt that did not end its delivery.
func attemptRow(o *outcome) []any {
	r := o.result
	var next, detail any
	if o.due != 0 {
		next = o.due
	}
	if r.Detail != "" {
		detail = r.Detail
	}
	began := micros.Of(r.Began)
	return []any{o.q.store, o.q.endpoint, o.item.sequence, o.attempts, xid.At(began), began, next,
		string(r.Outcome), r.Status, r.Duration.Microseconds(), detail, r.Response}
}

func (d *dispatcher) logAttempts(ctx context.Context, args []any) error {
	if len(args) == 0 {
		return nil
	}
	_, err := d.exec(ctx, "INSERT INTO attempts (store_id, endpoint_id, sequence, number, id, began_at, next_at,"+
		" outcome, status, duration, detail, response)"+values(len(args)/attemptColumns, attemptColumns), args...)
	return err
}

// ail notes a failure in the queue's row, if the lease is still ours.
func (d *dispatcher) ail(ctx context.Context, o *outcome) error {
	_, err := d.exec(ctx, "UPDATE webhook_queues SET failing_since = ?, failed_through = ?, streak = ?, probe_at = ?, last_error = ?"+
		" WHERE store_id = ? AND id = ? AND lease_token = ?",
		o.since, o.through, o.streak, o.probe, describe(o.result), o.q.store, o.q.endpoint, o.q.token)
	return err
}

// describe is what an endpoint's last_error says.
func describe(r attempt.Result) string {
	text := string(r.Outcome)
	if r.Status != 0 {
		text = fmt.Sprintf("%s: HTTP %d", text, r.Status)
	}
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	return strings.ToValidUTF8(text[:min(len(text), 255)], "")
}
