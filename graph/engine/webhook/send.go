package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
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

// sendJob is an attempt to make, with the settings of the time when it was taken.
type sendJob struct {
	queue   *schedule.Queue
	key     schedule.Key
	item    schedule.Item
	target  *attempt.Target
	headers []attempt.Field
	owner   *app
	ctx     context.Context
	held    *lease.Held
}

// send sends a delivery. It returns an attempt that waits for its answer, or its result. The lock
// is not held. A panic fails this attempt alone.
func (d *dispatcher) send(s *sendJob) (p *attempt.Pending, r attempt.Result) {
	r = d.guarded(s, func() (r attempt.Result) {
		p, r = d.post(s)
		return r
	})
	return p, r
}

// end reads the answer of an attempt.
func (d *dispatcher) end(s *sendJob, p *attempt.Pending) attempt.Result { return d.guarded(s, p.End) }

func (d *dispatcher) guarded(s *sendJob, f func() attempt.Result) (r attempt.Result) {
	began := time.Now()
	err := d.guard.Do(s.ctx, d.Logger, func() error {
		r = f()
		return nil
	})
	if err != nil {
		r = attempt.Result{Outcome: outcomePanic, Began: began, Duration: time.Since(began)}
	}
	return r
}

// post sends a delivery if its owner may receive it.
func (d *dispatcher) post(s *sendJob) (*attempt.Pending, attempt.Result) {
	it := &s.item
	if it.Kind == "" {
		return nil, attempt.Result{Outcome: outcomeExpired}
	}
	if ok, err := d.permitted(s.ctx, s.key.Store, s.owner, it.Kind); err != nil {
		return nil, d.unable(s, "look up the owner", err)
	} else if !ok {
		return nil, attempt.Result{Outcome: outcomeForbidden}
	}
	if it.Body == nil {
		select {
		case d.large <- struct{}{}:
			defer func() { <-d.large }()
		case <-s.ctx.Done():
			return nil, attempt.Result{Outcome: attempt.Cancelled}
		}
		var err error
		if it.Body, err = d.body(s.ctx, s.key.Store, it.Event); errors.Is(err, errGone) {
			return nil, attempt.Result{Outcome: outcomeExpired}
		} else if err != nil {
			return nil, d.unable(s, "read the body", err)
		}
	}
	return d.postBody(s)
}

// postBody sends a delivery whose body is in memory.
func (d *dispatcher) postBody(s *sendJob) (*attempt.Pending, attempt.Result) {
	it := &s.item
	if ok, err := d.readable(s.ctx, s.key.Store, s.owner, it.Kind, it.Body); err != nil {
		return nil, d.unable(s, "look up the owner", err)
	} else if !ok {
		return nil, attempt.Result{Outcome: outcomeForbidden}
	}
	var err error
	if it.Body, err = d.Veil(s.key.Store, it.Kind, it.Body); err != nil {
		return nil, d.unable(s, "redact the body", err)
	}
	if s.owner != nil {
		if it.Body, err = redactedForApp(it.Kind, it.Body); err != nil {
			return nil, d.unable(s, "redact the body", err)
		}
	}
	// The lease and the endpoint are checked last, right before the request.
	if !s.held.MayBegin() || !d.machine.stillActive(s.queue) {
		return nil, attempt.Result{Outcome: attempt.Cancelled}
	}
	return d.Client.Send(s.ctx, attempt.Request{
		Target: s.target, Header: s.headers, Body: it.Body, Number: it.Attempts + 1,
		EventID: xid.Event.Format(it.Event), EventType: string(it.Kind), DeliveryID: xid.Delivery.Format(it.ID),
	})
}

// unable returns the result of an attempt that could not be made, which does not count as a
// failure.
func (d *dispatcher) unable(s *sendJob, doing string, err error) attempt.Result {
	if s.ctx.Err() == nil {
		d.Logger.WarnContext(s.ctx, "delivery waits: "+doing, "error", err)
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
			s.End = schedule.Severed
		}
	case outcomeExpired, outcomeForbidden:
		s.End = schedule.Void
	}
	return s
}

// logs reports whether an attempt is logged. Failures are logged at a higher level.
func (e *Engine) logs(r attempt.Result) bool {
	return e.Logger.Enabled(context.Background(), levelOf(r))
}

func levelOf(r attempt.Result) slog.Level {
	if resultOf(r).End == schedule.Failed {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// logAttempt writes the log line of an attempt; o is nil if the attempt is not saved.
func (e *Engine) logAttempt(s *sendJob, r attempt.Result, o *outcome) {
	it := s.item
	attrs := []slog.Attr{
		slog.String("store", xid.Store.Format(s.key.Store)),
		slog.String("endpoint", xid.WebhookEndpoint.Format(s.key.Endpoint)),
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
	if o != nil && o.Due != 0 {
		attrs = append(attrs, slog.Time("next_at", o.Due.Time()))
	}
	e.Logger.LogAttrs(context.Background(), levelOf(r), "webhook attempt", attrs...)
}
