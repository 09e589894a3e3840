package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// Outcomes that do not come from the receiver.
const (
	// outcomeExpired: the event has aged out of the log.
	outcomeExpired attempt.Outcome = "expired"
	// outcomeForbidden: the endpoint's owner may no longer receive the event.
	outcomeForbidden attempt.Outcome = "not_permitted"
	// outcomePanic: the attempt panicked. It is tried again.
	outcomePanic attempt.Outcome = "internal_error"
)

// sendJob is an attempt to make, with its item and the settings as they were when it was taken.
type sendJob struct {
	schedule.Job
	leased
	item schedule.Item
}

// send sends a delivery. It returns an attempt that waits for its answer, or its result. The lock
// is not held. A panic fails this attempt alone.
func (s *sender) send(a *sendJob) (p *attempt.Pending, r attempt.Result) {
	r = s.guarded(a, func() (r attempt.Result) {
		p, r = s.post(a)
		return r
	})
	return p, r
}

// end reads the answer of an attempt.
func (s *sender) end(a *sendJob, p *attempt.Pending) attempt.Result { return s.guarded(a, p.End) }

func (s *sender) guarded(a *sendJob, f func() attempt.Result) (r attempt.Result) {
	began := time.Now()
	err := s.guard.Do(a.ctx, s.Logger, func() error {
		r = f()
		return nil
	})
	if err != nil {
		r = attempt.Result{Outcome: outcomePanic, Began: began, Duration: time.Since(began)}
	}
	return r
}

// post sends a delivery if its owner may receive it.
func (s *sender) post(a *sendJob) (*attempt.Pending, attempt.Result) {
	it := &a.item
	if it.Kind == "" {
		return nil, attempt.Result{Outcome: outcomeExpired}
	}
	if ok, err := s.grants.permitted(a.ctx, a.Queue.Store, a.owner, it.Kind); err != nil {
		return nil, s.unable(a, "look up the owner", err)
	} else if !ok {
		return nil, attempt.Result{Outcome: outcomeForbidden}
	}
	if it.Body == nil {
		select {
		case s.large <- struct{}{}:
			defer func() { <-s.large }()
		case <-a.ctx.Done():
			return nil, attempt.Result{Outcome: attempt.Cancelled}
		}
		var err error
		if it.Body, err = s.eventBody(a.ctx, a.Queue.Store, it.Event); errors.Is(err, errGone) {
			return nil, attempt.Result{Outcome: outcomeExpired}
		} else if err != nil {
			return nil, s.unable(a, "read the body", err)
		}
	}
	return s.postBody(a)
}

// postBody sends a delivery whose body is in memory.
func (s *sender) postBody(a *sendJob) (*attempt.Pending, attempt.Result) {
	it := &a.item
	if ok, err := s.grants.readable(a.ctx, a.Queue.Store, a.owner, it.Kind, it.Body); err != nil {
		return nil, s.unable(a, "look up the owner", err)
	} else if !ok {
		return nil, attempt.Result{Outcome: outcomeForbidden}
	}
	var err error
	if it.Body, err = s.RedactEvent(a.Queue.Store, it.Kind, it.Body); err != nil {
		return nil, s.unable(a, "redact the body", err)
	}
	if a.owner != nil {
		if it.Body, err = redactedForApp(it.Kind, it.Body); err != nil {
			return nil, s.unable(a, "redact the body", err)
		}
	}
	if it.Body, err = s.reduce(a.settings, it.Kind, it.Body); err != nil {
		return nil, s.unable(a, "leave out data", err)
	}
	// The lease and the endpoint are checked last, right before the request.
	if !a.held.MayBegin() || !s.machine.stillActive(a.Queue) {
		return nil, attempt.Result{Outcome: attempt.Cancelled}
	}
	return s.Client.Send(a.ctx, attempt.Request{
		Target: a.target, Header: a.headers, Body: it.Body, Number: it.Attempts + 1,
		EventID: xid.Event.Format(it.Event), EventType: string(it.Kind), DeliveryID: xid.Delivery.Format(it.ID),
	})
}

// unable returns the result of an attempt that could not be made, which does not count as a
// failure.
func (s *sender) unable(a *sendJob, doing string, err error) attempt.Result {
	if a.ctx.Err() == nil {
		s.Logger.WarnContext(a.ctx, "delivery waits: "+doing, "error", err)
	}
	return attempt.Result{Outcome: attempt.Cancelled}
}

// resultOf converts a result for the schedule.
func resultOf(r attempt.Result) schedule.Result {
	s := schedule.Result{End: schedule.Failed, Began: micros.Of(r.Began), RetryAfter: r.RetryAfter}
	switch r.Outcome {
	case attempt.Delivered:
		s.End = schedule.Delivered
	case attempt.Cancelled, attempt.Unable:
		s.End = schedule.Unsent
		if r.Sent {
			s.End = schedule.Interrupted
		}
	case outcomeExpired, outcomeForbidden:
		s.End = schedule.Void
	}
	return s
}

// levelOf returns the level at which an attempt is logged: failures at a higher one.
func levelOf(r attempt.Result) slog.Level {
	if resultOf(r).End == schedule.Failed {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// logAttempt writes the log line of an attempt; next is 0 unless there will be another one.
func (b *base) logAttempt(k schedule.Key, it schedule.Item, r attempt.Result, next micros.Time) {
	attrs := []slog.Attr{
		slog.String("store", xid.Store.Format(k.Store)),
		slog.String("endpoint", xid.WebhookEndpoint.Format(k.Endpoint)),
		slog.String("delivery", xid.Delivery.Format(it.ID)), slog.String("event", xid.Event.Format(it.Event)),
		slog.String("type", string(it.Kind)), slog.Int("attempt", it.Attempts+1),
		slog.String("outcome", string(r.Outcome)), slog.Int("status", r.Status), slog.Duration("duration", r.Duration),
		slog.Bool("reused", r.Reused), slog.Int("bytes", len(it.Body)), slog.Int("answer_bytes", len(r.Response)),
	}
	if !r.Began.IsZero() {
		attrs = append(attrs, slog.Time("began_at", r.Began))
	}
	if r.Detail != "" {
		attrs = append(attrs, slog.String("detail", r.Detail))
	}
	if next != 0 {
		attrs = append(attrs, slog.Time("next_at", next.Time()))
	}
	b.Logger.LogAttrs(context.Background(), levelOf(r), "webhook attempt", attrs...)
}
