package merchant

import (
	"context"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/notification"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	unreadIndex = "notification_store_id_read_at_id"
	maxUnread   = 100
	maxMarked   = 500
)

// Notifications lists the notifications of the store's staff, newest first.
func (q Query) Notifications(ctx context.Context, first *int, after *string) (*model.NotificationConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Notification]{
		Name: "notifications",
		At:   func(n *model.Notification) page.Position { return core.ByID(n.ID) },
		Read: core.ReadNewest(ent.Primary, q.Client(ctx).Notification.Query, shownNotification),
	}, first, after)
}

func shownNotification(n *db.Notification) *model.Notification {
	return &model.Notification{Notification: n}
}

// UnreadNotifications counts the unread notifications, up to a hundred.
func (q Query) UnreadNotifications(ctx context.Context) (int, error) {
	if _, err := core.Caller(ctx); err != nil {
		return 0, err
	}
	ids, err := q.unread(ctx, xid.New(), maxUnread, ent.NoLock)
	return len(ids), core.Explain("notifications", err)
}

// unread reads the ids of unread notifications up to last, oldest first.
func (r *Resolver) unread(ctx context.Context, last xid.ID, limit int, lock func(*sql.Selector)) ([]xid.ID, error) {
	query := r.Client(ctx).Notification.Query().Where(notification.ReadAtIsNil(), notification.IDLTE(last))
	var ids []xid.ID
	err := query.Modify(lock, func(s *sql.Selector) {
		ent.ForceIndex(unreadIndex)(s)
		s.Select(s.C(notification.FieldID)).OrderBy(s.C(notification.FieldID)).Limit(limit)
	}).Scan(ctx, &ids)
	return ids, err
}

// NotificationMarkRead marks a notification as read. Doing so again keeps the first time.
func (m Mutation) NotificationMarkRead(ctx context.Context, id string) (*model.NotificationPayload, error) {
	uid, err := core.ParseID(xid.Notification, id)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Notification, func(ctx context.Context) (
		*model.NotificationPayload, *change.Record, error,
	) {
		n, err := m.markRead(ctx, uid)
		if err != nil {
			return nil, nil, err
		}
		row, err := core.Row(ctx, m.Client(ctx).Notification.Query().Where(notification.ID(uid)), ent.ForUpdate)
		if err != nil {
			return nil, nil, err
		}
		done := &model.NotificationPayload{Notification: shownNotification(row)}
		if n == 0 {
			return done, nil, nil
		}
		return done, &change.Record{Action: "notification.mark_read", Kind: xid.Notification, ID: uid}, nil
	})
}

// markRead marks the unread ones of some notifications and returns how many.
func (m Mutation) markRead(ctx context.Context, ids ...xid.ID) (int, error) {
	n, err := m.Client(ctx).Notification.Update().Where(notification.IDIn(ids...), notification.ReadAtIsNil()).
		SetReadAt(micros.Now()).Save(ctx)
	return n, fault.Wrap("mark notifications as read", err)
}

// NotificationsMarkAllRead marks all notifications that existed when it was called, in batches by
// key.
func (m Mutation) NotificationsMarkAllRead(ctx context.Context) (*model.NotificationsPayload, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	payload, last := &model.NotificationsPayload{}, xid.New()
	for more := true; more; {
		var marked int
		err := m.Commit(ctx, xid.Notification, func(ctx context.Context) (*change.Record, error) {
			marked = 0 // the transaction may run again
			ids, err := m.unread(ctx, last, maxMarked, ent.ForUpdate)
			if more = len(ids) == maxMarked; err != nil || len(ids) == 0 {
				return nil, err
			}
			if marked, err = m.markRead(ctx, ids...); err != nil || marked == 0 {
				return nil, err
			}
			return &change.Record{Action: "notification.mark_all_read", Kind: xid.Store, ID: viewer.From(ctx).Store,
				Detail: strconv.Itoa(marked)}, nil
		})
		if err != nil {
			return nil, err
		}
		payload.Count += marked
	}
	return payload, nil
}
