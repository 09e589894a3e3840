//go:build !race

package e2e

import (
	"strings"
	"testing"
)

// An owner creates a test store on the dashboard: every page marks it as one, it is filled with
// samples and reset, and both actions are explained before.
func TestBrowserTestStore(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	taken, _, _ := strings.Cut(f.Stores[0].StoreHost, ".")
	b.signIn("/dashboard/settings", f.Stores[0].Owner)
	b.see(`[data-test="store-settings"]`)
	b.gone(`[data-test="test-store"]`)

	b.click(`[data-test="store-new"]`)
	b.accessible("store-new", `dialog input[name="test"]`)
	b.fill(`dialog input[name="name"]`, "Trial and error")
	b.fill(`dialog input[name="handle"]`, taken)
	b.click(`dialog input[name="test"]`)
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog input[name="handle"][aria-invalid="true"]`) // taken
	b.fill(`dialog input[name="handle"]`, "trial-and-error")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="test-store"]`)
	b.await("home of the new store", `location.pathname === '/dashboard'`)
	for _, path := range dashboardPages {
		b.open("/dashboard" + path)
		b.see(`[data-test="test-store"]`)
	}

	b.open("/dashboard/settings")
	b.click(`[data-test="test-fill"]`)
	b.seeText("12 products, 8 customers and 20 orders")
	b.accessible("test-fill", `dialog [data-test="submit"]`)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Sample data added.")
	b.click(`[data-test="test-fill"]`)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Reset it first")
	b.click(`dialog .icon-button`)
	b.open("/dashboard/customers")
	b.await("eight customers", `document.querySelectorAll('main tbody tr').length === 8`)

	b.open("/dashboard/settings")
	b.click(`[data-test="test-reset"]`)
	b.seeText("This cannot be undone.")
	b.accessible("test-reset", `dialog [data-test="submit"]`)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("40 items removed.")
	b.open("/dashboard/customers")
	b.see(`main .empty`)

	b.open("/dashboard/settings")
	b.click(`[data-test="store-open"]`)
	b.see(`[data-test="today"]`)
	b.gone(`[data-test="test-store"]`)
}
