package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

type staffCmd struct {
	Invite       staffInviteCmd       `cmd:"" help:"Invite a person to a store with a link, shown once."`
	Withdraw     staffWithdrawCmd     `cmd:"" help:"Withdraw a pending invitation."`
	Invited      staffInvitedCmd      `cmd:"" help:"List the pending invitations, newest first."`
	List         staffListCmd         `cmd:"" help:"List the staff of a store, newest first."`
	Remove       staffRemoveCmd       `cmd:"" help:"Remove a person from a store and end their tokens."`
	Token        staffTokenCmd        `cmd:"" help:"Create a token for a person, shown once."`
	Password     staffPasswordCmd     `cmd:"" help:"Set a new password for a person, shown once, and end their sessions and tokens."`
	ResetFactors staffResetFactorsCmd `cmd:"" help:"Remove a person's lost second factors and end their sessions."`
}

type member struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Email     string      `json:"email"`
	Role      viewer.Role `json:"role"`
	CreatedAt string      `json:"created_at"`
}

type invited struct {
	ID     string      `json:"id,omitempty"`
	Email  string      `json:"email"`
	Role   viewer.Role `json:"role"`
	Status string      `json:"status,omitempty"`
	Link   *string     `json:"link,omitempty"`
}

func invitedOf(i *model.Invitation) invited {
	return invited{ID: i.PublicID(), Email: i.Email, Role: i.Role, Status: strings.ToLower(string(i.Status()))}
}

func memberOf(m *model.Staff) member {
	return member{
		ID: xid.User.Format(m.ID), Name: m.Name, Email: m.Email, Role: m.Role, CreatedAt: m.ID.Time().String(),
	}
}

type staffInviteCmd struct {
	target
	Email string `arg:"" help:"The person's email address."`
	Role  string `required:"" enum:"owner,admin,developer,support" placeholder:"ROLE" help:"owner, admin, developer or support."`
}

func (c *staffInviteCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().StaffInvite(w.ctx, model.StaffInviteInput{Email: c.Email, Role: viewer.Role(c.Role)})
		if err != nil {
			return err
		}
		out := invitedOf(p.Invitation)
		out.Link = p.Link
		return c.print(s, out, table{{"id", out.ID}, {"email", out.Email}, {"role", string(out.Role)},
			{"link", *p.Link + "  (shown once, for seven days)"}})
	})
}

type staffWithdrawCmd struct {
	target
	ID string `arg:"" help:"The invitation's id."`
}

func (c *staffWithdrawCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().InvitationWithdraw(w.ctx, c.ID)
		if err != nil {
			return err
		}
		out := invitedOf(p.Invitation)
		return c.print(s, out, table{{"id", out.ID}, {"email", out.Email}, {"status", out.Status}})
	})
}

type staffInvitedCmd struct{ target }

func (c *staffInvitedCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		all, err := pages(w, w.Query().Invitations)
		if err != nil {
			return err
		}
		list, rows := []invited{}, table{{"ID", "EMAIL", "ROLE", "UNTIL"}}
		for _, i := range all {
			if i.Status() == model.InvitationStatusPending {
				list = append(list, invitedOf(i))
				rows = append(rows, []string{i.PublicID(), i.Email, string(i.Role), i.ExpiresAt.String()})
			}
		}
		return c.print(s, list, rows)
	})
}

type staffListCmd struct{ target }

func (c *staffListCmd) Run(s *session) error {
	return list(c.target, s, []string{"ID", "NAME", "EMAIL", "ROLE"}, work.people, memberOf, func(m member) []string {
		return []string{m.ID, m.Name, m.Email, string(m.Role)}
	})
}

func (w work) people() ([]*model.Staff, error) { return pages(w, w.Query().Staff) }

// enterFor runs f in the store for a person with an id or email address.
func (t target) enterFor(s *session, name string, f func(w work, m *model.Staff, id string) error) error {
	return t.enter(s, func(w work) error {
		all, err := w.people()
		if err != nil {
			return err
		}
		for _, m := range all {
			if id := xid.User.Format(m.ID); strings.EqualFold(m.Email, name) || id == name {
				return f(w, m, id)
			}
		}
		return fmt.Errorf("no member of the store is %q: `storefront staff list` shows all", name)
	})
}

type staffRemoveCmd struct {
	target
	Person string `arg:"" help:"The person's email address or id."`
}

func (c *staffRemoveCmd) Run(s *session) error {
	return c.enterFor(s, c.Person, func(w work, m *model.Staff, id string) error {
		made, err := w.Query().StaffMade(w.ctx, id)
		if err != nil {
			return err
		}
		p, err := w.Mutation().StaffRemove(w.ctx, id, nil)
		if err != nil {
			return err
		}
		left := leftBy(made)
		rows := table{{"removed", m.Email}}
		for _, l := range left {
			rows = append(rows, []string{"works on", l.Kind + " " + l.ID + "  " + l.Name})
		}
		return c.print(s, removed{p.RemovedID, left}, rows)
	})
}

type removed struct {
	ID   *string    `json:"removed_id"`
	Left []leftover `json:"left"`
}

// leftover is something that a person created and that keeps working without them.
type leftover struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

func leftBy(made *model.StaffMade) []leftover {
	list := []leftover{}
	for _, k := range made.APIKeys {
		list = append(list, leftover{"api_key", k.PublicID(), k.Name})
	}
	for _, a := range made.Apps {
		list = append(list, leftover{"app", a.PublicID(), a.Name})
	}
	for _, g := range made.Grants {
		list = append(list, leftover{"grant", g.PublicID(), g.App.Name})
	}
	return list
}

type staffTokenCmd struct {
	target
	Person    string        `arg:"" help:"The person's email address or id."`
	Name      string        `default:"made by the operator" help:"The purpose of the token."`
	Expires   time.Duration `default:"2160h" placeholder:"DURATION" help:"How long the token is valid, at most 8760h (one year) (default ${default})."`
	Sensitive bool          `help:"Allow the token what otherwise requires a recently confirmed identity, such as creating keys."`
}

type token struct {
	ID        string  `json:"id"`
	UserID    string  `json:"user_id"`
	Name      string  `json:"name"`
	ExpiresAt *string `json:"expires_at"`
	Token     *string `json:"token"`
}

func (c *staffTokenCmd) Run(s *session) error {
	if c.Expires <= 0 {
		return &usageError{fmt.Errorf("--expires: %s is not in the future", c.Expires)}
	}
	return c.enterFor(s, c.Person, func(w work, m *model.Staff, id string) error {
		ctx := viewer.With(s.ctx, &viewer.Viewer{Kind: viewer.Staff, Store: w.store.ID, Actor: m.ID, Principal: m.ID,
			Name: m.Name, Role: m.Role, Granted: m.Role.Scopes(), Scopes: m.Role.Scopes().Effective(),
			Currency: w.store.Currency})
		p, err := w.Mutation().StaffTokenCreate(ctx, c.Name, new(micros.Now().Add(c.Expires)), c.Sensitive)
		if err != nil {
			return err
		}
		out := token{xid.Token.Format(p.StaffToken.ID), id, p.StaffToken.Name,
			written(p.StaffToken.ExpiresAt), p.Token}
		return c.print(s, out, table{{"id", out.ID}, {"person", m.Email}, {"ends", shown(out.ExpiresAt)},
			{"token", *p.Token + "  (shown once)"}})
	})
}

type staffPasswordCmd struct {
	target
	Person string `arg:"" name:"email" help:"The person's email address or id."`
}

type renewed struct {
	ID            string `json:"id"`
	Email         string `json:"email"`
	Password      string `json:"password"`
	EndedSessions int    `json:"ended_sessions"`
}

func (c *staffPasswordCmd) Run(s *session) error {
	return c.enterFor(s, c.Person, func(w work, m *model.Staff, id string) error {
		secret, ended, err := w.ResetPassword(w.ctx, m.ID)
		if err != nil {
			return err
		}
		out := renewed{id, m.Email, secret, ended}
		return c.print(s, out, table{{"id", out.ID}, {"email", out.Email}, {"password", secret + "  (shown once)"}})
	})
}

type staffResetFactorsCmd struct {
	target
	Person string `arg:"" name:"email" help:"The person's email address or id."`
}

type reset struct {
	ID      string `json:"id"`
	Email   string `json:"email"`
	Removed int    `json:"removed_factors"`
}

func (c *staffResetFactorsCmd) Run(s *session) error {
	return c.enterFor(s, c.Person, func(w work, m *model.Staff, id string) error {
		n, err := w.ResetFactors(w.ctx, m.ID)
		if err != nil {
			return err
		}
		out := reset{id, m.Email, n}
		return c.print(s, out, table{{"id", out.ID}, {"email", out.Email}, {"removed", strconv.Itoa(n)}})
	})
}
