package notify

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/notification"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// maxRecipients bounds the rows that one notice adds to its transaction. Owners come first.
const maxRecipients = 50

// maxMembers bounds the members whose choices are read for one notice.
const maxMembers = 200

// dashboardPath is where the dashboard is, below {api_host}.
const dashboardPath = "/dashboard"

var pages = map[xid.Kind]string{
	xid.Order: "/orders/", xid.Product: "/products/", xid.Customer: "/customers/", xid.Export: "/exports/",
	xid.WebhookEndpoint: "/webhooks/", xid.Theme: "/themes/",
}

// Notifier writes notices that also go out by email. A nil notifier, used when no mail server is
// configured, writes to the dashboard only, so that callers need not know whether there is email.
type Notifier struct {
	root  string // the address of the dashboard
	links *link.Signer
}

// New returns a notifier whose emails link to the dashboard under api, which is {api_host}.
func New(api string) (*Notifier, error) {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return nil, errors.New("notify: the address of the dashboard is needed")
	}
	return &Notifier{root: strings.TrimRight(api, "/") + dashboardPath}, nil
}

// UseLinks gives the notifier what signs the links that stop emails to staff. Without it, their
// emails have none.
func (n *Notifier) UseLinks(links *link.Signer) {
	if n != nil {
		n.links = links
	}
}

// Append writes a notice for the viewer's store, and an email to each person who gets one at once:
// those who chose so for its topic, the owners and admins without a topic, or the one person it
// concerns. If nobody chose its topic, it writes nothing. It joins the transaction of ctx, so that
// all of it commits or nothing.
func (n *Notifier) Append(ctx context.Context, store *ent.Store, notice Notice) error {
	ids, wanted, err := audience(ctx, store, notice)
	if err != nil || !wanted {
		return err
	}
	c := store.DB(ctx)
	if many, err := crowded(ctx, c, &notice); err != nil || many {
		return err
	}
	if err := Append(ctx, c, notice); err != nil || n == nil || len(ids) == 0 {
		return err
	}
	people, err := peopleOf(ctx, store, ids)
	if err != nil || len(people) == 0 {
		return err
	}
	// The policy shows the viewer only their own store.
	s, err := c.Store.Query().Only(ctx)
	if err != nil {
		return fmt.Errorf("find the store of a notice: %w", err)
	}
	subject := clip(oneLine(notice.Title)+" ("+oneLine(s.Name)+")", limit.Line)
	now := micros.Now()
	rows := make([]*db.MailCreate, len(people))
	for i, p := range people {
		rows[i] = c.Mail.Create().SetBucket(bucket.Of(s.ID)).SetDueAt(now).SetRecipient(p.Email).SetSubject(subject)
		body := notice.Body + n.link(notice)
		if notice.Topic == "" {
			rows[i].SetBody(body + n.ending(s, "", ""))
			continue
		}
		stop := n.stopURL(s.ID, p.ID, notice.Topic)
		rows[i].SetBody(body + n.ending(s, topics[notice.Topic].name, stop)).SetNillableStopURL(given(stop))
	}
	return fault.Wrap("write mail", c.Mail.CreateBulk(rows...).Exec(ctx))
}

// crowded reports whether enough notices of a topic were written within the hour. The last one
// before that says so. New orders are counted before their transaction, and webhooks are
// suspended.
func crowded(ctx context.Context, c *db.Client, n *Notice) (bool, error) {
	switch n.Topic {
	case "", state.AlertOrder, state.AlertWebhook:
		return false, nil
	}
	query := c.Notification.Query().Where(notification.TopicEQ(n.Topic),
		notification.IDGT(xid.First(micros.Now().Add(-time.Hour))))
	recent, err := query.Limit(limit.OrderNews).IDs(ctx)
	if len(recent) == limit.OrderNews-1 {
		n.Body += "\n\nFurther notifications about " + topics[n.Topic].name + " pause for up to an hour."
	}
	return len(recent) == limit.OrderNews, fault.Wrap("count notices", err)
}

// ending says where an email comes from, and how to stop emails about what it is about.
func (n *Notifier) ending(s *db.Store, about, stop string) string {
	text := "\n\nThis is about the store " + oneLine(s.Name) + " (" + s.Handle +
		"). You can also read it in the dashboard:\n" + n.root + "/notifications"
	if about != "" {
		text += "\n\nYou chose emails about " + about + ". Change this in the dashboard:\n" + n.root +
			"/notifications/settings"
	}
	if stop != "" {
		text += "\n\nStop these emails:\n" + stop
	}
	return text
}

// stopURL returns the link that stops a member's emails about a topic, "" without a signer.
func (n *Notifier) stopURL(store, person xid.ID, of state.AlertTopic) string {
	if n.links == nil {
		return ""
	}
	return strings.TrimSuffix(n.root, dashboardPath) + link.AlertStopRoot +
		n.links.AlertToken(store, person, 1+slices.Index(state.AlertTopics(), of))
}

// Sends reports whether emails are sent at all.
func (n *Notifier) Sends() bool { return n != nil }

// Send writes an email in the transaction of ctx. Without a mail server it does nothing, so check
// [Notifier.Sends] first if the email is the only way to reach the person.
func (n *Notifier) Send(ctx context.Context, c *db.Client, e Email) error {
	if n == nil {
		return nil
	}
	err := c.Mail.Create().SetBucket(bucket.Of(e.Of)).SetDueAt(micros.Now()).SetRecipient(e.To).
		SetSubject(clip(oneLine(e.Subject), limit.Line)).SetBody(e.Body).SetNillableHTML(given(e.HTML)).
		SetNillableSenderName(given(clip(oneLine(e.From), limit.Line))).SetNillableReplyTo(given(e.ReplyTo)).
		SetNillableOrderID(given(e.Order)).SetNillableEmail(given(e.About)).
		SetNillableNetwork(given(e.Network)).SetNillableStopURL(given(e.Stop)).
		Exec(viewer.Operator(ctx, e.Of))
	return fault.Wrap("write an email", err)
}

// given returns nil for a zero value.
func given[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

func (n *Notifier) link(notice Notice) string {
	page := pages[notice.Kind]
	if page == "" || notice.ID.IsNil() {
		return ""
	}
	return "\n\n" + n.root + page + notice.Kind.Format(notice.ID)
}

// audience returns the people who get an email at once, and whether the notice is written.
func audience(ctx context.Context, store *ent.Store, n Notice) (to []xid.ID, wanted bool, err error) {
	if !n.Person.IsNil() {
		return []xid.ID{n.Person}, true, nil
	}
	of := topics[n.Topic]
	roles := of.roles
	if n.Developers {
		roles = append(slices.Clone(roles), viewer.Developer)
	}
	query := store.DB(ctx).Staff.Query().Where(staff.RoleIn(roles...))
	query.Modify(func(s *sql.Selector) { // in alphabetical order, owners are the last of the roles
		s.OrderBy(sql.Desc(s.C(staff.FieldRole)), s.C(staff.FieldID)).Limit(maxMembers)
	})
	members, err := query.Load(ctx)
	if err != nil {
		return nil, false, fault.Wrap("find recipients", err)
	}
	wanted = n.Topic == "" || of.usual.Notice
	for _, m := range members {
		alerts, err := AlertsOf(m)
		if err != nil {
			return nil, false, err
		}
		a := alerts[n.Topic]
		wanted = wanted || a.Notice || a.Email != state.AlertEmailOff
		atOnce := n.Topic == "" || a.Email == state.AlertEmailAtOnce
		if atOnce && m.ID != n.Except && len(to) < maxRecipients {
			to = append(to, m.ID)
		}
	}
	return to, wanted, nil
}

// peopleOf returns people by id.
func peopleOf(ctx context.Context, store *ent.Store, ids []xid.ID) ([]*db.User, error) {
	there := store.Aside(ctx)
	query := store.DB(there).User.Query().Where(user.IDIn(ids...))
	query.Modify(func(s *sql.Selector) { s.OrderBy(s.C(user.FieldID)) })
	people, err := query.Load(there)
	return people, fault.Wrap("read addresses of recipients", err)
}
