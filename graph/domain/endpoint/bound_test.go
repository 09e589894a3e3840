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
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// plantEnded writes n ended deliveries, all delivered but the first.
func plantEnded(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint, n int) {
	t.Helper()
	p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
		return c.DeliveryLog.MapCreateBulk(rows, func(c *db.DeliveryLogCreate, j int) {
			sequence, ended := rows[j]+1, state.DeliveryDelivered
			if sequence == 1 {
				ended = state.DeliverySkipped
			}
			settled := micros.Time(1_000_000 + sequence)
			id := webhook.DeliveryID(e.ID, int64(sequence), settled)
			c.SetID(id).SetEndpointID(e.ID).SetSequence(int64(sequence)).SetEventID(id).SetType(event.OrderPaid).
				SetResourceID(id).SetState(ended).SetAttempts(1).SetSettledAt(settled).SetOutcome("delivered")
		}).Exec(ctx)
	})
}

// inState reads a page of one of an endpoint's deliveries in a state.
func inState(ctx context.Context, p *graphtest.Shop, e *model.WebhookEndpoint, only state.DeliveryState,
	after *string,
) (*model.WebhookDeliveryConnection, error) {
	return endpoint.Fields{Resolver: resolver(p)}.Deliveries(ctx, e, new(1), after, &only)
}

// asked is an endpoint and the state by which its deliveries are listed.
type asked struct {
	of   *model.WebhookEndpoint
	only state.DeliveryState
}

// Whatever an endpoint was sent, a page of one state reads at most its bound.
func TestDeliveryBounds(t *testing.T) {
	plant := func(t *testing.T, p *graphtest.Shop, n int) map[string]*asked {
		e := p.NewEndpoint(t, p.Ctx)
		plantEnded(p, t, e, n)
		plantDeliveries(p, t, e, n)
		e = seen(p, t, e)
		all := map[string]*asked{}
		for _, only := range []state.DeliveryState{state.DeliveryWaiting, state.DeliveryHeld, state.DeliveryDelivered,
			state.DeliveryFailed, state.DeliverySkipped, state.DeliveryCancelled} {
			all[string(only)] = &asked{e, only}
		}
		return all
	}
	graphtest.Bounds(t, plant,
		func(ctx context.Context, p *graphtest.Shop, a *asked, after *string) (*model.PageInfo, error) {
			c, err := inState(ctx, p, a.of, a.only, after)
			return c.PageInfo(), err
		})
}

// Following cursors through empty pages leads to the only match.
func TestDeliveryStateFilter(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		plantEnded(p, t, e, 1000)
		e = seen(p, t, e)
		var after *string
		for found := 0; ; {
			c := graphtest.Must[*model.WebhookDeliveryConnection](t)(inState(p.Ctx, p, e, state.DeliverySkipped, after))
			if found += len(c.Nodes); c.PageInfo().HasNextPage {
				after = c.PageInfo().EndCursor
				continue
			}
			if found != 1 {
				t.Errorf("%d of one skipped delivery found", found)
			}
			return
		}
	})
}

// A page of events of a type without events reads at most its bound.
func TestEventBounds(t *testing.T) {
	plant := func(t *testing.T, p *graphtest.Shop, n int) map[string]*model.EventFilter {
		resource := xid.New()
		p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
			return c.Event.MapCreateBulk(rows, func(c *db.EventCreate, j int) {
				c.SetType(event.OrderPaid).SetResourceType("order").SetResourceID(resource).
					SetSequence(int64(rows[j])).SetBody(eventbody.Body("{}"))
			}).Exec(ctx)
		})
		return graphtest.Combined(map[string]func(*model.EventFilter){
			"types":    func(f *model.EventFilter) { f.Types = []string{string(event.ProductCreated)} },
			"resource": func(f *model.EventFilter) { f.ResourceID = new(xid.Order.Format(resource)) },
		})
	}
	graphtest.Bounds(t, plant,
		func(ctx context.Context, p *graphtest.Shop, f *model.EventFilter, after *string) (*model.PageInfo, error) {
			c, err := p.Query().Events(ctx, new(1), after, f)
			return c.PageInfo(), err
		})
}
