package webhook

import (
	"context"
	"errors"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// The operations below are what people and apps do to an endpoint's queue. Each
// runs in the transaction that ctx is in, beside the change of the endpoint's
// own row, as the viewer of its store.

// ErrNoQueue is returned when the store has no such endpoint.
var ErrNoQueue = errors.New("webhook: the endpoint has no queue")

// ErrReplaying is returned while an earlier replay is under way.
var ErrReplaying = errors.New("webhook: a replay of the endpoint is under way")

// OutcomeSkipped stands in the log where a person ended a delivery.
const OutcomeSkipped = "skipped"

// Create makes the queue of a new endpoint. Events that were committed before are
// not for it.
func (e *Engine) Create(ctx context.Context, endpoint xid.ID) error {
	number, err := e.register(ctx)
	if err != nil {
		return fmt.Errorf("number endpoint: %w", err)
	}
	err = e.Store.DB(ctx).WebhookQueue.Create().SetID(endpoint).SetGeneration(number).
		SetBucket(bucket.Of(viewer.From(ctx).Store)).SetDueAt(micros.Never).Exec(ctx)
	if err != nil {
		return fmt.Errorf("make queue: %w", err)
	}
	ent.OnCommit(ctx, e.altered)
	return nil
}

// Changed notes that the endpoint's address, events or secrets are others.
func (e *Engine) Changed(ctx context.Context, endpoint xid.ID) error {
	return e.nudge(ctx, endpoint, nil)
}

// nudge makes the queue due, with its other changes, and its owner, if it has
// one, look again.
func (e *Engine) nudge(ctx context.Context, endpoint xid.ID, change func(*db.WebhookQueueUpdate)) error {
	err := e.alter(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		u.SetDueAt(0)
		if change != nil {
			change(u)
		}
	})
	ent.OnCommit(ctx, e.altered)
	return err
}

// alter changes the queue and raises its counters.
func (e *Engine) alter(ctx context.Context, endpoint xid.ID, change func(*db.WebhookQueueUpdate)) error {
	u := e.Store.DB(ctx).WebhookQueue.Update().Where(webhookqueue.ID(endpoint)).AddEpoch(1).AddWake(1)
	change(u)
	switch n, err := u.Save(ctx); {
	case err != nil:
		return fmt.Errorf("change queue: %w", err)
	case n == 0:
		return ErrNoQueue
	}
	return nil
}

// seizure ends deliveries to the endpoint: in this process at once, in another one
// as soon as that looks ([dispatcher.heed]).
func (e *Engine) seizure(ctx context.Context, endpoint xid.ID, change func(*db.WebhookQueueUpdate)) error {
	store := viewer.From(ctx).Store
	ent.OnCommit(ctx, func() { e.dispatcher.retire(store, endpoint) })
	return e.alter(ctx, endpoint, change)
}

// fence keeps the owner of the queue, if it has one, from all that its token guards,
// and makes it look; without one the queue rests.
func fence(u *db.WebhookQueueUpdate) {
	u.AddLeaseToken(1)
	u.Modify(func(b *sql.UpdateBuilder) {
		b.Set(webhookqueue.FieldDueAt, sql.Expr("CASE WHEN lease_owner IS NULL THEN ? ELSE 0 END", int64(micros.Never)))
	})
}

// seize takes the queue from this process, which owns it, and lets it rest.
func seize(u *db.WebhookQueueUpdate) {
	u.AddLeaseToken(1).ClearLeaseOwner().SetLeaseUntil(0).SetDueAt(micros.Never)
}

// abandon gives up everything that waits, and what was missed.
func abandon(u *db.WebhookQueueUpdate) {
	u.ClearMissedFrom().ClearReplayFrom().ClearReplayTo()
	u.Modify(func(b *sql.UpdateBuilder) {
		b.Set(webhookqueue.FieldFloorSequence,
			sql.ExprFunc(func(x *sql.Builder) { x.Ident(webhookqueue.FieldLastSequence) }))
	})
}

// restart begins a new account of successes and failures: nothing waits for a
// probe that was set for hours later.
func restart(u *db.WebhookQueueUpdate) {
	u.SetResumedAt(micros.Now()).ClearFailingSince().SetWarned(0).SetFailedThrough(0).SetStreak(0).SetProbeAt(0)
}

// Hold stops deliveries to the endpoint: it was suspended or disabled.
func (e *Engine) Hold(ctx context.Context, endpoint xid.ID) error {
	return e.seizure(ctx, endpoint, fence)
}

// Cancel gives up everything that waits for the endpoint: it was deleted, or its
// owner may not have it any more. The rows go later; nothing reads them.
func (e *Engine) Cancel(ctx context.Context, endpoint xid.ID) error {
	return e.seizure(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		fence(u)
		abandon(u)
		restart(u)
	})
}

// Resume lets deliveries go on: those that failed or were held, each with a new
// 24 h, then the events since.
func (e *Engine) Resume(ctx context.Context, endpoint xid.ID) error {
	return e.nudge(ctx, endpoint, restart)
}

// ResumeFrom gives up what waits and sends the events of the log since a time.
func (e *Engine) ResumeFrom(ctx context.Context, endpoint xid.ID, since micros.Time) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		abandon(u)
		restart(u)
		u.SetMissedFrom(xid.First(since))
	})
}

// ResumeEmpty gives up what waits, and what was missed.
func (e *Engine) ResumeEmpty(ctx context.Context, endpoint xid.ID) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		abandon(u)
		restart(u)
	})
}

// Replay sends the events of the log from a time to before another once more.
// It returns [ErrReplaying] while an earlier replay is under way.
func (e *Engine) Replay(ctx context.Context, endpoint xid.ID, from, to micros.Time) error {
	return e.replay(ctx, endpoint, xid.First(from), xid.First(to))
}

// ReplayOne is [Engine.Replay] of one event.
func (e *Engine) ReplayOne(ctx context.Context, endpoint, event xid.ID) error {
	return e.replay(ctx, endpoint, event, following(event))
}

func (e *Engine) replay(ctx context.Context, endpoint, from, to xid.ID) error {
	err := e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		u.Where(webhookqueue.ReplayFromIsNil()).SetReplayFrom(from).SetReplayTo(to)
	})
	if errors.Is(err, ErrNoQueue) {
		return ErrReplaying
	}
	return err
}

// Hurry makes the next attempt of a waiting delivery due now. False when it has
// ended or was tried meanwhile.
func (e *Engine) Hurry(ctx context.Context, d *db.Delivery) (bool, error) {
	now := e.day()
	n, err := e.Store.DB(ctx).Delivery.Update().
		Where(delivery.EndpointID(d.EndpointID), delivery.Sequence(d.Sequence), delivery.Attempts(d.Attempts)).
		SetDueAt(now).SetTriedAt(now).Save(ctx)
	if err != nil || n == 0 {
		return false, wrap("hurry delivery", err)
	}
	return true, e.nudge(ctx, d.EndpointID, nil)
}

// Resend makes a new delivery of an event to the endpoint, at the end of its
// queue, and returns it.
func (e *Engine) Resend(ctx context.Context, endpoint, event, resource xid.ID) (*db.Delivery, error) {
	q, err := e.number(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	if err := e.nudge(ctx, endpoint, nil); err != nil {
		return nil, err
	}
	now, sequence := micros.Now(), q.LastSequence
	d, err := e.Store.DB(ctx).Delivery.Create().SetID(DeliveryID(endpoint, sequence, now)).
		SetEndpointID(endpoint).SetSequence(sequence).SetEventID(event).SetResourceID(resource).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("send again: %w", err)
	}
	return d, nil
}

// SkipOne ends a waiting delivery; the resource's next one goes on. False when it
// had ended meanwhile.
func (e *Engine) SkipOne(ctx context.Context, d *db.Delivery) (bool, error) {
	c := e.Store.DB(ctx)
	n, err := c.Delivery.Delete().Where(delivery.EndpointID(d.EndpointID), delivery.Sequence(d.Sequence)).Exec(ctx)
	if err != nil || n == 0 {
		return false, wrap("skip delivery", err)
	}
	events, err := c.Event.Query().Where(dbevent.ID(d.EventID)).Load(ctx)
	if err != nil {
		return false, wrap("skip delivery", err)
	}
	row := c.DeliveryLog.Create().SetID(d.ID).SetEndpointID(d.EndpointID).SetSequence(d.Sequence).
		SetEventID(d.EventID).SetResourceID(d.ResourceID).SetState(state.DeliverySkipped).
		SetAttempts(d.Attempts).SetSettledAt(micros.Now()).SetOutcome(OutcomeSkipped).SetType("")
	if len(events) == 1 {
		row.SetType(events[0].Type)
	}
	if err := row.Exec(ctx); err != nil {
		return false, wrap("log delivery", err)
	}
	if d.Tries == 0 {
		return true, e.nudge(ctx, d.EndpointID, nil)
	}
	return true, e.relieve(ctx, d.EndpointID)
}

// relieve notes since when the endpoint fails without a delivery that has just
// been skipped: nobody is warned of what is over.
func (e *Engine) relieve(ctx context.Context, endpoint xid.ID) error {
	c := e.Store.DB(ctx)
	q, err := ent.Only(c.WebhookQueue.Query().Where(webhookqueue.ID(endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	failing, err := c.Delivery.Query().Where(delivery.EndpointID(endpoint), delivery.SequenceGT(q.FloorSequence),
		delivery.SequenceLTE(q.FailedThrough), delivery.TriesGT(0), delivery.FirstAtGTE(q.ResumedAt)).
		Order(db.Asc(delivery.FieldFirstAt)).Limit(1).Load(ctx)
	if err != nil {
		return fmt.Errorf("read what fails: %w", err)
	}
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		if len(failing) > 0 {
			u.SetFailingSince(failing[0].FirstAt)
		} else {
			u.ClearFailingSince().SetWarned(0)
		}
	})
}

// wrap says what was being done when an error came.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// altered makes this process look at once at queues that a person changed.
func (e *Engine) altered() {
	e.dispatcher.toRelay.ring()
	e.dispatcher.toLease.ring()
	e.dispatcher.toHeed.ring()
}

// CheckURL judges the form of a receiver's address at registration. It returns
// what is wrong, as a sentence, or "".
func (e *Engine) CheckURL(address string) string {
	_, wrong := e.Egress.CheckURL(address)
	return wrong
}
