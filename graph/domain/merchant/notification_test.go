package merchant_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/merchant"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestNotifications(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, support := p.Member(t, viewer.Support)
		q, m := p.Query(), p.Mutation()
		p.AddNotices(t, 5)
		graphtest.NewShop(t, p.Resolver).AddNotices(t, 1)
		if n := graphtest.Must[int](t)(q.UnreadNotifications(support)); n != 5 {
			t.Errorf("%d unread", n)
		}
		var seen []*model.Notification
		var after *string
		for {
			c := graphtest.Must[*model.NotificationConnection](t)(q.Notifications(support, new(2), after))
			seen = append(seen, c.Nodes...)
			if after = &c.Next; c.Next == "" {
				break
			}
		}
		for i, n := range seen {
			if n.Title != fmt.Sprint("Notice ", 4-i) || n.Level != state.NotificationWarning || n.ReadAt != nil ||
				*n.PublicResourceID() != p.Model.PublicID() {
				t.Errorf("row %d is %v", i, n)
			}
		}
		if len(seen) != 5 {
			t.Fatalf("%d notifications", len(seen))
		}
		first := graphtest.Must[*model.NotificationPayload](t)(m.NotificationMarkRead(support,
			seen[0].PublicID())).Notification
		again := graphtest.Must[*model.NotificationPayload](t)(m.NotificationMarkRead(p.Ctx,
			seen[0].PublicID())).Notification
		if first.ReadAt == nil || *again.ReadAt != *first.ReadAt {
			t.Errorf("read at %v, and then at %v", first.ReadAt, again.ReadAt)
		}
		if n := graphtest.Must[int](t)(q.UnreadNotifications(support)); n != 4 {
			t.Errorf("%d unread", n)
		}
		if all := graphtest.Must[*model.NotificationsPayload](t)(m.NotificationsMarkAllRead(support)); all.Count != 4 {
			t.Errorf("%d became read", all.Count)
		}
		if all := graphtest.Must[*model.NotificationsPayload](t)(m.NotificationsMarkAllRead(support)); all.Count != 0 {
			t.Errorf("%d became read the second time", all.Count)
		}
		read := graphtest.Must[*model.NotificationConnection](t)(q.Notifications(support, nil, nil)).Nodes
		if *read[0].ReadAt != *first.ReadAt || read[4].ReadAt == nil {
			t.Errorf("after all were read: %v", read)
		}
		if got, want := p.Audited(t),
			"store.create staff.join notification.mark_read notification.mark_all_read"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// Another store's notification is as unknown as a missing one, and stays unread.
func TestNotificationOfAnotherStore(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := graphtest.NewShop(t, p.Resolver)
		other.AddNotices(t, 1)
		theirs := graphtest.Must[*model.NotificationConnection](t)(p.Query().Notifications(other.Ctx, nil,
			nil)).Nodes[0].PublicID()
		for _, id := range []string{theirs, xid.Notification.Format(xid.New()), "ntf_x", ""} {
			if _, err := p.Mutation().NotificationMarkRead(p.Ctx, id); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%q: %v", id, err)
			}
		}
		graphtest.Must[*model.NotificationsPayload](t)(p.Mutation().NotificationsMarkAllRead(p.Ctx))
		if n := graphtest.Must[int](t)(p.Query().UnreadNotifications(other.Ctx)); n != 1 {
			t.Errorf("%d are unread in the other store", n)
		}
	})
}

// Counting ends at a hundred; marking continues, in batches.
func TestManyNotifications(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const n = 2*merchant.MaxMarked + 1
		for range n / 91 {
			p.AddNotices(t, 91)
		}
		counted, statements := ent.CountStatements(p.Ctx)
		if got := graphtest.Must[int](t)(p.Query().UnreadNotifications(counted)); got != merchant.MaxUnread ||
			statements.N() != 1 {
			t.Errorf("%d unread by %d statements", got, statements.N())
		}
		counts := make([]int, 3)
		var wg sync.WaitGroup
		for i := range counts {
			wg.Go(func() {
				all, err := p.Mutation().NotificationsMarkAllRead(p.Ctx)
				if err != nil {
					t.Error(err)
					return
				}
				counts[i] = all.Count
			})
		}
		wg.Wait()
		if sum := counts[0] + counts[1] + counts[2]; sum != n {
			t.Errorf("%v became read, want %d in all", counts, n)
		}
		if got := graphtest.Must[int](t)(p.Query().UnreadNotifications(p.Ctx)); got != 0 {
			t.Errorf("%d unread", got)
		}
	})
}
