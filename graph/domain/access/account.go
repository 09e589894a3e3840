package access

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/accountevent"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	maxMemberships = 100
	maxTokens      = 100
	tokensByPerson = "stafftoken_store_id_user_id"
)

// Account returns the person of the request, authenticated by a session or a staff token.
func (q Query) Account(ctx context.Context) (*model.Account, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	row, err := q.user(ctx, v.Actor)
	if err != nil {
		return nil, core.Explain("person", err)
	}
	return &model.Account{User: row.ID, Name: row.Name, Email: row.Email,
		Verified: row.VerifiedAt != nil, Role: v.Role}, nil
}

func human(ctx context.Context) (*viewer.Viewer, error) {
	v, err := core.Caller(ctx)
	if err == nil && !v.IsPerson() {
		err = fault.New(fault.Forbidden, "Only a person has an account.")
	}
	return v, err
}

func (r *Resolver) user(ctx context.Context, id xid.ID) (*db.User, error) {
	return core.Only(r.Client(ctx).User.Query().Where(user.ID(id)).Load(ctx))
}

// AccountFields resolves the fields of an account that need queries.
type AccountFields struct{ *Resolver }

// OrderEmails reports whether the person gets emails about new orders of the current store.
func (a AccountFields) OrderEmails(ctx context.Context, obj *model.Account) (bool, error) {
	row, err := a.membership(ctx, obj.User)
	if err != nil {
		return false, core.Explain("membership", err)
	}
	return row.OrdersMutedAt == nil, nil
}

// Alerts returns how the person is informed of the topics that their role handles.
func (a AccountFields) Alerts(ctx context.Context, obj *model.Account) ([]*model.Alert, error) {
	row, err := a.membership(ctx, obj.User)
	if err != nil {
		return nil, core.Explain("membership", err)
	}
	now, err := notify.AlertsOf(row)
	if err != nil {
		return nil, core.Explain("membership", err)
	}
	list := []*model.Alert{}
	for _, t := range state.AlertTopics() {
		if of, ok := now[t]; ok {
			list = append(list, &model.Alert{Topic: t, Notice: of.Notice, Email: of.Email})
		}
	}
	return list, nil
}

// Memberships lists the stores of the person, by name, open ones first. It deliberately reads beyond the
// viewer's store: the list belongs to the person.
func (a AccountFields) Memberships(ctx context.Context, obj *model.Account) ([]*model.Membership, error) {
	p, err := a.Engines.Sessions.Of(ctx, obj.User)
	if err != nil || p == nil {
		return nil, core.Explain("memberships", err)
	}
	list := p.Memberships[:min(len(p.Memberships), maxMemberships)]
	stores := core.Map(list, func(m session.Membership) xid.ID { return m.Store })
	rows, err := a.Client(ctx).Store.Query().Where(store.IDIn(stores...)).Load(viewer.Everywhere(ctx))
	if err != nil {
		return nil, core.Explain("memberships", err)
	}
	of := map[xid.ID]*db.Store{}
	for _, s := range rows {
		of[s.ID] = s
	}
	shown := make([]*model.Membership, 0, len(list))
	for _, m := range list {
		if s := of[m.Store]; s != nil {
			shown = append(shown, &model.Membership{Store: a.ShownStore(s), Role: m.Role})
		}
	}
	return shown, nil
}

// Sessions lists the sessions of the person, newest first.
func (a AccountFields) Sessions(ctx context.Context, obj *model.Account) ([]*model.Session, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := a.Engines.Sessions.List(ctx, obj.User)
	if err != nil {
		return nil, core.Explain("sessions", err)
	}
	return core.Map(rows, func(s *db.Session) *model.Session {
		return model.NewSession(s, session.PublicID(s.ID), v.Session)
	}), nil
}

// StaffTokens lists the person's tokens for the viewer's store, newest first.
func (a AccountFields) StaffTokens(ctx context.Context, obj *model.Account) ([]*db.StaffToken, error) {
	query := a.Client(ctx).StaffToken.Query().Where(stafftoken.UserID(obj.User), stafftoken.RevokedAtIsNil())
	query.Modify(core.Window{Limit: maxTokens, Index: tokensByPerson}.Apply)
	rows, err := query.Load(ctx)
	return rows, core.Explain("staff tokens", err)
}

// MailPossible reports whether a mail server is configured.
func (a AccountFields) MailPossible(context.Context, *model.Account) (bool, error) {
	return a.Notifier.Sends(), nil
}

// Log lists the security log of the person, newest first.
func (a AccountFields) Log(ctx context.Context, obj *model.Account, first *int, after *string) (
	*model.AccountEventConnection, error,
) {
	return core.Connect(ctx, a.Core, core.List[*model.AccountEvent]{
		Name: "account_log", Filters: []string{"user", obj.User.String()},
		At: func(e *model.AccountEvent) page.Position { return core.ByID(e.ID) },
		Read: core.ReadNewest(ent.Primary,
			func() *db.AccountEventQuery {
				return a.Client(ctx).AccountEvent.Query().Where(accountevent.UserID(obj.User))
			},
			func(e *db.AccountEvent) *model.AccountEvent { return &model.AccountEvent{AccountEvent: e} }),
	}, first, after)
}

// PasswordChange sets a new password for the calling person. It ends their other sessions and their
// staff tokens in all stores, including the token of the request: other holders of it do not
// know the password. A wrong current password is a fault of the member current and counts as a
// failed sign-in.
func (m Mutation) PasswordChange(ctx context.Context, current, next string) (*model.PasswordChangePayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	row, err := m.user(ctx, v.Actor)
	if err != nil {
		return nil, core.Explain("person", err)
	}
	c := &core.Check{}
	checkPassword(c, "next", next, row)
	if err := c.Err(); err != nil {
		return nil, err
	}
	proof, err := m.Sessions.Prove(ctx, row.Email, current, session.SourceOf(v))
	if err != nil {
		return nil, explainProof(err)
	}
	hash, err := password.Hash(password.Known(ctx), next)
	if err != nil {
		return nil, core.Explain("password", err)
	}
	err = m.personal(ctx, func(ctx context.Context) error {
		if err := m.Sessions.Replace(ctx, proof, hash, v.Session); err != nil {
			return err
		}
		if err := m.passwordChanged(ctx, v.Actor); err != nil {
			return err
		}
		return m.auditPerson(ctx, v.Actor, "password.change")
	})
	if err != nil {
		return nil, explainProof(err)
	}
	return &model.PasswordChangePayload{Changed: true}, nil
}

func explainProof(err error) error {
	if errors.Is(err, session.ErrWrong) {
		return core.Invalid("current", fault.UnknownValue, "This is not your current password.")
	}
	return core.Explain("password", err)
}

// SignOutEverywhere ends all sessions of the calling person or, with others, all but the current
// one. Their staff tokens remain.
func (m Mutation) SignOutEverywhere(ctx context.Context, others bool) (*model.SignOutPayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	except, where := digest.Sum{}, "in every browser"
	if others {
		except, where = v.Session, "in every other browser"
	}
	var ended int
	err = m.personal(ctx, func(ctx context.Context) (err error) {
		if ended, err = m.Sessions.EndAll(ctx, v.Actor, except); err != nil {
			return err
		}
		if err := audit.Account(ctx, m.Client(ctx), v.Actor, state.AccountSignedOut, where); err != nil {
			return err
		}
		return m.auditPerson(ctx, v.Actor, "session.end_all")
	})
	if err != nil {
		return nil, err
	}
	return &model.SignOutPayload{Sessions: ended}, nil
}

// SessionEnd ends one session of the calling person. Sessions of other people are reported as
// missing.
func (m Mutation) SessionEnd(ctx context.Context, id string) (*model.SessionEndPayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	err = m.personal(ctx, func(ctx context.Context) error {
		switch ended, err := m.Sessions.End(ctx, v.Actor, id); {
		case err != nil:
			return err
		case !ended:
			return fault.Missing("session")
		}
		return m.auditPerson(ctx, v.Actor, "session.end")
	})
	if err != nil {
		return nil, err
	}
	return &model.SessionEndPayload{EndedID: &id}, nil
}

// ResetPassword sets a new password for a member of the viewer's store and returns it; it is shown
// nowhere else. It ends the person's sessions and, in all stores, their staff tokens. It is how the
// operator helps a person who has forgotten their password; callers must check authorization.
func (r *Resolver) ResetPassword(ctx context.Context, person xid.ID) (secret string, ended int, err error) {
	secret = password.Generate()
	hash, err := password.Hash(ctx, secret)
	if err != nil {
		return "", 0, core.Explain("password", err)
	}
	err = r.personal(ctx, func(ctx context.Context) (err error) {
		if err := r.requireMember(r.Store.Aside(ctx), person); err != nil {
			return err
		}
		if ended, err = r.Sessions.Reset(ctx, person, hash); err != nil {
			return err
		}
		if err := r.passwordChanged(ctx, person); err != nil {
			return err
		}
		return r.auditPerson(ctx, person, "password.reset")
	})
	if err != nil {
		return "", 0, err
	}
	return secret, ended, nil
}

func checkPassword(c *core.Check, name, text string, person *db.User) {
	n, weak := utf8.RuneCountInString(text), password.Weak(text, person.Email, person.Name)
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		c.Add(name, fault.InvalidFormat, "The password contains control characters.")
	case n < limit.ShortPassword:
		c.Add(name, fault.TooShort, "A password must have at least "+strconv.Itoa(limit.ShortPassword)+" characters.")
	case n > limit.Password:
		c.Add(name, fault.TooLong, "A password can have at most "+strconv.Itoa(limit.Password)+" characters.")
	case weak != "":
		c.Add(name, fault.UnknownValue, weak)
	}
}
