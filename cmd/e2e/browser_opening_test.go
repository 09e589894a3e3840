//go:build !race

package e2e

import "testing"

// A merchant on a fresh installation: home says what is left to do, and nothing once
// shoppers can buy.
func TestBrowserOpening(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	store := parse[struct {
		Invitation struct{ Link string }
	}](t, command(t, "store", "create", "Blue Door Books", "--currency", "EUR", "--owner-email",
		"ana@bluedoor.example", "--data", data, "--json"))
	p := start(t, settings{Data: data, Args: []string{"--rate-limit", "0"}})
	owner, b := p.person(t).accept(store.Invitation.Link, "ana@bluedoor.example", "Ana"), p.browse(t)
	b.signIn("/dashboard", owner)
	b.see(`[data-test="opening"] a[href$="/settings/payments"]`)
	b.shot("opening")

	b.click(`[data-test="opening"] a[href$="/settings/payments"]`)
	b.click(`input[name="methods.0.active"]`)
	b.fill(`textarea[name="methods.0.instructions"]`, "IBAN DE02 1203 0000 0000 2020 51")
	b.click(`form[data-test="payments"] [data-test="submit"]`)
	b.seeText("The ways to pay are saved.")

	b.open("/dashboard/settings/shipping")
	b.click(`[data-test="zone-new"]`)
	b.fill(`dialog input[name="name"]`, "Germany")
	b.fill(`dialog textarea[name="countries"]`, "de")
	b.click(`dialog [data-test="add-rates"]`)
	b.fill(`dialog input[name="rates.0.name"]`, "Post")
	b.fill(`dialog input[name="rates.0.priceMinor"]`, "4.90")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)

	b.open("/dashboard/products/new")
	b.fill(`input[name="title"]`, "Atlas of tides")
	b.fill(`input[name="priceMinor"]`, "29.90")
	b.click(`form [data-test="submit"]`)
	b.click(`[data-test="productPublish"]`)
	b.seeText("The product is published.")
	b.open("/dashboard")
	b.see(`[data-test="today"]`)
	b.gone(`[data-test="opening"]`)
}
