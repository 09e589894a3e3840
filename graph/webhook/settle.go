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
	"github.com/storefront-go/storefront/graph/webhook/schedule"
)

const (
	settleBatch = 512
	// settleAfter is how long outcomes are collected before they are written.
	settleAfter = 3 * time.Millisecond
)

// outcome is an attempt that has ended and is not written down yet.
type outcome struct {
	schedule.Outcome
	result    attempt.Result
	suspended bool
}

// settleLoop writes outcomes down, in batches, until ctx ends.
func (d *dispatcher) settleLoop(ctx context.Context) {
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
	d.unlock()
	if n > 0 && n < settleBatch {
		select {
		case <-ctx.Done():
		case <-time.After(settleAfter):
		}
	}
	d.mu.Lock()
	defer d.unlock()
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
		if o.Verdict == schedule.Exhausted {
			last = append(last, o)
		} else {
			plain = append(plain, o)
		}
	}
	d.persist(ctx, plain, d.write)
	for _, o := range last {
		d.persist(ctx, []*outcome{o}, d.exhaust)
		d.mu.Lock()
		d.schedule.GaveUp(&o.Outcome, o.suspended)
		d.unlock()
	}
	d.count(batch)
	d.mu.Lock()
	defer d.unlock()
	now := time.Now()
	for _, o := range batch {
		d.schedule.Settled(&o.Outcome, now)
	}
}

// persist tries to write outcomes until it works or none of their queues is owned
// any more.
func (d *dispatcher) persist(ctx context.Context, batch []*outcome, write func(context.Context, []*outcome) error) {
	for len(batch) > 0 {
		err := d.try(ctx, "write outcomes down", func(ctx context.Context) error { return write(ctx, batch) })
		if err == nil || ctx.Err() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(d.Poll):
		}
		d.mu.Lock()
		batch = slices.DeleteFunc(batch, func(o *outcome) bool { return o.Queue.State() == schedule.Lost })
		d.unlock()
	}
}

// write writes successes and retries in one transaction: the log, the attempt
// counts and the next due times together, or nothing.
func (d *dispatcher) write(ctx context.Context, batch []*outcome) error {
	health := lastOfEach(batch)
	batch = slices.SortedFunc(slices.Values(batch), bySequence) // the caller's stays as it came, for another try
	var ended, failed []*outcome
	for _, o := range batch {
		if o.Verdict == schedule.Retry {
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
	last := map[*schedule.Queue]*outcome{}
	for _, o := range batch {
		if o.Verdict != schedule.Retry && !o.Recovered && !o.Healed {
			continue
		}
		if before := last[o.Queue]; before != nil {
			o.Over = o.Over || before.Over
		}
		last[o.Queue] = o
	}
	return slices.SortedFunc(maps.Values(last), bySequence)
}

func bySequence(a, b *outcome) int {
	if c := a.Queue.Compare(b.Queue.Key); c != 0 {
		return c
	}
	return int(a.Item.Sequence - b.Item.Sequence)
}

func (d *dispatcher) writeRest(ctx context.Context, failed, health []*outcome) error {
	if err := d.retry(ctx, failed); err != nil {
		return err
	}
	for _, o := range health {
		note := d.writeRecovery
		if o.Verdict == schedule.Retry {
			note = d.writeFailure
		}
		if err := note(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// finish takes deliveries out of the hot table and into the log. It reports whether
// each of them was still there.
func (d *dispatcher) finish(ctx context.Context, ended []*outcome) (whole bool, err error) {
	if len(ended) == 0 {
		return true, nil
	}
	args := make([]any, 0, 3*len(ended))
	for _, o := range ended {
		args = append(args, o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence)
	}
	n, err := d.exec(ctx, "DELETE FROM deliveries WHERE (store_id, endpoint_id, sequence) "+
		d.among(len(ended), 3), args...)
	if err != nil || n != len(ended) {
		return false, err
	}
	return true, d.log(ctx, ended)
}

// log writes the rows of deliveries that have ended.
func (d *dispatcher) log(ctx context.Context, ended []*outcome) error {
	args := make([]any, 0, 17*len(ended))
	for _, o := range ended {
		it, r, ends := o.Item, o.result, state.DeliveryCancelled
		var began, attemptID, detail any
		attempts := it.Attempts
		switch o.Verdict {
		case schedule.Done:
			ends, attempts = state.DeliveryDelivered, it.Attempts+1
		case schedule.Exhausted:
			ends = state.DeliveryFailed
		}
		if ends != state.DeliveryCancelled {
			began, attemptID = micros.Of(r.Began), xid.At(micros.Of(r.Began))
		}
		if r.Detail != "" {
			detail = r.Detail
		}
		args = append(args, o.Queue.Store, o.Queue.Endpoint, it.Sequence, it.ID, it.Event, string(it.Kind), it.Resource,
			string(ends), attempts, o.At, began, attemptID, string(r.Outcome), r.Status,
			r.Duration.Microseconds(), detail, r.Response)
	}
	_, err := d.exec(ctx,
		"INSERT INTO delivery_logs (store_id, endpoint_id, sequence, id, event_id, type, resource_id,"+
			" state, attempts, settled_at, began_at, attempt_id, outcome, status, duration, detail, response)"+
			values(len(ended), 17), args...)
	return err
}

// retry writes failed attempts: the row's counters by compare-and-set, so that a
// late one undoes nothing, and their places in the log.
func (d *dispatcher) retry(ctx context.Context, failed []*outcome) error {
	args := make([]any, 0, 12*len(failed))
	for _, o := range failed {
		n, err := d.exec(ctx, "UPDATE deliveries SET attempts = ?, tries = ?, first_at = ?, due_at = ?, failed = ?"+
			" WHERE store_id = ? AND endpoint_id = ? AND sequence = ? AND attempts = ?",
			o.Attempts, o.Tries, o.First, o.Due, false, o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence, o.Attempts-1)
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
	if o.Due != 0 {
		next = o.Due
	}
	if r.Detail != "" {
		detail = r.Detail
	}
	began := micros.Of(r.Began)
	return []any{o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence, o.Attempts, xid.At(began), began, next,
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

// writeFailure notes a failure in the queue's row, if the lease is still ours.
func (d *dispatcher) writeFailure(ctx context.Context, o *outcome) error {
	_, err := d.exec(ctx, "UPDATE webhook_queues SET failing_since = ?, failed_through = ?, streak = ?,"+
		" probe_at = ?, last_error = ?"+
		" WHERE store_id = ? AND id = ? AND lease_token = ?",
		o.Health.FailingSince, o.Health.FailedThrough, o.Health.Streak, o.Health.Probe, describe(o.result),
		o.Queue.Store, o.Queue.Endpoint, o.Queue.Token)
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
