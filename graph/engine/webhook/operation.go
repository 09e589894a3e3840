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
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// The operations below change an endpoint's queue for people and apps. Each runs in the transaction
// of ctx, beside the change of the endpoint's own row, as the viewer of its store.

// ErrNoQueue is returned when the store has no such endpoint.
var ErrNoQueue = errors.New("webhook: the endpoint has no queue")

// ErrReplaying is returned while an earlier replay is under way.
var ErrReplaying = errors.New("webhook: a replay of the endpoint is under way")

// OutcomeSkipped is the logged outcome of a delivery that a person skipped.
const OutcomeSkipped = "skipped"

// Create creates the queue of a new endpoint. Events that were committed before are not delivered
// to it.
func (e *Engine) Create(ctx context.Context, endpoint xid.ID) error {
	number, err := e.register(ctx)
	if err != nil {
		return fmt.Errorf("number endpoint: %w", err)
	}
	err = e.Store.DB(ctx).WebhookQueue.Create().SetID(endpoint).SetGeneration(number).
		SetBucket(bucket.Of(viewer.From(ctx).Store)).SetDueAt(micros.Max).Exec(ctx)
	if err != nil {
		return fmt.Errorf("create queue: %w", err)
	}
	ent.OnCommit(ctx, e.wakeLoops)
	return nil
}

// SettingsChanged announces to the queue's owner that the endpoint's URL, events or secrets changed.
func (e *Engine) SettingsChanged(ctx context.Context, endpoint xid.ID) error {
	return e.nudge(ctx, endpoint, nil)
}

// nudge changes the queue and makes it due, so that its owner, if any, reads it again.
func (e *Engine) nudge(ctx context.Context, endpoint xid.ID, change func(*db.WebhookQueueUpdate)) error {
	err := e.updateQueue(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		u.SetDueAt(0)
		if change != nil {
			change(u)
		}
	})
	ent.OnCommit(ctx, e.wakeLoops)
	return err
}

func (e *Engine) updateQueue(ctx context.Context, endpoint xid.ID, change func(*db.WebhookQueueUpdate)) error {
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

// stopDeliveries ends deliveries to the endpoint: in this process at once, in another one when it
// next looks for changes ([leaser.applyChanges]).
func (e *Engine) stopDeliveries(ctx context.Context, endpoint xid.ID, change func(*db.WebhookQueueUpdate)) error {
	store := viewer.From(ctx).Store
	ent.OnCommit(ctx, func() { e.leaser.retire(store, endpoint) })
	return e.updateQueue(ctx, endpoint, change)
}

// fence raises the token, which shuts the owner of the queue out of every guarded write, and makes
// the queue due so that the owner notices. Without an owner, the queue is not due.
func fence(u *db.WebhookQueueUpdate) {
	u.AddLeaseToken(1)
	u.Modify(func(b *sql.UpdateBuilder) {
		b.Set(webhookqueue.FieldDueAt, sql.Expr("CASE WHEN lease_owner IS NULL THEN ? ELSE 0 END", int64(micros.Max)))
	})
}

func dropBacklog(u *db.WebhookQueueUpdate) {
	u.ClearMissedFrom().ClearReplayFrom().ClearReplayTo()
	u.Modify(func(b *sql.UpdateBuilder) {
		b.Set(webhookqueue.FieldFloorSequence,
			sql.ExprFunc(func(x *sql.Builder) { x.Ident(webhookqueue.FieldLastSequence) }))
	})
}

// resetHealth starts the record of successes and failures afresh, so that nothing waits for a probe
// set for hours later.
func resetHealth(u *db.WebhookQueueUpdate) {
	u.SetResumedAt(micros.Now()).ClearFailingSince().SetWarned(0).SetFailedThrough(0).SetStreak(0).SetProbeAt(0)
}

// Hold stops deliveries to an endpoint that was suspended or disabled.
func (e *Engine) Hold(ctx context.Context, endpoint xid.ID) error {
	return e.stopDeliveries(ctx, endpoint, fence)
}

// Cancel gives up all waiting deliveries of an endpoint that was deleted, or whose owner lost
// access. Their rows are purged later; nothing reads them.
func (e *Engine) Cancel(ctx context.Context, endpoint xid.ID) error {
	return e.stopDeliveries(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		fence(u)
		dropBacklog(u)
		resetHealth(u)
	})
}

// Resume continues deliveries: those that failed or were held, each with a new 24 h, then the
// events since.
func (e *Engine) Resume(ctx context.Context, endpoint xid.ID) error {
	return e.nudge(ctx, endpoint, resetHealth)
}

// Pause stops deliveries to the endpoint until a time. Failures before that time no longer count,
// so no delivery's 24 h run out meanwhile.
func (e *Engine) Pause(ctx context.Context, endpoint xid.ID, until micros.Time) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		resetHealth(u)
		u.SetResumedAt(until)
	})
}

// ResumeFrom gives up all waiting deliveries and delivers the logged events since a time.
func (e *Engine) ResumeFrom(ctx context.Context, endpoint xid.ID, since micros.Time) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		dropBacklog(u)
		resetHealth(u)
		u.SetMissedFrom(xid.First(since))
	})
}

// ResumeEmpty gives up all waiting deliveries and missed events.
func (e *Engine) ResumeEmpty(ctx context.Context, endpoint xid.ID) error {
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		dropBacklog(u)
		resetHealth(u)
	})
}

// Replay delivers the logged events in [from, to) again. It returns [ErrReplaying] while an earlier
// replay is under way.
func (e *Engine) Replay(ctx context.Context, endpoint xid.ID, from, to micros.Time) error {
	return e.replay(ctx, endpoint, xid.First(from), xid.First(to))
}

// ReplayOne delivers one event again, like [Engine.Replay].
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

// RetryNow makes the next attempt of a waiting delivery due now. It returns false if the delivery has
// ended or was tried meanwhile.
func (e *Engine) RetryNow(ctx context.Context, d *db.Delivery) (bool, error) {
	now := e.wallTime()
	n, err := e.Store.DB(ctx).Delivery.Update().
		Where(delivery.EndpointID(d.EndpointID), delivery.Sequence(d.Sequence), delivery.Attempts(d.Attempts)).
		SetDueAt(now).SetTriedAt(now).Save(ctx)
	if err != nil || n == 0 {
		return false, wrap("hurry delivery", err)
	}
	return true, e.nudge(ctx, d.EndpointID, nil)
}

// Resend creates a new delivery of an event at the end of the endpoint's queue, and returns it.
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

// SkipOne ends a waiting delivery, so that the next one of its resource goes on. It returns false
// if the delivery had ended already.
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
	return true, e.updateFailingSince(ctx, d.EndpointID)
}

// updateFailingSince computes since when the endpoint fails after a delivery was skipped, so that
// people are not warned of a failure that is over.
func (e *Engine) updateFailingSince(ctx context.Context, endpoint xid.ID) error {
	c := e.Store.DB(ctx)
	q, err := ent.Only(c.WebhookQueue.Query().Where(webhookqueue.ID(endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	failing, err := c.Delivery.Query().Where(delivery.EndpointID(endpoint), delivery.SequenceGT(q.FloorSequence),
		delivery.SequenceLTE(q.FailedThrough), delivery.TriesGT(0), delivery.FirstAtGTE(q.ResumedAt)).
		Order(db.Asc(delivery.FieldFirstAt)).Limit(1).Load(ctx)
	if err != nil {
		return fmt.Errorf("read failing deliveries: %w", err)
	}
	return e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) {
		if len(failing) > 0 {
			u.SetFailingSince(failing[0].FirstAt)
		} else {
			u.ClearFailingSince().SetWarned(0)
		}
	})
}

// wakeLoops makes this process look at once at queues that a person changed.
func (e *Engine) wakeLoops() {
	e.toRelay.fire()
	e.toLease.fire()
	e.toWatch.fire()
}

// DeliveryRef is a delivery to send again.
type DeliveryRef struct {
	Sequence        int64
	Event, Resource xid.ID
}

// RetryAllNow makes the next attempts of waiting deliveries due now and returns their number.
// Deliveries that are already due are left alone. It runs in the transaction in which they were
// read.
func (e *Engine) RetryAllNow(ctx context.Context, endpoint xid.ID, list []DeliveryRef) (int, error) {
	now, store := e.wallTime(), viewer.From(ctx).Store
	args := []any{now, now, now}
	for _, a := range list {
		args = append(args, store, endpoint, a.Sequence)
	}
	n, err := e.exec(ctx, "UPDATE deliveries SET due_at = ?, tried_at = ? WHERE due_at > ? AND "+
		e.among("store_id, endpoint_id, sequence", len(list)), args...)
	if err != nil || n == 0 {
		return 0, wrap("hurry deliveries", err)
	}
	return n, e.nudge(ctx, endpoint, nil)
}

// ResendAll creates new deliveries of events at the end of the endpoint's queue, in the given
// order.
func (e *Engine) ResendAll(ctx context.Context, endpoint xid.ID, list []DeliveryRef) error {
	err := e.nudge(ctx, endpoint, func(u *db.WebhookQueueUpdate) { u.AddLastSequence(int64(len(list))) })
	if err != nil {
		return err
	}
	q, err := ent.Only(e.Store.DB(ctx).WebhookQueue.Query().Where(webhookqueue.ID(endpoint)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read queue: %w", err)
	}
	key := schedule.Key{Store: viewer.From(ctx).Store, Endpoint: endpoint}
	first, now := q.LastSequence-int64(len(list))+1, micros.Now()
	rows := make([]any, 0, deliveryColumns*len(list))
	for i, a := range list {
		rows = append(rows, deliveryRow(key, first+int64(i), pending{event: a.Event, resource: a.Resource}, now)...)
	}
	return wrap("send again", e.insertDeliveries(ctx, rows))
}
