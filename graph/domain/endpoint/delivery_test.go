package endpoint_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// seen rereads an endpoint.
func seen(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint) *model.WebhookEndpoint {
	t.Helper()
	return graphtest.Must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.Ctx, e.PublicID()))
}

// listed walks the deliveries of an endpoint in pages.
func listed(
	p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint, first int, only *state.DeliveryState,
) (ids []string) {
	t.Helper()
	e = seen(p, t, e)
	var after *string
	for {
		c := graphtest.Must[*model.WebhookDeliveryConnection](t)(
			endpoint.Fields{Resolver: resolver(p)}.Deliveries(p.Ctx, e, &first, after, only))
		if len(c.Nodes) == 0 && after != nil {
			t.Error("an empty page follows another")
		}
		for _, d := range c.Nodes {
			if ids = append(ids, d.ID()); only != nil && d.State != *only {
				t.Errorf("%s is %s among the %s", d.ID(), d.State, *only)
			}
		}
		if !c.PageInfo().HasNextPage {
			return ids
		}
		after = c.PageInfo().EndCursor
	}
}

var mixed = []graphtest.DeliveryFate{"delivered", graphtest.DeliveryWaiting, "delivered", "skipped",
	graphtest.DeliveryFailed, graphtest.DeliveryWaiting,
	"failed", "cancelled", graphtest.DeliveryWaiting, "delivered", graphtest.DeliveryWaiting}

// The list merges waiting and ended deliveries, newest first, in pages of any size and for every
// state.
func TestDeliveries(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, other := p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx)
		ids := p.AddDeliveries(t, e, mixed...)
		p.AddDeliveries(t, other, mixed...)
		of := func(states ...graphtest.DeliveryFate) []string {
			var some []string
			for i, f := range slices.Backward(mixed) {
				if len(states) == 0 || slices.Contains(states, f) {
					some = append(some, ids[i])
				}
			}
			return some
		}
		check := func(when string, want map[state.DeliveryState][]string) {
			t.Helper()
			for _, size := range []int{1, 2, 3, 100} {
				if d := cmp.Diff(of(), listed(p, t, e, size, nil)); d != "" {
					t.Errorf("%s, pages of %d (-want +got):\n%s", when, size, d)
				}
				for only, want := range want {
					if d := cmp.Diff(want, listed(p, t, e, size, &only)); d != "" {
						t.Errorf("%s, the %s in pages of %d (-want +got):\n%s", when, only, size, d)
					}
				}
			}
		}
		ended := map[state.DeliveryState][]string{
			state.DeliveryDelivered: of("delivered"), state.DeliverySkipped: of("skipped"),
			state.DeliveryCancelled: of("cancelled"), state.DeliveryFailed: of("failed", graphtest.DeliveryFailed),
			state.DeliveryWaiting: of(graphtest.DeliveryWaiting), state.DeliveryHeld: nil,
		}
		check("active", ended)
		suspend(p, t, e)
		ended[state.DeliveryWaiting], ended[state.DeliveryHeld] = nil, of(graphtest.DeliveryWaiting)
		check("suspended", ended)
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointReactivate(p.Ctx, e.PublicID(), 1,
			state.BacklogResume, nil))
		ended[state.DeliveryWaiting], ended[state.DeliveryHeld],
			ended[state.DeliveryFailed] = of(graphtest.DeliveryWaiting,
			graphtest.DeliveryFailed), nil, of("failed")
		check("resumed", ended)
	})
}

// Deliveries at or below the floor were canceled; their rows are deleted later.
func TestDeliveriesBelowTheFloor(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		ids := p.AddDeliveries(t, e, graphtest.DeliveryWaiting, "delivered", graphtest.DeliveryWaiting)
		p.WriteRows(t, func(ctx context.Context, _ *db.Client) error { return p.Webhooks.ResumeEmpty(ctx, e.ID) })
		ids = append(ids, p.AddDeliveries(t, e, graphtest.DeliveryWaiting)...)
		if d := cmp.Diff([]string{ids[3], ids[1]}, listed(p, t, e, 10, nil)); d != "" {
			t.Error(d)
		}
		for i, found := range []bool{false, true, false, true} {
			if _, err := p.Query().WebhookDelivery(p.Ctx, ids[i]); (err == nil) != found ||
				err != nil && graphtest.FaultOf(err) != "not_found" {
				t.Errorf("delivery %d: %v", i, err)
			}
		}
		q := graphtest.Must[*model.WebhookQueueState](t)(
			endpoint.Fields{Resolver: resolver(p)}.Queue(p.Ctx, seen(p, t, e)))
		if q.Waiting != 1 || *q.OldestAt != graphtest.Must[xid.ID](t)(xid.Delivery.Parse(ids[3])).Time() {
			t.Errorf("the queue has %+v", q)
		}
	})
}

// One delivery with its attempts, for viewers who may see its endpoint.
func TestDelivery(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		ids := p.AddDeliveries(t, e, "delivered", graphtest.DeliveryWaiting)
		ended := graphtest.Must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.Ctx, ids[0]))
		if ended.State != state.DeliveryDelivered || ended.Sequence != 1 || ended.Type != "order.paid" ||
			ended.ResourceType != "order" || ended.EndpointID() != e.PublicID() ||
			!strings.HasPrefix(ended.ResourceID(), "ord_") || !strings.HasPrefix(ended.EventID(), "evt_") ||
			ended.SettledAt == nil || ended.NextAttemptAt != nil || ended.AttemptCount != 2 {
			t.Errorf("ended %+v", ended)
		}
		open := graphtest.Must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.Ctx, ids[1]))
		if open.State != state.DeliveryWaiting || open.Type != "order.paid" || open.NextAttemptAt == nil ||
			open.SettledAt != nil {
			t.Errorf("waiting %+v", open)
		}
		f := endpoint.DeliveryFields{Resolver: resolver(p)}
		attempts := graphtest.Must[[]*model.WebhookAttempt](t)(f.Attempts(p.Ctx, ended))
		if len(attempts) != 2 || attempts[0].Number != 2 || attempts[0].Outcome != "delivered" ||
			*attempts[0].Status != 200 || *attempts[0].Response != "ok \ufffd" ||
			attempts[0].Duration != 1500 || attempts[0].NextAt != nil || attempts[1].Number != 1 ||
			attempts[1].Status != nil || attempts[1].Response != nil ||
			*attempts[1].Detail != "No answer within 5 s." || attempts[1].NextAt == nil ||
			!strings.HasPrefix(attempts[0].ID, "att_") {
			t.Errorf("attempts %+v, %+v", attempts[0], attempts[1])
		}
		if body := graphtest.Must[*string](t)(f.Payload(p.Ctx, ended)); body == nil || *body != `{"n":1}` {
			t.Errorf("payload %v", body)
		}
		blind := graphtest.AsKey(p.Ctx, scope.WebhooksRead, scope.ProductsRead)
		seen := graphtest.Must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(blind, ids[0]))
		if body := graphtest.Must[*string](t)(f.Payload(blind, seen)); body != nil {
			t.Errorf("without orders.read the payload is %s", *body)
		}
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			_, err := c.Event.Delete().Exec(ctx)
			return err
		})
		for i, id := range ids {
			d := graphtest.Must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.Ctx, id))
			if body := graphtest.Must[*string](t)(f.Payload(p.Ctx, d)); body != nil ||
				i == 1 && (d.Type != "" || d.ResourceID() != "") {
				t.Errorf("after its event: %+v with %v", d, body)
			}
		}
		all := []string{scope.WebhooksWrite, scope.OrdersRead}
		app, _ := p.AsApp(t, p.NewApp(t, all...), all...)
		for who, ctx := range map[string]context.Context{"app": app, "elsewhere": p.Other(t).Ctx} {
			for _, id := range ids {
				if _, err := p.Query().WebhookDelivery(ctx, id); graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s reads %v", who, err)
				}
			}
			p.NewEndpoint(t, ctx, "order.paid") // with its own endpoints too
			if _, err := p.Query().WebhookDelivery(ctx, ids[0]); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s reads %v", who, err)
			}
			for name, change := range deliveryChanges(p) {
				if _, err := change(ctx, ids[1]); graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s, %s: %v", who, name, err)
				}
			}
		}
		if _, err := p.Query().WebhookDelivery(p.Ctx, e.PublicID()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("an endpoint's id: %v", err)
		}
	})
}

func deliveryChanges(
	p *graphtest.Shop,
) map[string]func(context.Context, string) (*model.WebhookDeliveryPayload, error) {
	return map[string]func(context.Context, string) (*model.WebhookDeliveryPayload, error){
		"retry": p.Mutation().WebhookDeliveryRetry, "skip": p.Mutation().WebhookDeliverySkip,
	}
}

func TestDeliveryRetryAndSkip(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		ids := p.AddDeliveries(t, e, "delivered", graphtest.DeliveryWaiting, graphtest.DeliveryWaiting, "skipped")
		retry, skip := p.Mutation().WebhookDeliveryRetry, p.Mutation().WebhookDeliverySkip

		before := micros.Now()
		hurried := graphtest.Must[*model.WebhookDeliveryPayload](t)(retry(p.Ctx, ids[1])).Delivery
		if hurried.ID() != ids[1] || hurried.State != state.DeliveryWaiting || *hurried.NextAttemptAt < before ||
			*hurried.NextAttemptAt > micros.Now() {
			t.Errorf("hurried %+v", hurried)
		}
		for i := range 2 {
			again := graphtest.Must[*model.WebhookDeliveryPayload](t)(retry(p.Ctx, ids[3*i])).Delivery
			if again.Sequence != int64(5+i) || again.State != state.DeliveryWaiting || again.Type != "order.paid" ||
				again.AttemptCount != 0 {
				t.Errorf("sent again %+v", again)
			}
			read := graphtest.Must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.Ctx, again.ID()))
			read.Page, again.Page = nil, nil
			if d := cmp.Diff(read, again); d != "" {
				t.Errorf("stored and returned differ: %s", d)
			}
		}
		skipped := graphtest.Must[*model.WebhookDeliveryPayload](t)(skip(p.Ctx, ids[2])).Delivery
		if skipped.ID() != ids[2] || skipped.State != state.DeliverySkipped || skipped.SettledAt == nil {
			t.Errorf("skipped %+v", skipped)
		}
		for _, id := range []string{ids[0], ids[2], ids[3]} {
			if _, err := skip(p.Ctx, id); graphtest.FaultOf(err) != "invalid_transition" {
				t.Errorf("skipped what has ended: %v", err)
			}
		}
		if got, want := p.Audited(t),
			strings.Repeat(" webhook_delivery.retry", 3)+" webhook_delivery.skip"; !strings.HasSuffix(got, want) {
			t.Errorf("audit log %q", got)
		}
		suspend(p, t, e)
		for name, change := range deliveryChanges(p) {
			for _, id := range ids {
				if _, err := change(p.Ctx, id); graphtest.FaultOf(err) != "invalid_transition" {
					t.Errorf("%s while suspended: %v", name, err)
				}
			}
		}
	})
}

// A delivery whose event has aged out cannot be resent.
func TestRetryWithoutAnEvent(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ids := p.AddDeliveries(t, p.NewEndpoint(t, p.Ctx), "delivered")
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			_, err := c.Event.Delete().Exec(ctx)
			return err
		})
		if _, err := p.Mutation().WebhookDeliveryRetry(p.Ctx, ids[0]); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("got %v", err)
		}
	})
}

// A page of deliveries costs three statements, their attempts one and their bodies one, however
// many there are. A single delivery costs at most five.
func TestDeliveryQueryCounts(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		ids := p.AddDeliveries(t, e, mixed...)
		e = seen(p, t, e)
		f := endpoint.DeliveryFields{Resolver: resolver(p)}
		for _, size := range []int{2, 10} {
			counted, n := ent.CountStatements(p.Ctx)
			c := graphtest.Must[*model.WebhookDeliveryConnection](t)(
				endpoint.Fields{Resolver: resolver(p)}.Deliveries(counted, e, &size, nil, nil))
			if n.N() != 3 {
				t.Errorf("%d deliveries cost %d statements, want 3", size, n.N())
			}
			for _, d := range c.Nodes {
				graphtest.Must[[]*model.WebhookAttempt](t)(f.Attempts(counted, d))
				graphtest.Must[*string](t)(f.Payload(counted, d))
			}
			if n.N() != 5 {
				t.Errorf("%d deliveries with all cost %d statements, want 5", size, n.N())
			}
		}
		for i, want := range map[int]uint64{0: 3, 1: 5} {
			counted, n := ent.CountStatements(p.Ctx)
			graphtest.Must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(counted, ids[i]))
			if n.N() != want {
				t.Errorf("a delivery that is %s costs %d statements, want %d", mixed[i], n.N(), want)
			}
		}
	})
}
