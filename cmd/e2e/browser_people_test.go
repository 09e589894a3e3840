//go:build !race

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/graph/domain/access"
)

// A person is invited on the dashboard, opens the emailed link at another process, creates an
// account, joins, forgets the password and gets a new one by email.
func TestBrowserPeople(t *testing.T) {
	t.Parallel()
	s := either(t)
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
	owner.seeText("Invitation sent to tom@example.com")
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
	tom.seeText("Check your email")
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
}

// On the Security page a person confirms their address, ends other sessions, creates and ends a
// token, changes the password, and sees all of it in their log.
func TestBrowserSecurity(t *testing.T) {
	t.Parallel()
	mail := newPost(t)
	p := start(t, settings{Data: demoData(t), Args: append(mail.flags(), "--rate-limit", "0")})
	owner := p.demo(t).Stores[0].Owner
	b, other := p.browse(t), p.person(t)
	gone := func(why string) {
		t.Helper()
		if at := other.open("/dashboard"); at.at != p.API+"/sign-in?return_to=%2Fdashboard" {
			t.Errorf("another session outlives %s: %s", why, at.at)
		}
		other.signIn(other.open("/sign-in"), owner)
	}
	other.signIn(other.open("/sign-in"), owner)
	b.signIn("/dashboard", owner)
	b.click(`[data-test="unverified"] [data-test="address-verify"]`)
	b.open(mail.link(t, owner.Email, access.AddressPath))
	b.click(`form button`)
	b.gone(`form[action^="/address/"]`)
	b.open("/dashboard")
	b.see(`[data-test="security"]`)
	b.gone(`[data-test="unverified"]`)
	b.open("/dashboard/security")
	b.see(`[data-test="address"] .badge.green`)
	b.click(`[data-test="session-end"]`)
	b.gone(`[data-test="session-end"]`)
	gone("its end")

	b.click(`[data-test="token-new"]`)
	b.fill(`dialog input[name="name"]`, "Laptop")
	b.click(`dialog input[name="sensitive"]`)
	b.click(`dialog [data-test="submit"]`)
	token := b.text(`[data-test="secret"]`)
	b.click(`[data-test="secret-done"]`)
	b.see(`[aria-label="Revoke Laptop"]`)
	b.seeText("Sensitive actions")
	query := request{As: token, Path: "/graphql", Body: `{"query": "{ account { name } }"}`}
	p.send(t, query).want(t, http.StatusOK, "")
	b.confirm(`[aria-label="Revoke Laptop"]`)
	b.gone(`[aria-label="Revoke Laptop"]`)
	p.send(t, query).want(t, http.StatusUnauthorized, "invalid_token")

	b.open("/dashboard/settings")
	b.fill(`form[data-test="store"] input[name="contactEmail"]`, owner.Email)
	b.click(`form[data-test="store"] [data-test="submit"]`)
	b.seeText("Store saved.")
	b.open("/dashboard/notifications/settings")
	b.click(`form[data-test="alerts"] input[name="ORDER.notice"]`)
	b.click(`form[data-test="alerts"] [data-test="submit"]`)
	b.seeText("Notifications saved.")
	b.open("/dashboard/notifications/settings")
	b.see(`form[data-test="alerts"] input[name="ORDER.notice"]:not(:checked)`)
	b.open("/dashboard/settings/emails")
	b.fill(`form[data-test="email-texts"] textarea[name="intro"]`, "Hello {{ shop.nane }}")
	b.click(`[data-test="email-preview"]`)
	b.seeText("There is no variable {{ shop.nane }} here")
	b.fill(`form[data-test="email-texts"] textarea[name="intro"]`, "Hello from **{{ shop.name }}**")
	b.click(`[data-test="email-preview"]`)
	b.see(`[data-test="email-shown"]`)
	b.click(`form[data-test="email-texts"] [data-test="submit"]`)
	b.seeText("Texts saved.")
	b.open("/dashboard/settings")
	b.await("the contact address", `document.querySelector('input[name="contactEmail"]').value === `+quote(owner.Email))

	b.open("/dashboard/security")
	b.confirm(`[data-test="sign-out-others"]`)
	b.gone(`[data-test="session-end"]`)
	gone("the end of the others")
	b.fill(`input[name="current"]`, owner.Password)
	owner.Password = "a new one that is long"
	b.fill(`input[name="next"]`, owner.Password)
	b.fill(`input[name="repeat"]`, owner.Password)
	b.click(`form[data-test="password"] [data-test="submit"]`)
	b.seeText("Password changed.")
	gone("the password")
	for _, what := range []string{"Password changed", "Staff token created", "in every other browser",
		"Address verified"} {
		b.await(what, `document.querySelector('[data-test="account-log"]').innerText.includes(`+quote(what)+`)`)
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{390, 1440} {
			b.dress(scheme, width)
			b.shot(fmt.Sprintf("security-%s-%d", scheme, width))
			if evaluate[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
				t.Errorf("the page is wider than %d", width)
			}
		}
	}
	b.confirm(`[data-test="sign-out-everywhere"]`)
	b.see(`input[name="email"]`)
	gone("the sign-out everywhere")
}

// Before removing a person, an admin sees what they created; what stays selected is removed with
// them.
func TestBrowserRemoval(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	dev := p.browse(t)
	dev.signIn("/dashboard/keys", p.staff(t, f.Stores[0].StaffToken, "DEVELOPER"))
	var keys [2]string
	for i, name := range []string{"Warehouse", "Till"} {
		dev.click(`[data-test="key-new"]`)
		dev.fill(`dialog input[name="name"]`, name)
		dev.click(`dialog label[for="scope-products.read"]`)
		dev.click(`dialog [data-test="submit"]`)
		keys[i] = dev.text(`[data-test="secret"]`)
		dev.click(`[data-test="secret-done"]`)
		dev.gone(`dialog`)
	}
	b := p.browse(t)
	b.signIn("/dashboard/staff", f.Stores[0].Owner)
	b.click(`[aria-label="Remove Max"]`)
	b.see(`[data-test="made"] input`)
	b.shot("removal")
	labels := evaluate[[]string](b,
		`[...document.querySelectorAll('[data-test="made"] label')].map((l) => l.innerText)`)
	if !slices.Equal(labels, []string{"Till", "Warehouse"}) {
		t.Errorf("they created %q", labels)
	}
	b.click(`[data-test="made"] .scope:first-of-type label`)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Max removed from the store.")
	p.send(t, request{As: keys[0], Path: base + "/products?limit=1"}).want(t, http.StatusUnauthorized, "invalid_token")
	p.send(t, request{As: keys[1], Path: base + "/products?limit=1"}).want(t, http.StatusOK, "")
}
