package endpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/attempt"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/idem"
	sent "github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/model"
)

// DeliveryFields resolves the fields of a delivery that need their own queries.
type DeliveryFields struct{ *Resolver }

// shareDeliveryLoaders sets the loaders of a page of deliveries, all of one endpoint: one statement
// for their attempts, one for their bodies.
func (r *Resolver) shareDeliveryLoaders(endpoint xid.ID, shown []*model.WebhookDelivery) {
	shared := &model.DeliveryPage{
		Attempts: model.NewBatch(func() []int64 { return sequences(shown) },
			func(ctx context.Context, sequences []int64) (map[int64][]*db.Attempt, error) {
				return r.attempts(ctx, endpoint, sequences)
			}),
		Bodies: model.NewBatch(func() []xid.ID {
			return core.IDs(shown, func(d *model.WebhookDelivery) *xid.ID { return &d.Event })
		}, r.bodies),
	}
	for _, d := range shown {
		d.Page = shared
	}
}

// sequences returns the sequences of the deliveries. Each may have attempts besides its final one:
// a process that has lost the lease still records what it sent.
func sequences(shown []*model.WebhookDelivery) []int64 {
	all := make([]int64, len(shown))
	for i, d := range shown {
		all[i] = d.Sequence
	}
	return all
}

// attempts reads the non-final attempts of deliveries, last first.
func (r *Resolver) attempts(ctx context.Context, endpoint xid.ID, sequences []int64) (map[int64][]*db.Attempt, error) {
	of := make(map[int64][]*db.Attempt, len(sequences))
	if len(sequences) == 0 {
		return of, nil
	}
	query := r.Client(ctx).Attempt.Query().Where(attempt.EndpointID(endpoint), attempt.SequenceIn(sequences...))
	query.Modify(func(s *sql.Selector) {
		ent.ForceIndex(ent.Primary)(s)
		s.OrderExpr(sql.Raw(s.C(attempt.FieldSequence)+" DESC"), sql.Raw(s.C(attempt.FieldNumber)+" DESC"))
	})
	rows, err := query.Load(ctx)
	for _, row := range rows {
		of[row.Sequence] = append(of[row.Sequence], row)
	}
	return of, err
}

// bodies reads the bodies of events. Those that have aged out are absent.
func (r *Resolver) bodies(ctx context.Context, events []xid.ID) (map[xid.ID][]byte, error) {
	query := r.Client(ctx).Event.Query().Where(dbevent.IDIn(events...))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	of := make(map[xid.ID][]byte, len(rows))
	for _, row := range rows {
		of[row.ID] = row.Body
	}
	return of, err
}

// Attempts lists the attempts of a delivery, last first.
func (f DeliveryFields) Attempts(ctx context.Context, d *model.WebhookDelivery) ([]*model.WebhookAttempt, error) {
	idem.AboutAnyCustomer(ctx)
	rows, err := d.Page.Attempts.Get(ctx, d.Sequence)
	if err != nil {
		return nil, core.Explain("attempts", fmt.Errorf("read attempts: %w", err))
	}
	shown := make([]*model.WebhookAttempt, 0, len(rows)+1)
	if l := d.Log; l != nil && l.BeganAt != nil {
		shown = append(shown,
			shownAttempt(&db.Attempt{ID: l.ID, AttemptID: l.AttemptID, Number: l.Attempts, BeganAt: *l.BeganAt,
				Outcome: l.Outcome, Status: l.Status, Duration: l.Duration, Detail: l.Detail, Response: l.Response,
				Request: l.Request}, d))
	}
	for _, a := range rows {
		shown = append(shown, shownAttempt(a, d))
	}
	// An attempt recorded after the delivery had ended has a higher number than the final one.
	slices.SortStableFunc(shown, func(a, b *model.WebhookAttempt) int { return b.Number - a.Number })
	return shown, nil
}

// shownAttempt returns an attempt for display. A receiver may answer with any bytes, but GraphQL
// has only text, so invalid UTF-8 is replaced.
func shownAttempt(a *db.Attempt, d *model.WebhookDelivery) *model.WebhookAttempt {
	id := a.ID
	core.Opt(a.AttemptID, func(own xid.ID) { id = own })
	shown := &model.WebhookAttempt{ID: xid.Attempt.Format(id), Number: a.Number, At: a.BeganAt, Outcome: a.Outcome,
		Duration: a.Duration, Detail: a.Detail, NextAt: a.NextAt}
	head := sent.Head(a.Request, sent.Sent{EventID: d.EventID(), EventType: d.Type, DeliveryID: d.ID(),
		Number: a.Number, Began: a.BeganAt.Time()})
	if head != "" {
		shown.Request = &head
	}
	if a.Status != 0 {
		shown.Status = new(a.Status)
		shown.Response = new(strings.ToValidUTF8(string(a.Response), "\ufffd"))
	}
	return shown
}

// Payload returns the body that is sent, if the viewer may read its subject.
func (f DeliveryFields) Payload(ctx context.Context, d *model.WebhookDelivery) (*string, error) {
	e, ok := event.Find(event.Type(d.Type))
	if !ok || !viewer.From(ctx).Scopes.Has(e.Scope) {
		return nil, nil
	}
	return payload(ctx, d.Page.Bodies, d.Event)
}
