package endpoint

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/deliverylog"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// Deliveries lists the deliveries to one endpoint, newest first: a merge of the waiting ones and
// the log, both by the endpoint's sequence, which their ids contain. A page costs at most three
// statements: the two reads, and the events of waiting deliveries. A filter by state costs two
// more, since no index serves it.
func (f Fields) Deliveries(
	ctx context.Context, e *model.WebhookEndpoint, first *int, after *string, only *state.DeliveryState,
) (*model.WebhookDeliveryConnection, error) {
	filters := []string{"endpoint_id", e.PublicID()}
	core.Opt(only, func(s state.DeliveryState) { filters = append(filters, "state", string(s)) })
	var stopped *page.Position
	c, err := core.Connect(ctx, f.Core, core.List[*model.WebhookDelivery]{
		Name: "webhook_deliveries", Filters: filters,
		At: func(d *model.WebhookDelivery) page.Position { return core.ByID(d.Key) },
		Read: func(ctx context.Context, after *page.Position, limit int) (shown []*model.WebhookDelivery, err error) {
			s := span{endpoint: e, limit: limit, only: only}
			core.Opt(after, func(p page.Position) { s.below = webhook.SequenceOf(p.ID) })
			if only == nil {
				return f.deliveries(ctx, s)
			}
			shown, stopped, err = core.Sift(limit, core.ScanLimit(limit)/2, func(n int) (*page.Position, error) {
				return f.deliveryFloor(ctx, s, n)
			}, func(to *page.Position) ([]*model.WebhookDelivery, error) {
				core.Opt(to, func(p page.Position) { s.from = webhook.SequenceOf(p.ID) })
				return f.deliveries(ctx, s)
			})
			return shown, err
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	if c.Next == "" && stopped != nil {
		c.Next = c.Sign(&model.WebhookDelivery{Key: stopped.ID})
	}
	f.shareDeliveryLoaders(e.ID, c.Nodes)
	return c, nil
}

type span struct {
	endpoint *model.WebhookEndpoint
	below    int64 // all sequences are below this; 0 for no bound
	from     int64 // the lowest sequence; 0 for no bound
	limit    int
	only     *state.DeliveryState
}

// deliveries reads the newest of a span. It reads the waiting ones first: a delivery that ends in
// between is then found in both tables, and the log counts. The other way round it might be found
// in neither.
func (r *Resolver) deliveries(ctx context.Context, s span) ([]*model.WebhookDelivery, error) {
	var hot []*db.Delivery
	var err error
	if s.waits() {
		query := r.Client(ctx).Delivery.Query().
			Where(delivery.EndpointID(s.endpoint.ID), delivery.SequenceGT(s.endpoint.Health.FloorSequence))
		query.Modify(s.part, s.filterState)
		if hot, err = query.Load(ctx); err != nil {
			return nil, fmt.Errorf("read waiting deliveries: %w", err)
		}
	}
	var logs []*db.DeliveryLog
	if s.ended() {
		query := r.Client(ctx).DeliveryLog.Query().Where(deliverylog.EndpointID(s.endpoint.ID))
		core.Opt(s.only, func(v state.DeliveryState) { query.Where(deliverylog.StateEQ(v)) })
		query.Modify(s.part)
		if logs, err = query.Load(ctx); err != nil {
			return nil, fmt.Errorf("read the delivery log: %w", err)
		}
	}
	return r.merged(ctx, s, hot, logs)
}

// waits reports whether the span can contain unfinished rows. Waiting deliveries count as held
// while their endpoint is stopped.
func (s span) waits() bool {
	if s.only == nil || *s.only == state.DeliveryFailed {
		return true
	}
	stopped := s.endpoint.Status != state.EndpointActive
	return *s.only == state.DeliveryHeld && stopped || *s.only == state.DeliveryWaiting && !stopped
}

func (s span) ended() bool {
	return s.only == nil || *s.only != state.DeliveryHeld && *s.only != state.DeliveryWaiting
}

// part bounds a read of either table. Both keys end with the sequence.
func (s span) part(q *sql.Selector) {
	ent.ForceIndex(ent.Primary)(q)
	sequence := q.C(delivery.FieldSequence)
	if s.below > 0 {
		q.Where(sql.LT(sequence, s.below))
	}
	if s.from > 0 {
		q.Where(sql.GTE(sequence, s.from))
	}
	q.OrderExpr(sql.Raw(sequence + " DESC")).Limit(s.limit)
}

// deliveryFloor returns the later of the two tables' n-th rows of a span; the page then filters
// down to that by state. It returns nil if both tables have fewer rows.
func (r *Resolver) deliveryFloor(ctx context.Context, s span, n int) (*page.Position, error) {
	s.limit = n
	var ids []xid.ID
	if s.waits() {
		query := r.Client(ctx).Delivery.Query().
			Where(delivery.EndpointID(s.endpoint.ID), delivery.SequenceGT(s.endpoint.Health.FloorSequence))
		query.Modify(s.part)
		some, err := query.IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("scan waiting deliveries: %w", err)
		}
		ids = append(ids, some[min(len(some), n-1):]...)
	}
	if s.ended() {
		query := r.Client(ctx).DeliveryLog.Query().Where(deliverylog.EndpointID(s.endpoint.ID))
		query.Modify(s.part)
		some, err := query.IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("scan the delivery log: %w", err)
		}
		ids = append(ids, some[min(len(some), n-1):]...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return new(core.ByID(slices.MaxFunc(ids, func(a, b xid.ID) int {
		return cmp.Compare(webhook.SequenceOf(a), webhook.SequenceOf(b))
	}))), nil
}

// filterState separates failed deliveries from waiting ones.
func (s span) filterState(q *sql.Selector) {
	if s.only == nil {
		return
	}
	if *s.only == state.DeliveryFailed {
		q.Where(givenUp(q, s.endpoint.Health))
	} else {
		q.Where(sql.Not(givenUp(q, s.endpoint.Health)))
	}
}

// givenUp is the condition of a row that failed for 24 h and was not resumed since.
func givenUp(q *sql.Selector, health *db.WebhookQueue) *sql.Predicate {
	return sql.And(sql.EQ(q.C(delivery.FieldFailed), true), sql.GTE(q.C(delivery.FieldFirstAt), health.ResumedAt))
}

// merged merges both reads in order. If a row is in both, the log is newer.
func (r *Resolver) merged(
	ctx context.Context, s span, hot []*db.Delivery, logs []*db.DeliveryLog,
) ([]*model.WebhookDelivery, error) {
	shown := make([]*model.WebhookDelivery, 0, min(s.limit, len(hot)+len(logs)))
	for len(shown) < s.limit && len(hot)+len(logs) > 0 {
		if len(logs) == 0 || len(hot) > 0 && hot[0].Sequence > logs[0].Sequence {
			shown, hot = append(shown, waitingDelivery(s.endpoint, hot[0])), hot[1:]
			continue
		}
		if len(hot) > 0 && hot[0].Sequence == logs[0].Sequence {
			hot = hot[1:]
		}
		shown, logs = append(shown, loggedDelivery(logs[0])), logs[1:]
	}
	return shown, r.addTypes(ctx, shown)
}

// waitingDelivery returns an unfinished row for display. [Resolver.addTypes] adds its type.
func waitingDelivery(e *model.WebhookEndpoint, row *db.Delivery) *model.WebhookDelivery {
	d := &model.WebhookDelivery{Key: row.ID, Endpoint: row.EndpointID, Event: row.EventID, Resource: row.ResourceID,
		Sequence: row.Sequence, State: wire.StateOf(row, e.Status, e.Health.ResumedAt), AttemptCount: row.Attempts}
	if d.State == state.DeliveryWaiting && row.DueAt > 0 && row.FirstAt >= e.Health.ResumedAt {
		d.NextAttemptAt = new(row.DueAt)
	}
	return d
}

func loggedDelivery(row *db.DeliveryLog) *model.WebhookDelivery {
	return &model.WebhookDelivery{Key: row.ID, Endpoint: row.EndpointID, Event: row.EventID, Resource: row.ResourceID,
		Sequence: row.Sequence, Type: string(row.Type), ResourceType: event.About(row.Type).Resource(),
		State: row.State, AttemptCount: row.Attempts, SettledAt: new(row.SettledAt), Log: row}
}

// addTypes reads the events' types of waiting deliveries with one statement. If the event has aged
// out, the type is missing.
func (r *Resolver) addTypes(ctx context.Context, shown []*model.WebhookDelivery) error {
	wanted := core.IDs(shown, func(d *model.WebhookDelivery) *xid.ID {
		if d.Log != nil {
			return nil
		}
		return &d.Event
	})
	if len(wanted) == 0 {
		return nil
	}
	query := r.Client(ctx).Event.Query().Where(dbevent.IDIn(wanted...))
	query.Modify(ent.ForceIndex(ent.Primary))
	query.Select(dbevent.FieldStoreID, dbevent.FieldID, dbevent.FieldType, dbevent.FieldResourceType)
	rows, err := query.All(ctx)
	if err != nil {
		return fmt.Errorf("read the events of deliveries: %w", err)
	}
	of := make(map[xid.ID]*db.Event, len(rows))
	for _, row := range rows {
		of[row.ID] = row
	}
	for _, d := range shown {
		if e := of[d.Event]; e != nil && d.Log == nil {
			d.Type, d.ResourceType = string(e.Type), e.ResourceType
		}
	}
	return nil
}

// WebhookDelivery returns one delivery to an endpoint that the viewer may see.
func (q Query) WebhookDelivery(ctx context.Context, id string) (*model.WebhookDelivery, error) {
	d, _, err := q.delivery(ctx, id)
	if err != nil {
		return nil, core.Explain("delivery", err)
	}
	q.shareDeliveryLoaders(d.Endpoint, []*model.WebhookDelivery{d})
	return d, nil
}

// delivery finds a delivery by its id, which contains the sequence, among the endpoints that the
// viewer may see. The row is nil if the delivery has ended.
func (r *Resolver) delivery(ctx context.Context, id string) (*model.WebhookDelivery, *db.Delivery, error) {
	uid, err := core.ParseID(xid.Delivery, id)
	if err != nil {
		return nil, nil, err
	}
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, nil, err
	}
	query, index := r.endpointsOf(ctx, v)
	query.Modify(ent.ForceIndex(index))
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, nil, cmp.Or(err, core.ErrNoRow)
	}
	sequence, places := webhook.SequenceOf(uid), core.IDs(rows, func(e *db.WebhookEndpoint) *xid.ID { return &e.ID })
	row, err := r.waiting(ctx, uid, sequence, places)
	if err != nil {
		return nil, nil, err
	}
	// The delivery may have ended since it was read, so the log is read last and takes precedence.
	logs := r.Client(ctx).DeliveryLog.Query().
		Where(deliverylog.EndpointIDIn(places...), deliverylog.Sequence(sequence), deliverylog.ID(uid))
	logs.Modify(ent.ForceIndex(ent.Primary))
	ended, err := logs.Load(ctx)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read the delivery log: %w", err)
	case len(ended) > 0:
		return loggedDelivery(ended[0]), nil, nil
	case row == nil:
		return nil, nil, core.ErrNoRow
	}
	for _, e := range rows {
		if e.ID == row.EndpointID {
			return r.shownWaiting(ctx, e, row)
		}
	}
	return nil, nil, core.ErrNoRow
}

func (r *Resolver) waiting(ctx context.Context, id xid.ID, sequence int64, places []xid.ID) (*db.Delivery, error) {
	query := r.Client(ctx).Delivery.Query().
		Where(delivery.EndpointIDIn(places...), delivery.Sequence(sequence), delivery.ID(id))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// shownWaiting returns an unfinished delivery for display. One at or below the floor of its queue
// was canceled, though its row may still exist.
func (r *Resolver) shownWaiting(
	ctx context.Context, e *db.WebhookEndpoint, row *db.Delivery,
) (*model.WebhookDelivery, *db.Delivery, error) {
	queue, err := core.Only(r.Client(ctx).WebhookQueue.Query().Where(webhookqueue.ID(e.ID)).Load(ctx))
	if err != nil {
		return nil, nil, err
	}
	if row.Sequence <= queue.FloorSequence {
		return nil, nil, core.ErrNoRow
	}
	d := waitingDelivery(model.ShowWebhookEndpoint(e, queue, micros.Now()), row)
	return d, row, r.addTypes(ctx, []*model.WebhookDelivery{d})
}
