package endpoint_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/deliverylog"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// What is counted is what is sent again, in its old order and in parts that follow each
// other; what ends meanwhile is not found.
func TestWebhookDeliveriesRetry(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, other := p.Hook(t, p.Ctx), p.Hook(t, p.Ctx)
		p.Sent(t, other, "failed", "failed")
		p.Sent(t, e, "failed", "delivered", "failed", graphtest.Waits, "cancelled", "failed", "failed", "failed")
		p.Meddle(t, func(ctx context.Context, c *db.Client) error { // a ping
			return c.DeliveryLog.Update().Where(deliverylog.EndpointID(e.ID), deliverylog.Sequence(8)).
				SetType(event.Ping).Exec(ctx)
		})
		only := model.WebhookDeliveryFilter{States: []state.DeliveryState{state.DeliveryFailed}}
		fields := endpoint.Fields{Resolver: endpoint.New(p.Core)}
		if n := graphtest.Must[int](t)(fields.DeliveryCount(p.Ctx, e, only)); n != 4 {
			t.Errorf("%d failed, want 4", n)
		}
		var want, got []xid.ID
		for _, row := range p.Client(p.Ctx).DeliveryLog.Query().Where(deliverylog.EndpointID(e.ID),
			deliverylog.StateEQ(state.DeliveryFailed), deliverylog.TypeNEQ(event.Ping)).
			Order(deliverylog.BySequence()).AllX(p.Ctx) {
			want = append(want, row.EventID)
		}
		before := p.Queue(t, e.ID)
		counted, n := ent.CountStatements(p.Ctx)
		first := graphtest.Must[*model.WebhookDeliveriesPayload](t)(p.Mutation().WebhookDeliveriesRetry(counted,
			e.PublicID(), only, nil, 3))
		if first.Count != 3 || !first.HasNextPage || n.N() > 12 {
			t.Errorf("sent %+v with %d statements", first, n.N())
		}
		p.Sent(t, e, "failed") // one of those that were just made has failed
		second := graphtest.Must[*model.WebhookDeliveriesPayload](t)(p.Mutation().WebhookDeliveriesRetry(p.Ctx,
			e.PublicID(), only, first.EndCursor, 3))
		if second.Count != 1 || second.HasNextPage || second.EndCursor != nil {
			t.Errorf("sent %+v", second)
		}
		after := p.Queue(t, e.ID)
		for _, row := range p.Client(p.Ctx).Delivery.Query().Where(delivery.EndpointID(e.ID),
			delivery.SequenceGT(before.LastSequence)).Order(delivery.BySequence()).AllX(p.Ctx) {
			got = append(got, row.EventID)
		}
		if !slices.Equal(got, want) || after.LastSequence != before.LastSequence+5 || after.Epoch == before.Epoch {
			t.Errorf("sent %v, want %v; queue %v", got, want, after)
		}
		if log := p.Audited(t); strings.Count(log, "webhook_delivery.retry_all") != 2 {
			t.Errorf("audit log %q", log)
		}
		other2 := only
		other2.Types = []string{"order.paid"}
		if _, err := p.Mutation().WebhookDeliveriesRetry(p.Ctx, e.PublicID(), other2, first.EndCursor,
			3); strings.Join(fieldsOf(err), "") != "#/after invalid_format" {
			t.Errorf("a cursor of another filter: %v", err)
		}
	})
}

func TestDeliveryFilter(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.Hook(t, p.Ctx)
		p.Sent(t, e, "failed", "delivered", "cancelled")
		at := micros.Now()
		p.Meddle(t, func(ctx context.Context, c *db.Client) error {
			return c.DeliveryLog.Update().Where(deliverylog.Sequence(3)).SetSettledAt(at).SetOutcome("skipped").
				SetType(event.ProductUpdated).Exec(ctx)
		})
		fields := endpoint.Fields{Resolver: endpoint.New(p.Core)}
		for name, tc := range map[string]struct {
			filter model.WebhookDeliveryFilter
			want   int
		}{
			"all":     {model.WebhookDeliveryFilter{}, 3},
			"states":  {model.WebhookDeliveryFilter{States: []state.DeliveryState{"failed", "cancelled"}}, 2},
			"types":   {model.WebhookDeliveryFilter{Types: []string{"order.paid"}}, 2},
			"since":   {model.WebhookDeliveryFilter{SettledFrom: &at}, 1},
			"before":  {model.WebhookDeliveryFilter{SettledTo: &at}, 2},
			"outcome": {model.WebhookDeliveryFilter{Outcomes: []string{"skipped", "timeout"}}, 1},
		} {
			if n := graphtest.Must[int](t)(fields.DeliveryCount(p.Ctx, e, tc.filter)); n != tc.want {
				t.Errorf("%s: %d, want %d", name, n, tc.want)
			}
		}
		_, err := fields.DeliveryCount(p.Ctx, e, model.WebhookDeliveryFilter{States: []state.DeliveryState{"held"},
			Types: []string{"order.eaten"}, Outcomes: []string{}})
		if got := strings.Join(fieldsOf(err), " "); got !=
			"#/filter/states/0 unknown_value #/filter/types/0 unknown_value #/filter/outcomes too_short" {
			t.Errorf("wrong: %s", got)
		}
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointDisable(p.Ctx, e.PublicID(), 1))
		if _, err := p.Mutation().WebhookDeliveriesRetry(p.Ctx, e.PublicID(), model.WebhookDeliveryFilter{}, nil,
			10); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("to a disabled one: %v", err)
		}
	})
}

// Counting and sending again read the rows of their endpoint alone, beside others of the
// store that have many more.
func TestDeliveriesReadTheirOwn(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		before, e, behind := p.Hook(t, p.Ctx), p.Hook(t, p.Ctx), p.Hook(t, p.Ctx)
		for _, neighbour := range []*model.WebhookEndpoint{before, behind} {
			p.Sent(t, neighbour, slices.Repeat([]graphtest.Fate{"failed"}, 500)...)
		}
		p.Sent(t, e, slices.Repeat([]graphtest.Fate{"failed"}, 20)...)
		only := model.WebhookDeliveryFilter{States: []state.DeliveryState{state.DeliveryFailed}}
		fields := endpoint.Fields{Resolver: endpoint.New(p.Core)}
		read := storetest.Reads(t, p.Ctx, p.Store, func(ctx context.Context) {
			if n := graphtest.Must[int](t)(fields.DeliveryCount(ctx, e, only)); n != 20 {
				t.Errorf("%d failed, want 20", n)
			}
		})
		if read > 50 {
			t.Errorf("%d rows were read to count 20", read)
		}
		read = storetest.Reads(t, p.Ctx, p.Store, func(ctx context.Context) {
			if done := graphtest.Must[*model.WebhookDeliveriesPayload](t)(p.Mutation().WebhookDeliveriesRetry(ctx,
				e.PublicID(), only, nil, 20)); done.Count != 20 {
				t.Errorf("sent %+v", done)
			}
		})
		if read > 200 {
			t.Errorf("%d rows were read to send 20 again", read)
		}
	})
}
