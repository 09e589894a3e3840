package notify

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// maxRecipients bounds the rows that one notice adds to its transaction. Owners come first.
const maxRecipients = 50

var pages = map[xid.Kind]string{
	xid.Order: "/orders/", xid.Product: "/products/", xid.Customer: "/customers/", xid.Export: "/exports/",
	xid.WebhookEndpoint: "/webhooks/", xid.Theme: "/themes/",
}

// Notifier writes notices that also go out by email. A nil notifier, used when no mail server is
// configured, writes to the dashboard only, so that callers need not know whether there is email.
type Notifier struct {
	root string // the address of the dashboard
}

// New returns a notifier whose emails link to the dashboard under api, which is {api_host}.
func New(api string) (*Notifier, error) {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return nil, errors.New("notify: the address of the dashboard is needed")
	}
	return &Notifier{root: strings.TrimRight(api, "/") + "/dashboard"}, nil
}

// Append writes a notice for the viewer's store, and an email to each of its owners and admins, or
// to the one person it concerns. It joins the transaction of ctx, so that all of it commits or
// nothing.
func (n *Notifier) Append(ctx context.Context, store *ent.Store, notice Notice) error {
	c := store.DB(ctx)
	if err := Append(ctx, c, notice); err != nil || n == nil {
		return err
	}
	to, err := recipients(ctx, store, notice)
	if err != nil || len(to) == 0 {
		return err
	}
	// The policy shows the viewer only their own store.
	s, err := c.Store.Query().Only(ctx)
	if err != nil {
		return fmt.Errorf("find the store of a notice: %w", err)
	}
	subject := clip(oneLine(notice.Title)+" ("+oneLine(s.Name)+")", limit.Line)
	body := notice.Body + n.link(notice) + "\n\nThis is about the store " + oneLine(s.Name) + " (" + s.Handle +
		"). You can also read it in the dashboard:\n" + n.root + "/notifications"
	if notice.Orders {
		body += "\n\nYou get emails about new orders because you handle orders. Turn them off in the settings:\n" +
			n.root + "/settings"
	}
	now := micros.Now()
	rows := make([]*db.MailCreate, len(to))
	for i, address := range to {
		rows[i] = c.Mail.Create().SetBucket(bucket.Of(s.ID)).SetDueAt(now).
			SetRecipient(address).SetSubject(subject).SetBody(body)
	}
	return fault.Wrap("write mail", c.Mail.CreateBulk(rows...).Exec(ctx))
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
		SetNillableOrderID(given(e.Order)).SetNillableNetwork(given(e.Network)).SetNillableStopURL(given(e.Stop)).
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

func recipients(ctx context.Context, store *ent.Store, n Notice) ([]string, error) {
	people := store.Aside(ctx)
	if !n.Person.IsNil() {
		return addresses(people, store.DB(people), []xid.ID{n.Person})
	}
	roles := []viewer.Role{viewer.Owner, viewer.Admin}
	if n.Developers {
		roles = append(roles, viewer.Developer)
	}
	query := store.DB(ctx).Staff.Query()
	if n.Orders {
		roles = append(roles, viewer.Support)
		query.Where(staff.OrdersMutedAtIsNil())
	}
	// In alphabetical order, owners are the last of the roles.
	ids, err := query.Where(staff.RoleIn(roles...), staff.IDNEQ(n.Except)).
		Order(db.Desc(staff.FieldRole), db.Asc(staff.FieldID)).Limit(maxRecipients).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return nil, fault.Wrap("find recipients", err)
	}
	return addresses(people, store.DB(people), ids)
}

func addresses(ctx context.Context, c *db.Client, ids []xid.ID) ([]string, error) {
	query := c.User.Query().Where(user.IDIn(ids...))
	query.Modify(func(s *sql.Selector) { s.OrderBy(s.C(user.FieldID)) })
	people, err := query.Load(ctx)
	if err != nil {
		return nil, fault.Wrap("read addresses of recipients", err)
	}
	list := make([]string, len(people))
	for i, p := range people {
		list[i] = p.Email
	}
	return list, nil
}
