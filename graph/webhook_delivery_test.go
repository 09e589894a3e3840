package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/webhook"
)

// fate is what has become of a delivery of the fixture: a state of the log, or
// one of those that are in no log.
type fate string

const (
	waits  fate = "waits"
	failed fate = "gave up"
)

// sent writes deliveries to an endpoint as the engine does, one of each fate, with
// an event each, and returns their ids, the oldest first.
func (p *shop) sent(t testing.TB, e *model.WebhookEndpoint, fates ...fate) (ids []string) {
	t.Helper()
	p.meddle(t, func(ctx context.Context, c *db.Client) error {
		ids = nil
		last := p.queue(t, e.ID).LastSequence
		for i, f := range fates {
			n, now := last+int64(i)+1, micros.Now()
			id, ev, resource := webhook.DeliveryID(e.ID, n, now), xid.New(), xid.New()
			ids = append(ids, xid.Delivery.Format(id))
			err := c.Event.Create().SetID(ev).SetType(event.OrderPaid).SetResourceType("order").SetResourceID(resource).SetSequence(1).
				SetBody(fmt.Appendf(nil, `{"n":%d}`, n)).Exec(ctx)
			if err != nil {
				return err
			}
			if f == waits || f == failed {
				err = c.Delivery.Create().SetID(id).SetEndpointID(e.ID).SetSequence(n).SetEventID(ev).SetResourceID(resource).
					SetAttempts(1).SetFirstAt(now).SetDueAt(now.Add(time.Minute)).SetFailed(f == failed).Exec(ctx)
			} else {
				err = c.DeliveryLog.Create().SetID(id).SetEndpointID(e.ID).SetSequence(n).SetEventID(ev).SetType(event.OrderPaid).
					SetResourceID(resource).SetState(state.DeliveryState(f)).SetAttempts(2).SetSettledAt(now).SetBeganAt(now).
					SetAttemptID(xid.New()).SetOutcome("delivered").SetStatus(200).SetDuration(1500).SetResponse([]byte("ok \xff")).Exec(ctx)
			}
			if err != nil {
				return err
			}
			err = c.Attempt.Create().SetEndpointID(e.ID).SetSequence(n).SetNumber(1).SetBeganAt(now - 10).SetNextAt(now).SetOutcome("timeout").
				SetDetail("No answer within 5 s.").SetDuration(5_000_000).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetLastSequence(last + int64(len(fates))).Exec(ctx)
	})
	return ids
}

// seen reads an endpoint anew.
func (p *shop) seen(t testing.TB, e *model.WebhookEndpoint) *model.WebhookEndpoint {
	t.Helper()
	return must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.ctx, e.PublicID()))
}

// listed walks the deliveries of an endpoint in pages.
func (p *shop) listed(t testing.TB, e *model.WebhookEndpoint, first int, only *state.DeliveryState) (ids []string) {
	t.Helper()
	e = p.seen(t, e)
	var after *string
	for {
		c := must[*model.WebhookDeliveryConnection](t)(endpointFields{p.Resolver}.Deliveries(p.ctx, e, &first, after, only))
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

var mixed = []fate{"delivered", waits, "delivered", "skipped", failed, waits, "failed", "cancelled", waits, "delivered", waits}

// The list merges what waits and what has ended, newest first, in pages of any
// size and for every state.
func TestDeliveries(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e, other := p.hook(t, p.ctx), p.hook(t, p.ctx)
		ids := p.sent(t, e, mixed...)
		p.sent(t, other, mixed...)
		of := func(states ...fate) []string {
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
				if d := cmp.Diff(of(), p.listed(t, e, size, nil)); d != "" {
					t.Errorf("%s, pages of %d (-want +got):\n%s", when, size, d)
				}
				for only, want := range want {
					if d := cmp.Diff(want, p.listed(t, e, size, &only)); d != "" {
						t.Errorf("%s, the %s in pages of %d (-want +got):\n%s", when, only, size, d)
					}
				}
			}
		}
		ended := map[state.DeliveryState][]string{
			state.DeliveryDelivered: of("delivered"), state.DeliverySkipped: of("skipped"), state.DeliveryCancelled: of("cancelled"),
			state.DeliveryFailed: of("failed", failed), state.DeliveryWaiting: of(waits), state.DeliveryHeld: nil,
		}
		check("active", ended)
		p.suspend(t, e)
		ended[state.DeliveryWaiting], ended[state.DeliveryHeld] = nil, of(waits)
		check("suspended", ended)
		must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointReactivate(p.ctx, e.PublicID(), 1, state.BacklogResume, nil))
		ended[state.DeliveryWaiting], ended[state.DeliveryHeld], ended[state.DeliveryFailed] = of(waits, failed), nil, of("failed")
		check("resumed", ended)
	})
}

// What lies at or below the floor was cancelled; its rows go later.
func TestDeliveriesBelowTheFloor(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e := p.hook(t, p.ctx)
		ids := p.sent(t, e, waits, "delivered", waits)
		p.meddle(t, func(ctx context.Context, _ *db.Client) error { return p.Webhooks.ResumeEmpty(ctx, e.ID) })
		ids = append(ids, p.sent(t, e, waits)...)
		if d := cmp.Diff([]string{ids[3], ids[1]}, p.listed(t, e, 10, nil)); d != "" {
			t.Error(d)
		}
		for i, found := range []bool{false, true, false, true} {
			if _, err := p.Query().WebhookDelivery(p.ctx, ids[i]); (err == nil) != found || err != nil && faultOf(err) != "not_found" {
				t.Errorf("delivery %d: %v", i, err)
			}
		}
		q := must[*model.WebhookQueueState](t)(endpointFields{p.Resolver}.Queue(p.ctx, p.seen(t, e)))
		if q.Waiting != 1 || *q.OldestAt != must[xid.ID](t)(xid.Delivery.Parse(ids[3])).Time() {
			t.Errorf("the queue has %+v", q)
		}
	})
}

// One delivery with its attempts, for those who may see its endpoint.
func TestDelivery(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e := p.hook(t, p.ctx)
		ids := p.sent(t, e, "delivered", waits)
		ended := must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.ctx, ids[0]))
		if ended.State != state.DeliveryDelivered || ended.Sequence != 1 || ended.Type != "order.paid" || ended.ResourceType != "order" || ended.EndpointID() != e.PublicID() ||
			!strings.HasPrefix(ended.ResourceID(), "ord_") || !strings.HasPrefix(ended.EventID(), "evt_") || ended.SettledAt == nil || ended.NextAttemptAt != nil || ended.AttemptCount != 2 {
			t.Errorf("ended %+v", ended)
		}
		open := must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.ctx, ids[1]))
		if open.State != state.DeliveryWaiting || open.Type != "order.paid" || open.NextAttemptAt == nil || open.SettledAt != nil {
			t.Errorf("waiting %+v", open)
		}
		f := deliveryFields{p.Resolver}
		attempts := must[[]*model.WebhookAttempt](t)(f.Attempts(p.ctx, ended))
		if len(attempts) != 2 || attempts[0].Number != 2 || attempts[0].Outcome != "delivered" || *attempts[0].Status != 200 || *attempts[0].Response != "ok \ufffd" ||
			attempts[0].Duration != 1500 || attempts[0].NextAt != nil || attempts[1].Number != 1 || attempts[1].Status != nil || attempts[1].Response != nil ||
			*attempts[1].Detail != "No answer within 5 s." || attempts[1].NextAt == nil || !strings.HasPrefix(attempts[0].ID, "att_") {
			t.Errorf("attempts %+v, %+v", attempts[0], attempts[1])
		}
		if body := must[*string](t)(f.Payload(p.ctx, ended)); body == nil || *body != `{"n":1}` {
			t.Errorf("payload %v", body)
		}
		blind := asKey(p.ctx, scope.WebhooksRead, scope.ProductsRead)
		seen := must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(blind, ids[0]))
		if body := must[*string](t)(f.Payload(blind, seen)); body != nil {
			t.Errorf("without orders.read the payload is %s", *body)
		}
		p.meddle(t, func(ctx context.Context, c *db.Client) error { _, err := c.Event.Delete().Exec(ctx); return err })
		for i, id := range ids {
			d := must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.ctx, id))
			if body := must[*string](t)(f.Payload(p.ctx, d)); body != nil || i == 1 && (d.Type != "" || d.ResourceID() != "") {
				t.Errorf("after its event: %+v with %v", d, body)
			}
		}
		all := []string{scope.WebhooksWrite, scope.OrdersRead}
		app, _ := p.asApp(t, p.newApp(t, all...), all...)
		for who, ctx := range map[string]context.Context{"app": app, "elsewhere": p.other(t).ctx} {
			for _, id := range ids {
				if _, err := p.Query().WebhookDelivery(ctx, id); faultOf(err) != "not_found" {
					t.Errorf("%s reads %v", who, err)
				}
			}
			p.hook(t, ctx, "order.paid") // with endpoints of his own too
			if _, err := p.Query().WebhookDelivery(ctx, ids[0]); faultOf(err) != "not_found" {
				t.Errorf("%s reads %v", who, err)
			}
			for name, change := range p.deliveryChanges() {
				if _, err := change(ctx, ids[1]); faultOf(err) != "not_found" {
					t.Errorf("%s, %s: %v", who, name, err)
				}
			}
		}
		if _, err := p.Query().WebhookDelivery(p.ctx, e.PublicID()); faultOf(err) != "not_found" {
			t.Errorf("an endpoint's id: %v", err)
		}
	})
}

func (p *shop) deliveryChanges() map[string]func(context.Context, string) (*model.WebhookDeliveryPayload, error) {
	return map[string]func(context.Context, string) (*model.WebhookDeliveryPayload, error){
		"retry": p.Mutation().WebhookDeliveryRetry, "skip": p.Mutation().WebhookDeliverySkip,
	}
}

func TestDeliveryRetryAndSkip(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e := p.hook(t, p.ctx)
		ids := p.sent(t, e, "delivered", waits, waits, "skipped")
		retry, skip := p.Mutation().WebhookDeliveryRetry, p.Mutation().WebhookDeliverySkip

		before := micros.Now()
		hurried := must[*model.WebhookDeliveryPayload](t)(retry(p.ctx, ids[1])).Delivery
		if hurried.ID() != ids[1] || hurried.State != state.DeliveryWaiting || *hurried.NextAttemptAt < before || *hurried.NextAttemptAt > micros.Now() {
			t.Errorf("hurried %+v", hurried)
		}
		for i := range 2 {
			again := must[*model.WebhookDeliveryPayload](t)(retry(p.ctx, ids[3*i])).Delivery
			if again.Sequence != int64(5+i) || again.State != state.DeliveryWaiting || again.Type != "order.paid" || again.AttemptCount != 0 {
				t.Errorf("sent again %+v", again)
			}
			read := must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(p.ctx, again.ID()))
			read.Page, again.Page = nil, nil
			if d := cmp.Diff(read, again); d != "" {
				t.Errorf("stored and returned differ: %s", d)
			}
		}
		skipped := must[*model.WebhookDeliveryPayload](t)(skip(p.ctx, ids[2])).Delivery
		if skipped.ID() != ids[2] || skipped.State != state.DeliverySkipped || skipped.SettledAt == nil {
			t.Errorf("skipped %+v", skipped)
		}
		for _, id := range []string{ids[0], ids[2], ids[3]} {
			if _, err := skip(p.ctx, id); faultOf(err) != "invalid_transition" {
				t.Errorf("skipped what has ended: %v", err)
			}
		}
		if got, want := p.audited(t), strings.Repeat(" webhook_delivery.retry", 3)+" webhook_delivery.skip"; !strings.HasSuffix(got, want) {
			t.Errorf("audit log %q", got)
		}
		p.suspend(t, e)
		for name, change := range p.deliveryChanges() {
			for _, id := range ids {
				if _, err := change(p.ctx, id); faultOf(err) != "invalid_transition" {
					t.Errorf("%s while suspended: %v", name, err)
				}
			}
		}
	})
}

// A delivery whose event has aged out has nothing to send.
func TestRetryWithoutAnEvent(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		ids := p.sent(t, p.hook(t, p.ctx), "delivered")
		p.meddle(t, func(ctx context.Context, c *db.Client) error { _, err := c.Event.Delete().Exec(ctx); return err })
		if _, err := p.Mutation().WebhookDeliveryRetry(p.ctx, ids[0]); faultOf(err) != "invalid_transition" {
			t.Errorf("got %v", err)
		}
	})
}

// A page of deliveries costs three statements, their attempts one and their
// bodies one, however many there are; a single one costs five at most.
func TestDeliveryQueryCounts(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e := p.hook(t, p.ctx)
		ids := p.sent(t, e, mixed...)
		e = p.seen(t, e)
		f := deliveryFields{p.Resolver}
		for _, size := range []int{2, 10} {
			counted, n := ent.CountStatements(p.ctx)
			c := must[*model.WebhookDeliveryConnection](t)(endpointFields{p.Resolver}.Deliveries(counted, e, &size, nil, nil))
			if n.N() != 3 {
				t.Errorf("%d deliveries cost %d statements, want 3", size, n.N())
			}
			for _, d := range c.Nodes {
				must[[]*model.WebhookAttempt](t)(f.Attempts(counted, d))
				must[*string](t)(f.Payload(counted, d))
			}
			if n.N() != 5 {
				t.Errorf("%d deliveries with all cost %d statements, want 5", size, n.N())
			}
		}
		for i, want := range map[int]uint64{0: 3, 1: 5} {
			counted, n := ent.CountStatements(p.ctx)
			must[*model.WebhookDelivery](t)(p.Query().WebhookDelivery(counted, ids[i]))
			if n.N() != want {
				t.Errorf("a delivery that is %s costs %d statements, want %d", mixed[i], n.N(), want)
			}
		}
	})
}
