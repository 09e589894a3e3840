package access_test

import (
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/password"
	"github.com/storefront-go/storefront/graph/session"
)

// Only a person has an account, and what they change is announced without naming them.
// What sessions see of it is tested where cookies are: in rest/account.
func TestAccount(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for name, ctx := range map[string]func() error{
			"query": func() error { _, err := p.Query().Account(graphtest.AsKey(p.Ctx, "products.read")); return err },
			"password": func() error {
				_, err := p.Mutation().PasswordChange(p.Ctx, "a", "a long new password")
				return err
			},
			"sessions": func() error { _, err := p.Mutation().SignOutEverywhere(graphtest.AsKey(p.Ctx)); return err },
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
			access.AccountFields{Resolver: access.New(p.Core, nil, nil)}.Memberships(owner, a))
		if len(list) != 1 || list[0].Store.ID != p.Model.ID || list[0].Role != viewer.Owner ||
			list[0].Store.StoreHost == "" {
			t.Errorf("%+v", list)
		}
		if out := graphtest.Must[*model.SignOutPayload](t)(p.Mutation().SignOutEverywhere(owner)); out.Sessions != 0 {
			t.Errorf("%+v", out)
		}
		if _, err := p.Mutation().PasswordChange(owner, "anything",
			"a long new password"); graphtest.FieldOf(err) != "#/current unknown_value" {
			t.Errorf("without a password: %v", err)
		}
	})
}

// The operator gives a member a new password, and nobody else one.
func TestResetPassword(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		if _, _, err := p.ResetPassword(p.Ctx, xid.New()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("nobody: %v", err)
		}
		other := graphtest.NewShop(t, p.Resolver)
		if _, _, err := p.ResetPassword(p.Ctx, other.Owner.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a person of another store: %v", err)
		}
		first, _, err := p.ResetPassword(p.Ctx, p.Owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		token, _, err := p.Sessions.SignIn(t.Context(), session.Attempt{Email: p.Owner.Email, Password: first})
		if err != nil {
			t.Fatal(err)
		}
		owner := p.As(p.Owner.ID, viewer.Owner)
		if got := graphtest.Must[*model.PasswordChangePayload](t)(p.Mutation().PasswordChange(owner, first,
			"a long new password")); !got.Changed {
			t.Errorf("%+v", got)
		}
		if who, err := p.Sessions.Find(t.Context(), token); who != nil || err != nil {
			t.Errorf("changed by a token, a session goes on: %v, %v", who, err)
		}
		second, ended, err := p.ResetPassword(p.Ctx, p.Owner.ID)
		if err != nil || ended != 0 || first == second {
			t.Errorf("%q, %d, %v", second, ended, err)
		}
		if _, _, err := p.Sessions.SignIn(t.Context(),
			session.Attempt{Email: p.Owner.Email, Password: "a long new password"}); !errors.Is(err, session.ErrWrong) {
			t.Errorf("the password of before: %v", err)
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
