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

// linkMails is how often links to one address are mailed (issue of a link for each
// purpose).
var linkMails = ratelimit.Rate{Burst: 3, Every: 20 * time.Minute}

// countLink counts a mail with a link: a refusal is the contract's.
func (r *Resolver) countLink(ctx context.Context, purpose, of, refusal string) error {
	wait, err := ratelimit.Take(ctx, r.Store, ratelimit.Key(purpose, of), linkMails)
	if err == nil && wait > 0 {
		err = fault.State(fault.LimitReached, refusal)
	}
	return err
}

// countInvitation counts, before its transaction, that an invitation is mailed, where there is
// a mail server.
func (r *Resolver) countInvitation(ctx context.Context, id xid.ID) error {
	if !r.Notifier.Sends() {
		return nil
	}
	err := r.Within(ctx, limit.MailsPerDay, 24*time.Hour, viewer.From(ctx).Store)
	if err == nil {
		err = r.countLink(ctx, "invitation", id.String(), "This invitation was sent several times within the hour.")
	}
	return core.Explain("invitation", err)
}

// mailInvitation sends the link of an invitation to the address, where there is a mail
// server.
func (r *Resolver) mailInvitation(ctx context.Context, row *db.Invitation, address string) error {
	if !r.Notifier.Sends() {
		return nil
	}
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return err
	}
	// The recipient may be a stranger, and the names are what others chose.
	name, inviter := notify.Unlink(shop.Name), notify.Unlink(inviterOf(row))
	stop := r.APIHost + link.StopRoot + r.Links.StopToken(row.StoreID, notify.Address(row.Email))
	return r.Notifier.Send(ctx, r.Client(ctx), notify.Letter{To: row.Email, Of: row.StoreID, Stop: stop,
		Subject: name + " invites you",
		Body: fmt.Sprintf("%s invites you to the store %s as %s.\n\nRead the invitation and answer it here, "+
			"until %s:\n%s\n\nWhoever holds this link can answer in your place: do not pass it on. If you know "+
			"nothing of the store, you need not do anything. To get no more emails of it, open\n%s\n",
			inviter, name, roleName(row.Role), day(row.ExpiresAt.Time()), address, stop)})
}

// inviterOf names who invites.
func inviterOf(row *db.Invitation) string {
	if row.InviterID == nil {
		return "Whoever runs the service"
	}
	return row.InviterName
}

// mailPerson writes to a person about their account. Of is whose rows the transaction of ctx
// writes: the person, or a store.
func (r *Resolver) mailPerson(ctx context.Context, to string, of xid.ID, subject, body string) error {
	return r.Notifier.Send(ctx, r.Client(ctx), notify.Letter{To: to, Of: of, Subject: subject,
		Body: body + "\n\nThis is about your account at\n" + r.APIHost + "\n"})
}

// warn writes to a person that something about their account has changed, with where
// it came from.
func (r *Resolver) warn(ctx context.Context, of xid.ID, p *db.User, subject, what string) error {
	body := what
	if from := viewer.OriginOf(ctx); from.Address() != nil {
		body += "\n\nIt came from the address " + *from.Address()
		if from.Program() != nil {
			body += ", with " + *from.Program()
		}
		body += "."
	}
	body += "\n\nIf it was not you, set a new password at once: " + r.APIHost + ForgotPath
	return r.mailPerson(ctx, p.Email, of, subject, body)
}

// WarnOfBrowser writes to a person that they signed in with a browser that is new to
// their account, in the transaction of ctx.
func (r *Resolver) WarnOfBrowser(ctx context.Context, person xid.ID) error {
	return r.warnOf(ctx, person, person, "A new browser signed in to your account",
		"Somebody signed in to your account with a browser that never did before.")
}

// warnOf is warn for a person by their id. Without a mail server nothing is read.
func (r *Resolver) warnOf(ctx context.Context, of, person xid.ID, subject, what string) error {
	if !r.Notifier.Sends() {
		return nil
	}
	there := ctx
	if of != person { // the transaction is of a store's
		there = r.Store.Aside(ctx)
	}
	p, err := r.user(there, person)
	if err != nil {
		return err
	}
	return r.warn(ctx, of, p, subject, what)
}

// announceOwner tells everybody who runs the viewer's store that it has a new owner: the
// text says how. They themselves get a mail of their own.
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
	return r.mailPerson(ctx, p.Email, shop.ID, "You are an owner of "+shop.Name,
		"You are an owner of the store "+shop.Name+" from now on: you may do everything there.")
}

// day is a time as mails have it.
func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 MST") }

// roleName is a role as a sentence has it: "an Admin".
func roleName(role viewer.Role) string {
	name := strings.ToUpper(string(role[:1])) + string(role[1:])
	if strings.ContainsRune("AO", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
