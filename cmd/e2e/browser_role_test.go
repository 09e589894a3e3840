//go:build !race

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// unlisted are pages that the menu does not list.
var unlisted = []string{"/products/new", "/pages/new", "/security", "/settings/shipping", "/settings/tax",
	"/settings/payments", "/settings/emails", "/settings/storefront", "/settings/invoices", "/settings/domains",
	"/settings/custom-fields", "/notifications/settings", "/collections/new", "/orders/new", "/customers/new",
	"/imports/new", "/settings/locations"}

// People see what their role allows: every page of the menu works, and other pages say why not. An
// admin, who may see all pages, is only asked for the menu: TestBrowserScripts opens them.
func TestBrowserRoles(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	for role, closed := range map[string][]string{
		"ADMIN": {},
		"DEVELOPER": {"/orders", "/returns", "/invoices", "/customers", "/exports", "/imports", "/imports/new",
			"/reports", "/staff", "/audit",
			"/collections", "/collections/new", "/discounts", "/settings/shipping", "/settings/tax",
			"/settings/payments",
			"/settings/emails", "/settings/storefront", "/settings/invoices", "/settings/domains",
			"/settings/locations", "/orders/new", "/customers/new"},
		"SUPPORT": {"/exports", "/imports", "/imports/new", "/themes", "/marketplace", "/keys", "/apps", "/webhooks",
			"/events", "/requests", "/staff", "/audit", "/products/new", "/pages/new", "/collections",
			"/collections/new", "/discounts", "/settings/shipping", "/settings/tax", "/settings/payments",
			"/settings/emails", "/settings/storefront", "/settings/invoices", "/settings/domains",
			"/settings/custom-fields", "/settings/locations", "/orders/new", "/customers/new"},
	} {
		t.Run(role, func(t *testing.T) {
			b := p.browse(t)
			b.signIn("/dashboard", p.staff(t, f.Stores[0].StaffToken, role))
			b.see(`main h1`)
			for _, path := range dashboardPages {
				want := slices.Contains(closed, path)
				if linked := evaluate[bool](b, `document.querySelector('nav a[href="/dashboard`+path+
					`"]') !== null`); linked == want &&
					!slices.Contains(unlisted, path) {
					t.Errorf("%s: in the menu %v", path, linked)
				}
				if len(closed) == 0 {
					continue
				}
				b.open("/dashboard" + path)
				b.see(`main h1`)
				b.gone(`.waiting-rows`)
				refused := strings.Contains(b.visible(), "Your role does not have access to this page")
				if refused != want {
					t.Errorf("%s: refused %v, want %v", path, refused, want)
				}
				if evaluate[bool](b, `document.querySelector('main .alert.bad') !== null`) {
					t.Errorf("%s shows an error:\n%s", path, b.visible())
				}
			}
			b.open("/dashboard")
			b.see(`main h1`)
			b.gone(`.waiting-rows`)
			b.shot("home-" + strings.ToLower(role))
		})
	}
}

// staff adds a member of the role and returns how they sign in.
func (p *program) staff(t *testing.T, token, role string) demo.Owner {
	t.Helper()
	email := strings.ToLower(role) + "@example.com"
	var made struct{ StaffInvite struct{ Link string } }
	p.graphql(t, token,
		`mutation($email: String!, $role: StaffRole!) { staffInvite(input: {email: $email, role: $role}) {
		link userErrors { message } } }`, map[string]any{"email": email, "role": role}, &made)
	return p.person(t).accept(made.StaffInvite.Link, email, "Max")
}
