package graph

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
	"github.com/storefront-go/storefront/graph/model"
)

// suspend does to an endpoint what the engine does when a delivery failed.
func (p *shop) suspend(t testing.TB, e *model.WebhookEndpoint) {
	t.Helper()
	p.meddle(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookEndpoint.Update().Where(endpoints.ID(e.ID)).SetStatus(state.EndpointSuspended).SetStoppedAt(micros.Now()).
			SetStoppedReason(state.StoppedByFailure).Exec(ctx)
	})
}

// TestWebhookEndpointStates tries every change in every state.
func TestWebhookEndpointStates(t *testing.T) {
	past := micros.Now().Add(-time.Hour)
	eachShop(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		for _, tc := range []struct {
			change string
			run    func(ctx context.Context, id string, version int64) (*model.WebhookEndpointPayload, error)
			from   []state.EndpointStatus
			to     state.EndpointStatus
			why    state.EndpointStop
		}{
			{"disable", m.WebhookEndpointDisable, []state.EndpointStatus{state.EndpointActive, state.EndpointSuspended}, state.EndpointDisabled, state.StoppedByPerson},
			{"resume", func(ctx context.Context, id string, v int64) (*model.WebhookEndpointPayload, error) {
				return m.WebhookEndpointReactivate(ctx, id, v, state.BacklogResume, nil)
			}, []state.EndpointStatus{state.EndpointSuspended, state.EndpointDisabled}, state.EndpointActive, ""},
			{"resume from", func(ctx context.Context, id string, v int64) (*model.WebhookEndpointPayload, error) {
				return m.WebhookEndpointReactivate(ctx, id, v, state.BacklogFrom, &past)
			}, []state.EndpointStatus{state.EndpointSuspended, state.EndpointDisabled}, state.EndpointActive, ""},
			{"resume empty", func(ctx context.Context, id string, v int64) (*model.WebhookEndpointPayload, error) {
				return m.WebhookEndpointReactivate(ctx, id, v, state.BacklogDrop, nil)
			}, []state.EndpointStatus{state.EndpointSuspended, state.EndpointDisabled}, state.EndpointActive, ""},
			{"replay", func(ctx context.Context, id string, _ int64) (*model.WebhookEndpointPayload, error) {
				return m.WebhookEndpointReplay(ctx, id, past, past+1)
			}, []state.EndpointStatus{state.EndpointActive}, state.EndpointActive, ""},
		} {
			for _, from := range []state.EndpointStatus{state.EndpointActive, state.EndpointSuspended, state.EndpointDisabled} {
				e := p.hook(t, p.ctx)
				switch from {
				case state.EndpointSuspended:
					p.suspend(t, e)
				case state.EndpointDisabled:
					e = must[*model.WebhookEndpointPayload](t)(m.WebhookEndpointDisable(p.ctx, e.PublicID(), 1)).WebhookEndpoint
				}
				before := p.queue(t, e.ID)
				done, err := tc.run(p.ctx, e.PublicID(), e.Version)
				if !slices.Contains(tc.from, from) {
					if faultOf(err) != "invalid_transition" || p.row(t, e.ID).Version != e.Version || p.queue(t, e.ID).String() != before.String() {
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
				opt(got.SuspendedReason(), func(s state.EndpointStop) { why = s })
				if got.Status != tc.to || why != tc.why || (got.SuspendedAt() == nil) != (tc.to == state.EndpointActive) {
					t.Errorf("%s when %s: %v", tc.change, from, got.WebhookEndpoint)
				}
				if rests := p.queue(t, e.ID).DueAt == micros.Never; rests != (tc.to == state.EndpointDisabled) {
					t.Errorf("%s when %s: the queue rests: %v", tc.change, from, rests)
				}
				if read := p.row(t, e.ID); read.String() != got.WebhookEndpoint.String() || p.queue(t, e.ID).Epoch == before.Epoch {
					t.Errorf("%s when %s: stored %v, returned %v", tc.change, from, read, got.WebhookEndpoint)
				}
			}
		}
	})
}

// What a reactivation does with the backlog stands in the queue.
func TestWebhookBacklogs(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		m, hour := p.Mutation(), micros.Now().Add(-time.Hour)
		missed := xid.At(hour)
		for backlog, want := range map[state.WebhookBacklog]struct {
			floor int64
			from  *xid.ID
		}{state.BacklogResume: {2, &missed}, state.BacklogFrom: {9, new(xid.First(hour + 5))}, state.BacklogDrop: {9, nil}} {
			e := p.hook(t, p.ctx)
			p.suspend(t, e)
			p.meddle(t, func(ctx context.Context, c *db.Client) error {
				return c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetLastSequence(9).SetFloorSequence(2).SetMissedFrom(missed).
					SetFailingSince(hour).SetWarned(3).Exec(ctx)
			})
			var since *micros.Time
			if backlog == state.BacklogFrom {
				since = new(hour + 5)
			}
			got := must[*model.WebhookEndpointPayload](t)(m.WebhookEndpointReactivate(p.ctx, e.PublicID(), 1, backlog, since)).WebhookEndpoint
			queue := p.queue(t, e.ID)
			if queue.FloorSequence != want.floor || fmt.Sprint(queue.MissedFrom) == "" || (queue.MissedFrom == nil) != (want.from == nil) ||
				want.from != nil && *queue.MissedFrom != *want.from || queue.FailingSince != nil || got.FailingSince() != nil {
				t.Errorf("%s: %v", backlog, queue)
			}
		}
	})
}

func TestWebhookTimesOfTheLog(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e := p.hook(t, p.ctx)
		p.suspend(t, e)
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
			_, err := p.Mutation().WebhookEndpointReactivate(p.ctx, e.PublicID(), 1, tc.backlog, tc.since)
			if fieldOf(err) != tc.want || tc.want == "" && err != nil {
				t.Errorf("%s since %v: %v, want %s", tc.backlog, tc.since, err, tc.want)
			}
		}
		for _, tc := range []struct {
			from, to micros.Time
			want     string
		}{
			{now.Add(-31 * day), now, "#/from out_of_range"}, {now.Add(day), now.Add(2 * day), "#/from out_of_range"},
			{now.Add(-day), now.Add(day), "#/to out_of_range"}, {now.Add(-day), now.Add(-day), "#/to out_of_range"}, {now.Add(-day), now.Add(-2 * day), "#/to out_of_range"},
			{now.Add(-day), now.Add(-day) + 1, ""},
		} {
			_, err := p.Mutation().WebhookEndpointReplay(p.ctx, e.PublicID(), tc.from, tc.to)
			if fieldOf(err) != tc.want || tc.want == "" && err != nil {
				t.Errorf("replay from %v to %v: %v, want %s", tc.from, tc.to, err, tc.want)
			}
		}
		if _, err := p.Mutation().WebhookEndpointReplay(p.ctx, e.PublicID(), now.Add(-day), now); faultOf(err) != "replay_pending" {
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

func (p *shop) lastGrant(t testing.TB) *lastGrant {
	t.Helper()
	all := []string{scope.WebhooksWrite, scope.OrdersRead, scope.ProductsRead}
	l := &lastGrant{app: p.newApp(t, all...)}
	ctx, first := p.asApp(t, l.app, all...)
	l.grants = append([]*db.Grant{first}, p.gave(t, l.app, 1, nil)...)
	l.active, l.suspended, l.stopped = p.hook(t, ctx), p.hook(t, ctx), p.hook(t, ctx)
	p.suspend(t, l.suspended)
	l.stopped = must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointDisable(p.ctx, l.stopped.PublicID(), 1)).WebhookEndpoint
	p.meddle(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookQueue.Update().Where(webhookqueue.IDIn(l.active.ID, l.suspended.ID, l.stopped.ID)).SetLastSequence(4).Exec(ctx)
	})
	return l
}

// orphaned tells what became of the endpoints.
func (p *shop) orphaned(t testing.TB, l *lastGrant) string {
	t.Helper()
	var all []string
	for _, e := range []*model.WebhookEndpoint{l.active, l.suspended, l.stopped} {
		row, why := p.row(t, e.ID), state.EndpointStop("none")
		opt(row.StoppedReason, func(s state.EndpointStop) { why = s })
		all = append(all, fmt.Sprint(row.Status, " ", why, " ", p.queue(t, e.ID).FloorSequence))
	}
	return strings.Join(all, ", ")
}

const (
	living = "active none 0, suspended delivery_failed 0, disabled manual 0"
	buried = "disabled grant_revoked 4, disabled grant_revoked 4, disabled manual 4"
)

// The end of an app's last grant takes its endpoints out of service, and no other
// end does; neither do the endpoints of others care.
func TestLastGrantEndsEndpoints(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		l, stores := p.lastGrant(t), p.hook(t, p.ctx)
		must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.ctx, l.grants[0].PublicID()))
		if got := p.orphaned(t, l); got != living {
			t.Errorf("after the first of two: %s", got)
		}
		must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.ctx, l.grants[1].PublicID()))
		if got := p.orphaned(t, l); got != buried {
			t.Errorf("after the last: %s", got)
		}
		if p.row(t, stores.ID).Status != state.EndpointActive {
			t.Error("the store's own endpoint was disabled")
		}
		// Nobody takes them back until the app has access again.
		e := must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.ctx, l.active.PublicID()))
		if _, err := p.Mutation().WebhookEndpointReactivate(p.ctx, e.PublicID(), e.Version, state.BacklogResume, nil); faultOf(err) != "invalid_transition" {
			t.Errorf("reactivated: %v", err)
		}
		p.gave(t, l.app, 1, nil)
		must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointReactivate(p.ctx, e.PublicID(), e.Version, state.BacklogResume, nil))
		must[*model.InstalledAppRevokePayload](t)(p.Mutation().InstalledAppRevoke(p.ctx, l.app.PublicID()))
		if got := p.orphaned(t, l); got != buried {
			t.Errorf("after all at once: %s", got)
		}
	})
}

// A grant that stands in the database but whose time is over does not count.
func TestLastGrantCountsStandingOnes(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		for name, end := range dead {
			l := p.lastGrant(t)
			p.gave(t, l.app, 2, end)
			for _, g := range l.grants {
				must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.ctx, g.PublicID()))
			}
			if got := p.orphaned(t, l); got != buried {
				t.Errorf("beside one that is %s: %s", name, got)
			}
		}
	})
}

// Of two who end the last two grants at once, one is the last.
func TestLastGrantsAtOnce(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		for range 5 {
			l := p.lastGrant(t)
			errs := make(chan error, 2)
			for _, g := range l.grants {
				go func() { _, err := p.Mutation().GrantRevoke(p.ctx, g.PublicID()); errs <- err }()
			}
			for range l.grants {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
			if got := p.orphaned(t, l); got != buried {
				t.Fatalf("after both: %s", got)
			}
		}
	})
}

// A refused end leaves the endpoints as they are: it is one transaction.
func TestLastGrantIsOneTransaction(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		l := p.lastGrant(t)
		p.meddle(t, func(ctx context.Context, c *db.Client) error {
			_, err := c.WebhookQueue.Delete().Where(webhookqueue.ID(l.stopped.ID)).Exec(ctx)
			return err
		})
		must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.ctx, l.grants[0].PublicID()))
		if _, err := p.Mutation().GrantRevoke(p.ctx, l.grants[1].PublicID()); err == nil {
			t.Fatal("it ended, though the engine could not cancel")
		}
		g := p.client(p.ctx).Grant.Query().Where(grant.ID(l.grants[1].ID)).OnlyX(viewer.With(p.ctx, viewer.From(p.ctx)))
		if g.RevokedAt != nil || p.row(t, l.active.ID).Status != state.EndpointActive {
			t.Errorf("left %v, %v", g, p.row(t, l.active.ID))
		}
	})
}
