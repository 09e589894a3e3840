package access_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// An admin can neither add nor change nor remove owners.
func TestStaffAdminAndOwners(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		_, admin := p.Member(t, viewer.Admin)
		second, _ := p.Member(t, viewer.Owner)
		support, _ := p.Member(t, viewer.Support)
		calls := map[string]func(context.Context) error{
			"add an owner": func(ctx context.Context) error {
				_, err := m.StaffInvite(ctx, model.StaffInviteInput{Email: "x@example.com", Role: viewer.Owner})
				return err
			},
			"make an owner": func(ctx context.Context) error {
				_, err := m.StaffUpdateRole(ctx, support.PublicID(), viewer.Owner, 1)
				return err
			},
			"demote an owner": func(ctx context.Context) error {
				_, err := m.StaffUpdateRole(ctx, second.PublicID(), viewer.Admin, 1)
				return err
			},
			"remove an owner": func(ctx context.Context) error {
				_, err := m.StaffRemove(ctx, xid.User.Format(p.Owner.ID), nil)
				return err
			},
		}
		for name, call := range calls {
			if err := call(admin); graphtest.FaultOf(err) != "forbidden" {
				t.Errorf("admin, %s: %v", name, err)
			}
			if err := call(p.As(second.ID, viewer.Owner)); err != nil && graphtest.FaultOf(err) != "version_mismatch" &&
				graphtest.FaultOf(err) != "last_owner" {
				t.Errorf("owner, %s: %v", name, err)
			}
		}
		if got, err := m.StaffRemove(admin, support.PublicID(), nil); graphtest.FaultOf(err) != "" &&
			graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("admin removes support: %v, %v", got, err)
		}
	})
}

func TestStaffUpdateRole(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		member, ctx := p.Member(t, viewer.Support)
		token := graphtest.Must[*model.StaffTokenPayload](t)(m.StaffTokenCreate(ctx, "Laptop", nil, false))
		if !p.Authenticates(t, token.Token) {
			t.Fatal("invalid from the start")
		}
		got := graphtest.Must[*model.StaffPayload](t)(m.StaffUpdateRole(p.Ctx, member.PublicID(), viewer.Developer,
			1)).Staff
		if got.Role != viewer.Developer || got.Version != 2 || got.Name != "Max" {
			t.Errorf("changed to %v", got)
		}
		v, err := p.Keys.Authenticate(t.Context(), *token.Token, "sft_")
		if err != nil || v.Role != viewer.Developer {
			t.Errorf("their token has the previous role: %v, %v", v, err)
		}
		if same := graphtest.Must[*model.StaffPayload](t)(m.StaffUpdateRole(p.Ctx, member.PublicID(), viewer.Developer,
			2)).Staff; same.Version != 2 {
			t.Errorf("no change created version %d", same.Version)
		}
		for _, tc := range []struct {
			id      string
			role    viewer.Role
			version int64
			want    string
		}{
			{id: member.PublicID(), role: viewer.Admin, version: 1, want: "version_mismatch"},
			{id: member.PublicID(), role: "king", version: 2, want: "validation_failed"},
			{id: xid.User.Format(xid.New()), role: viewer.Admin, version: 1, want: "not_found"},
			{id: "usr_x", role: viewer.Admin, version: 1, want: "not_found"},
			{id: xid.User.Format(p.Owner.ID), role: viewer.Admin, version: 1, want: "last_owner"},
		} {
			if _, err := m.StaffUpdateRole(p.Ctx, tc.id, tc.role, tc.version); graphtest.FaultOf(err) != tc.want {
				t.Errorf("%+v: %v", tc, err)
			}
		}
	})
}

func TestStaffRemove(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		member, ctx := p.Member(t, viewer.Admin)
		token := graphtest.Must[*model.StaffTokenPayload](t)(m.StaffTokenCreate(ctx, "Laptop", nil, false))
		if !p.Authenticates(t, token.Token) {
			t.Fatal("invalid from the start")
		}
		if _, err := m.StaffRemove(p.Ctx, member.PublicID(), nil); err != nil {
			t.Fatal(err)
		}
		if p.Authenticates(t, token.Token) {
			t.Error("their token is valid")
		}
		if _, err := m.StaffTokenCreate(ctx, "Again", nil, false); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("they created another token: %v", err)
		}
		if _, err := m.StaffRemove(p.Ctx, member.PublicID(), nil); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("again: %v", err)
		}
		// Rejoining does not make the token valid again.
		graphtest.Must[*model.Staff](t)(p.Hire(p.Ctx, access.Person{ID: member.ID}, viewer.Admin))
		if p.Authenticates(t, token.Token) {
			t.Error("their token is valid again")
		}
		if _, err := m.StaffRemove(p.Ctx, xid.User.Format(p.Owner.ID), nil); graphtest.FaultOf(err) != "last_owner" {
			t.Errorf("the last owner: %v", err)
		}
	})
}

// However many owners leave concurrently, one remains.
func TestStaffLastOwnerRace(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		owners := []xid.ID{p.Owner.ID}
		for range 3 {
			s, _ := p.Member(t, viewer.Owner)
			owners = append(owners, s.ID)
		}
		var wg sync.WaitGroup
		errs := make([]error, len(owners))
		for i, id := range owners {
			wg.Go(func() {
				if i%2 == 0 {
					_, errs[i] = p.Mutation().StaffRemove(p.As(id, viewer.Owner), xid.User.Format(id), nil)
				} else {
					_, errs[i] = p.Mutation().StaffUpdateRole(p.As(id, viewer.Owner), xid.User.Format(id),
						viewer.Support, 1)
				}
			})
		}
		wg.Wait()
		refused := 0
		for _, err := range errs {
			if graphtest.FaultOf(err) == "last_owner" {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		left := p.Client(p.Ctx).Staff.Query().Where(staff.RoleEQ(viewer.Owner)).CountX(p.Ctx)
		if left != 1 || refused != 1 {
			t.Errorf("%d owners left, %d refused, want 1 and 1", left, refused)
		}
	})
}

func TestStaffTokens(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		_, support := p.Member(t, viewer.Support)
		_, developer := p.Member(t, viewer.Developer)
		_, admin := p.Member(t, viewer.Admin)
		end := micros.Now().Add(time.Hour)
		made := graphtest.Must[*model.StaffTokenPayload](t)(m.StaffTokenCreate(support, "Laptop", &end, false))
		id := made.StaffToken.PublicID()
		if !p.Authenticates(t, made.Token) || *made.StaffToken.ExpiresAt != end ||
			made.StaffToken.UserID != viewer.From(support).Actor {
			t.Errorf("created %v", made.StaffToken)
		}
		for name, tc := range map[string]struct {
			ctx  context.Context
			id   string
			want string
		}{
			"another's": {developer, id, "not_found"}, "unknown": {admin, xid.Token.Format(xid.New()), "not_found"},
			"malformed":       {admin, "tok_x", "not_found"},
			"a key":           {graphtest.AsKey(p.Ctx, "orders.read"), id, "not_found"},
			"another store's": {graphtest.NewShop(t, p.Resolver).Ctx, id, "not_found"},
		} {
			if _, err := m.StaffTokenRevoke(tc.ctx, tc.id); graphtest.FaultOf(err) != tc.want {
				t.Errorf("revoke %s: %v", name, err)
			}
		}
		ended := graphtest.Must[*model.StaffTokenPayload](t)(m.StaffTokenRevoke(support, id))
		if ended.StaffToken.RevokedAt == nil || ended.Token != nil || p.Authenticates(t, made.Token) {
			t.Error("it is valid after its end")
		}
		if _, err := m.StaffTokenRevoke(admin, id); graphtest.FaultOf(err) != "already_revoked" {
			t.Errorf("again: %v", err)
		}
		second := graphtest.Must[*model.StaffTokenPayload](t)(p.NewStaffToken(p.Ctx, viewer.From(support).Actor,
			"By the operator", nil, false))
		if _, err := m.StaffTokenRevoke(admin, second.StaffToken.PublicID()); err != nil || p.Authenticates(t,
			second.Token) {
			t.Errorf("an admin revokes another's: %v", err)
		}
		list := graphtest.Must[*model.StaffTokenConnection](t)(p.Query().StaffTokens(admin, nil, nil)).Nodes
		if len(list) != 2 || list[0].ID != second.StaffToken.ID || list[1].RevokedAt == nil {
			t.Errorf("list %v", list)
		}
		_, blank := m.StaffTokenCreate(support, "", nil, false)
		_, past := m.StaffTokenCreate(support, "X", new(micros.Now()), false)
		_, key := m.StaffTokenCreate(graphtest.AsKey(p.Ctx, "orders.read"), "X", nil, false)
		if graphtest.FieldOf(blank) != "#/name too_short" || graphtest.FieldOf(past) != "#/expires_at out_of_range" ||
			graphtest.FaultOf(key) != "forbidden" {
			t.Errorf("refused: %v, %v, %v", blank, past, key)
		}
	})
}

// A token ends after 90 days by default, and at most after a year.
func TestStaffTokenLife(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const day = 24 * time.Hour
		_, ctx := p.Member(t, viewer.Support)
		before := micros.Now()
		made := graphtest.Must[*model.StaffTokenPayload](t)(p.Mutation().StaffTokenCreate(ctx, "Laptop", nil, false))
		if end := made.StaffToken.ExpiresAt; end == nil || *end < before.Add(90*day) ||
			*end > micros.Now().Add(90*day) {
			t.Errorf("ends at %v, want in 90 days", end)
		}
		year := micros.Now().Add(365 * day)
		made = graphtest.Must[*model.StaffTokenPayload](t)(p.Mutation().StaffTokenCreate(ctx, "Laptop", &year, false))
		if end := made.StaffToken.ExpiresAt; end == nil || *end != year {
			t.Errorf("ends at %v, want %v", end, year)
		}
		for name, end := range map[string]micros.Time{
			"more than a year": micros.Now().Add(365*day + time.Minute), "now": micros.Now(), "never": 1<<63 - 1,
		} {
			_, err := p.Mutation().StaffTokenCreate(ctx, "Laptop", &end, false)
			if graphtest.FieldOf(err) != "#/expires_at out_of_range" {
				t.Errorf("%s: %v", name, err)
			}
		}
		// Tokens of earlier releases may have no end.
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.StaffToken.Update().Where(stafftoken.ID(made.StaffToken.ID)).ClearExpiresAt().Exec(ctx)
		})
		p.Keys.Forget(p.Model.ID)
		if !p.Authenticates(t, made.Token) {
			t.Error("a token without an end is refused")
		}
	})
}
