package endpoint

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// events reads up to limit rows after a position. stopped is where a page filtered by type ended
// before the limit and before the last row, nil otherwise.
func (r *Resolver) events(ctx context.Context, f eventFilter, after *page.Position, limit int) (
	rows []*db.Event, stopped *page.Position, err error,
) {
	read := func(to *page.Position) ([]*db.Event, error) {
		query := r.Client(ctx).Event.Query()
		if len(f.types) > 0 {
			query.Where(dbevent.TypeIn(f.types...))
		}
		if to != nil && f.resource != nil {
			query.Where(dbevent.SequenceGTE(int64(to.Time)))
		} else if to != nil {
			query.Where(dbevent.IDGTE(to.ID))
		}
		query.Modify(f.window(after, limit))
		query.Select(eventColumns...)
		return query.All(ctx)
	}
	if len(f.types) == 0 {
		rows, err = read(nil)
		return rows, nil, err
	}
	return core.Sift(limit, core.ScanLimit(limit), func(n int) (*page.Position, error) {
		return r.eventFloor(ctx, f, after, n)
	}, read)
}

// window bounds a read, by the index of the resource or of all events.
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
