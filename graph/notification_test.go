package graph

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/notify"
)

// told writes n notices for the store, the first of them the oldest.
func (p *shop) told(t testing.TB, n int) {
	t.Helper()
	err := p.Resolver.Store.InTx(p.ctx, func(ctx context.Context) error {
		for i := range n {
			err := notify.Append(ctx, p.client(ctx), notify.Notice{Level: state.NotificationWarning,
				Title: fmt.Sprint("Notice ", i), Body: "It is so.", Kind: xid.Store, ID: p.store.ID})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNotifications(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		_, support := p.member(t, viewer.Support)
		q, m := p.Query(), p.Mutation()
		p.told(t, 5)
		newShop(t, p.Resolver).told(t, 1)
		if n := must[int](t)(q.UnreadNotifications(support)); n != 5 {
			t.Errorf("%d unread", n)
		}
		var seen []*model.Notification
		var after *string
		for {
			c := must[*model.NotificationConnection](t)(q.Notifications(support, new(2), after))
			seen = append(seen, c.Nodes...)
			if after = &c.Next; c.Next == "" {
				break
			}
		}
		for i, n := range seen {
			if n.Title != fmt.Sprint("Notice ", 4-i) || n.Level != state.NotificationWarning || n.ReadAt != nil || *n.PublicResourceID() != p.store.PublicID() {
				t.Errorf("row %d is %v", i, n)
			}
		}
		if len(seen) != 5 {
			t.Fatalf("%d notifications", len(seen))
		}
		first := must[*model.NotificationPayload](t)(m.NotificationMarkRead(support, seen[0].PublicID())).Notification
		again := must[*model.NotificationPayload](t)(m.NotificationMarkRead(p.ctx, seen[0].PublicID())).Notification
		if first.ReadAt == nil || *again.ReadAt != *first.ReadAt {
			t.Errorf("read at %v, and then at %v", first.ReadAt, again.ReadAt)
		}
		if n := must[int](t)(q.UnreadNotifications(support)); n != 4 {
			t.Errorf("%d unread", n)
		}
		if all := must[*model.NotificationsPayload](t)(m.NotificationsMarkAllRead(support)); all.Count != 4 {
			t.Errorf("%d became read", all.Count)
		}
		if all := must[*model.NotificationsPayload](t)(m.NotificationsMarkAllRead(support)); all.Count != 0 {
			t.Errorf("%d became read the second time", all.Count)
		}
		read := must[*model.NotificationConnection](t)(q.Notifications(support, nil, nil)).Nodes
		if *read[0].ReadAt != *first.ReadAt || read[4].ReadAt == nil {
			t.Errorf("after all were read: %v", read)
		}
		if got, want := p.audited(t), "store.create staff.add notification.mark_read notification.mark_all_read"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// Another store's notification is as unknown as none at all, and stays unread.
func TestNotificationOfAnotherStore(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		other := newShop(t, p.Resolver)
		other.told(t, 1)
		theirs := must[*model.NotificationConnection](t)(p.Query().Notifications(other.ctx, nil, nil)).Nodes[0].PublicID()
		for _, id := range []string{theirs, xid.Notification.Format(xid.New()), "ntf_x", ""} {
			if _, err := p.Mutation().NotificationMarkRead(p.ctx, id); faultOf(err) != "not_found" {
				t.Errorf("%q: %v", id, err)
			}
		}
		must[*model.NotificationsPayload](t)(p.Mutation().NotificationsMarkAllRead(p.ctx))
		if n := must[int](t)(p.Query().UnreadNotifications(other.ctx)); n != 1 {
			t.Errorf("%d are unread in the other store", n)
		}
	})
}

// Counting ends at a hundred; marking goes on, in batches.
func TestManyNotifications(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		const n = 2*maxMarked + 1
		for range n / 91 {
			p.told(t, 91)
		}
		counted, statements := ent.CountStatements(p.ctx)
		if got := must[int](t)(p.Query().UnreadNotifications(counted)); got != maxUnread || statements.N() != 1 {
			t.Errorf("%d unread by %d statements", got, statements.N())
		}
		counts := make([]int, 3)
		var wg sync.WaitGroup
		for i := range counts {
			wg.Go(func() {
				all, err := p.Mutation().NotificationsMarkAllRead(p.ctx)
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
		if got := must[int](t)(p.Query().UnreadNotifications(p.ctx)); got != 0 {
			t.Errorf("%d unread", got)
		}
	})
}
