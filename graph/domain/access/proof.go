package access

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/model"
)

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
		return nil, fault.Invalid(fault.Field{Pointer: "#/password", Code: fault.Required,
			Detail: "Send exactly one of a password, a code and a passkey."})
	}
	until, err := m.Prove(ctx, by, p)
	if errors.Is(err, session.ErrWrong) {
		err = fault.Invalid(fault.Field{Pointer: "#/password", Code: fault.UnknownValue,
			Detail: "This is not your password."})
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
