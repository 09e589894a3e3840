//go:build !race

package e2e

import (
	"slices"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/graph/access"
)

// A person is invited on the dashboard, opens the mailed link at another process, makes
// an account, joins, forgets the password and gets a new one by mail.
func TestBrowserPeople(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s settings) {
		mail := newPost(t)
		s.Args = append(s.Args, mail.flags()...)
		p := start(t, s)
		second := p
		if slices.Contains(s.Args, "--database") {
			second = start(t, s)
		}
		owner := p.browse(t)
		owner.signIn("/dashboard/staff", p.demo(t).Stores[0].Owner)
		owner.click(`[data-test="staff-invite"]`)
		owner.fill(`dialog input[name="email"]`, "tom@example.com")
		owner.click(`dialog button[type="submit"]`)
		owner.seeText("The invitation is on its way to tom@example.com")
		owner.seeText("Pending")
		link := mail.link(t, "tom@example.com", access.InvitationPath)

		tom := second.browse(t)
		tom.open(link)
		tom.seeText("Kestrel Bikes invites you as Support")
		tom.shot("invitation")
		tom.fill(`input[name="name"]`, "Tom")
		tom.fill(`input[name="password"]`, "a quiet kite over the bay")
		tom.click(`button[value="join"]`)
		tom.await("the dashboard", "location.pathname === '/dashboard'")
		tom.seeText("Tom")
		owner.open("/dashboard/staff")
		owner.seeText("Accepted")

		tom = second.browse(t)
		tom.open("/sign-in")
		tom.click(`a[href="/forgot"]`)
		tom.await("the page", "location.pathname === '/forgot'")
		tom.fill(`input[name="email"]`, "tom@example.com")
		tom.click(`form button[type="submit"]`)
		tom.seeText("Look into your mail")
		tom.open(mail.link(t, "tom@example.com", access.ResetPath))
		tom.fill(`input[name="password"]`, "a louder kite over the bay")
		tom.click(`form button[type="submit"]`)
		tom.await("the sign-in page", "location.pathname === '/sign-in'")
		tom.signIn("/dashboard", demo.Owner{Email: "tom@example.com", Password: "a louder kite over the bay"})
		tom.await("the dashboard", "location.pathname === '/dashboard'")
		var read []string // two processes may send them in any order
		for range 2 {
			subject, _ := mail.mail(t, "tom@example.com")
			read = append(read, subject)
		}
		slices.Sort(read)
		want := []string{"A new browser signed in to your account", "Your password was changed"}
		if !slices.Equal(read, want) {
			t.Errorf("they read %q", read)
		}
	})
}
