package access

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/model"
)

// Factors lists the second factors of the person.
func (a AccountFields) Factors(ctx context.Context, obj *model.Account) ([]*db.Factor, error) {
	rows, err := a.Engines.Factors.List(ctx, obj.User)
	return rows, core.Explain("factors", err)
}

// RecoveryCodesLeft counts the unused recovery codes of the person.
func (a AccountFields) RecoveryCodesLeft(ctx context.Context, obj *model.Account) (int, error) {
	n, err := a.Engines.Factors.CodesLeft(ctx, obj.User)
	return n, core.Explain("recovery codes", err)
}

// PasskeysPossible reports whether {api_host} has a name to bind passkeys to.
func (a AccountFields) PasskeysPossible(context.Context, *model.Account) (bool, error) {
	return a.Engines.Factors.Passkeys(), nil
}

// TotpBegin creates a secret for an authenticator app of the calling person.
func (m Mutation) TotpBegin(ctx context.Context) (*model.TotpBeginPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	up, err := m.Factors.BeginTOTP(ctx, by)
	if err != nil {
		return nil, core.Explain("factor", err)
	}
	return &model.TotpBeginPayload{Token: &up.Token, Secret: &up.Secret, URI: &up.URI, QR: &up.QR}, nil
}

// TotpConfirm stores the authenticator app after checking its code.
func (m Mutation) TotpConfirm(ctx context.Context, token, code string, name *string) (*model.FactorAddPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	return added(m.Factors.ConfirmTOTP(ctx, by, token, core.Deref(name), code))
}

// PasskeyBegin returns the options with which the person's browser creates a passkey.
func (m Mutation) PasskeyBegin(ctx context.Context) (*model.PasskeyBeginPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	q, err := m.Factors.BeginPasskey(ctx, by)
	if err != nil {
		return nil, core.Explain("factor", err)
	}
	return &model.PasskeyBeginPayload{Token: &q.Token, Options: new(string(q.Options))}, nil
}

// PasskeyFinish stores the passkey that the browser created.
func (m Mutation) PasskeyFinish(ctx context.Context, token, response string,
	name *string,
) (*model.FactorAddPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	return added(m.Factors.FinishPasskey(ctx, by, token, core.Deref(name), []byte(response)))
}

func added(a *factor.Added, err error) (*model.FactorAddPayload, error) {
	if err != nil {
		return nil, core.Explain("factor", err)
	}
	return &model.FactorAddPayload{Factor: a.Factor, RecoveryCodes: a.Codes}, nil
}

// FactorRename renames a factor of the calling person.
func (m Mutation) FactorRename(ctx context.Context, id, name string) (*model.FactorPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Factor, id)
	if err != nil {
		return nil, err
	}
	row, err := m.Factors.Rename(ctx, by, uid, name)
	if err != nil {
		return nil, core.Explain("factor", err)
	}
	return &model.FactorPayload{Factor: row}, nil
}

// FactorRemove removes a factor of the calling person.
func (m Mutation) FactorRemove(ctx context.Context, id string) (*model.FactorRemovePayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Factor, id)
	if err != nil {
		return nil, err
	}
	if err := m.Factors.Remove(ctx, by, uid); err != nil {
		return nil, core.Explain("factor", err)
	}
	return &model.FactorRemovePayload{RemovedID: &id}, nil
}

// RecoveryCodesRenew creates new recovery codes for the calling person.
func (m Mutation) RecoveryCodesRenew(ctx context.Context) (*model.RecoveryCodesPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	codes, err := m.Factors.RenewCodes(ctx, by)
	if err != nil {
		return nil, core.Explain("recovery codes", err)
	}
	return &model.RecoveryCodesPayload{RecoveryCodes: codes}, nil
}

// ResetFactors removes all second factors of a member of the viewer's store, ends their sessions,
// and returns how many factors there were. It is how the operator helps a person who has lost them;
// callers must check authorization.
func (r *Resolver) ResetFactors(ctx context.Context, person xid.ID) (n int, err error) {
	err = r.personal(ctx, func(ctx context.Context) (err error) {
		if err := r.requireMember(r.Store.Aside(ctx), person); err != nil {
			return err
		}
		if n, err = r.Factors.Reset(ctx, person); err != nil {
			return err
		}
		return r.auditPerson(ctx, person, "factor.reset")
	})
	return n, err
}

// Proof is a proof of identity: a password, or else a second factor.
type Proof struct {
	Password string
	Factor   factor.Answer
}

// inBrowser returns the calling person and their browser session, in which they may change how they
// sign in. It refuses staff tokens: the bearer may not know the password.
func inBrowser(ctx context.Context) (factor.By, error) {
	v, err := human(ctx)
	if err == nil && v.Session == (digest.Sum{}) {
		err = fault.New(fault.Forbidden, "This requires a signed-in browser session, not a token.")
	}
	if err != nil {
		return factor.By{}, err
	}
	return factor.By{Person: v.Actor, Session: v.Session}, nil
}

// SessionProve confirms the identity of the calling person in their browser.
func (m Mutation) SessionProve(ctx context.Context, in model.SessionProveInput) (*model.SessionProvePayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	given := 0
	var p Proof
	core.Opt(in.Password, func(s string) { p.Password, given = s, given+1 })
	core.Opt(in.Code, func(s string) { p.Factor.Code, given = s, given+1 })
	core.Opt(in.Passkey, func(a model.PasskeyAnswerInput) {
		p.Factor.Ceremony, p.Factor.Response, given = a.Token, []byte(a.Response), given+1
	})
	if given != 1 {
		return nil, core.Invalid("password", fault.Required, "Send exactly one of a password, a code and a passkey.")
	}
	until, err := m.Prove(ctx, by, p)
	if errors.Is(err, session.ErrWrong) {
		err = core.Invalid("password", fault.UnknownValue, "This is not your password.")
	}
	if err != nil {
		return nil, err
	}
	return &model.SessionProvePayload{Until: &until}, nil
}

// Prove records that the person of a browser session has proved their identity, and returns until
// when that is valid. A wrong password is [session.ErrWrong] and counts as a failed sign-in; a
// wrong second factor counts as such.
func (r *Resolver) Prove(ctx context.Context, by factor.By, p Proof) (until micros.Time, err error) {
	renew := func(ctx context.Context) error {
		at, err := r.Sessions.Renew(ctx, by.Person, by.Session)
		until = at.Add(viewer.ProofLife)
		return err
	}
	if p.Password == "" {
		err = r.Factors.Prove(ctx, by.Person, p.Factor, func(ctx context.Context, _ factor.Used) error {
			return renew(ctx)
		})
		return until, core.Explain("proof", err)
	}
	row, err := r.user(ctx, by.Person)
	if err != nil {
		return 0, core.Explain("person", err)
	}
	proof, err := r.Sessions.Prove(ctx, row.Email, p.Password, session.Source{Credential: string(by.Session[:])})
	if err != nil {
		return 0, core.Explain("proof", err)
	}
	by.Person = proof.User // another person may have taken the address meanwhile
	return until, core.Explain("proof", r.personal(ctx, renew))
}

// PasskeyAsk returns the options with which the person's browser uses one of their passkeys.
func (m Mutation) PasskeyAsk(ctx context.Context) (*model.PasskeyAskPayload, error) {
	by, err := inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	q, err := m.Factors.AskSecond(ctx, by.Person)
	if err != nil {
		return nil, core.Explain("factor", err)
	}
	return &model.PasskeyAskPayload{Token: &q.Token, Options: new(string(q.Options))}, nil
}
