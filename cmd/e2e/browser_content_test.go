//go:build !race

package e2e

import (
	"strings"
	"testing"
)

// A page is written, looked at, published and put into the menu, and the shop shows it;
// what is typed stays text.
func TestBrowserPage(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	front := p.front(t, f.Stores[0].StaffToken)
	b.signIn("/dashboard/pages", f.Stores[0].Owner)
	b.see(`[data-test="pages"] tbody tr`)
	b.shot("pages")
	b.click(`[data-test="page-new"]`)
	b.fill(`[name="title"]`, payload)
	b.fill(`[name="handle"]`, "journal")
	b.fill(`[name="body"]`, "# Spring\n\nWe *ride* again: [more](https://example.com/). "+payload)
	b.click(`[data-test="page-preview"]`)
	b.see(`[data-test="preview"] h2`)
	b.see(`[data-test="preview"] a[href="https://example.com/"]`)
	b.unharmed("the preview of a page")
	b.dress("light", 390)
	b.shot("page-phone")
	if evaluate[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the page is wider than a phone")
	}
	b.dress("light", 1280)
	b.click(`form[data-test="page"] [data-test="submit"]`)
	b.click(`[data-test="pagePublish"]`)
	b.see(`[data-test="pageUnpublish"]`)
	b.unharmed("a page")
	other := p.browse(t)
	other.visit(front+"pages/journal", "the page", `document.querySelector('h2')?.textContent === 'Spring'`)
	other.unharmed("a page of the shop")
	b.open("/dashboard/navigation")
	b.click(`[data-test="menu-main"] [data-test="link-add"]`)
	b.fill(`[data-test="menu-main"] > ol > li:last-of-type [name$=".title"]`, "Journal")
	b.choose(`[data-test="menu-main"] > ol > li:last-of-type [name$=".target"]`, "ADDRESS")
	b.fill(`[data-test="menu-main"] > ol > li:last-of-type [name$=".address"]`, "/pages/journal")
	b.click(`[data-test="menu-main"] > ol > li:last-of-type > .actions [data-test="link-up"]`)
	b.dress("light", 390)
	b.shot("navigation-phone")
	if evaluate[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the navigation is wider than a phone")
	}
	b.click(`form[data-test="menus"] [data-test="submit"]`)
	b.seeText("The navigation is saved.")
	other.visit(front, "the link", `document.querySelector('header a[href="/pages/journal"]')`)
	links := evaluate[string](other, `[...document.querySelectorAll('header nav a')].map((a) => a.textContent).join(' ')`)
	if !strings.HasSuffix(links, "Journal Search Cart") {
		t.Errorf("the menu is %q", links)
	}
	other.shot("menu")
}

// A collection picks products by a rule, another one has them by hand, and the shop shows
// both within moments; a discount is for the goods of one.
func TestBrowserCollections(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	front := p.front(t, f.Stores[0].StaffToken)
	b.signIn("/dashboard/collections", f.Stores[0].Owner)
	b.see(`[data-test="collections"] tbody tr`)
	b.shot("collections")
	b.click(`[data-test="collection-new"]`)
	b.fill(`[name="title"]`, "Locks "+payload)
	b.fill(`[name="handle"]`, "locks")
	b.choose(`[name="way"]`, "RULE")
	b.choose(`[name="rule.conditions.0.field"]`, "PRODUCT_TYPE")
	b.fill(`[name="rule.conditions.0.text"]`, "locks")
	b.click(`[data-test="add-rule.conditions"]`)
	b.choose(`[name="rule.conditions.1.field"]`, "PRICE")
	b.fill(`[name="rule.conditions.1.leastMinor"]`, "60")
	b.fill(`[name="rule.conditions.1.mostMinor"]`, "50")
	b.click(`form[data-test="collection"] [data-test="submit"]`)
	b.see(`[data-test="error-rule.conditions.1.mostMinor"]`)
	b.fill(`[name="rule.conditions.1.mostMinor"]`, "100")
	b.shot("collection")
	b.dress("light", 390)
	b.shot("collection-phone")
	if evaluate[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the collection is wider than a phone")
	}
	b.dress("light", 1280)
	b.click(`form[data-test="collection"] [data-test="submit"]`)
	b.see(`[data-test="collection-delete"]`)
	b.unharmed("a collection")
	other := p.browse(t)
	other.visit(front+"collections/locks", "the collection",
		`document.querySelector('main a[href="/products/antivol-en-u-forgeron"]')`)
	other.unharmed("a collection of the shop")

	b.open("/dashboard/collections/new")
	b.fill(`[name="title"]`, "Picked")
	for range 2 {
		b.see(`[name="add"]`)
		b.choose(`[name="add"]`, evaluate[string](b, `document.querySelector('[name="add"]').options[2].value`))
	}
	b.see(`[data-test="picked"] + [data-test="picked"]`)
	b.click(`[data-test="picked"]:last-child [data-test="picked-up"]`)
	first := evaluate[string](b, `document.querySelector('[data-test="picked"] .grow').textContent`)
	b.click(`form[data-test="collection"] [data-test="submit"]`)
	b.see(`[data-test="collection-delete"]`)
	b.shot("collection-by-hand")
	other.visit(front+"collections/picked", "what was picked",
		`document.querySelectorAll('main li a[href^="/products/"]').length > 1`)
	if got := evaluate[string](other, `document.querySelector('main li').textContent`); !strings.Contains(got, first) {
		t.Errorf("the first is %q, not %q", got, first)
	}
	other.shot("collection-in-the-shop")

	b.open("/dashboard/discounts")
	b.click(`[data-test="discount-new"]`)
	b.fill(`dialog input[name="code"]`, "picked-5")
	b.fill(`dialog input[name="basisPoints"]`, "5")
	b.see(`dialog [data-test="discount-collections"] input`)
	b.click(`dialog [data-test="discount-collections"] input`)
	b.shot("discount-of-collections")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.click(`tbody tr:first-child [data-test="discount-edit"]`)
	b.see(`dialog [data-test="discount-collections"] input:checked`)
}
