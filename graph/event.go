package graph

import (
	"context"

	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

// Events lists the event log, newest first. The bodies stay where they are: they
// hold what their scopes guard.
func (q Query) Events(ctx context.Context, first *int, after *string) (*model.EventConnection, error) {
	return connect(ctx, q.Resolver, list[*model.Event]{
		name: "events",
		at:   func(e *model.Event) page.Position { return byID(e.ID) },
		read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Event, error) {
			query := q.client(ctx).Event.Query()
			query.Modify(window{after: after, limit: limit, index: primary}.apply)
			query.Select(dbevent.FieldStoreID, dbevent.FieldID, dbevent.FieldType, dbevent.FieldResourceType, dbevent.FieldResourceID, dbevent.FieldSequence)
			rows, err := query.All(ctx)
			events := make([]*model.Event, len(rows))
			for i, row := range rows {
				events[i] = &model.Event{Event: row}
			}
			return events, err
		},
	}, first, after)
}
