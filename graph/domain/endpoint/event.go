package endpoint

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// resourceIndex leads from a resource to its events.
const resourceIndex = "event_store_id_resource_id_sequence"

// eventColumns are the columns of a list. It leaves out the bodies, which are protected by their
// scopes.
var eventColumns = []string{dbevent.FieldStoreID, dbevent.FieldID, dbevent.FieldType, dbevent.FieldResourceType,
	dbevent.FieldResourceID, dbevent.FieldSequence}

// Events lists the event log, newest first, or the events of one resource by sequence.
func (q Query) Events(ctx context.Context, first *int, after *string, filter *model.EventFilter) (
	*model.EventConnection, error,
) {
	f, err := readEventFilter(filter)
	if err != nil {
		return nil, err
	}
	var stopped *page.Position
	if v := viewer.From(ctx); v != nil && !v.IsPerson() {
		f.types = visible(v, f.types)
		f.pairs = append(f.pairs, "visible", fmt.Sprint(f.types))
	}
	c, err := core.Connect(ctx, q.Core, core.List[*model.Event]{
		Name: "events", Filters: f.pairs, At: f.at, Until: f.until,
		Read: func(ctx context.Context, after *page.Position, limit int) (found []*model.Event, err error) {
			var rows []*db.Event
			rows, stopped, err = q.events(ctx, f, after, limit)
			return shownEvents(rows), err
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	if c.Next == "" && stopped != nil {
		c.Next = c.Sign(&model.Event{Event: &db.Event{ID: stopped.ID, Sequence: int64(stopped.Time)}})
	}
	q.withBodies(c.Nodes)
	return c, nil
}

// Event returns one event of the log.
func (q Query) Event(ctx context.Context, id string) (*model.Event, error) {
	uid, err := core.ParseID(xid.Event, id)
	if err != nil {
		return nil, err
	}
	row, err := q.event(ctx, uid)
	if err == nil {
		if v := viewer.From(ctx); !v.IsPerson() && !slices.Contains(visible(v, nil), row.Type) {
			err = core.ErrNoRow
		}
	}
	if err != nil {
		return nil, core.Explain("event", err)
	}
	shown := shownEvents([]*db.Event{row})
	q.withBodies(shown)
	return shown[0], nil
}

// visible returns those of the given types, or of all if none are given, that a program sees: the
// ones whose scope it has. Events about endpoints and grants may be about other programs, so apps do
// not see them.
func visible(v *viewer.Viewer, given []event.Type) []event.Type {
	types := []event.Type{} // not nil, which would be all
	for _, e := range event.All() {
		if v.Scopes.Has(e.Scope) && (e.Scope != scope.WebhooksRead || v.Kind != viewer.OAuthApp) &&
			(given == nil || slices.Contains(given, e.Type)) {
			types = append(types, e.Type)
		}
	}
	return types
}

func (r *Resolver) event(ctx context.Context, id xid.ID) (*db.Event, error) {
	query := r.Client(ctx).Event.Query().Where(dbevent.ID(id))
	query.Modify(ent.ForceIndex(ent.Primary))
	query.Select(eventColumns...)
	return core.Only(query.All(ctx))
}

func shownEvents(rows []*db.Event) []*model.Event {
	shown := make([]*model.Event, len(rows))
	for i, row := range rows {
		shown[i] = &model.Event{Event: row}
	}
	return shown
}

// withBodies sets the loader of a page's event bodies, which takes one statement.
func (r *Resolver) withBodies(shown []*model.Event) {
	bodies := model.NewBatch(func() []xid.ID {
		return core.IDs(shown, func(e *model.Event) *xid.ID { return &e.ID })
	}, r.bodies)
	for _, e := range shown {
		e.Bodies = bodies
	}
}

// EventFields resolves the fields of an event that need their own queries.
type EventFields struct{ *Resolver }

// Payload returns the body that subscribers get, if the viewer may read its subject.
func (f EventFields) Payload(ctx context.Context, e *model.Event) (*string, error) {
	known, ok := event.Find(e.Event.Type)
	if !ok || !viewer.From(ctx).Scopes.Has(known.Scope) {
		return nil, nil
	}
	return payload(ctx, e.Bodies, e.ID)
}

// payload returns the body of an event, nil once it has aged out.
func payload(ctx context.Context, bodies *model.Batch[xid.ID, []byte], id xid.ID) (*string, error) {
	idem.AboutAnyCustomer(ctx)
	body, err := bodies.Get(ctx, id)
	switch {
	case err != nil:
		return nil, core.Explain("payload", fmt.Errorf("read event: %w", err))
	case body == nil:
		return nil, nil
	}
	return new(string(body)), nil
}

type eventFilter struct {
	pairs    []string // as cursors encode it
	types    []event.Type
	resource *xid.ID
	// from begins a list that runs oldest first up to until.
	from, until *micros.Time
}

// readEventFilter parses a filter. Malformed ids and unknown events are errors.
func readEventFilter(filter *model.EventFilter) (f eventFilter, err error) {
	if filter == nil {
		return f, nil
	}
	var faults []fault.Field
	for _, name := range filter.Types {
		if _, ok := event.Find(event.Type(name)); !ok {
			faults = append(faults, fault.Field{Parameter: "types", Code: fault.UnknownValue,
				Detail: "Unknown event."})
			break
		}
		f.types = append(f.types, event.Type(name))
	}
	if len(f.types) > 0 {
		slices.Sort(f.types)
		f.types = slices.Compact(f.types)
		f.pairs = append(f.pairs, "types", fmt.Sprint(f.types))
	}
	core.Opt(filter.ResourceID, func(text string) {
		id, ok := resourceID(text)
		if !ok {
			faults = append(faults, fault.Field{Parameter: "resource_id", Code: fault.InvalidFormat,
				Detail: "This is not the id of a resource that has events."})
		}
		f.resource, f.pairs = &id, append(f.pairs, "resource_id", text)
	})
	core.Opt(filter.OccurredFrom, func(t micros.Time) {
		if f.resource != nil {
			faults = append(faults, fault.Field{Parameter: "occurred_from", Code: fault.UnknownValue,
				Detail: "The events of one resource are sorted by sequence. Leave out the resource or the time."})
		}
		f.from, f.until, f.pairs = &t, new(micros.Max), append(f.pairs, "occurred_from", t.String())
	})
	if len(faults) > 0 {
		return f, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter contains unknown values.",
			Fields: faults}
	}
	return f, nil
}

func resourceID(text string) (xid.ID, bool) {
	for _, e := range event.All() {
		if id, err := e.Resource.Parse(text); err == nil {
			return id, true
		}
	}
	return xid.Nil, false
}

// at returns the position of an event, by sequence in a list of one resource.
func (f eventFilter) at(e *model.Event) page.Position {
	if f.resource != nil {
		return page.Position{Time: micros.Time(e.Sequence), ID: e.ID}
	}
	return core.ByID(e.ID)
}

// events reads up to limit rows after a position. stopped is where a page filtered by type ended
// before the limit and before the last row, nil otherwise.
func (r *Resolver) events(ctx context.Context, f eventFilter, after *page.Position, limit int) (
	rows []*db.Event, stopped *page.Position, err error,
) {
	read := func(to *page.Position) ([]*db.Event, error) {
		query := r.Client(ctx).Event.Query()
		if f.types != nil {
			query.Where(dbevent.TypeIn(f.types...))
		}
		switch {
		case to == nil:
		case f.resource != nil:
			query.Where(dbevent.SequenceGTE(int64(to.Time)))
		case f.from != nil:
			query.Where(dbevent.IDLTE(to.ID))
		default:
			query.Where(dbevent.IDGTE(to.ID))
		}
		query.Modify(f.window(after, limit))
		query.Select(eventColumns...)
		return query.All(ctx)
	}
	if f.types == nil {
		rows, err = read(nil)
		return rows, nil, err
	}
	return core.Sift(limit, core.ScanLimit(limit), func(n int) (*page.Position, error) {
		return r.eventFloor(ctx, f, after, n)
	}, read)
}

// window bounds a read, by the index of the resource or of all events.
func (f eventFilter) window(after *page.Position, limit int) func(*sql.Selector) {
	if f.from != nil {
		return func(s *sql.Selector) { f.since(s, after, limit) }
	}
	if f.resource == nil {
		return core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply
	}
	return func(s *sql.Selector) {
		ent.ForceIndex(resourceIndex)(s)
		sequence := s.C(dbevent.FieldSequence)
		s.Where(sql.EQ(s.C(dbevent.FieldResourceID), *f.resource))
		if after != nil {
			s.Where(sql.LT(sequence, int64(after.Time)))
		}
		s.OrderExpr(sql.Raw(sequence + " DESC")).Limit(limit)
	}
}

// since bounds a read of the events that occurred at a time or later. The ids of a change's events
// may precede its time by [outbox.Spread].
func (f eventFilter) since(s *sql.Selector, after *page.Position, limit int) {
	ent.ForceIndex(ent.Primary)(s)
	id := s.C(dbevent.FieldID)
	if after == nil {
		s.Where(sql.GTE(id, xid.First(*f.from)))
	} else {
		s.Where(sql.GT(id, after.ID))
	}
	s.Where(sql.LT(id, xid.First(*f.until-outbox.Spread))).OrderExpr(sql.Raw(id)).Limit(limit)
}

// eventFloor returns the position of the last of the next n rows, nil if fewer are left.
func (r *Resolver) eventFloor(ctx context.Context, f eventFilter, after *page.Position, n int) (*page.Position, error) {
	query := r.Client(ctx).Event.Query()
	query.Modify(f.window(after, n))
	query.Select(dbevent.FieldID, dbevent.FieldSequence)
	rows, err := query.All(ctx)
	if err != nil || len(rows) < n {
		return nil, err
	}
	last := f.at(shownEvents(rows[n-1:])[0])
	return &last, nil
}
