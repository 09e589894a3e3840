package endpoint

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/page"
)

// events reads up to limit rows behind a position. stopped is where the window of some
// types ended before the limit and before the last row; nil where it did not.
func (r *Resolver) events(ctx context.Context, f eventFilter, after *page.Position, limit int) (
	rows []*db.Event, stopped *page.Position, err error,
) {
	query := r.Client(ctx).Event.Query()
	if len(f.types) > 0 {
		if stopped, err = r.eventFloor(ctx, f, after); err != nil {
			return nil, nil, err
		}
		query.Where(dbevent.TypeIn(f.types...))
		if stopped != nil && f.resource != nil {
			query.Where(dbevent.SequenceGTE(int64(stopped.Time)))
		} else if stopped != nil {
			query.Where(dbevent.IDGTE(stopped.ID))
		}
	}
	query.Modify(f.window(after, limit))
	query.Select(eventColumns...)
	if rows, err = query.All(ctx); err != nil {
		return nil, nil, err
	}
	if len(rows) == limit {
		stopped = nil
	}
	return rows, stopped, nil
}

// window bounds a read: by the index of the resource, or by that of all events.
func (f eventFilter) window(after *page.Position, limit int) func(*sql.Selector) {
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

// eventFloor returns the position of the last row of the window that begins behind
// another; nil where fewer rows are left.
func (r *Resolver) eventFloor(ctx context.Context, f eventFilter, after *page.Position) (*page.Position, error) {
	query := r.Client(ctx).Event.Query()
	query.Modify(f.window(after, eventWindow))
	query.Select(dbevent.FieldID, dbevent.FieldSequence)
	rows, err := query.All(ctx)
	if err != nil || len(rows) < eventWindow {
		return nil, err
	}
	last := f.at(shownEvents(rows[eventWindow-1:])[0])
	return &last, nil
}
