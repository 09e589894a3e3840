package notify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// member returns the person of a role.
func (s *shop) member(role viewer.Role) *db.Staff {
	s.t.Helper()
	return s.DB(s.ctx).Staff.Query().Where(staff.RoleEQ(role)).OnlyX(s.ctx)
}

// choose sets how the person of a role is informed of a topic.
func (s *shop) choose(role viewer.Role, of state.AlertTopic, a document.Alert) {
	s.t.Helper()
	s.write(func(ctx context.Context, c *db.Client) error {
		return notify.Alerts{of: a}.Set(ctx, c, s.member(role))
	})
}

// about returns a notice about a topic.
func about(of state.AlertTopic) notify.Notice {
	return notify.Notice{Level: state.NotificationInfo, Topic: of, Title: "It happened", Body: "Look.",
		Kind: xid.Order, ID: xid.New()}
}

// Members get the emails that they chose, of the topics that their role handles. Earlier releases
// turn emails about orders on and off in a column of their own.
func TestAlerts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		atOnce := document.Alert{Email: state.AlertEmailAtOnce}
		for _, tc := range []struct {
			name    string
			of      state.AlertTopic
			prepare func(s *shop)
			want    []string
			notices int
		}{
			{name: "the usual orders", of: state.AlertOrder, notices: 1,
				want: []string{"admin@example.com", "owner@example.com", "support@example.com"}},
			{name: "the usual webhooks", of: state.AlertWebhook, notices: 1,
				want: []string{"admin@example.com", "developer@example.com", "owner@example.com"}},
			{name: "the usual payments", of: state.AlertPayment},
			{name: "a chosen payment", of: state.AlertPayment, notices: 1, want: []string{"support@example.com"},
				prepare: func(s *shop) { s.choose(viewer.Support, state.AlertPayment, atOnce) }},
			{name: "one's own payment", of: state.AlertPayment, notices: 1, want: nil,
				prepare: func(s *shop) { s.choose(viewer.Owner, state.AlertPayment, atOnce) }},
			{name: "a topic of another role", of: state.AlertWebhook, notices: 1,
				want:    []string{"admin@example.com", "developer@example.com", "owner@example.com"},
				prepare: func(s *shop) { s.choose(viewer.Support, state.AlertWebhook, atOnce) }},
			{name: "orders muted by an earlier release", of: state.AlertOrder, notices: 1,
				want: []string{"admin@example.com", "support@example.com"}, prepare: func(s *shop) {
					s.write(func(ctx context.Context, c *db.Client) error {
						return c.Staff.Update().Where(staff.RoleEQ(viewer.Owner)).
							SetOrdersMutedAt(micros.Now()).Exec(ctx)
					})
				}},
			{name: "orders once a day", of: state.AlertOrder, notices: 1,
				want: []string{"admin@example.com", "support@example.com"}, prepare: func(s *shop) {
					s.choose(viewer.Owner, state.AlertOrder, document.Alert{Email: state.AlertEmailDaily})
				}},
		} {
			s := staffed(t, store)
			if tc.prepare != nil {
				tc.prepare(s)
			}
			n := about(tc.of)
			if tc.name == "one's own payment" {
				n.Except = s.member(viewer.Owner).ID
			}
			s.notify(n)
			if diff := cmp.Diff(tc.want, s.recipients()); diff != "" {
				t.Errorf("%s: %s", tc.name, diff)
			}
			if n := s.DB(s.ctx).Notification.Query().CountX(s.ctx); n != tc.notices {
				t.Errorf("%s: %d notices, want %d", tc.name, n, tc.notices)
			}
		}
	})
}

// Notices of money pause after some an hour; the last one says so.
func TestAlertsPause(t *testing.T) {
	s := staffed(t, storetest.Open(t))
	s.choose(viewer.Owner, state.AlertRefund, document.Alert{Email: state.AlertEmailAtOnce})
	for range limit.OrderNews + 3 {
		s.notify(about(state.AlertRefund))
	}
	if m := s.waiting(); len(m) != limit.OrderNews || !strings.Contains(m[len(m)-1].Body, "pause for up to an hour") {
		t.Errorf("%d emails, the last %v", len(m), m[len(m)-1])
	}
}

// A link in an email stops emails about its topic alone. It works twice, and not for another store.
func TestStopAlert(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := staffed(t, store)
		ring, err := keyring.Parse(strings.Repeat("k", keyring.MinSecret))
		if err != nil {
			t.Fatal(err)
		}
		notifier, err := notify.New(api)
		if err != nil {
			t.Fatal(err)
		}
		links := link.New(ring)
		notifier.UseLinks(links)
		s.write(func(ctx context.Context, _ *db.Client) error {
			return notifier.Append(ctx, s.Store, about(state.AlertOrder))
		})
		owner := s.member(viewer.Owner)
		root := api + link.AlertStopRoot
		for _, m := range s.waiting() {
			token, ok := strings.CutPrefix(*m.StopURL, root)
			of, person, topic, good := links.Alert(token)
			mine := m.Recipient == "owner@example.com"
			if !ok || !good || of != s.row.ID || topic != 1 || mine != (person == owner.ID) ||
				!strings.HasSuffix(m.Body, "\n"+*m.StopURL) {
				t.Errorf("%s: %v", m.Recipient, *m.StopURL)
			}
		}
		other := open(t, store)
		for _, ctx := range []context.Context{other.ctx, s.ctx, s.ctx} {
			if err := notify.StopAlert(ctx, store, owner.ID, state.AlertOrder); err != nil {
				t.Fatal(err)
			}
		}
		now, err := notify.AlertsOf(s.member(viewer.Owner))
		want := document.Alert{Notice: true, Email: state.AlertEmailOff}
		if err != nil || now[state.AlertOrder] != want || now[state.AlertWebhook].Email != state.AlertEmailAtOnce {
			t.Errorf("now %v (%v)", now, err)
		}
		if n := s.DB(s.ctx).Audit.Query().CountX(s.ctx); n != 1 {
			t.Errorf("%d audit rows, want 1", n)
		}
	})
}

// Each day has one email with what happened, and none without.
func TestDigest(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := staffed(t, store)
		notifier, err := notify.New(api)
		if err != nil {
			t.Fatal(err)
		}
		s.choose(viewer.Owner, state.AlertPayment, document.Alert{Email: state.AlertEmailDaily})
		yesterday := micros.Now().Add(-24 * time.Hour)
		began := func() {
			s.write(func(ctx context.Context, c *db.Client) error {
				return c.Staff.Update().Where(staff.RoleEQ(viewer.Owner)).SetDigestAt(yesterday).Exec(ctx)
			})
		}
		send := func(want int) {
			t.Helper()
			if n, err := notify.SendDigests(t.Context(), store, notifier); err != nil || n != want {
				t.Errorf("%d emails (%v), want %d", n, err, want)
			}
		}
		began()
		send(0)
		s.write(func(ctx context.Context, c *db.Client) error { // more members than a round reads have theirs
			had := make([]*db.StaffCreate, 100)
			for i := range had {
				had[i] = c.Staff.Create().SetID(xid.At(micros.Time(i + 1))).SetRole(viewer.Support).
					SetDigestAt(micros.Now()).SetUpdatedAt(micros.Now())
			}
			return c.Staff.CreateBulk(had...).Exec(ctx)
		})
		began()
		s.write(func(ctx context.Context, c *db.Client) error {
			return c.Notification.Create().SetID(xid.At(yesterday + 1)).SetLevel(state.NotificationInfo).
				SetTopic(state.AlertPayment).SetTitle("Payment for order #7").SetBody("€5").Exec(ctx)
		})
		s.notify(about(state.AlertRefund))
		send(1)
		send(0)
		m := s.only()
		if m.Recipient != "owner@example.com" || m.Subject != "Daily summary: 1 notification (Test shop)" ||
			!strings.HasPrefix(m.Body, "Payment for order #7\n€5\n\n") {
			t.Errorf("%s: %s\n%s", m.Recipient, m.Subject, m.Body)
		}
	})
}
