package access_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db/accountevent"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// noted counts the rows of an action in a person's security log.
func noted(t *testing.T, p *graphtest.Shop, person xid.ID, action state.AccountAction) int {
	t.Helper()
	return p.Client(t.Context()).AccountEvent.Query().
		Where(accountevent.UserID(person), accountevent.ActionEQ(action)).CountX(t.Context())
}

// If a process crashes after the first step of an acceptance, another one completes it, once.
func TestCrashBeforeEntering(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		token, _ := invite(p.Ctx, t, p, "ada@example.com", viewer.Owner)
		graphtest.Crash(p.Resolver, access.EntryTask)
		if _, err := p.AcceptNew(t.Context(), token, "Ada", good); !graphtest.Crashed(err) {
			t.Fatalf("accept: %v", err)
		}
		if memberOf(t, p, "ada@example.com") != nil {
			t.Fatal("the task ran despite the crash")
		}
		p.Resolver = graphtest.Recover(t, p.Resolver, 1)
		row := memberOf(t, p, "ada@example.com")
		if row == nil || row.Role != viewer.Owner {
			t.Fatalf("%+v", row)
		}
		if n := noted(t, p, row.ID, state.AccountJoined); n != 1 {
			t.Errorf("their log has %d entries", n)
		}
		if got, want := p.Audited(t), "store.create staff.invite staff.join"; got != want {
			t.Errorf("audited %q, want %q", got, want)
		}
		if _, err := signIn(t, p, "ada@example.com", good); err != nil {
			t.Error(err)
		}
	})
}

// An invitation that ends between the two steps admits nobody.
func TestWithdrawnBeforeEntering(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		token, id := invite(p.Ctx, t, p, "ada@example.com", viewer.Owner)
		graphtest.Crash(p.Resolver, access.EntryTask)
		if _, err := p.AcceptNew(t.Context(), token, "Ada", good); !graphtest.Crashed(err) {
			t.Fatalf("accept: %v", err)
		}
		graphtest.Must[*model.InvitationPayload](t)(p.Mutation().InvitationWithdraw(p.Ctx, id))
		p.Resolver = graphtest.Recover(t, p.Resolver, 1)
		if row := memberOf(t, p, "ada@example.com"); row != nil {
			t.Errorf("%+v", row)
		}
	})
}

// A new password revokes tokens in every store, even if a crash interrupts it.
func TestCrashBeforeTokensEnd(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		token := graphtest.Must[*model.StaffTokenPayload](t)(p.NewStaffToken(p.Ctx, p.Owner.ID, "x", nil, false)).Token
		graphtest.Crash(p.Resolver, access.TokensTask, audit.StoreTask)
		if _, _, err := p.ResetPassword(p.Ctx, p.Owner.ID); err != nil {
			t.Fatal(err)
		}
		p.Resolver = graphtest.Recover(t, p.Resolver, 2)
		if p.Authenticates(t, token) {
			t.Error("the token is valid")
		}
		if got, want := p.Audited(t), "store.create staff_token.create password.reset"; got != want {
			t.Errorf("audited %q, want %q", got, want)
		}
		if n := noted(t, p, p.Owner.ID, state.AccountPasswordReset); n != 1 {
			t.Errorf("their log has %d entries", n)
		}
	})
}

// An account that is taken over leaves its stores before it joins again, whatever crashes in
// between.
func TestCrashBeforeLeaving(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := p.Other(t)
		token, _ := invite(other.Ctx, t, other, "ada@example.com", viewer.Support)
		graphtest.Must[string](t)(p.AcceptNew(t.Context(), token, "Thief", good))
		squat := memberOf(t, other, "ada@example.com")
		stolen := graphtest.Must[*model.StaffTokenPayload](t)(p.NewStaffToken(other.Ctx, squat.ID, "x", nil,
			false)).Token
		withMail(t, p)
		token, _ = invite(p.Ctx, t, p, "ada@example.com", viewer.Admin)
		graphtest.Crash(p.Resolver, access.LeaveTask, access.EntryTask)
		if _, err := p.AcceptNew(t.Context(), token, "Ada", good+" and sea"); !graphtest.Crashed(err) {
			t.Fatalf("accept: %v", err)
		}
		p.Resolver = graphtest.Recover(t, p.Resolver, 2)
		other.Resolver = p.Resolver
		if memberOf(t, other, "ada@example.com") != nil || p.Authenticates(t, stolen) {
			t.Error("the previous holder is still a member")
		}
		if row := memberOf(t, p, "ada@example.com"); row == nil || row.Role != viewer.Admin {
			t.Errorf("%+v", row)
		}
		if log := other.Audited(t); !strings.HasSuffix(log, "staff.join staff_token.create staff.remove") {
			t.Errorf("audited %q", log)
		}
	})
}

// What a store does to a person is recorded in the person's security log, once.
func TestCrashBeforeTheLog(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		graphtest.Crash(p.Resolver, audit.AccountTask)
		graphtest.Must[*model.StaffTokenPayload](t)(p.NewStaffToken(p.Ctx, p.Owner.ID, "x", nil, false))
		member, _ := p.Member(t, viewer.Support)
		graphtest.Must[*model.StaffRemovePayload](t)(p.Mutation().StaffRemove(p.Ctx, member.PublicID(), nil))
		p.Resolver = graphtest.Recover(t, p.Resolver, 3)
		c, all := storetest.AllStores(t, p.Store)
		who := c.User.Query().Where(user.ID(member.ID)).OnlyX(all)
		for action, of := range map[state.AccountAction]xid.ID{state.AccountTokenMade: p.Owner.ID,
			state.AccountJoined: who.ID, state.AccountLeft: who.ID} {
			if n := noted(t, p, of, action); n != 1 {
				t.Errorf("%s: %d entries in the log", action, n)
			}
		}
	})
}
