package access_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/invitation"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// good is a valid password.
const good = "a quiet kite over the bay"

// withMail gives the resolver a mail server.
func withMail(t *testing.T, p *graphtest.Shop) {
	t.Helper()
	p.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New(p.APIHost))
	p.Use(p.Engines)
}

// emailsTo returns the bodies of the queued emails to an address, oldest first.
func emailsTo(t *testing.T, p *graphtest.Shop, to string) []string {
	t.Helper()
	return graphtest.EmailBodies(t, p.Store, to)
}

// invite invites an address and returns the token of the link, which is shown or emailed.
func invite(ctx context.Context, t *testing.T, p *graphtest.Shop, email string, role viewer.Role) (string, string) {
	t.Helper()
	made := graphtest.Must[*model.InvitationPayload](t)(p.Mutation().StaffInvite(ctx,
		model.StaffInviteInput{Email: email, Role: role}))
	if made.Link != nil {
		return graphtest.LinkToken(t, *made.Link, access.InvitationPath), made.Invitation.PublicID()
	}
	list := emailsTo(t, p, email)
	return graphtest.LinkToken(t, list[len(list)-1], access.InvitationPath), made.Invitation.PublicID()
}

func memberOf(t *testing.T, p *graphtest.Shop, email string) *db.Staff {
	t.Helper()
	c, all := storetest.AllStores(t, p.Store)
	who := c.User.Query().Where(user.Email(email)).OnlyX(all)
	row, err := p.Client(p.Ctx).Staff.Query().Where(staff.ID(who.ID)).Only(p.Ctx)
	if err != nil && !db.IsNotFound(err) {
		t.Fatal(err)
	}
	return row
}

// Without a mail server the link is shown. Accepting it creates an account with an unconfirmed
// address, and works once.
func TestInvitation(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		token, id := invite(p.As(p.Owner.ID, viewer.Owner), t, p, "Ada@Example.com", viewer.Developer)
		c, all := storetest.AllStores(t, p.Store)
		if n := c.User.Query().Where(user.Email("ada@example.com")).CountX(all); n != 0 {
			t.Fatal("an invitation created an account")
		}
		if _, err := p.AcceptNew(t.Context(), token, "", "short"); graphtest.FieldOf(err) != "#/name too_short" {
			t.Errorf("a bad name and password: %v", err)
		}
		if email, err := p.AcceptNew(t.Context(), token, "Ada", good); err != nil || email != "ada@example.com" {
			t.Fatalf("%q, %v", email, err)
		}
		row := memberOf(t, p, "ada@example.com")
		who := c.User.Query().Where(user.Email("ada@example.com")).OnlyX(all)
		if row == nil || row.Role != viewer.Developer || who.VerifiedAt != nil || who.Name != "Ada" {
			t.Errorf("%+v, %+v", row, who)
		}
		if _, err := p.AcceptNew(t.Context(), token, "Eve", good); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("again: %v", err)
		}
		list := graphtest.Must[*model.InvitationConnection](t)(p.Query().Invitations(p.Ctx, nil, nil)).Nodes
		if len(list) != 1 || list[0].Status() != model.InvitationStatusAccepted || list[0].PublicID() != id {
			t.Errorf("%+v", list)
		}
		if log := p.Audited(t); log != "store.create staff.invite staff.join" || strings.Contains(log, "ada") {
			t.Errorf("audited %q", log)
		}
		for email, want := range map[string]string{"ada@example.com": "#/email taken", "x": "#/email invalid_format"} {
			_, err := p.Mutation().StaffInvite(p.Ctx, model.StaffInviteInput{Email: email, Role: viewer.Admin})
			if graphtest.FieldOf(err) != want {
				t.Errorf("%s: %v, want %s", email, err, want)
			}
		}
	})
}

// A person whom a stranger invited first does not get into the store that invites the address
// later. With email, confirming the address takes over the account; without email, its holder must
// sign in.
func TestSquatterStaysOut(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		thief, victim := p, p.Other(t)
		token, _ := invite(thief.Ctx, t, thief, "ada@example.com", viewer.Support)
		graphtest.Must[string](t)(thief.AcceptNew(t.Context(), token, "Thief", good))
		squat := memberOf(t, thief, "ada@example.com")
		signed := graphtest.Must[string](t)(signIn(t, p, "ada@example.com", good))
		stolen := graphtest.Must[*model.StaffTokenPayload](t)(thief.NewStaffToken(thief.Ctx, squat.ID, "x", nil,
			false)).Token

		shown, id := invite(victim.Ctx, t, victim, "ada@example.com", viewer.Owner)
		if memberOf(t, victim, "ada@example.com") != nil {
			t.Fatal("an address joined without acceptance")
		}
		if _, err := p.AcceptNew(t.Context(), shown, "Ada", good); graphtest.FieldOf(err) != "#/name taken" {
			t.Errorf("a shown link took over an account: %v", err)
		}
		withMail(t, p)
		graphtest.Must[*model.InvitationPayload](t)(victim.Mutation().InvitationResend(victim.Ctx, id))
		if _, err := p.Invited(t.Context(), shown); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("the previous link: %v", err)
		}
		mailed := graphtest.LinkToken(t, emailsTo(t, p, "ada@example.com")[0], access.InvitationPath)
		graphtest.Must[string](t)(p.AcceptNew(t.Context(), mailed, "Ada", good+" and sea"))
		c, all := storetest.AllStores(t, p.Store)
		who := c.User.Query().Where(user.Email("ada@example.com")).OnlyX(all)
		if who.ID != squat.ID || who.Name != "Ada" || who.VerifiedAt == nil {
			t.Errorf("taken over: %+v", who)
		}
		if memberOf(t, thief, "ada@example.com") != nil || memberOf(t, victim, "ada@example.com") == nil {
			t.Error("the memberships are not those of the person who confirmed the address")
		}
		if found, err := p.Sessions.Find(t.Context(), signed); found != nil || err != nil {
			t.Errorf("the squatter's session is valid: %v, %v", found, err)
		}
		if _, err := signIn(t, p, "ada@example.com", good); err == nil {
			t.Error("the squatter's password is valid")
		}
		if p.Authenticates(t, stolen) {
			t.Error("the squatter's token is valid")
		}
	})
}

// A person with an account accepts once signed in, and only invitations to their address.
func TestAccept(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		withMail(t, p)
		other := p.Other(t)
		member, _ := other.Member(t, viewer.Admin)
		token, _ := invite(p.Ctx, t, p, member.Email, viewer.Owner)
		if err := p.Accept(t.Context(), token, other.Owner.ID); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("another person: %v", err)
		}
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() { errs[i] = p.Accept(t.Context(), token, member.ID) })
		}
		wg.Wait()
		joined := 0
		for _, err := range errs {
			if err == nil {
				joined++
			} else if graphtest.FaultOf(err) != "not_found" {
				t.Error(err)
			}
		}
		row := memberOf(t, p, member.Email)
		who := p.Client(p.Ctx).User.Query().Where(user.ID(member.ID)).OnlyX(p.Ctx)
		if joined != 1 || row == nil || row.Role != viewer.Owner || who.VerifiedAt == nil {
			t.Errorf("%d joined, %+v, verified %v", joined, row, who.VerifiedAt)
		}
		reads(t, p, p.Owner.Email, "is an Owner now")
		reads(t, p, member.Email, access.InvitationPath, "You are an owner of the store")
	})
}

// An invitation ends when it is withdrawn, declined or a week old, or when its inviter is removed.
func TestInvitationEnds(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		admin, ctx := p.Member(t, viewer.Admin)
		for name, end := range map[string]func(token, id string){
			"withdrawn": func(_, id string) {
				graphtest.Must[*model.InvitationPayload](t)(m.InvitationWithdraw(p.Ctx, id))
			},
			"declined": func(token, _ string) {
				if err := p.Decline(t.Context(), token); err != nil {
					t.Error(err)
				}
			},
			"too old": func(_, id string) {
				uid, _ := xid.Invitation.Parse(id)
				p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
					return c.Invitation.Update().Where(invitation.ID(uid)).SetExpiresAt(micros.Now()).Exec(ctx)
				})
			},
			"of a removed person": func(string, string) {
				graphtest.Must[*model.StaffRemovePayload](t)(m.StaffRemove(p.Ctx, admin.PublicID(), nil))
			},
		} {
			email := strings.ReplaceAll(name, " ", "-") + "@example.com"
			token, id := invite(ctx, t, p, email, viewer.Support)
			end(token, id)
			if _, err := p.AcceptNew(t.Context(), token, "Ada", good); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s: %v", name, err)
			}
			if name == "of a removed person" {
				admin, ctx = p.Member(t, viewer.Admin)
			}
			_, again := invite(p.Ctx, t, p, email, viewer.Support)
			if again == id {
				t.Errorf("%s: the invitation is unchanged", name)
			}
		}
		_, id := invite(p.Ctx, t, p, "boss@example.com", viewer.Owner)
		stranger := graphtest.NewShop(t, p.Resolver).Ctx
		for what, call := range map[string]func(context.Context, string) (*model.InvitationPayload, error){
			"resend": m.InvitationResend, "withdraw": m.InvitationWithdraw,
		} {
			if _, err := call(ctx, id); graphtest.FaultOf(err) != "forbidden" {
				t.Errorf("an admin and an owner's invitation, %s: %v", what, err)
			}
			if _, err := call(stranger, id); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("another store, %s: %v", what, err)
			}
		}
		graphtest.Must[*model.InvitationPayload](t)(m.InvitationWithdraw(p.Ctx, id))
		if _, err := m.InvitationResend(p.Ctx, id); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("resend an ended invitation: %v", err)
		}
	})
}

// Invitations of closed stores are invalid, and their emails are limited.
func TestInvitationBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
		withMail(t, p)
		_, id := invite(p.Ctx, t, p, "ada@example.com", viewer.Support)
		again := func() error {
			_, err := p.Mutation().InvitationResend(p.Ctx, id)
			return err
		}
		for range 2 {
			if err := again(); err != nil {
				t.Fatal(err)
			}
		}
		if err := again(); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("a fourth email within the hour: %v", err)
		}
		time.Sleep(time.Hour)
		if err := again(); err != nil {
			t.Errorf("an hour later: %v", err)
		}
		list := emailsTo(t, p, "ada@example.com")
		token := graphtest.LinkToken(t, list[len(list)-1], access.InvitationPath)
		graphtest.Must[*model.StorePayload](t)(p.Mutation().StoreClose(p.Ctx, p.Model.Version))
		if _, err := p.Invited(t.Context(), token); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("of a closed store: %v", err)
		}
	})
}

// Members can leave a store, except the last owner.
func TestStoreLeave(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		member, ctx := p.Member(t, viewer.Support)
		token := graphtest.Must[*model.StaffTokenPayload](t)(p.Mutation().StaffTokenCreate(ctx, "x", nil, false)).Token
		left := graphtest.Must[*model.StaffRemovePayload](t)(p.Mutation().StoreLeave(ctx))
		if *left.RemovedID != member.PublicID() || memberOf(t, p, member.Email) != nil || p.Authenticates(t, token) {
			t.Errorf("still a member: %v", left)
		}
		if _, err := p.Mutation().StoreLeave(ctx); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("again: %v", err)
		}
		if _, err := p.Mutation().StoreLeave(p.As(p.Owner.ID, viewer.Owner)); graphtest.FaultOf(err) != "last_owner" {
			t.Errorf("the last owner: %v", err)
		}
	})
}

// from returns a context of a request from an address.
func from(ctx context.Context, address string) context.Context {
	return viewer.WithOrigin(ctx, viewer.Origin{Client: netip.MustParseAddr(address), Agent: "Browser"})
}
