// Package notify informs the people of a store: by a notice on the dashboard, written in the
// transaction of the event, and by email.
//
// Emails have an outbox of their own. The same transaction writes one row for each recipient, and a
// [Sender] hands them to a mail server afterwards, so the transaction never waits for a mail server
// nor fails with one.
package notify

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Notice is a message to the people of a store.
type Notice struct {
	Level state.NotificationLevel
	Title string // up to 255 characters
	Body  string // plain text, up to 2000 characters
	// Kind and ID name the resource that the notice is about.
	Kind xid.Kind
	ID   xid.ID
	// Topic is what the notice is about, if people choose how they are informed of it. Without a
	// topic, owners and admins get the email.
	Topic state.AlertTopic
	// Developers get the email of a notice without a topic too.
	Developers bool
	// Person is the only recipient of the email if the notice is about their own affairs; nil
	// otherwise.
	Person xid.ID
	// Except gets no email, because they are informed otherwise; nil for none.
	Except xid.ID
}

// Email is an email to one person about their own affairs.
type Email struct {
	To      string // the email address
	Subject string // up to 255 characters
	Body    string // plain text
	// HTML is the same text for programs that show HTML; "" for none.
	HTML string
	// From is the name of the sender, such as a shop; "" for the service itself. The address is
	// always the service's.
	From string
	// ReplyTo is the address for replies; "" for none.
	ReplyTo string
	// Order is the order of a shopper's email; nil for any other email. Emails about an order are
	// counted when they are sent.
	Order xid.ID
	// About is what an email about an order reports.
	About state.OrderEmail
	// Network is the network that the order came from, if known.
	Network string
	// Stop is a link with which the recipient stops the store's emails in one click; "" for people
	// who have paid the store, and for emails of the service.
	Stop string
	// Of is the owner of the row until the email is sent: the owner whose rows the transaction
	// writes, which is the person or the store that writes to them.
	Of xid.ID
}

// Append writes a notice for the viewer's store to the dashboard only. [Notifier.Append] sends
// emails as well.
func Append(ctx context.Context, c *db.Client, n Notice) error {
	return fault.Wrap("write notice", c.Notification.Create().SetLevel(n.Level).SetTitle(n.Title).SetBody(n.Body).
		SetNillableTopic(given(n.Topic)).SetResourceType(n.Kind.Resource()).SetResourceID(n.ID).Exec(ctx))
}
