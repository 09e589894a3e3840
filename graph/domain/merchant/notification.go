package merchant

import (
	"context"
	"slices"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/notification"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	unreadIndex = "notification_store_id_read_at_id"
	maxUnread   = 100
	maxMarked   = 500
)

// Notifications lists the notifications of the store's staff, newest first, without the topics that
// the caller turned off.
func (q Query) Notifications(ctx context.Context, first *int, after *string) (*model.NotificationConnection, error) {
	hidden, err := q.hiddenTopics(ctx)
	if err != nil {
		return nil, core.Explain("notifications", err)
	}
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*model.Notification]{
		Name: "notifications",
		At:   func(n *model.Notification) page.Position { return core.ByID(n.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*model.Notification, err error) {
			rows, stopped, err = q.notices(ctx, hidden, core.Window{After: after, Limit: limit, Index: ent.Primary})
			return rows, err
		},
	}, first, after)
	if err == nil && c.Next == "" && stopped != nil {
		c.Next = c.Sign(&model.Notification{Notification: &db.Notification{ID: stopped.ID}})
	}
	return c, err
}

// notices reads notifications without the hidden topics. stopped is where the page ended before the
// limit and before the last row, nil otherwise.
func (q Query) notices(ctx context.Context, hidden []state.AlertTopic, w core.Window) (
	shown []*model.Notification, stopped *page.Position, err error,
) {
	read := func(to *page.Position) ([]*db.Notification, error) {
		query := q.Client(ctx).Notification.Query()
		if len(hidden) > 0 {
			query.Where(notification.Or(notification.TopicIsNil(), notification.TopicNotIn(hidden...)))
		}
		query.Modify(w.Apply, w.To(to))
		return query.Load(ctx)
	}
	var rows []*db.Notification
	if len(hidden) == 0 {
		rows, err = read(nil)
	} else {
		rows, stopped, err = core.Sift(w.Limit, core.ScanLimit(w.Limit), func(n int) (*page.Position, error) {
			return core.Floor(ctx, w, n, q.Client(ctx).Notification.Query())
		}, read)
	}
	return core.Map(rows, shownNotification), stopped, err
}

// hiddenTopics returns the topics whose notices the caller turned off.
func (q Query) hiddenTopics(ctx context.Context) (hidden []state.AlertTopic, err error) {
	v, err := core.Caller(ctx)
	if err != nil || !v.IsPerson() {
		return nil, err
	}
	rows, err := q.Client(ctx).Staff.Query().Where(staff.ID(v.Actor)).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	alerts, err := notify.AlertsOf(rows[0])
	for t, a := range alerts {
		if !a.Notice {
			hidden = append(hidden, t)
		}
	}
	return hidden, err
}

func shownNotification(n *db.Notification) *model.Notification {
	return &model.Notification{Notification: n}
}

// UnreadNotifications counts the unread notifications that the caller is shown, among the
// newest hundred unread ones.
func (q Query) UnreadNotifications(ctx context.Context) (int, error) {
	hidden, err := q.hiddenTopics(ctx)
	if err != nil {
		return 0, err
	}
	var rows []struct {
		Topic *state.AlertTopic `sql:"topic"`
	}
	query := q.Client(ctx).Notification.Query().Where(notification.ReadAtIsNil())
	err = query.Modify(func(s *sql.Selector) {
		ent.ForceIndex(unreadIndex)(s)
		s.Select(s.C(notification.FieldTopic)).OrderBy(sql.Desc(s.C(notification.FieldID))).Limit(maxUnread)
	}).Scan(ctx, &rows)
	shown := 0
	for _, row := range rows {
		if row.Topic == nil || !slices.Contains(hidden, *row.Topic) {
			shown++
		}
	}
	return shown, core.Explain("notifications", err)
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
