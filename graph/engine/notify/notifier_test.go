package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// recipients returns the sorted addresses of the waiting emails.
func (s *shop) recipients() []string {
	var list []string
	for _, m := range s.waiting() {
		list = append(list, m.Recipient)
	}
	slices.Sort(list)
	return list
}

// staffed is a shop with one person of each role, next to another shop.
func staffed(t *testing.T, store *ent.Store) *shop {
	other := open(t, store)
	other.hire(viewer.Owner, "other@example.com")
	s := open(t, store)
	for _, role := range []viewer.Role{viewer.Owner, viewer.Admin, viewer.Developer, viewer.Support} {
		s.hire(role, string(role)+"@example.com")
	}
	return s
}

// The recipients of an email depend on the role and on the notice.
func TestNotifierRecipients(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		for _, tc := range []struct {
			developers bool
			want       []string
		}{
			{false, []string{"admin@example.com", "owner@example.com"}},
			{true, []string{"admin@example.com", "developer@example.com", "owner@example.com"}},
		} {
			s := staffed(t, store)
			n := notice()
			n.Developers = tc.developers
			s.notify(n)
			if diff := cmp.Diff(tc.want, s.recipients()); diff != "" {
				t.Errorf("developers %t: %s", tc.developers, diff)
			}
			for _, m := range s.waiting() {
				if m.Bucket != bucket.Of(s.row.ID) || m.Attempts != 0 ||
					m.Subject != "Endpoint suspended (Test shop)" ||
					!strings.HasPrefix(m.Body, "It failed for a day.\n\n") ||
					!strings.HasSuffix(m.Body, "\n"+api+"/dashboard/notifications") ||
					!strings.Contains(m.Body, "Test shop ("+s.row.Handle+")") {
					t.Errorf("wrote %v", m)
				}
			}
			if n := s.DB(s.ctx).Notification.Query().CountX(s.ctx); n != 1 {
				t.Errorf("%d notices on the dashboard, want 1", n)
			}
		}
	})
}

// A notice about one person's own affairs goes to them alone, whatever their role.
func TestNotifierPerson(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := staffed(t, store)
		n := notice()
		n.Person = s.DB(s.ctx).Staff.Query().Where(staff.RoleEQ(viewer.Support)).OnlyIDX(s.ctx)
		s.notify(n)
		if diff := cmp.Diff([]string{"support@example.com"}, s.recipients()); diff != "" {
			t.Error(diff)
		}
	})
}

// A transaction that rolls back leaves neither notice nor email.
func TestNotifierRollsBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := staffed(t, store)
		notifier, err := notify.New(api)
		if err != nil {
			t.Fatal(err)
		}
		undo := errors.New("undo")
		err = s.InTx(s.ctx, func(ctx context.Context) error {
			if err := notifier.Append(ctx, s.Store, notice()); err != nil {
				return err
			}
			if n := s.DB(ctx).Mail.Query().CountX(ctx); n != 3 {
				t.Errorf("%d emails inside of the transaction, want 3", n)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
		if n := s.DB(s.ctx).Notification.Query().CountX(s.ctx); n != 0 || len(s.waiting()) != 0 {
			t.Errorf("%d notices and %d emails are left", n, len(s.waiting()))
		}
	})
}

// A nil notifier writes to the dashboard and does not fail; nor does a store without people.
func TestNotifierWithoutMail(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := staffed(t, store)
		s.write(func(ctx context.Context, _ *db.Client) error {
			return (*notify.Notifier)(nil).Append(ctx, store, notice())
		})
		empty := open(t, store)
		empty.notify(notice())
		for _, s := range []*shop{s, empty} {
			if n := s.DB(s.ctx).Notification.Query().CountX(s.ctx); n != 1 || len(s.waiting()) != 0 {
				t.Errorf("%d notices and %d emails, want the notice alone", n, len(s.waiting()))
			}
		}
	})
}

// The number of emails per notice is bounded, and owners are never left out.
func TestNotifierBounds(t *testing.T) {
	s := open(t, storetest.Open(t))
	for i := range 55 {
		s.hire(viewer.Admin, fmt.Sprintf("a%d@example.com", i))
	}
	s.hire(viewer.Owner, "z@example.com")
	s.notify(notice())
	if got := s.recipients(); len(got) != 50 || !slices.Contains(got, "z@example.com") {
		t.Errorf("emails to %d people: %v", len(got), got)
	}
}

// The name of a store cannot break out of its place in an email.
func TestNotifierHostileNames(t *testing.T) {
	s := staffed(t, storetest.Open(t))
	for _, name := range []string{
		"Shop\r\nBcc: evil@example.com", "Shop\n\nBody", "Shop\u2028Bcc: x", "Shop\x00\x1b[31m", "\u202eevil",
		strings.Repeat("Ü", 255),
	} {
		s.rename(name)
		n := notice()
		n.Title = strings.Repeat("T", 100)
		s.notify(n)
		m := s.waiting()
		got := m[len(m)-1]
		if strings.ContainsAny(got.Subject, "\r\n\x00\x1b\u2028\u202e") || utf8.RuneCountInString(got.Subject) > 255 {
			t.Errorf("%q: the subject is %q", name, got.Subject)
		}
		if strings.Count(got.Body, "\n") != 5 || strings.ContainsAny(got.Body, "\r\x00\x1b\u2028\u202e") {
			t.Errorf("%q: the body is %q", name, got.Body)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, address := range []string{"", "shop.example", "https://"} {
		if _, err := notify.New(address); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
	if _, err := notify.NewSender(notify.SenderConfig{}); err == nil {
		t.Error("a sender without anything was made")
	}
}
