package endpoint_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/webhook"
)

// plantEnded writes n deliveries that have ended, all delivered but the first.
func plantEnded(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint, n int) {
	t.Helper()
	for from := 1; from <= n; from += 500 {
		p.Meddle(t, func(ctx context.Context, c *db.Client) error {
			var rows []*db.DeliveryLogCreate
			for i := from; i < from+500 && i <= n; i++ {
				id, ended := webhook.DeliveryID(e.ID, int64(i), micros.Time(1_000_000+i)), state.DeliveryDelivered
				if i == 1 {
					ended = state.DeliverySkipped
				}
				rows = append(rows, c.DeliveryLog.Create().SetID(id).SetEndpointID(e.ID).SetSequence(int64(i)).
					SetEventID(id).SetType(event.OrderPaid).SetResourceID(id).SetState(ended).SetAttempts(1).
					SetSettledAt(micros.Time(1_000_000+i)).SetOutcome("delivered"))
			}
			return c.DeliveryLog.CreateBulk(rows...).Exec(ctx)
		})
	}
}

// Whatever an endpoint was sent, a page of one state reads no more than it may; and whoever goes
// on finds the one that has it.
func TestDeliveryBounds(t *testing.T) {
	const first = 1
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		cost := map[state.DeliveryState][]int64{}
		few, many := graphtest.BoundRows()
		for _, n := range []int{few, many} {
			e := p.Hook(t, p.Ctx)
			plantEnded(p, t, e, n)
			plantDeliveries(p, t, e, n)
			e = seen(p, t, e)
			page := func(only state.DeliveryState, after *string) (c *model.WebhookDeliveryConnection) {
				cost[only] = append(cost[only], graphtest.Cost(t, p.Ctx, p.Resolver, func(ctx context.Context) {
					c = graphtest.Must[*model.WebhookDeliveryConnection](t)(
						endpoint.Fields{Resolver: endpoint.New(p.Core)}.Deliveries(ctx, e, new(first), after, &only))
				}))
				return c
			}
			for _, only := range []state.DeliveryState{state.DeliveryWaiting, state.DeliveryHeld, state.DeliveryFailed,
				state.DeliverySkipped, state.DeliveryCancelled} {
				page(only, nil)
			}
			var after *string
			found := 0
			for pages := 0; ; pages++ {
				fields := endpoint.Fields{Resolver: endpoint.New(p.Core)}
				c := graphtest.Must[*model.WebhookDeliveryConnection](t)(
					fields.Deliveries(p.Ctx, e, new(first), after, new(state.DeliverySkipped)))
				if found += len(c.Nodes); !c.PageInfo().HasNextPage {
					break
				}
				after = c.PageInfo().EndCursor
			}
			if found != 1 {
				t.Errorf("%d of one skipped delivery found", found)
			}
		}
		for only, costs := range cost {
			graphtest.WithinBound(t, p.Resolver, string(only), first, costs[0], costs[1])
		}
	})
}

// A page of events of a type of which there are none reads no more than it may.
func TestEventBounds(t *testing.T) {
	const first = 1
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		var costs []int64
		few, many := graphtest.BoundRows()
		for i, shop := range []*graphtest.Shop{p.Other(t), p} {
			resource := xid.New()
			for from := 0; from < []int{few, many}[i]; from += 400 {
				shop.Meddle(t, func(ctx context.Context, c *db.Client) error {
					return c.Event.MapCreateBulk(make([]struct{}, 400), func(c *db.EventCreate, j int) {
						c.SetType(event.OrderPaid).SetResourceType("order").SetResourceID(resource).
							SetSequence(int64(from + j)).SetBody(eventbody.Body("{}"))
					}).Exec(ctx)
				})
			}
			for _, f := range []*model.EventFilter{
				{Types: []string{string(event.ProductCreated)}},
				{Types: []string{string(event.ProductCreated)}, ResourceID: new(xid.Order.Format(resource))},
			} {
				costs = append(costs, graphtest.Cost(t, shop.Ctx, shop.Resolver, func(ctx context.Context) {
					graphtest.Must[*model.EventConnection](t)(shop.Query().Events(ctx, new(first), nil, f))
				}))
			}
		}
		graphtest.WithinBound(t, p.Resolver, "types", first, costs[0], costs[2])
		graphtest.WithinBound(t, p.Resolver, "types of a resource", first, costs[1], costs[3])
	})
}
