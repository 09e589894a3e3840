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
