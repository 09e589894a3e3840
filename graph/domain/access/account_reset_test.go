package access_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
)

// settled gives a person a password and a confirmed address.
func settled(t *testing.T, p *graphtest.Shop, person *db.User) {
	t.Helper()
	hash := graphtest.Must[string](t)(password.Hash(t.Context(), good))
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.User.Update().Where(user.ID(person.ID)).SetPasswordHash(hash).SetVerifiedAt(micros.Now()).Exec(ctx)
	})
}

func signIn(t *testing.T, p *graphtest.Shop, email, text string) (string, error) {
	t.Helper()
	signed, err := p.Sessions.SignIn(t.Context(), session.Attempt{Email: email, Password: text})
	return signed.Token, err
}

// An emailed link sets a new password once. Sessions and tokens end, memberships remain.
func TestForgottenPassword(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		if err := p.ForgotPassword(t.Context(), p.Owner.Email); !errors.Is(err, access.ErrNoMail) {
			t.Errorf("without a mail server: %v", err)
		}
		withMail(t, p)
		settled(t, p, p.Owner)
		old := graphtest.Must[string](t)(signIn(t, p, p.Owner.Email, good))
		token := graphtest.Must[*model.StaffTokenPayload](t)(p.NewStaffToken(p.Ctx, p.Owner.ID, "x", nil, false)).Token
		ctx := from(t.Context(), "192.0.2.9")
		if err := p.ForgotPassword(ctx, strings.ToUpper(p.Owner.Email)); err != nil {
			t.Fatal(err)
		}
		if err := p.ForgotPassword(ctx, "nobody@example.com"); err != nil {
			t.Errorf("an unknown address: %v", err)
		}
		if n := len(emailsTo(t, p, "nobody@example.com")); n != 0 {
			t.Errorf("%d emails to an unknown address", n)
		}
		link := graphtest.LinkToken(t, emailsTo(t, p, p.Owner.Email)[1], access.ResetPath)
		if err := p.SetForgotten(ctx, link, "short"); graphtest.FieldOf(err) != "#/password too_short" {
			t.Errorf("a short one: %v", err)
		}
		if err := p.SetForgotten(ctx, link, good+" 2"); err != nil {
			t.Fatal(err)
		}
		if err := p.SetForgotten(ctx, link, good+" 3"); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("twice: %v", err)
		}
		if found, _ := p.Sessions.Find(t.Context(), old); found != nil || p.Authenticates(t, token) {
			t.Error("a session or a token is still valid")
		}
		if _, err := signIn(t, p, p.Owner.Email, good); err == nil {
			t.Error("the old password is still valid")
		}
		if _, err := signIn(t, p, p.Owner.Email, good+" 2"); err != nil || memberOf(t, p, p.Owner.Email) == nil {
			t.Errorf("the new password: %v", err)
		}
		reads(t, p, p.Owner.Email, "staff token", access.ResetPath, "192.0.2.9, with Browser")
	})
}

// Opening the emailed link of an account with an unconfirmed address takes over the account,
// without its data.
func TestForgottenPasswordOfUnproved(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		withMail(t, p)
		member, _ := p.Member(t, viewer.Admin)
		if err := p.ForgotPassword(t.Context(), member.Email); err != nil {
			t.Fatal(err)
		}
		link := graphtest.LinkToken(t, emailsTo(t, p, member.Email)[0], access.ResetPath)
		if err := p.SetForgotten(t.Context(), link, good); err != nil {
			t.Fatal(err)
		}
		who := p.Client(p.Ctx).User.Query().Where(user.ID(member.ID)).OnlyX(p.Ctx)
		if memberOf(t, p, member.Email) != nil || who.VerifiedAt == nil {
			t.Errorf("%+v kept its membership or is unconfirmed", who)
		}
	})
}

// At most three links an hour for one address and twenty for one network, whether accounts exist or
// not. A link is valid for half an hour.
func TestForgottenPasswordBounds(t *testing.T) {
	hash := graphtest.Must[string](t)(password.Hash(t.Context(), good)) // outside of the bubble
	synctest.Test(t, func(t *testing.T) {
		p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
		withMail(t, p)
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.User.Update().Where(user.ID(p.Owner.ID)).SetPasswordHash(hash).Exec(ctx)
		})
		for range 5 {
			if err := p.ForgotPassword(t.Context(), p.Owner.Email); err != nil {
				t.Fatal(err)
			}
		}
		list := emailsTo(t, p, p.Owner.Email)
		if len(list) != 3 {
			t.Errorf("%d emails, want 3", len(list))
		}
		time.Sleep(30 * time.Minute)
		if _, err := p.AskedReset(t.Context(), graphtest.LinkToken(t, list[2], access.ResetPath)); graphtest.FaultOf(
			err) != "not_found" {
			t.Errorf("after half an hour: %v", err)
		}
		ctx, refused := from(t.Context(), "192.0.2.1"), 0
		for i := range 30 {
			if graphtest.FaultOf(p.ForgotPassword(ctx, fmt.Sprintf("p%d@example.com", i))) == "rate_limited" {
				refused++
			}
		}
		if refused != 10 {
			t.Errorf("%d refused of 30 from one network, want 10", refused)
		}
	})
}

// Only the signed-in owner can confirm an address. The link to a new address makes it theirs,
// unless another account has it.
func TestAddress(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, owner := p.Mutation(), p.As(p.Owner.ID, viewer.Owner)
		if _, err := m.AddressVerify(owner); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("without a mail server: %v", err)
		}
		withMail(t, p)
		member, ctx := p.Member(t, viewer.Support)
		graphtest.Must[*model.AddressPayload](t)(m.AddressVerify(ctx))
		link := graphtest.LinkToken(t, emailsTo(t, p, member.Email)[0], access.AddressPath)
		if err := p.ConfirmAddress(t.Context(), link, p.Owner.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("another person: %v", err)
		}
		if err := p.ConfirmAddress(t.Context(), link, member.ID); err != nil {
			t.Fatal(err)
		}
		if who := p.Client(p.Ctx).User.Query().Where(user.ID(member.ID)).OnlyX(p.Ctx); who.VerifiedAt == nil {
			t.Error("not confirmed")
		}
		if err := p.ConfirmAddress(t.Context(), link, member.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("twice: %v", err)
		}

		if _, err := m.AddressChange(ctx, "New@example.com"); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("by a token: %v", err)
		}
		who := *viewer.From(ctx)
		who.Session = graphtest.AddSession(t, p.Resolver, member.ID)
		ctx = viewer.With(ctx, &who)
		graphtest.Must[*model.AddressPayload](t)(m.AddressChange(ctx, "New@example.com"))
		graphtest.Must[*model.AddressPayload](t)(m.AddressChange(ctx, p.Owner.Email))
		taken := graphtest.LinkToken(t, emailsTo(t, p, p.Owner.Email)[0], access.AddressPath)
		if err := p.ConfirmAddress(t.Context(), taken, member.ID); graphtest.FieldOf(err) != "#/email taken" {
			t.Errorf("the owner's address: %v", err)
		}
		link = graphtest.LinkToken(t, emailsTo(t, p, "new@example.com")[0], access.AddressPath)
		if err := p.ConfirmAddress(t.Context(), link, p.Owner.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("another person's new address: %v", err)
		}
		if err := p.ConfirmAddress(t.Context(), link, member.ID); err != nil {
			t.Fatal(err)
		}
		if err := p.ConfirmAddress(t.Context(), taken, member.ID); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a link from before the change: %v", err)
		}
		if memberOf(t, p, "new@example.com") == nil {
			t.Error("the address has not changed")
		}
		if got := emailsTo(t, p, member.Email); len(got) != 2 || !strings.Contains(got[1], "new@example.com") {
			t.Errorf("the former address reads %q", got)
		}
		if _, err := m.AddressChange(graphtest.AsKey(p.Ctx, "orders.read"), "x@example.com"); graphtest.FaultOf(
			err) != "forbidden" {
			t.Errorf("a key: %v", err)
		}
	})
}
