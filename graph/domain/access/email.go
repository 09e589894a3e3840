package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// linkEmails limits the emails with links, per purpose and address, person or invitation.
var linkEmails = ratelimit.Rate{Burst: 3, Every: 20 * time.Minute}

// countLink counts an email with a link. Beyond the limit it returns the refusal as a fault.
func (r *Resolver) countLink(ctx context.Context, purpose, of, refusal string) error {
	wait, err := ratelimit.Take(ctx, r.Store, ratelimit.Key(purpose, of), linkEmails)
	if err == nil && wait > 0 {
		err = fault.State(fault.LimitReached, refusal)
	}
	return err
}

// countInvitation counts the email of an invitation before its transaction, if there is a mail
// server.
func (r *Resolver) countInvitation(ctx context.Context, id xid.ID) error {
	if !r.Notifier.Sends() {
		return nil
	}
	err := r.Within(ctx, limit.MailsPerDay, 24*time.Hour, viewer.From(ctx).Store)
	if err == nil {
		err = r.countLink(ctx, "invitation", id.String(), "This invitation was sent several times. Try again later.")
	}
	return core.Explain("invitation", err)
}

func (r *Resolver) emailInvitation(ctx context.Context, row *db.Invitation, address string) error {
	if !r.Notifier.Sends() {
		return nil
	}
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return err
	}
	// The recipient may be a stranger, and users chose the names.
	name, inviter := notify.Unlink(shop.Name), notify.Unlink(inviterOf(row))
	stop := r.APIHost + link.StopRoot + r.Links.StopToken(row.StoreID, notify.Address(row.Email))
	return r.Notifier.Send(ctx, r.Client(ctx), notify.Email{To: row.Email, Of: row.StoreID, Stop: stop,
		Subject: name + " invites you",
		Body: fmt.Sprintf("%s invites you to the store %s as %s.\n\nView the invitation and respond to it "+
			"here by %s:\n%s\n\nAnyone with this link can respond for you, so do not share it. If you do not know "+
			"the store, you can ignore this email. To stop emails from this store, open\n%s\n",
			inviter, name, roleName(row.Role), day(row.ExpiresAt.Time()), address, stop)})
}

func inviterOf(row *db.Invitation) string {
	if row.InviterID == nil {
		return "The operator of the service"
	}
	return row.InviterName
}

// emailPerson emails a person about their account. of is the owner of the rows that the transaction
// of ctx writes: the person, or a store.
func (r *Resolver) emailPerson(ctx context.Context, to string, of xid.ID, subject, body string) error {
	return r.Notifier.Send(ctx, r.Client(ctx), notify.Email{To: to, Of: of, Subject: subject,
		Body: body + "\n\nThis is about your account at\n" + r.APIHost + "\n"})
}

func (r *Resolver) warn(ctx context.Context, of xid.ID, p *db.User, subject, what string) error {
	body := what
	if from := viewer.OriginOf(ctx); from.Address() != nil {
		body += "\n\nThe request came from the address " + *from.Address()
		if from.Program() != nil {
			body += ", with " + *from.Program()
		}
		body += "."
	}
	body += "\n\nIf this was not you, set a new password now: " + r.APIHost + ForgotPath
	return r.emailPerson(ctx, p.Email, of, subject, body)
}

// WarnOfBrowser emails a person that a new browser signed in to their account, in the transaction
// of ctx.
func (r *Resolver) WarnOfBrowser(ctx context.Context, person xid.ID) error {
	return r.warnOf(ctx, person, person, "A new browser signed in to your account",
		"Someone signed in to your account from a new browser.")
}

// warnOf is warn for a person by id. Without a mail server it does nothing.
func (r *Resolver) warnOf(ctx context.Context, of, person xid.ID, subject, what string) error {
	if !r.Notifier.Sends() {
		return nil
	}
	there := ctx
	if of != person { // the transaction writes rows of a store
		there = r.Store.Aside(ctx)
	}
	p, err := r.user(there, person)
	if err != nil {
		return err
	}
	return r.warn(ctx, of, p, subject, what)
}

// announceOwner notifies the other staff of the viewer's store about a new owner; text says how.
// The owner gets a separate email.
func (r *Resolver) announceOwner(ctx context.Context, person xid.ID, text string) error {
	err := r.Notifier.Append(ctx, r.Store, notify.Notice{Level: state.NotificationWarning,
		Title: "The store has a new owner", Body: text, Kind: xid.User, ID: person, Except: person})
	if err != nil || !r.Notifier.Sends() {
		return err
	}
	p, err := r.user(ctx, person)
	if err != nil {
		return err
	}
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return err
	}
	return r.emailPerson(ctx, p.Email, shop.ID, "You are an owner of "+shop.Name,
		"You are an owner of the store "+shop.Name+" now. Owners have full access.")
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 MST") }

// roleName returns a role with its article: "an Admin".
func roleName(role viewer.Role) string {
	name := strings.ToUpper(string(role[:1])) + string(role[1:])
	if strings.ContainsRune("AO", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
