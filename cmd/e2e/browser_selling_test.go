//go:build !race

package e2e

import (
	"strings"
	"testing"
)

// A merchant sets shipping, tax and a discount; errors are shown beside their fields.
func TestBrowserSelling(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/settings", f.Stores[0].Owner)
	b.click(`[data-test="selling"] a[href$="/shipping"]`)
	b.see(`[data-test="zones"] [data-test="zone-edit"]`)
	b.shot("shipping")
	b.click(`[data-test="zone-new"]`)
	b.fill(`dialog input[name="name"]`, "Alps")
	b.fill(`dialog input[name="countries.typed"]`, "switzerland, DE, Atlantis")
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Unknown country: Atlantis.")
	b.fill(`dialog input[name="countries.typed"]`, " ")
	b.click(`dialog [data-test="add-rates"]`)
	b.fill(`dialog input[name="rates.0.name"]`, "Alpine post")
	b.fill(`dialog input[name="rates.0.priceMinor"]`, "12.50")
	b.fill(`dialog input[name="rates.0.freeFromMinor"]`, "150")
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-countries"]`) // Germany is in another zone
	b.shot("shipping-zone")
	b.click(`dialog button[aria-label="Remove Germany"]`)
	b.fill(`dialog input[name="countries.typed"]`, "Liechtenstein")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.await("the focus on what opened the dialog", `document.activeElement?.dataset.test === "zone-new"`)
	b.seeText("Alpine post")
	b.seeText("Liechtenstein")
	b.click(`[aria-label="Edit Rest of the world"]`) // which names no country
	b.fill(`dialog input[name="name"]`, "Elsewhere")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("Elsewhere")

	b.open("/dashboard/settings/tax")
	b.see(`form[data-test="tax"] select[name="rates.0.country"]`)
	b.fill(`input[name="rates.0.rate"]`, "8.87501")
	b.click(`form[data-test="tax"] [data-test="submit"]`)
	b.see(`[data-test="error-rates.0.rate"]`)
	b.fill(`input[name="rates.0.rate"]`, "8,875")
	b.click(`[data-test="add-categories"]`)
	b.fill(`input[name="categories.0.name"]`, "Books & maps")
	b.choose(`select[name="preset"]`, "CA")
	b.seeText("Canada Revenue Agency")
	b.click(`form[data-test="tax"] [data-test="submit"]`)
	b.seeText("Tax settings saved.")
	b.await("Quebec's tax beside Canada's", `[...document.querySelectorAll('select[name$=".region"]')].some((r) =>
		r.value === 'QC' && r.form.elements[r.name.replace('region', 'rate')].value === '9.975' &&
		r.form.elements[r.name.replace('region', 'relation')].value === 'BESIDE')`)
	b.await("a rate of four decimals", `[...document.querySelectorAll('input[name$=".rate"]')].some((r) => r.value === '8.875')`)
	b.await("the key of the category", `document.querySelector('[name="categories.0.key"]').value === 'books_maps'`)
	b.fill(`[data-test="find-rates"]`, "quebec")
	b.await("only Quebec's rate", `[...document.querySelectorAll('[data-test="rates"] .row-box')].every((r) =>
		r.checkVisibility() === (r.querySelector('select[name$=".region"]')?.value === 'QC'))`)
	b.shot("tax")
	b.fill(`[data-test="find-rates"]`, " ")
	b.open("/dashboard/products/new")
	b.await("the category for products", `document.querySelector('select[name="taxCategory"] [value="books_maps"]')`)

	b.open("/dashboard/settings/payments")
	b.see(`form[data-test="payments"] textarea[name="methods.0.instructions"]`)
	b.fill(`input[name="methods.0.name"]`, "Wire")
	b.click(`form[data-test="payments"] [data-test="submit"]`)
	b.seeText("Payment methods saved.")
	b.see(`[data-test="stripe-webhook"]`)
	b.click(`[data-test="stripe-keys"]`)
	b.fill(`dialog input[name="secretKey"]`, "pk_live_public")
	b.fill(`dialog input[name="signingSecret"]`, "whsec_0123456789")
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-secretKey"]`) // it is the public key; Stripe is not called
	b.shot("payments")

	b.open("/dashboard/discounts")
	b.see(`[data-test="discounts"] tbody tr`)
	b.click(`[data-test="discount-new"]`)
	b.fill(`dialog input[name="code"]`, "welcome10")
	b.fill(`dialog input[name="basisPoints"]`, "7.5")
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-code"]`) // the demo has it
	b.fill(`dialog input[name="code"]`, "bell-75")
	b.shot("discount")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("BELL-75")
	b.seeText("7.5 %")
	b.shot("discounts")
	b.click(`tbody tr:first-child [data-test="discount-delete"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("Discount deleted.")

	b.customFields()
	b.open("/dashboard/reports")
	b.click(`form[data-test="report"] [data-test="submit"]`)
	b.see(`[data-test="report-sums"]`)
	for _, by := range []string{"products", "taxes", "stock", "days"} {
		b.click(css(`[data-test="by-` + by + `"]`))
		b.see(css(`[data-test="by-` + by + `"][aria-current]`))
		b.see(`[data-test="report-table"] .table tbody tr`)
		b.shot("report-" + by)
	}
	saved := evaluate[string](b, `new Promise((done) => {
		URL.createObjectURL = (blob) => { blob.text().then(done); return 'data:,'; };
		document.querySelector('[data-test="report-csv"]').click();
	})`)
	if head, rows, _ := strings.Cut(saved, "\r\n"); head != "Day,Orders,Total EUR,Refunded EUR,Net EUR" ||
		strings.Count(rows, "\r\n") != 30 {
		t.Errorf("the file of a report is %.200q", saved)
	}
	b.click(`main a.back`)
	b.see(`[data-test="reports"] a[href*="id=rep_"]`)
	b.shot("reports")
}

// customFields defines a field and fills it on the page of a product: errors are beside their fields,
// and what was typed in the form above stays.
func (b *browser) customFields() {
	b.t.Helper()
	b.open("/dashboard/settings/custom-fields")
	b.click(`[data-test="custom-field-new"]`)
	b.fill(`dialog input[name="label"]`, "Height in cm")
	b.fill(`dialog input[name="name"]`, "Height")
	b.choose(`dialog select[name="type"]`, "NUMBER")
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-name"]`)
	b.fill(`dialog input[name="name"]`, "details.height")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("details.height")
	b.shot("custom-fields")
	b.open("/dashboard/products")
	b.click(`tbody tr:first-child td.main a`)
	const field = `form[data-test="custom-fields"] input[name="customFields.details.height"]`
	b.see(field)
	b.fill(`input[name="vendor"]`, "Kingfisher")
	b.fill(field, "tall")
	b.click(`form[data-test="custom-fields"] [data-test="submit"]`)
	b.see(`[data-test="error-customFields.details.height"]`)
	b.fill(field, "12.50")
	b.click(`form[data-test="custom-fields"] [data-test="submit"]`)
	b.seeText("Custom fields saved.")
	b.shot("product-custom-fields")
	b.await("what was typed above", `document.querySelector('input[name="vendor"]').value === 'Kingfisher'`)
	b.click(`form[data-test="product"] [data-test="submit"]`)
	b.seeText("Product saved.")
	b.await("the value", `Number(document.querySelector('`+field+`').value) === 12.5`)
}
