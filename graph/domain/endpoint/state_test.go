package endpoint_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// suspend suspends an endpoint as the engine does after failed deliveries.
func suspend(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint) {
	t.Helper()
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookEndpoint.Update().Where(endpoints.ID(e.ID)).SetStatus(state.EndpointSuspended).
			SetStoppedAt(micros.Now()).SetStoppedReason(state.StoppedByFailure).Exec(ctx)
	})
}

// TestWebhookEndpointStates tries every change in every state.
func TestWebhookEndpointStates(t *testing.T) {
	past := micros.Now().Add(-time.Hour)
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		for _, tc := range []struct {
			change string
			run    func(ctx context.Context, id string, version int64) (*model.WebhookEndpointPayload, error)
			from   []state.EndpointStatus
			to     state.EndpointStatus
			why    state.EndpointStop
		}{
			{change: "disable", run: m.WebhookEndpointDisable,
				from: []state.EndpointStatus{state.EndpointActive, state.EndpointSuspended}, to: state.EndpointDisabled,
				why: state.StoppedByPerson},
			{change: "resume",
				run: func(ctx context.Context, id string, v int64) (*model.WebhookEndpointPayload, error) {
					return m.WebhookEndpointReactivate(ctx, id, v, state.BacklogResume, nil)
				}, from: []state.EndpointStatus{state.EndpointSuspended, state.EndpointDisabled},
				to: state.EndpointActive},
			{change: "resume from",
				run: func(ctx context.Context, id string, v int64) (*model.WebhookEndpointPayload, error) {
					return m.WebhookEndpointReactivate(ctx, id, v, state.BacklogFrom, &past)
				}, from: []state.EndpointStatus{state.EndpointSuspended, state.EndpointDisabled},
				to: state.EndpointActive},
			{change: "resume empty",
				run: func(ctx context.Context, id string, v int64) (*model.WebhookEndpointPayload, error) {
					return m.WebhookEndpointReactivate(ctx, id, v, state.BacklogDrop, nil)
				}, from: []state.EndpointStatus{state.EndpointSuspended, state.EndpointDisabled},
				to: state.EndpointActive},
			{change: "replay",
				run: func(ctx context.Context, id string, _ int64) (*model.WebhookEndpointPayload, error) {
					return m.WebhookEndpointReplay(ctx, id, past, past+1)
				}, from: []state.EndpointStatus{state.EndpointActive}, to: state.EndpointActive},
		} {
			for _, from := range []state.EndpointStatus{
				state.EndpointActive, state.EndpointSuspended, state.EndpointDisabled,
			} {
				e := p.NewEndpoint(t, p.Ctx)
				switch from {
				case state.EndpointSuspended:
					suspend(p, t, e)
				case state.EndpointDisabled:
					e = graphtest.Must[*model.WebhookEndpointPayload](t)(m.WebhookEndpointDisable(p.Ctx, e.PublicID(),
						1)).WebhookEndpoint
				}
				before := p.Queue(t, e.ID)
				done, err := tc.run(p.Ctx, e.PublicID(), e.Version)
				if !slices.Contains(tc.from, from) {
					if graphtest.FaultOf(err) != "invalid_transition" || rowOf(p, t, e.ID).Version != e.Version ||
						p.Queue(t, e.ID).String() != before.String() {
						t.Errorf("%s when %s: %v", tc.change, from, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s when %s: %v", tc.change, from, err)
					continue
				}
				got := done.WebhookEndpoint
				var why state.EndpointStop
				core.Opt(got.SuspendedReason(), func(s state.EndpointStop) { why = s })
				if got.Status != tc.to || why != tc.why ||
					(got.SuspendedAt() == nil) != (tc.to == state.EndpointActive) {
					t.Errorf("%s when %s: %v", tc.change, from, got.WebhookEndpoint)
				}
				if rests := p.Queue(t, e.ID).DueAt == micros.Max; rests != (tc.to == state.EndpointDisabled) {
					t.Errorf("%s when %s: the queue rests: %v", tc.change, from, rests)
				}
				if read := rowOf(p, t, e.ID); read.String() != got.WebhookEndpoint.String() ||
					p.Queue(t, e.ID).Epoch == before.Epoch {
					t.Errorf("%s when %s: stored %v, returned %v", tc.change, from, read, got.WebhookEndpoint)
				}
			}
		}
	})
}

// The queue has what a reactivation does with the backlog.
func TestWebhookBacklogs(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, hour := p.Mutation(), micros.Now().Add(-time.Hour)
		missed := xid.At(hour)
		for backlog, want := range map[state.WebhookBacklog]struct {
			floor int64
			from  *xid.ID
		}{state.BacklogResume: {2, &missed}, state.BacklogFrom: {9, new(xid.First(hour + 5))},
			state.BacklogDrop: {9, nil}} {
			e := p.NewEndpoint(t, p.Ctx)
			suspend(p, t, e)
			p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
				return c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetLastSequence(9).SetFloorSequence(2).
					SetMissedFrom(missed).SetFailingSince(hour).SetWarned(3).Exec(ctx)
			})
			var since *micros.Time
			if backlog == state.BacklogFrom {
				since = new(hour + 5)
			}
			got := graphtest.Must[*model.WebhookEndpointPayload](t)(m.WebhookEndpointReactivate(p.Ctx, e.PublicID(), 1,
				backlog, since)).WebhookEndpoint
			queue := p.Queue(t, e.ID)
			if queue.FloorSequence != want.floor || fmt.Sprint(queue.MissedFrom) == "" ||
				(queue.MissedFrom == nil) != (want.from == nil) ||
				want.from != nil && *queue.MissedFrom != *want.from || queue.FailingSince != nil ||
				got.FailingSince() != nil {
				t.Errorf("%s: %v", backlog, queue)
			}
		}
	})
}

func TestWebhookLogTimes(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		suspend(p, t, e)
		now := micros.Now()
		day := 24 * time.Hour
		for _, tc := range []struct {
			backlog state.WebhookBacklog
			since   *micros.Time
			want    string
		}{
			{state.BacklogFrom, nil, "#/since required"},
			{state.BacklogFrom, new(now.Add(time.Hour)), "#/since out_of_range"},
			{state.BacklogFrom, new(now.Add(-30*day - time.Minute)), "#/since out_of_range"},
			{state.BacklogResume, &now, "#/since unknown_member"},
			{state.BacklogDrop, &now, "#/since unknown_member"},
			{state.BacklogFrom, new(now.Add(-30*day + time.Minute)), ""},
		} {
			_, err := p.Mutation().WebhookEndpointReactivate(p.Ctx, e.PublicID(), 1, tc.backlog, tc.since)
			if graphtest.FieldOf(err) != tc.want || tc.want == "" && err != nil {
				t.Errorf("%s since %v: %v, want %s", tc.backlog, tc.since, err, tc.want)
			}
		}
		for _, tc := range []struct {
			from, to micros.Time
			want     string
		}{
			{now.Add(-31 * day), now, "#/from out_of_range"}, {now.Add(day), now.Add(2 * day), "#/from out_of_range"},
			{now.Add(-day), now.Add(day), "#/to out_of_range"}, {now.Add(-day), now.Add(-day), "#/to out_of_range"},
			{now.Add(-day), now.Add(-2 * day), "#/to out_of_range"}, {now.Add(-day), now.Add(-day) + 1, ""},
		} {
			_, err := p.Mutation().WebhookEndpointReplay(p.Ctx, e.PublicID(), tc.from, tc.to)
			if graphtest.FieldOf(err) != tc.want || tc.want == "" && err != nil {
				t.Errorf("replay from %v to %v: %v, want %s", tc.from, tc.to, err, tc.want)
			}
		}
		if _, err := p.Mutation().WebhookEndpointReplay(p.Ctx, e.PublicID(), now.Add(-day),
			now); graphtest.FaultOf(err) != "replay_pending" {
			t.Errorf("a second replay: %v", err)
		}
	})
}

// lastGrant is an app with two grants in the store and endpoints in each state.
type lastGrant struct {
	app                        *model.App
	grants                     []*db.Grant
	active, suspended, stopped *model.WebhookEndpoint
}

func newLastGrant(p *graphtest.Shop, t testing.TB) *lastGrant {
	t.Helper()
	all := []string{scope.WebhooksWrite, scope.OrdersRead, scope.ProductsRead}
	l := &lastGrant{app: p.NewApp(t, all...)}
	ctx, first := p.AsApp(t, l.app, all...)
	l.grants = append([]*db.Grant{first}, p.AddGrants(t, l.app, 1, nil)...)
	l.active, l.suspended, l.stopped = p.NewEndpoint(t, ctx), p.NewEndpoint(t, ctx), p.NewEndpoint(t, ctx)
	suspend(p, t, l.suspended)
	l.stopped = graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointDisable(p.Ctx,
		l.stopped.PublicID(), 1)).WebhookEndpoint
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookQueue.Update().Where(webhookqueue.IDIn(l.active.ID, l.suspended.ID, l.stopped.ID)).
			SetLastSequence(4).Exec(ctx)
	})
	return l
}

// orphaned returns the states of the endpoints.
func orphaned(p *graphtest.Shop, t testing.TB, l *lastGrant) string {
	t.Helper()
	var all []string
	for _, e := range []*model.WebhookEndpoint{l.active, l.suspended, l.stopped} {
		row, why := rowOf(p, t, e.ID), state.EndpointStop("none")
		core.Opt(row.StoppedReason, func(s state.EndpointStop) { why = s })
		all = append(all, fmt.Sprint(row.Status, " ", why, " ", p.Queue(t, e.ID).FloorSequence))
	}
	return strings.Join(all, ", ")
}

const (
	living = "active none 0, suspended delivery_failed 0, disabled manual 0"
	buried = "disabled grant_revoked 4, disabled grant_revoked 4, disabled manual 4"
)

// The end of an app's last grant disables its endpoints. Other grants' ends do not, and endpoints
// of other owners are not affected.
func TestLastGrantEndsEndpoints(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		l, stores := newLastGrant(p, t), p.NewEndpoint(t, p.Ctx)
		graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.Ctx, l.grants[0].PublicID()))
		if got := orphaned(p, t, l); got != living {
			t.Errorf("after the first of two: %s", got)
		}
		graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.Ctx, l.grants[1].PublicID()))
		if got := orphaned(p, t, l); got != buried {
			t.Errorf("after the last: %s", got)
		}
		if rowOf(p, t, stores.ID).Status != state.EndpointActive {
			t.Error("the store's own endpoint was disabled")
		}
		// They cannot be reactivated until the app has access again.
		e := graphtest.Must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.Ctx, l.active.PublicID()))
		if _, err := p.Mutation().WebhookEndpointReactivate(p.Ctx, e.PublicID(), e.Version, state.BacklogResume,
			nil); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("reactivated: %v", err)
		}
		p.AddGrants(t, l.app, 1, nil)
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointReactivate(p.Ctx, e.PublicID(),
			e.Version, state.BacklogResume, nil))
		graphtest.Must[*model.InstalledAppRevokePayload](t)(p.Mutation().InstalledAppRevoke(p.Ctx, l.app.PublicID()))
		if got := orphaned(p, t, l); got != buried {
			t.Errorf("after all at once: %s", got)
		}
	})
}

// A grant that has expired does not count, although its row still exists.
func TestLastGrantIgnoresExpired(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for name, end := range graphtest.EndedGrants {
			l := newLastGrant(p, t)
			p.AddGrants(t, l.app, 2, end)
			for _, g := range l.grants {
				graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.Ctx, g.PublicID()))
			}
			if got := orphaned(p, t, l); got != buried {
				t.Errorf("beside one that is %s: %s", name, got)
			}
		}
	})
}

// If the last two grants end concurrently, exactly one of them is the last.
func TestLastGrantsAtOnce(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for range 5 {
			l := newLastGrant(p, t)
			errs := make(chan error, 2)
			for _, g := range l.grants {
				go func() { _, err := p.Mutation().GrantRevoke(p.Ctx, g.PublicID()); errs <- err }()
			}
			for range l.grants {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
			if got := orphaned(p, t, l); got != buried {
				t.Fatalf("after both: %s", got)
			}
		}
	})
}

// A refused end leaves the endpoints unchanged: it is one transaction.
func TestLastGrantIsOneTransaction(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		l := newLastGrant(p, t)
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			_, err := c.WebhookQueue.Delete().Where(webhookqueue.ID(l.stopped.ID)).Exec(ctx)
			return err
		})
		graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.Ctx, l.grants[0].PublicID()))
		if _, err := p.Mutation().GrantRevoke(p.Ctx, l.grants[1].PublicID()); err == nil {
			t.Fatal("it ended, though the engine could not cancel")
		}
		g := p.Client(p.Ctx).Grant.Query().Where(grant.ID(l.grants[1].ID)).OnlyX(viewer.With(p.Ctx, viewer.From(p.Ctx)))
		if g.RevokedAt != nil || rowOf(p, t, l.active.ID).Status != state.EndpointActive {
			t.Errorf("left %v, %v", g, rowOf(p, t, l.active.ID))
		}
	})
}
