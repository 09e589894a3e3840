// Package notify informs the people of a store of what they should know: a notice on
// the dashboard, written in the transaction of what happened, and mail.
//
// Mail has an outbox of its own: the same transaction writes one row for each
// recipient, and a [Sender] hands them to a mail server afterwards. What
// happened therefore never waits for a mail server, nor fails with one.
package notify

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Notice is what people read.
type Notice struct {
	Level state.NotificationLevel
	Title string // up to 255 characters
	Body  string // plain text, up to 2000 characters
	// Kind and ID name what it is about.
	Kind xid.Kind
	ID   xid.ID
	// Developers get the mail as owners and admins do: it is about what they work on.
	Developers bool
	// Orders says that it is about a new order: everybody who handles orders gets the mail,
	// unless they have switched that off.
	Orders bool
	// Person gets the mail alone when it is their own affair; nil otherwise.
	Person xid.ID
	// Except gets no mail of it: they are written to otherwise. Nil for nobody.
	Except xid.ID
}

// Letter is a mail to one person about their own affairs.
type Letter struct {
	To      string // the e-mail address
	Subject string // up to 255 characters
	Body    string // plain text
	// HTML says the same as Body for programs that show it; "" for none.
	HTML string
	// From is the name of who writes, such as a shop's; "" for the service itself. The
	// address is the service's in any case.
	From string
	// ReplyTo is where answers go; "" for nowhere.
	ReplyTo string
	// Order is the order of a shopper's email; nil for any other email. Emails of an order are
	// counted when they are sent.
	Order xid.ID
	// Network is where the order came from, as far as it is known.
	Network string
	// Stop is where a stranger stops emails of the store with one click; "" for people who
	// have paid the store, and for emails of the service.
	Stop string
	// Of is whose row the mail is until it is sent: of whom the transaction writes rows,
	// the person or the store that writes to them.
	Of xid.ID
}

// Append writes a notice for the store of the viewer on the dashboard alone. See
// [Notifier.Append] for one that goes out by mail as well.
func Append(ctx context.Context, c *db.Client, n Notice) error {
	err := c.Notification.Create().SetLevel(n.Level).SetTitle(n.Title).SetBody(n.Body).
		SetResourceType(n.Kind.Resource()).SetResourceID(n.ID).Exec(ctx)
	if err != nil {
		return fmt.Errorf("write notice: %w", err)
	}
	return nil
}
