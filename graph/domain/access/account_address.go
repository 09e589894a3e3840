package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/db/recoverycode"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/db/useremail"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/model"
)

// The paths of emailed links; the token follows.
const (
	AddressPath = "/address/"
	ResetPath   = "/reset/"
	// ForgotPath is the page on which a person requests a link to set a new password.
	ForgotPath = "/forgot"
)

const addressLife = 24 * time.Hour

// AddressVerify emails the calling person a link that confirms their address.
func (m Mutation) AddressVerify(ctx context.Context) (*model.AddressPayload, error) {
	return m.proveAddress(ctx, state.ChallengeVerify, "")
}

// AddressChange emails a link to a new address of the calling person. It replaces the present
// address when they open the link. The answer does not reveal whether another account has the
// address.
func (m Mutation) AddressChange(ctx context.Context, email string) (*model.AddressPayload, error) {
	if _, err := inBrowser(ctx); err != nil {
		return nil, err
	}
	c := &core.Check{}
	email = c.Email("email", email)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.proveAddress(ctx, state.ChallengeMove, email)
}

// proveAddress emails a link to an address, or to the present one if email is empty.
func (m Mutation) proveAddress(ctx context.Context, purpose state.ChallengePurpose,
	email string,
) (*model.AddressPayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	if !m.Notifier.Sends() {
		return nil, fault.State(fault.InvalidTransition, "This service sends no email and cannot verify addresses.")
	}
	p, err := m.user(ctx, v.Actor)
	if err != nil {
		return nil, core.Explain("person", err)
	}
	if email == "" {
		email = p.Email
	}
	const often = "Several links were sent in the last hour. Check your email, or try again later."
	for _, of := range []string{p.ID.String(), email} {
		if err := m.countLink(ctx, "address", of, often); err != nil {
			return nil, core.Explain("person", err)
		}
	}
	err = m.personal(ctx, func(ctx context.Context) error {
		if err := m.holdCredential(ctx); err != nil {
			return err
		}
		return m.emailProof(ctx, p, purpose, email)
	})
	if err != nil {
		return nil, err
	}
	return &model.AddressPayload{SentTo: &email}, nil
}

func (m Mutation) emailProof(ctx context.Context, p *db.User, purpose state.ChallengePurpose, email string) error {
	token, err := session.PutChallenge(ctx, m.Client(ctx),
		session.AskChallenge{Person: p.ID, Purpose: purpose, Email: email, Life: addressLife})
	if err != nil {
		return err
	}
	return m.emailPerson(ctx, email, p.ID, "Confirm your email address",
		"Sign in and confirm your address here. The link is valid for one day:\n"+
			m.APIHost+AddressPath+token+"\n\nIf you did not request this, you can ignore this email.")
}

// AskedAddress returns the challenge of an emailed link that confirms an address, for the signed-in
// person. It returns NotFound for other people and for links that are no longer valid.
func (r *Resolver) AskedAddress(ctx context.Context, token string, person xid.ID) (*db.Challenge, error) {
	for _, purpose := range []state.ChallengePurpose{state.ChallengeVerify, state.ChallengeMove} {
		row, err := session.PeekChallenge(ctx, r.Client(ctx), token, purpose)
		switch {
		case errors.Is(err, session.ErrUnknownChallenge):
			continue
		case err != nil:
			return nil, core.Explain("link", err)
		case row.UserID == person:
			return row, nil
		}
	}
	return nil, fault.Missing("link")
}

// ConfirmAddress confirms an address of the signed-in person. A new address replaces the present
// one, which gets an email, unless another account has taken it meanwhile.
func (r *Resolver) ConfirmAddress(ctx context.Context, token string, person xid.ID) error {
	asked, err := r.AskedAddress(ctx, token, person)
	if err != nil {
		return err
	}
	return r.personal(ctx, func(ctx context.Context) error {
		row, err := session.AnswerChallenge(ctx, r.Client(ctx), token, asked.Purpose)
		if errors.Is(err, session.ErrUnknownChallenge) {
			return fault.Missing("link")
		}
		if err != nil {
			return err
		}
		p, err := core.Row(ctx, r.Client(ctx).User.Query().Where(user.ID(person)), ent.ForUpdate)
		if err != nil {
			return err
		}
		switch {
		case row.Purpose == state.ChallengeMove && *row.Email != p.Email:
			return r.move(ctx, p, *row.Email)
		case *row.Email != p.Email: // the address changed since
			return fault.Missing("link")
		}
		if err := r.verified(ctx, person); err != nil {
			return err
		}
		return audit.Account(ctx, r.Client(ctx), person, state.AccountVerified, *row.Email)
	})
}

// move changes a person's address in the transaction of ctx. Links to the former address become
// invalid.
func (r *Resolver) move(ctx context.Context, p *db.User, email string) error {
	c := r.Client(ctx)
	err := c.UserEmail.Create().SetID(email).SetUserID(p.ID).Exec(ctx)
	if ent.IsDuplicate(err) {
		return core.Invalid("email", fault.Taken, "Another account has this address.")
	}
	if err != nil {
		return fmt.Errorf("reserve email address: %w", err)
	}
	if _, err := c.UserEmail.Delete().Where(useremail.ID(p.Email), useremail.UserID(p.ID)).Exec(ctx); err != nil {
		return fmt.Errorf("release email address: %w", err)
	}
	if err := c.User.Update().Where(user.ID(p.ID)).SetEmail(email).SetUpdatedAt(micros.Now()).Exec(ctx); err != nil {
		return fmt.Errorf("change email address: %w", err)
	}
	if err := r.verified(ctx, p.ID); err != nil {
		return err
	}
	err = session.DropChallenge(ctx, c, p.ID, state.ChallengeReset, state.ChallengeVerify, state.ChallengeMove)
	if err != nil {
		return err
	}
	if err := audit.Account(ctx, c, p.ID, state.AccountMoved, email); err != nil {
		return err
	}
	return r.warn(ctx, p.ID, p, "Your email address was changed",
		"The email address of your account is now "+email+". You can no longer sign in with this one.")
}

func (r *Resolver) verified(ctx context.Context, person xid.ID) error {
	now := micros.Now()
	return fault.Wrap("record a confirmed address",
		r.Client(ctx).User.Update().Where(user.ID(person)).SetVerifiedAt(now).SetUpdatedAt(now).Exec(ctx))
}

// takeOver gives an account with an unconfirmed address to the person who confirmed it, in the
// transaction of ctx. It sets name and password and removes everything else of the account:
// sessions, tokens, factors, memberships (contract, section 12).
func (r *Resolver) takeOver(ctx context.Context, person xid.ID, name, hash string) error {
	c := r.Client(ctx)
	if _, err := r.Sessions.Reset(ctx, person, hash); err != nil {
		return err
	}
	if _, err := c.Factor.Delete().Where(factor.UserID(person)).Exec(ctx); err != nil {
		return fmt.Errorf("drop factors: %w", err)
	}
	if _, err := c.RecoveryCode.Delete().Where(recoverycode.UserID(person)).Exec(ctx); err != nil {
		return fmt.Errorf("drop recovery codes: %w", err)
	}
	err := session.DropChallenge(ctx, c, person, state.ChallengeVerify, state.ChallengeMove, state.ChallengeReset,
		state.ChallengeSecond, state.ChallengePasskey, state.ChallengeTOTP)
	if err != nil {
		return err
	}
	// This may leave a store without an owner: its person was never confirmed.
	if err := r.inEachStore(ctx, LeaveTask, person); err != nil {
		return err
	}
	if err := c.User.Update().Where(user.ID(person)).SetName(name).Exec(ctx); err != nil {
		return fmt.Errorf("rename person: %w", err)
	}
	if err := r.verified(ctx, person); err != nil {
		return err
	}
	return audit.Account(ctx, c, person, state.AccountTaken, "")
}

// LeaveTask ends a person's membership in one store, with their tokens and invitations. The person
// is the home of the task.
const LeaveTask task.Kind = "access.leave"

// Leave runs a [LeaveTask].
func (r *Resolver) Leave(ctx context.Context, t task.Task) error {
	return r.Commit(viewer.Operator(ctx, t.Target), xid.User, func(ctx context.Context) (*change.Record, error) {
		n, err := r.Client(ctx).Staff.Delete().Where(staff.ID(t.Home)).Exec(ctx)
		if err != nil {
			return nil, fmt.Errorf("end a membership: %w", err)
		}
		if err := r.withdrawFrom(ctx, t.Home); err != nil {
			return nil, err
		}
		if err := r.afterLeaving(ctx, t.Home); err != nil {
			return nil, err
		}
		if err := r.Keys.Revoke(ctx, t.Target, t.Home); err != nil || n == 0 {
			return nil, err
		}
		return &change.Record{Action: "staff.remove", Kind: xid.User, ID: t.Home,
			Detail: "the address was proved by another person"}, nil
	})
}
