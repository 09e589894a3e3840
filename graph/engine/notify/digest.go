package notify

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/notification"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// digestHour is when a day of digests ends, in the time zone of the store.
	digestHour = 8
	// digestLines is how many notifications a digest lists, and digestText how many characters of
	// each.
	digestLines = 100
	digestText  = 300
)

// SendDigests emails the members of all stores who chose daily emails what happened since the last
// one, and returns how many it emailed. Each day has one, however many processes run at once.
func SendDigests(ctx context.Context, s *ent.Store, n *Notifier) (total int, err error) {
	if n == nil {
		return 0, nil
	}
	total, err = s.SumStores(ctx, func(ctx context.Context) (int, error) { return digestsOf(ctx, s, n) })
	return total, fault.Wrap("send digests", err)
}

func digestsOf(ctx context.Context, s *ent.Store, n *Notifier) (sent int, err error) {
	query := s.DB(ctx).Staff.Query().Where(staff.DigestAtNotNil()).Limit(reminderBatch)
	query.Modify(func(s *sql.Selector) { s.OrderBy(s.C(staff.FieldDigestAt)) }) // those who are due come first
	members, err := query.Load(ctx)
	if err != nil || len(members) == 0 {
		return 0, err
	}
	shop, err := s.DB(ctx).Store.Query().Only(ctx)
	if err != nil || shop.Status != state.StoreOpen {
		return 0, err
	}
	end, err := endOfDigest(micros.Now(), shop.Timezone)
	if err != nil {
		return 0, err
	}
	for _, m := range members {
		if *m.DigestAt >= end {
			continue
		}
		ok, err := n.digest(ctx, s, shop, m, end)
		if err != nil {
			return sent, err
		}
		if ok {
			sent++
		}
	}
	return sent, nil
}

// endOfDigest returns when the last day of digests ended.
func endOfDigest(now micros.Time, zone string) (micros.Time, error) {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return 0, fmt.Errorf("time zone %s: %w", zone, err)
	}
	t := now.Time().In(place)
	end := time.Date(t.Year(), t.Month(), t.Day(), digestHour, 0, 0, 0, place)
	if end.After(t) {
		end = time.Date(t.Year(), t.Month(), t.Day()-1, digestHour, 0, 0, 0, place)
	}
	return micros.Of(end), nil
}

// digest marks a member's day and emails what happened, unless another process did.
func (n *Notifier) digest(ctx context.Context, s *ent.Store, shop *db.Store, m *db.Staff, end micros.Time) (
	sent bool, err error,
) {
	err = s.InTx(ctx, func(ctx context.Context) error {
		sent = false
		c := s.DB(ctx)
		marked, err := c.Staff.Update().Where(staff.ID(m.ID), staff.DigestAt(*m.DigestAt)).SetDigestAt(end).Save(ctx)
		if err != nil || marked == 0 {
			return err
		}
		alerts, err := AlertsOf(m)
		if err != nil {
			return err
		}
		query := c.Notification.Query().Where(notification.TopicIn(alerts.daily()...),
			notification.IDGTE(xid.First(*m.DigestAt)), notification.IDLT(xid.First(end)))
		query.Modify(func(s *sql.Selector) { s.OrderBy(s.C(notification.FieldID)).Limit(digestLines + 1) })
		rows, err := query.Load(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		people, err := peopleOf(ctx, s, []xid.ID{m.ID})
		if err != nil || len(people) == 0 {
			return err
		}
		sent = true
		stop := n.stopURL(shop.ID, m.ID, "")
		return n.Send(ctx, c, Email{To: people[0].Email, Of: shop.ID, Stop: stop,
			Subject: "Daily summary: " + amountOf(rows) + " (" + oneLine(shop.Name) + ")",
			Body:    n.digestBody(rows) + n.ending(shop, "a daily summary", stop)})
	})
	return sent, err
}

func amountOf(rows []*db.Notification) string {
	switch n := len(rows); {
	case n == 1:
		return "1 notification"
	case n > digestLines:
		return "more than " + strconv.Itoa(digestLines) + " notifications"
	default:
		return strconv.Itoa(n) + " notifications"
	}
}

func (n *Notifier) digestBody(rows []*db.Notification) string {
	var b strings.Builder
	for _, row := range rows[:min(len(rows), digestLines)] {
		notice := Notice{}
		if row.ResourceType != nil && row.ResourceID != nil {
			notice.Kind, notice.ID = xid.KindOf(*row.ResourceType), *row.ResourceID
		}
		b.WriteString(row.Title + "\n" + clip(row.Body, digestText) + n.link(notice) + "\n\n\n")
	}
	if len(rows) > digestLines {
		b.WriteString("The dashboard lists all notifications.\n\n\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
