package endpoint

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// endpointIndex leads from an app to its endpoints in one store.
const endpointIndex = "webhookendpoint_store_id_app_id_id"

// Fields resolves the fields of an endpoint that need their own queries.
type Fields struct{ *Resolver }

// WebhookEndpoints lists the endpoints that the viewer may see, newest first. A page costs at most
// three statements: the endpoints, their queues, and the apps that own them.
func (q Query) WebhookEndpoints(
	ctx context.Context, first *int, after *string,
) (*model.WebhookEndpointConnection, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	var filters []string
	if v.Kind == viewer.OAuthApp {
		filters = []string{"app_id", v.Actor.String()}
	}
	return core.Connect(ctx, q.Core, core.List[*model.WebhookEndpoint]{
		Name: "webhook_endpoints", Filters: filters,
		At: func(e *model.WebhookEndpoint) page.Position { return core.ByID(e.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.WebhookEndpoint, error) {
			query, index := q.endpointsOf(ctx, v)
			query.Modify(core.Window{After: after, Limit: limit, Index: index}.Apply)
			rows, err := query.Load(ctx)
			if err != nil {
				return nil, err
			}
			return q.withQueues(ctx, rows)
		},
	}, first, after)
}

// WebhookEndpoint returns one endpoint that the viewer may see.
func (q Query) WebhookEndpoint(ctx context.Context, id string) (*model.WebhookEndpoint, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, id)
	if err != nil {
		return nil, err
	}
	row, err := q.endpoint(ctx, uid, ent.NoLock)
	if err != nil {
		return nil, core.Explain("webhook endpoint", err)
	}
	e, err := q.shownEndpoint(ctx, row)
	return e, core.Explain("webhook endpoint", err)
}

// WebhookEventTypes returns the catalog of events.
func (q Query) WebhookEventTypes(context.Context) ([]*model.WebhookEventType, error) {
	all := event.All()
	rows := make([]*model.WebhookEventType, len(all))
	for i, e := range all {
		rows[i] = &model.WebhookEventType{Name: string(e.Type), ResourceType: e.Resource.Resource(), Scope: e.Scope,
			Trigger: e.Trigger}
	}
	return rows, nil
}

// endpointsOf begins a query of the endpoints that a viewer may see, and names its index. An app
// sees its own; keys and staff see all of the store's (contract, section 5, Ownership). Deleted
// ones are never visible.
func (r *Resolver) endpointsOf(ctx context.Context, v *viewer.Viewer) (*db.WebhookEndpointQuery, string) {
	query := r.Client(ctx).WebhookEndpoint.Query().Where(endpoints.DeletedAtIsNil())
	if v.Kind == viewer.OAuthApp {
		return query.Where(endpoints.AppID(v.Actor)), endpointIndex
	}
	return query, ent.Primary
}

// endpoint reads one endpoint that the viewer may see.
func (r *Resolver) endpoint(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.WebhookEndpoint, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	query, _ := r.endpointsOf(ctx, v)
	query.Where(endpoints.ID(id)).Modify(lock, ent.ForceIndex(ent.Primary))
	return core.Only(query.Load(ctx))
}

func (r *Resolver) shownEndpoint(ctx context.Context, row *db.WebhookEndpoint) (*model.WebhookEndpoint, error) {
	shown, err := r.withQueues(ctx, []*db.WebhookEndpoint{row})
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

// withQueues returns endpoints with their queues and the apps that own them.
func (r *Resolver) withQueues(ctx context.Context, rows []*db.WebhookEndpoint) ([]*model.WebhookEndpoint, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	query := r.Client(ctx).WebhookQueue.Query().
		Where(webhookqueue.IDIn(core.IDs(rows, func(e *db.WebhookEndpoint) *xid.ID { return &e.ID })...))
	query.Modify(ent.ForceIndex(ent.Primary))
	queues, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read queues: %w", err)
	}
	health := make(map[xid.ID]*db.WebhookQueue, len(queues))
	for _, q := range queues {
		health[q.ID] = q
	}
	registered := map[xid.ID]xid.ID{}
	for _, e := range rows {
		if e.AppID != nil && e.AppStoreID != nil {
			registered[*e.AppID] = *e.AppStoreID
		}
	}
	apps, err := r.AppsIn(ctx, registered)
	if err != nil {
		return nil, err
	}
	now := micros.Now()
	shown := make([]*model.WebhookEndpoint, len(rows))
	for i, e := range rows {
		if health[e.ID] == nil {
			return nil, fmt.Errorf("the endpoint %s has no queue", e.PublicID())
		}
		shown[i] = model.ShowWebhookEndpoint(e, health[e.ID], now)
		if e.AppID != nil {
			shown[i].App = apps[*e.AppID]
		}
	}
	r.shareLoaders(shown)
	return shown, nil
}

// shareLoaders sets the loaders of a page of endpoints.
func (r *Resolver) shareLoaders(shown []*model.WebhookEndpoint) {
	keys := func() []xid.ID { return core.IDs(shown, func(e *model.WebhookEndpoint) *xid.ID { return &e.ID }) }
	shared := &model.EndpointPage{
		Queues: model.NewBatch(keys,
			func(ctx context.Context, _ []xid.ID) (map[xid.ID]*model.WebhookQueueState, error) {
				return r.backlogs(ctx, shown)
			}),
		Activity: model.NewFamily(func(hours int) *model.Batch[xid.ID, []*model.WebhookActivity] {
			return model.NewBatch(keys,
				func(ctx context.Context, ids []xid.ID) (map[xid.ID][]*model.WebhookActivity, error) {
					return r.activity(ctx, ids, hours)
				})
		}),
	}
	for _, e := range shown {
		e.Page = shared
	}
}
