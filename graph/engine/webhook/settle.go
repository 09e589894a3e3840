package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

const (
	// settleBatch is how many successes one transaction writes; a failure counts as failureCost.
	// While other writes go on, the limit is contendedBatch.
	settleBatch    = 512
	contendedBatch = 64
	failureCost    = 8
	// settleAfter is how long outcomes are collected before they are written.
	settleAfter = 3 * time.Millisecond
)

// outcome is an attempt that has ended and is not saved yet.
type outcome struct {
	schedule.Outcome
	id        xid.ID // of the attempt; recognizes what was written when a commit result is lost
	result    attempt.Result
	number    int  // of the attempt in the log, which may differ from the one it was sent with
	suspended bool // the queue is not this process's any more
}

func (o *outcome) as(number int) *outcome {
	one := *o
	one.number = number
	return &one
}

func (o *outcome) request() []byte {
	if o.number == o.Attempts {
		return o.result.Request
	}
	return attempt.SentAs(o.result.Request, o.Attempts)
}

// before returns how many attempts the delivery's row must count before this one.
func (o *outcome) before() int {
	if o.Verdict == schedule.Cancelled {
		return o.Attempts
	}
	return o.Attempts - 1
}

func (o *outcome) key() []any { return []any{o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence} }

// settler saves the outcomes of attempts and what they say about the health of endpoints.
type settler struct {
	*base
	settles  []*outcome // to save; the lock of the machine guards it
	toSettle signal
}

// add takes an outcome to save. The lock is held.
func (s *settler) add(o *outcome) {
	s.settles = append(s.settles, o)
	s.toSettle.fire()
}

// settleLoop saves the outcomes of a shard, in batches, until ctx ends.
func (s *settler) settleLoop(ctx context.Context) {
	called, unsubscribe := s.toSettle.subscribe()
	defer unsubscribe()
	for next := true; next; next = wait(ctx, called, nil) {
		for ctx.Err() == nil {
			batch, more := s.collect(ctx)
			if len(batch) == 0 {
				break
			}
			began := time.Now()
			s.settleAll(ctx, batch)
			if more {
				s.traffic.yield(ctx, time.Since(began))
			}
		}
	}
}

// collect takes the next outcomes and reports whether there are more. A small batch waits for
// [settleAfter] to grow.
func (s *settler) collect(ctx context.Context) (batch []*outcome, more bool) {
	s.machine.lock()
	n := len(s.ofShard(ctx))
	s.machine.unlock()
	if n > 0 && n < settleBatch {
		sleep(ctx, settleAfter)
	}
	s.machine.lock()
	defer s.machine.unlock()
	limit := settleBatch
	if s.traffic.contended() {
		limit = contendedBatch
	}
	ours := s.ofShard(ctx)
	n = batchSize(ours, limit)
	batch, more = slices.Clone(ours[:n]), n < len(ours)
	rest := batch // in the same order as in s.settles
	s.settles = slices.DeleteFunc(s.settles, func(o *outcome) bool {
		if len(rest) == 0 || rest[0] != o {
			return false
		}
		rest = rest[1:]
		return true
	})
	return batch, more
}

// ofShard returns the outcomes of the shard of ctx. The lock is held.
func (s *settler) ofShard(ctx context.Context) []*outcome {
	return ent.Here(ctx, s.settles, func(o *outcome) xid.ID { return o.Queue.Store })
}

// batchSize returns how many of the outcomes go into one transaction. A failure takes statements of
// its own, and writers that add to its queue wait for them.
func batchSize(list []*outcome, most int) int {
	cost := 0
	for i, o := range list {
		if o.Verdict == schedule.Retry {
			cost += failureCost - 1
		}
		if cost++; cost >= most {
			return i + 1
		}
	}
	return len(list)
}

// settleAll saves a batch, and retries while the database is down. Outcomes that are never saved
// are sent again by the queue's next owner.
func (s *settler) settleAll(ctx context.Context, batch []*outcome) {
	var plain, last []*outcome
	for _, o := range batch {
		if o.Verdict == schedule.Exhausted {
			last = append(last, o)
		} else {
			plain = append(plain, o)
		}
	}
	s.persist(ctx, plain, s.write)
	for _, o := range last {
		s.persist(ctx, []*outcome{o}, s.exhaust)
		m := s.machine.lock()
		m.GaveUp(&o.Outcome, o.suspended)
		s.machine.unlock()
	}
	s.count(batch)
	m := s.machine.lock()
	defer s.machine.unlock()
	now := s.now()
	for _, o := range batch {
		m.Settled(&o.Outcome, now)
	}
}

// maxTries is how often an outcome is retried while the database accepts other writes.
const maxTries = 10

// persist retries until the outcomes are saved, even if another process owns the queue by then. An
// outcome that the database rejects is dropped with an error, so that it does not block the others.
func (s *settler) persist(ctx context.Context, batch []*outcome, write func(context.Context, []*outcome) error) {
	for tries := 1; len(batch) > 0; tries++ {
		err := s.try(ctx, "save outcomes", func(ctx context.Context) error { return write(ctx, batch) })
		switch refused := err != nil && !ent.IsUnavailable(err); {
		case err == nil || ctx.Err() != nil:
			return
		case refused && len(batch) > 1:
			s.persist(ctx, batch[:len(batch)/2], write)
			batch, tries = batch[len(batch)/2:], 0
			continue
		case refused && tries >= maxTries:
			s.Logger.ErrorContext(ctx, "webhooks: cannot save the outcome of an attempt",
				"delivery", xid.Delivery.Format(batch[0].Item.ID), "error", err)
			return
		}
		if sleep(ctx, s.Poll); ctx.Err() != nil {
			return
		}
	}
}

// write saves successes and retries in one transaction: the log, the attempt counts and the next
// due times together.
func (s *settler) write(ctx context.Context, batch []*outcome) error {
	health := lastOfEach(batch)
	batch = slices.SortedStableFunc(slices.Values(batch), bySequence) // the caller's order is kept for another try
	var ended, failed []*outcome
	for _, o := range batch {
		if o.Verdict == schedule.Retry || o.Verdict == schedule.Noted {
			failed = append(failed, o)
		} else {
			ended = append(ended, o)
		}
	}
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		whole, err := s.finish(ctx, ended)
		if err != nil {
			return err
		}
		if !whole {
			return errSomeGone
		}
		return s.writeRest(ctx, failed, health)
	})
	if err == errSomeGone { //nolint:errorlint // our own, never wrapped
		return s.writeEach(ctx, ended, failed, health)
	}
	return err
}

// lastOfEach returns for each queue the last outcome that affects its health: it alone decides.
// Batches are in the order in which attempts ended.
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

func (s *settler) writeRest(ctx context.Context, failed, health []*outcome) error {
	if err := s.retry(ctx, failed); err != nil {
		return err
	}
	for _, o := range health {
		note := s.writeRecovery
		if o.Verdict == schedule.Retry {
			note = s.writeFailure
		}
		if err := note(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// finish moves deliveries from their table into the log. It reports whether all of them were still
// there, with the attempt counts that this process knows.
func (s *settler) finish(ctx context.Context, ended []*outcome) (whole bool, err error) {
	if len(ended) == 0 {
		return true, nil
	}
	args := make([]any, 0, 4*len(ended))
	for _, o := range ended {
		args = append(args, o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence, o.before())
	}
	n, err := s.exec(ctx,
		"DELETE FROM deliveries WHERE "+s.among("store_id, endpoint_id, sequence, attempts", len(ended)), args...)
	if err != nil || n != len(ended) {
		return false, err
	}
	return true, s.log(ctx, ended)
}

func (s *settler) log(ctx context.Context, ended []*outcome) error {
	var args []any
	for _, o := range ended {
		it, r, ends := o.Item, o.result, state.DeliveryCancelled
		var began, attemptID any
		switch o.Verdict {
		case schedule.Done:
			ends = state.DeliveryDelivered
		case schedule.Exhausted:
			ends = state.DeliveryFailed
		}
		if ends != state.DeliveryCancelled {
			began, attemptID = micros.Of(r.Began), o.id
		}
		args = append(args, o.Queue.Store, o.Queue.Endpoint, it.Sequence, it.ID, it.Event, string(it.Kind), it.Resource,
			string(ends), o.number, o.At, began, attemptID, string(r.Outcome), r.Status,
			r.Duration.Microseconds(), orNull(r.Detail), r.Response, o.request())
	}
	_, err := s.exec(ctx,
		"INSERT INTO delivery_logs (store_id, endpoint_id, sequence, id, event_id, type, resource_id,"+
			" state, attempts, settled_at, began_at, attempt_id, outcome, status, duration, detail, response, request)"+
			values(len(ended), len(args)/len(ended)), args...)
	return err
}

// retry saves attempts that did not end their delivery: its counters and the attempts' log rows.
func (s *settler) retry(ctx context.Context, failed []*outcome) error {
	var counted []*outcome
	for _, o := range failed {
		if o.Verdict == schedule.Noted {
			if err := s.logLate(ctx, o); err != nil {
				return err
			}
			continue
		}
		one, err := s.countFailure(ctx, o)
		if err != nil {
			return err
		}
		if one != nil {
			counted = append(counted, one)
		}
	}
	return s.logAttempts(ctx, counted)
}

// counters are the columns written for a failed attempt, beside its number.
const counters = "tries = ?, first_at = ?, due_at = ?, tried_at = ?, failed = ?"

// countFailure writes the counters of a delivery whose attempt failed, by compare-and-set, so that
// a late write undoes nothing. It returns the outcome that is still to be logged, or nil.
func (s *settler) countFailure(ctx context.Context, o *outcome) (*outcome, error) {
	counted := []any{o.Tries, o.First, o.Due, o.At, false}
	if o.Verdict == schedule.Exhausted {
		counted = []any{o.Tries, o.First, 0, o.At, true}
	}
	n, err := s.exec(ctx, "UPDATE deliveries SET attempts = ?, "+counters+ofDelivery+" AND attempts = ?",
		slices.Concat([]any{o.Attempts}, counted, o.key(), []any{o.before()})...)
	if err != nil || n == 1 {
		return o, err
	}
	return s.recountFailure(ctx, o, counted)
}

// logAttempts writes the log rows of attempts. If a number is taken, the attempt gets the next free
// one: several attempts may end after their delivery did.
func (s *settler) logAttempts(ctx context.Context, list []*outcome) error {
	if len(list) == 0 {
		return nil
	}
	var args []any
	for _, o := range list {
		r := o.result
		args = append(args, o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence, o.number, o.id, micros.Of(r.Began),
			orNull(o.Due), string(r.Outcome), r.Status, r.Duration.Microseconds(), orNull(r.Detail), r.Response,
			o.request())
	}
	_, err := s.exec(ctx, "INSERT INTO attempts (store_id, endpoint_id, sequence, number, id, began_at, next_at,"+
		" outcome, status, duration, detail, response, request)"+values(len(list), len(args)/len(list)), args...)
	if !ent.IsDuplicate(err) {
		return err
	}
	for _, o := range list {
		one := o
		if len(list) == 1 {
			one = o.as(o.number + 1)
		}
		if err := s.logAttempts(ctx, []*outcome{one}); err != nil {
			return err
		}
	}
	return nil
}

// ofQueue selects the row of a queue while the lease is still ours.
const ofQueue = " WHERE store_id = ? AND id = ? AND lease_token = ?"

// writeFailure records a failure in the queue's row, if the lease is still ours. Attempts that
// began before a pause do not count.
func (s *settler) writeFailure(ctx context.Context, o *outcome) error {
	_, err := s.exec(ctx, "UPDATE webhook_queues SET failing_since = ?, failed_through = ?, streak = ?,"+
		" probe_at = ?, last_error = ?"+ofQueue+" AND resumed_at <= ?", o.Health.FailingSince, o.Health.FailedThrough,
		o.Health.Streak, o.Health.Probe, describe(o.result), o.Queue.Store, o.Queue.Endpoint, o.Queue.Token, o.At)
	return err
}

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
