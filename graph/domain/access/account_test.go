package access_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	sessions "github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
)

// Only people have accounts, and the audit log names the change, not the person. The sessions' view
// is tested with cookies, in rest/account.
func TestAccount(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for name, ctx := range map[string]func() error{
			"query": func() error { _, err := p.Query().Account(graphtest.AsKey(p.Ctx, "products.read")); return err },
			"password": func() error {
				_, err := p.Mutation().PasswordChange(p.Ctx, "a", "a long new password")
				return err
			},
			"sessions": func() error {
				return graphtest.ErrOf(p.Mutation().SignOutEverywhere(graphtest.AsKey(p.Ctx), false))
			},
		} {
			if err := ctx(); graphtest.FaultOf(err) != "forbidden" {
				t.Errorf("%s: %v", name, err)
			}
		}
		owner := p.As(p.Owner.ID, viewer.Owner)
		a := graphtest.Must[*model.Account](t)(p.Query().Account(owner))
		if a.User != p.Owner.ID || a.Email != p.Owner.Email || a.Name != "Olive" || a.Role != viewer.Owner {
			t.Errorf("%+v", a)
		}
		list := graphtest.Must[[]*model.Membership](t)(
			access.AccountFields{Resolver: access.New(p.Core, access.Engines{Sessions: p.Sessions}, nil, nil)}.
				Memberships(owner, a))
		if len(list) != 1 || list[0].Store.ID != p.Model.ID || list[0].Role != viewer.Owner ||
			list[0].Store.StoreHost == "" {
			t.Errorf("%+v", list)
		}
		out := graphtest.Must[*model.SignOutPayload](t)(p.Mutation().SignOutEverywhere(owner, false))
		if out.Sessions != 0 {
			t.Errorf("%+v", out)
		}
		if _, err := p.Mutation().PasswordChange(owner, "anything",
			"a long new password"); graphtest.FieldOf(err) != "#/current unknown_value" {
			t.Errorf("without a password: %v", err)
		}
	})
}

// The operator can reset the password of members only.
func TestResetPassword(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		if _, _, err := p.ResetPassword(p.Ctx, xid.New()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("an unknown person: %v", err)
		}
		other := graphtest.NewShop(t, p.Resolver)
		if _, _, err := p.ResetPassword(p.Ctx, other.Owner.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a person of another store: %v", err)
		}
		first, _, err := p.ResetPassword(p.Ctx, p.Owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := p.Sessions.SignIn(t.Context(), session.Attempt{Email: p.Owner.Email, Password: first})
		if err != nil {
			t.Fatal(err)
		}
		owner := p.As(p.Owner.ID, viewer.Owner)
		if got := graphtest.Must[*model.PasswordChangePayload](t)(p.Mutation().PasswordChange(owner, first,
			"a long new password")); !got.Changed {
			t.Errorf("%+v", got)
		}
		if who, err := p.Sessions.Find(t.Context(), signed.Token); who != nil || err != nil {
			t.Errorf("a session survived a change by token: %v, %v", who, err)
		}
		second, ended, err := p.ResetPassword(p.Ctx, p.Owner.ID)
		if err != nil || ended != 0 || first == second {
			t.Errorf("%q, %d, %v", second, ended, err)
		}
		if _, err := p.Sessions.SignIn(t.Context(),
			session.Attempt{Email: p.Owner.Email, Password: "a long new password"}); !errors.Is(err, session.ErrWrong) {
			t.Errorf("the previous password: %v", err)
		}
		row := p.Client(p.Ctx).User.Query().Where(user.ID(p.Owner.ID)).OnlyX(p.Ctx)
		if ok, err := password.Verify(t.Context(), *row.PasswordHash, second); !ok || err != nil {
			t.Errorf("%v", err)
		}
		if got, want := p.Audited(t), "store.create password.reset password.change password.reset"; got != want {
			t.Errorf("audited %q, want %q", got, want)
		}
	})
}

// A new password must differ from the person's address and name.
func TestPasswordIsChecked(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		owner := p.As(p.Owner.ID, viewer.Owner)
		for next, want := range map[string]string{
			"ninechars":                 "#/next too_short",
			"ten chars!":                "#/current unknown_value",
			strings.Repeat("x", 256):    "#/current unknown_value",
			strings.Repeat("x", 257):    "#/next too_long",
			"with a\ttab":               "#/next invalid_format",
			"BasketBall":                "#/next unknown_value",
			p.Owner.Email:               "#/next unknown_value",
			"Olive-Olive-99":            "#/next unknown_value",
			"olives and other oddments": "#/current unknown_value",
		} {
			if _, err := p.Mutation().PasswordChange(owner, "wrong", next); graphtest.FieldOf(err) != want {
				t.Errorf("%q: %v, want %s", next, err, want)
			}
		}
	})
}

// person is a member of two stores with a colleague in the second.
type person struct {
	first, second *graphtest.Shop
	tokens        []*string // of the person, one in each store
	colleague     *string
}

func newPerson(t *testing.T, p *graphtest.Shop) *person {
	t.Helper()
	w := &person{first: p, second: p.Other(t)}
	graphtest.Must[*model.Staff](t)(w.second.Hire(w.second.Ctx, access.Person{ID: p.Owner.ID}, viewer.Support))
	w.colleague = w.token(t, w.second, w.second.Owner.ID)
	w.rearm(t)
	return w
}

// rearm creates a token for the person in each store and uses all of them.
func (w *person) rearm(t *testing.T) {
	t.Helper()
	w.tokens = nil
	for _, shop := range []*graphtest.Shop{w.first, w.second} {
		w.tokens = append(w.tokens, w.token(t, shop, w.first.Owner.ID))
	}
	if got := w.live(t); got != "true true true" {
		t.Fatalf("from the start: %s", got)
	}
}

func (w *person) token(t *testing.T, shop *graphtest.Shop, of xid.ID) *string {
	t.Helper()
	return graphtest.Must[*model.StaffTokenPayload](t)(shop.NewStaffToken(shop.Ctx, of, "Laptop", nil, false)).Token
}

// live returns which tokens authenticate: the person's, then the colleague's.
func (w *person) live(t *testing.T) string {
	t.Helper()
	var said []string
	for _, token := range append(w.tokens, w.colleague) {
		said = append(said, strconv.FormatBool(w.first.Authenticates(t, token)))
	}
	return strings.Join(said, " ")
}

// A new password revokes every token of the person in all stores at once, including the token of
// the request, and no others.
func TestNewPasswordEndsTokens(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		w := newPerson(t, p)
		secret, _, err := p.ResetPassword(p.Ctx, p.Owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.live(t); got != "false false true" {
			t.Errorf("after a reset: %s", got)
		}
		w.rearm(t)
		asking := graphtest.Must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(), *w.tokens[0], apikey.Staff))
		owner := viewer.With(p.Ctx, asking)
		if _, err := p.Mutation().PasswordChange(owner, "wrong", "a long new password"); err == nil {
			t.Error("a wrong password was accepted")
		}
		if got := w.live(t); got != "true true true" {
			t.Errorf("after a wrong password: %s", got)
		}
		graphtest.Must[*model.PasswordChangePayload](t)(p.Mutation().PasswordChange(owner, secret,
			"a long new password"))
		if got := w.live(t); got != "false false true" {
			t.Errorf("after a change: %s", got)
		}
		if got, want := p.Audited(t), "store.create staff_token.create password.reset staff_token.create "+
			"password.change"; got != want {
			t.Errorf("audited %q, want %q", got, want)
		}
		if got, want := w.second.Audited(t), "store.create staff.join"+strings.Repeat(" staff_token.create",
			3); got != want {
			t.Errorf("audited %q in the other store, want %q", got, want)
		}
	})
}

// A credential that was revoked after authentication creates no token. Other processes may accept
// it for some seconds.
func TestEndedCredentialMakesNoToken(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		w := newPerson(t, p)
		secret, _, err := p.ResetPassword(p.Ctx, p.Owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		w.rearm(t)
		signed, err := p.Sessions.SignIn(t.Context(), session.Attempt{Email: p.Owner.Email, Password: secret})
		if err != nil {
			t.Fatal(err)
		}
		browser := graphtest.Must[*session.Person](t)(p.Sessions.Find(t.Context(), signed.Token))
		asking := map[string]context.Context{
			"a session": viewer.With(p.Ctx, browser.In(p.Model.ID)),
			"a token": viewer.With(p.Ctx, graphtest.Must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(),
				*w.tokens[0], apikey.Staff))),
		}
		for name, ctx := range asking {
			if _, err := p.Mutation().StaffTokenCreate(ctx, "Another", nil, false); err != nil {
				t.Errorf("valid %s: %v", name, err)
			}
		}
		if _, _, err := p.ResetPassword(p.Ctx, p.Owner.ID); err != nil {
			t.Fatal(err)
		}
		for name, ctx := range asking {
			_, err := p.Mutation().StaffTokenCreate(ctx, "Another", nil, false)
			if graphtest.FaultOf(err) != "invalid_token" {
				t.Errorf("revoked %s: %v", name, err)
			}
		}
	})
}

// The operator removes a member's factors: the person's security log and the store's audit log
// record it.
func TestResetFactors(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := graphtest.NewShop(t, p.Resolver)
		graphtest.AddFactor(t, p.Resolver, other.Owner.ID)
		if _, err := p.ResetFactors(p.Ctx, other.Owner.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a person of another store: %v", err)
		}
		if n, err := other.ResetFactors(other.Ctx, other.Owner.ID); n != 1 || err != nil {
			t.Errorf("%d factors, %v", n, err)
		}
		if n := p.Client(p.Ctx).Session.Query().Where(sessions.UserID(other.Owner.ID)).CountX(p.Ctx); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
		if got, want := other.Audited(t), "store.create factor.reset"; got != want {
			t.Errorf("audited %q, want %q", got, want)
		}
	})
}
