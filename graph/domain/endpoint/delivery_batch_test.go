package endpoint_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/deliverylog"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// What is counted is resent, in its old order and in consecutive parts. Deliveries that end
// meanwhile are not selected.
func TestWebhookDeliveriesRetry(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, other := p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx)
		p.AddDeliveries(t, other, "failed", "failed")
		p.AddDeliveries(t, e, "failed", "delivered", "failed", graphtest.DeliveryWaiting, "cancelled", "failed",
			"failed", "failed")
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error { // a ping
			return c.DeliveryLog.Update().Where(deliverylog.EndpointID(e.ID), deliverylog.Sequence(8)).
				SetType(event.Ping).Exec(ctx)
		})
		only := model.WebhookDeliveryFilter{States: []state.DeliveryState{state.DeliveryFailed}}
		fields := endpoint.Fields{Resolver: resolver(p)}
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
		p.AddDeliveries(t, e, "failed") // one of the new deliveries has failed
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
		e := p.NewEndpoint(t, p.Ctx)
		p.AddDeliveries(t, e, "failed", "delivered", "cancelled")
		at := micros.Now()
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.DeliveryLog.Update().Where(deliverylog.Sequence(3)).SetSettledAt(at).SetOutcome("skipped").
				SetType(event.ProductUpdated).Exec(ctx)
		})
		fields := endpoint.Fields{Resolver: resolver(p)}
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

// Failed deliveries that wait are counted and retried now, in consecutive parts; not those that
// have ended, were given up, or were last tried before the endpoint was resumed.
func TestWaitingDeliveriesRetry(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, other := p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx)
		p.AddDeliveries(t, other, graphtest.DeliveryWaiting)
		p.AddDeliveries(t, e, slices.Repeat([]graphtest.DeliveryFate{graphtest.DeliveryWaiting}, 7)...)
		p.AddDeliveries(t, e, "failed", graphtest.DeliveryFailed)
		far := micros.Now().Add(time.Hour)
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			change := func(sequence int64, f func(*db.DeliveryUpdate)) error {
				u := c.Delivery.Update().Where(delivery.EndpointID(e.ID), delivery.Sequence(sequence))
				f(u)
				return u.Exec(ctx)
			}
			return errors.Join(
				c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetFloorSequence(1).SetResumedAt(2).Exec(ctx),
				change(2, func(u *db.DeliveryUpdate) { u.SetFirstAt(1) }),              // before it was resumed
				change(3, func(u *db.DeliveryUpdate) { u.SetDueAt(micros.Now()) }),     // already due
				change(4, func(u *db.DeliveryUpdate) { u.SetAttempts(0).SetDueAt(0) }), // never tried
			)
		})
		waits := model.WebhookDeliveryFilter{States: []state.DeliveryState{state.DeliveryWaiting}}
		fields := endpoint.Fields{Resolver: resolver(p)}
		for want, narrow := range map[int]func(*model.WebhookDeliveryFilter){
			3: func(f *model.WebhookDeliveryFilter) {
				f.Types, f.Outcomes = []string{"order.paid"}, []string{"timeout", "reset"}
			},
			0: func(f *model.WebhookDeliveryFilter) { f.Outcomes = []string{"reset"} },
		} {
			f := waits
			narrow(&f)
			if n := graphtest.Must[int](t)(fields.DeliveryCount(p.Ctx, e, f)); n != want {
				t.Errorf("%v: %d wait, want %d", f, n, want)
			}
		}
		before := p.Queue(t, e.ID)
		var after *string
		for _, want := range []int{2, 1} {
			done := graphtest.Must[*model.WebhookDeliveriesPayload](t)(p.Mutation().WebhookDeliveriesRetry(p.Ctx,
				e.PublicID(), waits, after, 2))
			if after = done.EndCursor; done.Count != want {
				t.Errorf("hurried %+v, want %d", done, want)
			}
		}
		rows := p.Client(p.Ctx).Delivery.Query().Where(delivery.DueAtGT(micros.Now()), delivery.DueAtLT(far)).
			Order(delivery.BySequence()).AllX(p.Ctx)
		if len(rows) != 4 || p.Queue(t, e.ID).Epoch != before.Epoch+2 || after != nil {
			t.Errorf("%d wait still, want four; queue %+v", len(rows), p.Queue(t, e.ID))
		}
		_, err := fields.DeliveryCount(p.Ctx, e, model.WebhookDeliveryFilter{
			States: []state.DeliveryState{"waiting", "failed"}, SettledFrom: &far})
		if got := strings.Join(fieldsOf(err), " "); got !=
			"#/filter/states invalid_format #/filter/settled_from unknown_value" {
			t.Errorf("wrong: %s", got)
		}
	})
}

// Counting and resending read the rows of their endpoint alone, beside endpoints of the store with
// many more.
func TestDeliveriesReadTheirOwn(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		before, e, behind := p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx), p.NewEndpoint(t, p.Ctx)
		for _, neighbour := range []*model.WebhookEndpoint{before, behind} {
			p.AddDeliveries(t, neighbour, slices.Repeat([]graphtest.DeliveryFate{"failed", graphtest.DeliveryWaiting},
				250)...)
		}
		p.AddDeliveries(t, e, slices.Repeat([]graphtest.DeliveryFate{"failed", graphtest.DeliveryWaiting}, 20)...)
		fields := endpoint.Fields{Resolver: resolver(p)}
		for _, is := range []state.DeliveryState{state.DeliveryWaiting, state.DeliveryFailed} {
			only := model.WebhookDeliveryFilter{States: []state.DeliveryState{is}}
			read := storetest.Reads(t, p.Ctx, p.Store, func(ctx context.Context) {
				if n := graphtest.Must[int](t)(fields.DeliveryCount(ctx, e, only)); n != 20 {
					t.Errorf("%d %s, want 20", n, is)
				}
			})
			if read > 50 {
				t.Errorf("%d rows were read to count 20 %s", read, is)
			}
			read = storetest.Reads(t, p.Ctx, p.Store, func(ctx context.Context) {
				if done := graphtest.Must[*model.WebhookDeliveriesPayload](t)(p.Mutation().WebhookDeliveriesRetry(ctx,
					e.PublicID(), only, nil, 20)); done.Count != 20 {
					t.Errorf("sent %+v", done)
				}
			})
			if read > 200 {
				t.Errorf("%d rows were read to send 20 %s again", read, is)
			}
		}
	})
}
