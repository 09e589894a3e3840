package notify

import (
	"context"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
)

// topic describes a topic: the roles that handle it, how a member is informed who chose nothing,
// and its name in emails.
type topic struct {
	roles []viewer.Role
	usual document.Alert
	name  string
}

var topics = map[state.AlertTopic]topic{
	"": {roles: []viewer.Role{viewer.Owner, viewer.Admin}},
	state.AlertOrder: {[]viewer.Role{viewer.Owner, viewer.Admin, viewer.Support},
		document.Alert{Notice: true, Email: state.AlertEmailAtOnce}, "new orders"},
	state.AlertPayment: {[]viewer.Role{viewer.Owner, viewer.Admin, viewer.Support},
		document.Alert{Email: state.AlertEmailOff}, "payments"},
	state.AlertRefund: {[]viewer.Role{viewer.Owner, viewer.Admin, viewer.Support},
		document.Alert{Email: state.AlertEmailOff}, "refunds"},
	state.AlertLowStock: {[]viewer.Role{viewer.Owner, viewer.Admin, viewer.Developer, viewer.Support},
		document.Alert{Notice: true, Email: state.AlertEmailAtOnce}, "low stock"},
	state.AlertWebhook: {[]viewer.Role{viewer.Owner, viewer.Admin, viewer.Developer},
		document.Alert{Notice: true, Email: state.AlertEmailAtOnce}, "failing webhooks"},
}

// Alerts are how a member is informed, by topic.
type Alerts map[state.AlertTopic]document.Alert

// AlertsOf returns how a member is informed of the topics that their role handles. Whether emails
// about each order are on is in a column of its own, which earlier releases read and write.
func AlertsOf(m *db.Staff) (Alerts, error) {
	own, err := m.Alerts.Map()
	if err != nil {
		return nil, err
	}
	all := Alerts{}
	for name, t := range topics {
		if name == "" || !slices.Contains(t.roles, m.Role) {
			continue
		}
		a, ok := own[name]
		if !ok {
			a = t.usual
		}
		if name == state.AlertOrder {
			switch {
			case m.OrdersMutedAt == nil:
				a.Email = state.AlertEmailAtOnce
			case a.Email != state.AlertEmailDaily:
				a.Email = state.AlertEmailOff
			}
		}
		all[name] = a
	}
	return all, nil
}

// Set replaces how a member is informed of some topics, in the transaction of ctx.
func (a Alerts) Set(ctx context.Context, c *db.Client, m *db.Staff) error {
	own, err := m.Alerts.Map()
	if err != nil {
		return err
	}
	all := Alerts{}
	maps.Copy(all, own)
	maps.Copy(all, a)
	u := c.Staff.Update().Where(staff.ID(m.ID)).SetAlerts(document.NewAlerts(all))
	if order, ok := a[state.AlertOrder]; ok {
		if order.Email == state.AlertEmailAtOnce {
			u.ClearOrdersMutedAt()
		} else {
			u.SetOrdersMutedAt(micros.Now())
		}
	}
	switch daily := all.daily(); {
	case len(daily) == 0:
		u.ClearDigestAt()
	case m.DigestAt == nil:
		u.SetDigestAt(micros.Now())
	}
	return fault.Wrap("set alerts", u.Exec(ctx))
}

// daily returns the topics with a daily email.
func (a Alerts) daily() (list []state.AlertTopic) {
	for _, t := range state.AlertTopics() {
		if a[t].Email == state.AlertEmailDaily {
			list = append(list, t)
		}
	}
	return list
}

// StopAlert turns off a member's emails about a topic of the viewer's store, or their daily
// emails if the topic is "". It may be repeated, and does nothing for someone who is no member.
func StopAlert(ctx context.Context, store *ent.Store, person xid.ID, of state.AlertTopic) error {
	return fault.Wrap("stop an alert", store.InTx(ctx, func(ctx context.Context) error {
		c := store.DB(ctx)
		query := c.Staff.Query().Where(staff.ID(person))
		query.Modify(ent.ForUpdate)
		rows, err := query.Load(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		now, err := AlertsOf(rows[0])
		if err != nil {
			return err
		}
		stopped := Alerts{}
		for t, a := range now {
			if a.Email != state.AlertEmailOff && (t == of || of == "" && a.Email == state.AlertEmailDaily) {
				a.Email = state.AlertEmailOff
				stopped[t] = a
			}
		}
		if len(stopped) == 0 {
			return nil
		}
		if err := stopped.Set(ctx, c, rows[0]); err != nil {
			return err
		}
		return audit.Write(ctx, c, "staff.set_alerts", xid.User, person, "by a link in an email")
	}))
}
