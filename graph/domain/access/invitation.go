package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/credential"
	"github.com/storefront-go/storefront/ent/db/invitation"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// invitationLife is how long an invitation can be accepted (contract, section 12).
	invitationLife = 7 * 24 * time.Hour
	inviteKind     = "invite"
	pendingIndex   = "invitation_store_id_pending"
)

// Invitations lists the invitations of the store, including ended ones, newest first.
func (q Query) Invitations(ctx context.Context, first *int, after *string) (*model.InvitationConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Invitation]{
		Name: "invitations",
		At:   func(i *model.Invitation) page.Position { return core.ByID(i.ID) },
		Read: core.ReadNewest(ent.Primary, q.Client(ctx).Invitation.Query, shownInvitation),
	}, first, after)
}

func shownInvitation(i *db.Invitation) *model.Invitation { return &model.Invitation{Invitation: i} }

// StaffInvite invites a person to the store. With a mail server the link is emailed to the address
// and not shown; without one it is only in this answer. The person joins by opening the link,
// signing in and accepting.
func (m Mutation) StaffInvite(ctx context.Context, in model.StaffInviteInput) (*model.InvitationPayload, error) {
	c := &core.Check{}
	email := c.Email("email", in.Email)
	checkRole(c, "role", in.Role)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := ownersOnly(ctx, in.Role); err != nil {
		return nil, err
	}
	id := xid.New()
	if err := m.countInvitation(ctx, id); err != nil {
		return nil, err
	}
	var row *db.Invitation
	var link string
	err := m.commitHeld(ctx, xid.Invitation, func(ctx context.Context) (_ *change.Record, err error) {
		if err = m.roomForInvitation(ctx, email); err != nil {
			return nil, err
		}
		if row, link, err = m.invite(ctx, id, email, in.Role); err != nil {
			return nil, err
		}
		return &change.Record{Action: "staff.invite", Kind: xid.Invitation, ID: row.ID,
			Detail: string(in.Role)}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.InvitationPayload{Invitation: shownInvitation(row), Link: m.shownLink(link)}, nil
}

// roomForInvitation refuses to invite a person who is a member or already invited, and more than
// the limit of pending invitations. It first ends expired invitations.
func (m Mutation) roomForInvitation(ctx context.Context, email string) error {
	switch person, err := m.personAt(m.Store.Aside(ctx), email); {
	case err == nil:
		if _, err = m.membership(ctx, person.ID); err == nil {
			return core.Invalid("email", fault.Taken, "This person already belongs to the store.")
		} else if !errors.Is(err, core.ErrNoRow) {
			return err
		}
	case !errors.Is(err, core.ErrNoRow):
		return err
	}
	if err := m.endInvitations(ctx, invitation.ExpiresAtLTE(micros.Now()), state.InvitationExpired); err != nil {
		return err
	}
	return m.Room(ctx, limit.Invitations, pendingIndex,
		core.FindIn(ctx, m.Client(ctx).Invitation.Query().Where(invitation.PendingNotNil())))
}

// Invite writes an invitation to the viewer's store and its link in the transaction of ctx. Callers
// must check authorization.
func (r *Resolver) Invite(ctx context.Context, email string, role viewer.Role) (*db.Invitation, string, error) {
	return r.invite(ctx, xid.New(), email, role)
}

func (r *Resolver) invite(ctx context.Context, id xid.ID, email string, role viewer.Role,
) (*db.Invitation, string, error) {
	v := viewer.From(ctx)
	create := r.Client(ctx).Invitation.Create().SetID(id).SetEmail(email).SetPending(email).SetRole(role).
		SetInviterName(v.Name).SetMailed(r.Notifier.Sends()).SetExpiresAt(micros.Now().Add(invitationLife))
	if v.IsPerson() {
		create.SetInviterID(v.Actor)
	}
	row, err := create.Save(ctx)
	if ent.IsDuplicate(err) {
		return nil, "", core.Invalid("email", fault.Taken,
			"This person is already invited. Send that invitation again, or withdraw it.")
	}
	if err != nil {
		return nil, "", fmt.Errorf("write invitation: %w", err)
	}
	link, err := r.linkTo(ctx, row)
	return row, link, err
}

// linkTo creates the link of an invitation, and emails it if there is a mail server. An earlier
// link becomes invalid.
func (r *Resolver) linkTo(ctx context.Context, row *db.Invitation) (string, error) {
	if err := r.forget(ctx, row.ID); err != nil {
		return "", err
	}
	token := digest.NewToken()
	err := r.Client(ctx).Credential.Create().SetID(digest.Of([]byte(token))).SetStoreID(row.StoreID).
		SetCredentialID(row.ID).SetKind(inviteKind).Exec(ctx)
	if err != nil {
		return "", fmt.Errorf("write the link of an invitation: %w", err)
	}
	link := r.APIHost + InvitationPath + token
	return link, r.emailInvitation(ctx, row, link)
}

func (r *Resolver) forget(ctx context.Context, id xid.ID) error {
	_, err := r.Client(ctx).Credential.Delete().
		Where(credential.StoreID(viewer.From(ctx).Store), credential.CredentialID(id)).Exec(ctx)
	return fault.Wrap("remove the link of an invitation", err)
}

// shownLink returns the link for the inviter, or nil if it is emailed.
func (r *Resolver) shownLink(link string) *string {
	if r.Notifier.Sends() {
		return nil
	}
	return &link
}

// endInvitation ends a pending invitation and reports whether this call did it.
func (r *Resolver) endInvitation(ctx context.Context, id xid.ID, outcome state.InvitationOutcome) (bool, error) {
	n, err := r.Client(ctx).Invitation.Update().Where(invitation.ID(id), invitation.PendingNotNil()).
		ClearPending().SetOutcome(outcome).SetEndedAt(micros.Now()).Save(ctx)
	if err != nil {
		return false, fmt.Errorf("end invitation: %w", err)
	}
	return n == 1, r.forget(ctx, id)
}

// InvitationResend creates a new link that is valid for another week, and emails or shows it as
// StaffInvite does. The previous link becomes invalid.
func (m Mutation) InvitationResend(ctx context.Context, id string) (*model.InvitationPayload, error) {
	uid, err := core.ParseID(xid.Invitation, id)
	if err != nil {
		return nil, err
	}
	if err := m.countInvitation(ctx, uid); err != nil {
		return nil, err
	}
	var row *db.Invitation
	var link string
	err = m.commitHeld(ctx, xid.Invitation, func(ctx context.Context) (_ *change.Record, err error) {
		if row, err = m.pendingInvitation(ctx, uid); err != nil {
			return nil, err
		}
		row.ExpiresAt, row.Mailed = micros.Now().Add(invitationLife), m.Notifier.Sends()
		err = m.Client(ctx).Invitation.Update().Where(invitation.ID(uid)).SetExpiresAt(row.ExpiresAt).
			SetMailed(row.Mailed).Exec(ctx)
		if err != nil {
			return nil, err
		}
		if link, err = m.linkTo(ctx, row); err != nil {
			return nil, err
		}
		return &change.Record{Action: "invitation.resend", Kind: xid.Invitation, ID: uid}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.InvitationPayload{Invitation: shownInvitation(row), Link: m.shownLink(link)}, nil
}

// pendingInvitation reads and locks a pending invitation whose role the caller may grant.
func (m Mutation) pendingInvitation(ctx context.Context, id xid.ID) (*db.Invitation, error) {
	row, err := core.Row(ctx, m.Client(ctx).Invitation.Query().Where(invitation.ID(id)), ent.ForUpdate)
	if err != nil {
		return nil, err
	}
	if err := ownersOnly(ctx, row.Role); err != nil {
		return nil, err
	}
	if row.Pending == nil {
		return nil, fault.State(fault.InvalidTransition, "The invitation is no longer valid.")
	}
	return row, nil
}

// InvitationWithdraw ends a pending invitation.
func (m Mutation) InvitationWithdraw(ctx context.Context, id string) (*model.InvitationPayload, error) {
	uid, err := core.ParseID(xid.Invitation, id)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Invitation, func(ctx context.Context) (
		*model.InvitationPayload, *change.Record, error,
	) {
		if _, err := m.pendingInvitation(ctx, uid); err != nil {
			return nil, nil, err
		}
		if _, err := m.endInvitation(ctx, uid, state.InvitationWithdrawn); err != nil {
			return nil, nil, err
		}
		row, err := core.Only(m.Client(ctx).Invitation.Query().Where(invitation.ID(uid)).Load(ctx))
		return &model.InvitationPayload{Invitation: shownInvitation(row)},
			&change.Record{Action: "invitation.withdraw", Kind: xid.Invitation, ID: uid}, err
	})
}

// withdrawFrom ends the pending invitations of an inviter who loses a role. Without a mail server
// the inviter may hold the link of an invitation to another address of their own.
func (r *Resolver) withdrawFrom(ctx context.Context, person xid.ID) error {
	return r.endInvitations(ctx, invitation.InviterID(person), state.InvitationWithdrawn)
}

func (r *Resolver) endInvitations(
	ctx context.Context, match predicate.Invitation, outcome state.InvitationOutcome,
) error {
	ids, err := r.Client(ctx).Invitation.Query().Where(invitation.PendingNotNil(), match).IDs(ctx)
	if err != nil {
		return fmt.Errorf("find invitations: %w", err)
	}
	for _, id := range ids {
		if _, err := r.endInvitation(ctx, id, outcome); err != nil {
			return err
		}
	}
	return nil
}

// InvitationPath is the page of an invitation; the token of the link follows.
const InvitationPath = "/invitation/"
