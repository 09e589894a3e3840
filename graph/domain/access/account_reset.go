package access

import (
	"context"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const resetLife = 30 * time.Minute

// ErrNoMail is returned if there is no mail server to send a link.
var ErrNoMail = errors.New("no mail server")

// ForgotPassword emails a link to set a new password to an address, if an account has it, at most
// three times an hour. Its answer and its work are the same for every address. It returns
// [ErrNoMail] without a mail server.
func (r *Resolver) ForgotPassword(ctx context.Context, email string) error {
	if !r.Notifier.Sends() {
		return ErrNoMail
	}
	c := &core.Check{}
	email = c.Email("email", email)
	if err := c.Err(); err != nil {
		return err
	}
	if err := r.boundAsker(ctx); err != nil {
		return err
	}
	wait, err := ratelimit.Take(ctx, r.Store, ratelimit.Key("reset", email), linkEmails)
	if err != nil || wait > 0 {
		return core.Explain("person", err)
	}
	p, err := r.personAt(ctx, email)
	if errors.Is(err, core.ErrNoRow) {
		p, err = &db.User{}, nil
	}
	if err != nil {
		return core.Explain("person", err)
	}
	return r.personal(ctx, func(ctx context.Context) error {
		token, err := session.PutChallenge(ctx, r.Client(ctx),
			session.AskChallenge{Person: p.ID, Purpose: state.ChallengeReset, Email: email, Life: resetLife})
		if err != nil || p.ID.IsNil() {
			return err
		}
		if err := audit.Account(ctx, r.Client(ctx), p.ID, state.AccountResetAsked, ""); err != nil {
			return err
		}
		return r.emailPerson(ctx, email, p.ID, "Set a new password",
			"Set a new password here. The link is valid for 30 minutes:\n"+r.APIHost+ResetPath+token+
				"\n\nIf you did not request this, you can ignore this email. Your password stays the same.")
	})
}

// askers limits how often one network may request links, for all addresses together.
var askers = ratelimit.Rate{Burst: 20, Every: 3 * time.Minute}

func (r *Resolver) boundAsker(ctx context.Context) error {
	network, counted := ratelimit.Network(viewer.OriginOf(ctx).Client)
	if !counted {
		return nil
	}
	wait, err := ratelimit.Take(ctx, r.Store, ratelimit.Key("reset from", network.String()), askers)
	if err == nil && wait > 0 {
		err = &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
			Detail: "Too many links were requested from your network. Try again later."}
	}
	return core.Explain("person", err)
}

// AskedReset returns the person whose password an emailed link sets, or NotFound for a link that is
// no longer valid.
func (r *Resolver) AskedReset(ctx context.Context, token string) (*db.User, error) {
	row, err := session.PeekChallenge(ctx, r.Client(ctx), token, state.ChallengeReset)
	if errors.Is(err, session.ErrUnknownChallenge) || err == nil && row.UserID.IsNil() {
		return nil, fault.Missing("link")
	}
	if err != nil {
		return nil, core.Explain("link", err)
	}
	p, err := r.user(ctx, row.UserID)
	if err == nil && p.Email != *row.Email {
		err = core.ErrNoRow
	}
	return p, core.Explain("link", err)
}

// SetForgotten sets a new password for the person of an emailed link, and ends all their sessions
// and staff tokens. Opening the link confirms the address: an account that was unconfirmed until
// then is taken over, without its memberships.
func (r *Resolver) SetForgotten(ctx context.Context, token, text string) error {
	p, err := r.AskedReset(ctx, token)
	if err != nil {
		return err
	}
	c := &core.Check{}
	checkPassword(c, "password", text, p)
	if err := c.Err(); err != nil {
		return err
	}
	hash, err := password.Hash(ctx, text)
	if err != nil {
		return core.Explain("password", err)
	}
	return r.personal(ctx, func(ctx context.Context) error {
		row, err := session.AnswerChallenge(ctx, r.Client(ctx), token, state.ChallengeReset)
		if errors.Is(err, session.ErrUnknownChallenge) {
			return fault.Missing("link")
		}
		if err != nil {
			return err
		}
		return r.resetTo(ctx, row, hash)
	})
}

func (r *Resolver) resetTo(ctx context.Context, row *db.Challenge, hash string) error {
	p, err := core.Row(ctx, r.Client(ctx).User.Query().
		Where(user.ID(row.UserID), user.Email(*row.Email)), ent.ForUpdate)
	if err != nil {
		return err
	}
	if p.VerifiedAt == nil {
		return r.takeOver(ctx, p.ID, p.Name, hash)
	}
	if _, err := r.Sessions.Reset(ctx, p.ID, hash); err != nil {
		return err
	}
	return r.passwordChanged(ctx, p.ID)
}

// passwordChanged does what a new password entails besides ending sessions: it invalidates links to
// set another password, in the transaction of ctx, revokes the person's tokens in all stores
// afterwards, and emails the person.
func (r *Resolver) passwordChanged(ctx context.Context, person xid.ID) error {
	if err := r.inEachStore(ctx, TokensTask, person); err != nil {
		return err
	}
	err := session.DropChallenge(ctx, r.Client(ctx), person, state.ChallengeReset, state.ChallengeSecond)
	if err != nil {
		return err
	}
	return r.warnOf(ctx, person, person, "Your password was changed",
		"Your account has a new password. All your other sessions and your staff tokens have ended.")
}
