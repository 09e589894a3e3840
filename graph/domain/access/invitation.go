package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/credential"
	"github.com/storefront-go/storefront/ent/db/invitation"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// invitationLife is how long an invitation may be accepted (contract, section 12).
	invitationLife = 7 * 24 * time.Hour
	// inviteKind is the kind of its link in the directory of credentials.
	inviteKind = "invite"
	// pendingIndex is the one by which the pending ones are found.
	pendingIndex = "invitation_store_id_pending"
)

// Invitations lists the invitations of the store, newest first, those that have ended
// too.
func (q Query) Invitations(ctx context.Context, first *int, after *string) (*model.InvitationConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Invitation]{
		Name: "invitations",
		At:   func(i *model.Invitation) page.Position { return core.ByID(i.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Invitation, error) {
			query := q.Client(ctx).Invitation.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			rows, err := query.Load(ctx)
			shown := make([]*model.Invitation, len(rows))
			for i, row := range rows {
				shown[i] = &model.Invitation{Invitation: row}
			}
			return shown, err
		},
	}, first, after)
}

// StaffInvite asks somebody to join the store. With a mail server the link goes to the
// address alone; without one this answer alone shows it. An address never joins by
// itself: whoever opens the link signs in and accepts.
func (m Mutation) StaffInvite(ctx context.Context, in model.StaffInviteInput) (*model.InvitationPayload, error) {
	c := &core.Check{}
	email := c.Email("email", in.Email)
	checkRole(c, "role", in.Role)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := touching(ctx, in.Role); err != nil {
		return nil, err
	}
	id := xid.New()
	if err := m.countInvitation(ctx, id); err != nil {
		return nil, err
	}
	var row *db.Invitation
	var link string
	err := m.commitHeld(ctx, xid.Invitation, func(ctx context.Context) (_ *core.Record, err error) {
		if err = m.roomForInvitation(ctx, email); err != nil {
			return nil, err
		}
		if row, link, err = m.invite(ctx, id, email, in.Role); err != nil {
			return nil, err
		}
		return &core.Record{Action: "staff.invite", Kind: xid.Invitation, ID: row.ID,
			Detail: string(in.Role)}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.InvitationPayload{Invitation: &model.Invitation{Invitation: row}, Link: m.shownLink(link)}, nil
}

// roomForInvitation refuses to invite who belongs to the store or is invited already,
// and more than so many at once. An invitation that ran out makes room.
func (m Mutation) roomForInvitation(ctx context.Context, email string) error {
	switch person, err := m.personAt(m.Store.Aside(ctx), email); {
	case err == nil:
		if _, err = m.membership(ctx, person.ID); err == nil {
			return fault.Invalid(fault.Field{Pointer: "#/email", Code: fault.Taken,
				Detail: "This person belongs to the store already."})
		} else if !errors.Is(err, core.ErrNoRow) {
			return err
		}
	case !errors.Is(err, core.ErrNoRow):
		return err
	}
	now := micros.Now()
	ids, err := m.Client(ctx).Invitation.Query().
		Where(invitation.PendingNotNil(), invitation.ExpiresAtLTE(now)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("find invitations that ran out: %w", err)
	}
	for _, id := range ids {
		if _, err := m.endInvitation(ctx, id, state.InvitationExpired); err != nil {
			return err
		}
	}
	return m.Room(ctx, limit.Invitations, pendingIndex, func(pick func(*sql.Selector), ids any) error {
		return m.Client(ctx).Invitation.Query().Where(invitation.PendingNotNil()).Modify(pick).Scan(ctx, ids)
	})
}

// Invite writes an invitation into the viewer's store, and its link into the directory,
// in the transaction of ctx. Who may call it is the caller's to decide.
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
		return nil, "", fault.Invalid(fault.Field{Pointer: "#/email", Code: fault.Taken,
			Detail: "This person is invited already: send that invitation again, or withdraw it."})
	}
	if err != nil {
		return nil, "", fmt.Errorf("write invitation: %w", err)
	}
	link, err := r.linkTo(ctx, row)
	return row, link, err
}

// linkTo makes the link of an invitation, and sends it where there is a mail server.
// An earlier one leads nowhere from then on.
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
	return link, r.mailInvitation(ctx, row, link)
}

// forget takes the link of an invitation out of the directory.
func (r *Resolver) forget(ctx context.Context, id xid.ID) error {
	_, err := r.Client(ctx).Credential.Delete().
		Where(credential.StoreID(viewer.From(ctx).Store), credential.CredentialID(id)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("forget the link of an invitation: %w", err)
	}
	return nil
}

// shownLink is a link for whoever invites, which they see only where nobody mails it.
func (r *Resolver) shownLink(link string) *string {
	if r.Notifier.Sends() {
		return nil
	}
	return &link
}

// endInvitation ends a pending invitation, and reports whether it was this call.
func (r *Resolver) endInvitation(ctx context.Context, id xid.ID, outcome state.InvitationOutcome) (bool, error) {
	n, err := r.Client(ctx).Invitation.Update().Where(invitation.ID(id), invitation.PendingNotNil()).
		ClearPending().SetOutcome(outcome).SetEndedAt(micros.Now()).Save(ctx)
	if err != nil {
		return false, fmt.Errorf("end invitation: %w", err)
	}
	return n == 1, r.forget(ctx, id)
}

// InvitationResend makes a new link, with another week, and sends or shows it as
// StaffInvite does. The link before it ends.
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
	err = m.commitHeld(ctx, xid.Invitation, func(ctx context.Context) (_ *core.Record, err error) {
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
		return &core.Record{Action: "invitation.resend", Kind: xid.Invitation, ID: uid}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.InvitationPayload{Invitation: &model.Invitation{Invitation: row}, Link: m.shownLink(link)}, nil
}

// pendingInvitation reads and locks an invitation that nobody has answered, whose role
// the caller may give.
func (m Mutation) pendingInvitation(ctx context.Context, id xid.ID) (*db.Invitation, error) {
	query := m.Client(ctx).Invitation.Query().Where(invitation.ID(id))
	query.Modify(ent.ForUpdate)
	row, err := core.Only(query.Load(ctx))
	if err != nil {
		return nil, err
	}
	if err := touching(ctx, row.Role); err != nil {
		return nil, err
	}
	if row.Pending == nil {
		return nil, fault.State(fault.InvalidTransition, "The invitation has ended.")
	}
	return row, nil
}

// InvitationWithdraw ends an invitation that nobody has accepted.
func (m Mutation) InvitationWithdraw(ctx context.Context, id string) (*model.InvitationPayload, error) {
	uid, err := core.ParseID(xid.Invitation, id)
	if err != nil {
		return nil, err
	}
	var row *db.Invitation
	err = m.Commit(ctx, xid.Invitation, func(ctx context.Context) (_ *core.Record, err error) {
		if row, err = m.pendingInvitation(ctx, uid); err != nil {
			return nil, err
		}
		if _, err := m.endInvitation(ctx, uid, state.InvitationWithdrawn); err != nil {
			return nil, err
		}
		row, err = core.Only(m.Client(ctx).Invitation.Query().Where(invitation.ID(uid)).Load(ctx))
		return &core.Record{Action: "invitation.withdraw", Kind: xid.Invitation, ID: uid}, err
	})
	if err != nil {
		return nil, err
	}
	return &model.InvitationPayload{Invitation: &model.Invitation{Invitation: row}}, nil
}

// withdrawFrom ends the invitations of a person who loses their role: where the links
// are shown, they may hold one to themself under another address.
func (m Mutation) withdrawFrom(ctx context.Context, person xid.ID) error {
	ids, err := m.Client(ctx).Invitation.Query().
		Where(invitation.PendingNotNil(), invitation.InviterID(person)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("find a person's invitations: %w", err)
	}
	for _, id := range ids {
		if _, err := m.endInvitation(ctx, id, state.InvitationWithdrawn); err != nil {
			return err
		}
	}
	return nil
}

// InvitationPath is where invitations are answered; the token of the link follows it.
const InvitationPath = "/invitation/"
