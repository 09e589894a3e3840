package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// writeRecovery records an improved health. If people were warned and no delivery fails any more,
// it also writes an event and a notice.
func (s *settler) writeRecovery(ctx context.Context, o *outcome) error {
	q, h := o.Queue, o.Health
	query, args := "UPDATE webhook_queues SET streak = ?, probe_at = ?, failing_since = ?, warned = ?",
		[]any{h.Streak, h.Probe, h.FailingSince, h.Warned}
	if o.Verdict == schedule.Done {
		query, args = query+", last_success_at = ?", append(args, o.At)
	}
	over := 0
	if o.Over { // people are notified once, even if a commit result is lost
		var err error
		if over, err = s.exec(ctx, "UPDATE webhook_queues SET warned = 0"+ofQueue+" AND warned > 0",
			q.Store, q.Endpoint, q.Token); err != nil {
			return err
		}
	}
	_, err := s.exec(ctx, query+ofQueue, append(args, q.Store, q.Endpoint, q.Token)...)
	if err != nil || over == 0 {
		return err
	}
	if err := s.announce(ctx, q.Key, event.WebhookEndpointRecovered); err != nil {
		return err
	}
	return s.notify(ctx, q.Key, func(url string) notify.Notice {
		return notify.Notice{Level: state.NotificationInfo, Title: "A webhook endpoint works again",
			Body: url + " accepts deliveries again."}
	})
}

// warn warns people of endpoints that have failed for long, once for each level of an incident.
func (s *settler) warn(ctx context.Context) error {
	m := s.machine.lock()
	due, sound := m.Warnings(s.now())
	s.machine.unlock()
	for _, q := range sound {
		if err := s.clearFailing(ctx, q); err != nil {
			return err
		}
	}
	for _, w := range due {
		if err := s.warnAbout(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// clearFailing records that an endpoint no longer fails although it accepted no delivery: a person
// skipped the failing ones.
func (s *settler) clearFailing(ctx context.Context, q *schedule.Queue) error {
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := s.exec(ctx, "UPDATE webhook_queues SET failing_since = NULL, warned = 0"+ofQueue,
			q.Store, q.Endpoint, q.Token)
		return err
	})
	if err == nil {
		m := s.machine.lock()
		defer s.machine.unlock()
		m.ClearFailing(q)
	}
	return err
}

func (s *settler) warnAbout(ctx context.Context, w schedule.Warning) error {
	q, warned := w.Queue, false
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		n, err := s.exec(ctx, "UPDATE webhook_queues SET warned = ?"+ofQueue+
			" AND warned = ? AND failing_since IS NOT NULL",
			w.Level, q.Store, q.Endpoint, q.Token, w.Before)
		if warned = n == 1; err != nil {
			return err
		}
		if !warned { // or it was, and the commit result is lost
			return s.read(ctx, "SELECT 1 FROM webhook_queues"+ofQueue+" AND warned = ?",
				[]any{q.Store, q.Endpoint, q.Token, w.Level}, func(*stdsql.Rows) error {
					warned = true
					return nil
				})
		}
		if err := s.announce(ctx, q.Key, event.WebhookEndpointFailing); err != nil {
			return err
		}
		return s.notify(ctx, q.Key, func(url string) notify.Notice {
			return notify.Notice{Level: state.NotificationWarning,
				Title: "A webhook endpoint is failing",
				Body: fmt.Sprintf("%s has failed for %s. Deliveries are retried for 24 hours. "+
					"Then the endpoint is suspended and its events are held.",
					url, hours(schedule.WarnAfter[w.Level-1]))}
		})
	})
	if err == nil && warned {
		m := s.machine.lock()
		defer s.machine.unlock()
		m.Warned(w)
	}
	return err
}

func hours(d time.Duration) string {
	if d == time.Hour {
		return "an hour"
	}
	return fmt.Sprintf("%d hours", int(d.Hours()))
}

// exhaust ends a delivery after its 24 h: it fails, and its endpoint is suspended in the same
// transaction, with the event and the notices.
func (s *settler) exhaust(ctx context.Context, batch []*outcome) error {
	o := batch[0]
	ctx = viewer.Operator(ctx, o.Queue.Store)
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		deliveredSince, err := s.deliveredSince(ctx, o)
		if err != nil {
			return err
		}
		if deliveredSince {
			return s.failDelivery(ctx, o)
		}
		counted, err := s.countFailure(ctx, o)
		if err != nil {
			return err
		}
		if counted == nil { // a person ended it meanwhile, or this was written before
			return s.noteOwner(ctx, o)
		}
		if err := s.logAttempts(ctx, []*outcome{counted}); err != nil {
			return err
		}
		return s.suspend(ctx, o)
	})
}

// failDelivery ends a delivery that was given up, without suspending the endpoint.
func (s *settler) failDelivery(ctx context.Context, o *outcome) error {
	whole, err := s.finish(ctx, []*outcome{o})
	if err != nil {
		return err
	}
	if !whole {
		return s.finishRecounted(ctx, o)
	}
	return s.writeFailure(ctx, o)
}

// noteOwner records whether the queue is still this process's. If a suspension was written and its
// commit result lost, the process learns of it here.
func (s *settler) noteOwner(ctx context.Context, o *outcome) error {
	held := false
	err := s.read(ctx, "SELECT 1 FROM webhook_queues"+ofQueue,
		[]any{o.Queue.Store, o.Queue.Endpoint, o.Queue.Token}, func(*stdsql.Rows) error {
			held = true
			return nil
		})
	ent.OnCommit(ctx, func() { o.suspended = !held })
	return err
}

// deliveredSince reports whether [Config.SuspendOnSilence] is set and the endpoint has accepted a
// delivery since the first attempt of this one.
func (s *settler) deliveredSince(ctx context.Context, o *outcome) (ok bool, err error) {
	if !s.SuspendOnSilence {
		return false, nil
	}
	err = s.read(ctx, "SELECT last_success_at FROM webhook_queues WHERE store_id = ? AND id = ?",
		[]any{o.Queue.Store, o.Queue.Endpoint},
		func(rs *stdsql.Rows) error {
			var at *micros.Time
			err := rs.Scan(&at)
			ok = at != nil && *at >= o.First
			return err
		})
	return ok, err
}

// suspend takes the endpoint out of service, if the lease is still ours.
func (s *settler) suspend(ctx context.Context, o *outcome) error {
	q := o.Queue
	n, err := s.Store.DB(ctx).WebhookQueue.Update().
		Where(webhookqueue.ID(q.Endpoint), webhookqueue.LeaseToken(q.Token)).
		AddLeaseToken(1).ClearLeaseOwner().SetLeaseUntil(0).SetDueAt(micros.Max).
		AddWake(1).AddEpoch(1).SetFailingSince(*o.Health.FailingSince).
		SetLastError(describe(o.result)).SetWarned(len(schedule.WarnAfter)).Save(ctx)
	if err != nil {
		return wrap("suspend endpoint", err)
	}
	if n == 0 {
		ent.OnCommit(ctx, func() { o.suspended = true })
		return nil
	}
	why := state.StoppedByFailure
	if s.SuspendOnSilence {
		why = state.StoppedBySilence
	}
	err = s.changeEndpoint(ctx, q.Endpoint, "webhook_endpoint.suspend", func(e *endpointEdit) error {
		if e.Row.Status != state.EndpointActive {
			return errRaced // a person has just changed it: their change counts
		}
		e.Row.Status, e.Row.StoppedAt, e.Row.StoppedReason = state.EndpointSuspended, &e.Now, &why
		e.Update.SetStatus(e.Row.Status).SetStoppedAt(e.Now).SetStoppedReason(why)
		e.Detail = string(why)
		e.Emit(event.WebhookEndpointSuspended)
		return nil
	})
	if err != nil {
		return wrap("suspend endpoint", err)
	}
	ent.OnCommit(ctx, func() { o.suspended = true })
	return s.notify(ctx, q.Key, func(url string) notify.Notice {
		return notify.Notice{Level: state.NotificationCritical, Title: "A webhook endpoint was suspended",
			Body: url + " did not accept a delivery for 24 hours. " +
				"Its deliveries are held, and events are kept for 30 days. Reactivate it when the receiver " +
				"works again."}
	})
}
