package access_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// reads checks the emails to a person: each contains its text.
func reads(t *testing.T, p *graphtest.Shop, who string, want ...string) {
	t.Helper()
	got := emailsTo(t, p, who)
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.Contains(got[i], want[i])
	}
	if !ok {
		t.Errorf("emails to %s: %q, want %q", who, got, want)
	}
}

// The staff of a store is notified of a new owner, who gets a separate email; other changes of
// roles notify nobody.
func TestOwnerIsNotified(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		withMail(t, p)
		member, _ := p.Member(t, viewer.Support)
		admin, _ := p.Member(t, viewer.Admin)
		for i, role := range []viewer.Role{viewer.Admin, viewer.Owner, viewer.Owner, viewer.Support} {
			version := int64(min(i, 2) + 1) // an owner who becomes owner does not change
			graphtest.Must[*model.StaffPayload](t)(p.Mutation().StaffUpdateRole(p.As(p.Owner.ID, viewer.Owner),
				member.PublicID(), role, version))
		}
		reported := "Max (" + member.Email + ") was an Admin and is an Owner now."
		reads(t, p, p.Owner.Email, reported)
		reads(t, p, admin.Email, reported)
		reads(t, p, member.Email, "You are an owner of the store Corner shop")
		list := graphtest.Must[*model.NotificationConnection](t)(p.Query().Notifications(p.Ctx, new(10), nil)).Nodes
		if len(list) != 1 || list[0].Body != reported || list[0].ResourceID == nil {
			t.Errorf("%d notices: %+v", len(list), list)
		}
	})
}

// The holder of a new staff token gets an email, and nobody else does.
func TestTokenIsNotified(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		member, ctx := p.Member(t, viewer.Support)
		for _, name := range []string{"Unheard", "Laptop"} {
			made, err := p.Mutation().StaffTokenCreate(from(ctx, "192.0.2.9"), name, nil, false)
			if err != nil || made.Token == nil {
				t.Fatal(err)
			}
			withMail(t, p)
		}
		reads(t, p, member.Email, "The staff token \"Laptop\" was created in your name.")
		reads(t, p, p.Owner.Email)
		if got := emailsTo(t, p, member.Email); !strings.Contains(got[0], "192.0.2.9, with Browser") {
			t.Errorf("without an origin: %q", got)
		}
	})
}
