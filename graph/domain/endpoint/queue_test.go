package endpoint_test

import (
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Counting ends at 10,000, and each endpoint of a page has its own count.
func TestQueueState(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		empty, some, full := p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx)
		ids := p.AddDeliveries(t, some, "delivered", graphtest.DeliveryWaiting, graphtest.DeliveryFailed,
			graphtest.DeliveryWaiting)
		plantDeliveries(p, t, full, endpoint.MaxWaiting+5)
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.WebhookQueue.Update().Where(webhookqueue.ID(some.ID)).SetMissedFrom(xid.New()).Exec(ctx)
		})
		oldest := graphtest.Must[xid.ID](t)(xid.Delivery.Parse(ids[1])).Time()
		for _, e := range graphtest.Must[*model.WebhookEndpointConnection](t)(p.Query().WebhookEndpoints(p.Ctx, nil,
			nil)).Nodes {
			got := graphtest.Must[*model.WebhookQueueState](t)(
				endpoint.Fields{Resolver: resolver(p)}.Queue(p.Ctx, e))
			switch e.ID {
			case empty.ID:
				if got.Waiting != 0 || got.OldestAt != nil || got.CatchingUp {
					t.Errorf("empty: %+v", got)
				}
			case some.ID:
				if got.Waiting != 2 || *got.OldestAt != oldest || !got.CatchingUp {
					t.Errorf("some: %+v", got)
				}
			case full.ID:
				if got.Waiting != endpoint.MaxWaiting || *got.OldestAt != 1_000_001 {
					t.Errorf("full: %+v", got)
				}
			}
		}
		// Nothing is added while the endpoint is stopped.
		suspend(p, t, some)
		if got := graphtest.Must[*model.WebhookQueueState](t)(
			endpoint.Fields{Resolver: resolver(p)}.Queue(p.Ctx, seen(p, t, some))); got.Waiting != 2 ||
			got.CatchingUp {
			t.Errorf("suspended: %+v", got)
		}
	})
}

// plantDeliveries quickly writes n waiting deliveries.
func plantDeliveries(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint, n int) {
	t.Helper()
	p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
		return c.Delivery.MapCreateBulk(rows, func(c *db.DeliveryCreate, j int) {
			sequence := rows[j] + 1
			id := webhook.DeliveryID(e.ID, int64(sequence), micros.Time(1_000_000+sequence))
			c.SetID(id).SetEndpointID(e.ID).SetSequence(int64(sequence)).SetEventID(id).SetResourceID(id)
		}).Exec(ctx)
	})
}

// Activity has slots without gaps, of five minutes or an hour.
func TestActivity(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, other := p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx)
		five, hour := micros.Time(5*time.Minute.Microseconds()), micros.Time(time.Hour.Microseconds())
		now := micros.Now()
		slot, top := now-now%five, now-now%hour
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			for _, s := range []struct {
				id                              xid.ID
				at                              micros.Time
				delivered, failed, sum, slowest int64
			}{
				{id: e.ID, at: slot, delivered: 3, failed: 1, sum: 600, slowest: 400},
				{id: e.ID, at: top - hour, delivered: 2, sum: 30, slowest: 20},
				{id: e.ID, at: top - five, delivered: 4, failed: 5, sum: 30, slowest: 25},
				{id: e.ID, at: top - 400*hour, delivered: 9, failed: 9, sum: 9, slowest: 9},
				{id: e.ID, at: top - 2*hour, failed: 7},
				{id: other.ID, at: slot, delivered: 100, failed: 100, sum: 100, slowest: 100},
				{id: e.ID, at: slot + 24*hour, delivered: 8, failed: 8, sum: 8, slowest: 8},
			} {
				err := c.EndpointStat.Create().SetID(s.id).SetSlot(s.at).SetDelivered(s.delivered).SetFailed(s.failed).
					SetLatencySum(s.sum).SetLatencyMax(s.slowest).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		e = seen(p, t, e)
		read := func(hours int) map[micros.Time]*model.WebhookActivity {
			all := graphtest.Must[[]*model.WebhookActivity](t)(
				endpoint.Fields{Resolver: resolver(p)}.Activity(p.Ctx, e, hours))
			width, count := hour, hours
			if hours <= 6 {
				width, count = five, hours*12
			}
			of := map[micros.Time]*model.WebhookActivity{}
			for i, a := range all {
				if i > 0 && a.At != all[i-1].At+width {
					t.Errorf("%d hours: %v follows %v", hours, a.At, all[i-1].At)
				}
				of[a.At] = a
			}
			if len(all) != count || all[len(all)-1].At != now-now%width {
				t.Errorf("%d hours: %d slots up to %v", hours, len(all), all[len(all)-1].At)
			}
			return of
		}
		fine := read(6)
		if a := fine[slot]; a.Delivered != 3 || a.Failed != 1 || *a.LatencyMean != 200 || *a.LatencyMax != 400 {
			t.Errorf("the present five minutes: %+v", a)
		}
		if a := fine[top-2*hour]; a.Delivered != 0 || a.Failed != 7 || a.LatencyMean != nil || a.LatencyMax != nil {
			t.Errorf("failures alone: %+v", a)
		}
		if a := fine[top-hour-five]; a.Delivered != 0 || a.Failed != 0 {
			t.Errorf("nothing: %+v", a)
		}
		coarse := read(7)
		if a := coarse[top-hour]; a.Delivered != 6 || a.Failed != 5 || *a.LatencyMean != 10 || *a.LatencyMax != 25 {
			t.Errorf("an hour: %+v", a)
		}
		read(1)
		read(336)
		for _, hours := range []int{0, -1, 337} {
			if _, err := (endpoint.Fields{Resolver: resolver(p)}).Activity(p.Ctx, e,
				hours); graphtest.FaultOf(err) != "invalid_parameter" {
				t.Errorf("%d hours: %v", hours, err)
			}
		}
	})
}
