package access_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// reads checks the letters of a person: each holds its text.
func reads(t *testing.T, p *graphtest.Shop, who string, want ...string) {
	t.Helper()
	got := letters(t, p, who)
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.Contains(got[i], want[i])
	}
	if !ok {
		t.Errorf("%s reads %q, want %q", who, got, want)
	}
}

// A store tells all who run it of a new owner, who gets a mail of their own; other changes
// of a role are told nobody.
func TestOwnerIsTold(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		mails(t, p)
		member, _ := p.Member(t, viewer.Support)
		admin, _ := p.Member(t, viewer.Admin)
		for i, role := range []viewer.Role{viewer.Admin, viewer.Owner, viewer.Owner, viewer.Support} {
			version := int64(min(i, 2) + 1) // an owner who becomes one stays as they are
			graphtest.Must[*model.StaffPayload](t)(p.Mutation().StaffUpdateRole(p.As(p.Owner.ID, viewer.Owner),
				member.PublicID(), role, version))
		}
		told := "Max (" + member.Email + ") was an Admin and is an Owner now."
		reads(t, p, p.Owner.Email, told)
		reads(t, p, admin.Email, told)
		reads(t, p, member.Email, "You are an owner of the store Corner shop")
		list := graphtest.Must[*model.NotificationConnection](t)(p.Query().Notifications(p.Ctx, new(10), nil)).Nodes
		if len(list) != 1 || list[0].Body != told || list[0].ResourceID == nil {
			t.Errorf("%d notices: %+v", len(list), list)
		}
	})
}

// Whoever has a new staff token reads of it, and nobody else.
func TestTokenIsTold(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		member, ctx := p.Member(t, viewer.Support)
		for _, name := range []string{"Unheard", "Laptop"} {
			made, err := p.Mutation().StaffTokenCreate(from(ctx, "192.0.2.9"), name, nil, false)
			if err != nil || made.Token == nil {
				t.Fatal(err)
			}
			mails(t, p)
		}
		reads(t, p, member.Email, "The staff token \"Laptop\" was made in your name.")
		reads(t, p, p.Owner.Email)
		if got := letters(t, p, member.Email); !strings.Contains(got[0], "192.0.2.9, with Browser") {
			t.Errorf("from where: %q", got)
		}
	})
}
