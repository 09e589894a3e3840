package access

import (
	"cmp"
	"context"
	"errors"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/credential"
	"github.com/storefront-go/storefront/ent/db/invitation"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/lib/password"
)

// Invited is an invitation as the holder of its link sees it.
type Invited struct {
	*db.Invitation
	Shop    string   // the store's name
	Account *db.User // the account with the address at present, or nil
}

// TakesOver reports whether accepting takes over an account with the address that was never
// confirmed. Only an emailed link proves control of the address.
func (i *Invited) TakesOver() bool {
	return i.Mailed && i.Account != nil && i.Account.VerifiedAt == nil
}

// Invited returns the invitation of a link. The bearer may be a stranger. It returns NotFound for
// unknown, ended and expired invitations, and if the store is not open.
func (r *Resolver) Invited(ctx context.Context, token string) (*Invited, error) {
	sum, ok := digest.OfToken(token)
	if !ok {
		return nil, fault.Missing("invitation")
	}
	link, err := core.Row(ctx, r.Client(ctx).Credential.Query().
		Where(credential.ID(sum), credential.Kind(inviteKind)))
	if err != nil {
		return nil, core.Explain("invitation", err)
	}
	ctx = viewer.Operator(ctx, link.StoreID)
	row, err := r.openInvitation(ctx, link.CredentialID, ent.NoLock)
	if err != nil {
		return nil, core.Explain("invitation", err)
	}
	shop, err := r.CurrentStore(ctx)
	if err == nil && shop.Status != state.StoreOpen {
		err = core.ErrNoRow
	}
	if err != nil {
		return nil, core.Explain("invitation", err)
	}
	account, err := r.personAt(ctx, row.Email)
	if err != nil && !errors.Is(err, core.ErrNoRow) {
		return nil, core.Explain("person", err)
	}
	return &Invited{Invitation: row, Shop: shop.Name, Account: account}, nil
}

func (r *Resolver) openInvitation(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.Invitation, error) {
	return core.Row(ctx, r.Client(ctx).Invitation.Query().
		Where(invitation.ID(id), invitation.PendingNotNil(), invitation.ExpiresAtGT(micros.Now())), lock)
}

// Decline ends an invitation by its link, without an account.
func (r *Resolver) Decline(ctx context.Context, token string) error {
	i, err := r.Invited(ctx, token)
	if err != nil {
		return err
	}
	return r.Commit(viewer.Operator(ctx, i.StoreID), xid.Invitation, func(ctx context.Context) (*change.Record, error) {
		ours, err := r.endInvitation(ctx, i.ID, state.InvitationDeclined)
		if err != nil || !ours {
			return nil, err
		}
		return &change.Record{Action: "invitation.decline", Kind: xid.Invitation, ID: i.ID},
			r.announceAnswer(ctx, i.Invitation, i.Email+" has declined the invitation.")
	})
}

// Accept makes a signed-in person a member of the inviting store. It refuses people whose address
// is not the invited one.
func (r *Resolver) Accept(ctx context.Context, token string, person xid.ID) error {
	i, err := r.Invited(ctx, token)
	if err != nil {
		return err
	}
	var entry *task.Result
	err = r.personal(viewer.Operator(ctx, i.StoreID), func(ctx context.Context) error {
		who, err := core.Row(ctx, r.Client(ctx).User.Query().Where(user.ID(person)), ent.ForUpdate)
		if err != nil {
			return err
		}
		if who.Email != i.Email {
			return fault.New(fault.Forbidden, "The invitation is for "+i.Email+".")
		}
		if i.Mailed && who.VerifiedAt == nil {
			if err := r.verified(ctx, who.ID); err != nil {
				return err
			}
		}
		entry, err = r.putEntry(ctx, i, who)
		return err
	})
	return cmp.Or(err, entry.Err())
}

// AcceptNew creates an account with the invited address and makes it a member. If the link was
// emailed, it takes over an existing account whose address was never confirmed; people with other
// accounts must sign in.
func (r *Resolver) AcceptNew(ctx context.Context, token, name, text string) (email string, err error) {
	i, err := r.Invited(ctx, token)
	if err != nil {
		return "", err
	}
	c := &core.Check{}
	c.Name("name", name, limit.Line)
	checkPassword(c, "password", text, &db.User{Email: i.Email, Name: name})
	if err := c.Err(); err != nil {
		return "", err
	}
	hash, err := password.Hash(ctx, text)
	if err != nil {
		return "", core.Explain("password", err)
	}
	var entry *task.Result
	err = r.personal(viewer.Operator(ctx, i.StoreID), func(ctx context.Context) error {
		who, err := r.newOrTaken(ctx, i, name, hash)
		if err != nil {
			return err
		}
		entry, err = r.putEntry(ctx, i, who)
		return err
	})
	return i.Email, cmp.Or(err, entry.Err())
}

func (r *Resolver) newOrTaken(ctx context.Context, i *Invited, name, hash string) (*db.User, error) {
	who, err := r.personAt(r.Store.Aside(ctx), i.Email)
	if err == nil && r.Store.Sharded() {
		who, err = r.personAt(ctx, i.Email) // on the person's shard, and locked
	}
	switch {
	case errors.Is(err, core.ErrNoRow):
		who, err = r.createPerson(ctx, Person{Email: i.Email, Name: name, PasswordHash: hash})
		if err == nil && i.Mailed {
			err = r.verified(ctx, who.ID)
		}
		if err == nil {
			err = audit.Account(ctx, r.Client(ctx), who.ID, state.AccountMade, "")
		}
		return who, err
	case err != nil:
		return nil, err
	case i.Mailed && who.VerifiedAt == nil:
		who.Name = name
		return who, r.takeOver(ctx, who.ID, name, hash)
	}
	return nil, core.Invalid("name", fault.Taken,
		"This address already has an account. Sign in, then open the invitation again.")
}

// EntryTask makes a person a member of the inviting store. The person is the home of the task.
const EntryTask task.Kind = "access.enter"

type entry struct {
	Invitation []byte `json:"invitation"`
}

// putEntry adds the [EntryTask] of an accepted invitation to the transaction of ctx, which writes
// rows of the person.
func (r *Resolver) putEntry(ctx context.Context, i *Invited, who *db.User) (*task.Result, error) {
	return r.Tasks.Put(ctx, EntryTask, who.ID, i.StoreID, entry{i.ID[:]})
}

// Enter runs an [EntryTask]: it ends the invitation and writes the membership with its record. The
// person is the actor, not the operator.
func (r *Resolver) Enter(ctx context.Context, t task.Task) error {
	var e entry
	if err := t.Read(&e); err != nil {
		return err
	}
	who, err := r.user(r.Store.Aside(ctx), t.Home)
	if err != nil {
		return core.Explain("person", err)
	}
	// An account that was taken over must leave the store before it joins again.
	if err := r.Tasks.Before(ctx, t, LeaveTask); err != nil {
		return err
	}
	i, err := r.openInvitation(viewer.Operator(ctx, t.Target), xid.ID(e.Invitation), ent.ForUpdate)
	if err != nil {
		return core.Explain("invitation", err)
	}
	ctx = viewer.With(ctx, &viewer.Viewer{Kind: viewer.Staff, Store: t.Target, Actor: who.ID, Principal: who.ID,
		Name: who.Name, Role: i.Role, Granted: i.Role.Scopes(), Scopes: i.Role.Scopes().Effective()})
	return r.Commit(ctx, xid.User, func(ctx context.Context) (*change.Record, error) {
		if _, err := r.endInvitation(ctx, i.ID, state.InvitationAccepted); err != nil {
			return nil, err
		}
		row, err := r.join(ctx, who.ID, i.Role)
		if err != nil {
			return nil, err
		}
		made, text := r.members().Created(row, "staff.join", string(i.Role)),
			who.Name+" ("+i.Email+") accepted the invitation and is "+roleName(i.Role)+" now."
		if i.Role == viewer.Owner {
			return made, r.announceOwner(ctx, who.ID, text)
		}
		return made, r.announceAnswer(ctx, i, text)
	})
}

// announceAnswer notifies the staff about the answer to an invitation, by email as well if it is
// for an owner.
func (r *Resolver) announceAnswer(ctx context.Context, i *db.Invitation, text string) error {
	n := notify.Notice{Level: state.NotificationInfo, Title: "An invitation was answered", Body: text,
		Kind: xid.Invitation, ID: i.ID}
	var err error
	if i.Role == viewer.Owner {
		n.Title = "An owner invitation was answered"
		err = r.Notifier.Append(ctx, r.Store, n)
	} else {
		err = notify.Append(ctx, r.Client(ctx), n)
	}
	return fault.Wrap("notify of an invitation", err)
}
