package endpoint

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// Events lists the event log, newest first. The bodies stay where they are: they
// hold what their scopes guard.
func (q Query) Events(ctx context.Context, first *int, after *string) (*model.EventConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Event]{
		Name: "events",
		At:   func(e *model.Event) page.Position { return core.ByID(e.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Event, error) {
			query := q.Client(ctx).Event.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			query.Select(dbevent.FieldStoreID, dbevent.FieldID, dbevent.FieldType, dbevent.FieldResourceType,
				dbevent.FieldResourceID, dbevent.FieldSequence)
			rows, err := query.All(ctx)
			events := make([]*model.Event, len(rows))
			for i, row := range rows {
				events[i] = &model.Event{Event: row}
			}
			return events, err
		},
	}, first, after)
}
