//go:build !race

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A page is written, previewed, published and added to the menu, and the shop shows it; input stays
// text.
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
	b.seeText("Navigation saved.")
	other.visit(front, "the link", `document.querySelector('header a[href="/pages/journal"]')`)
	links := evaluate[string](other, `[...document.querySelectorAll('header nav a')].map((a) => a.textContent).join(' ')`)
	if !strings.HasSuffix(links, "Journal Search Cart") {
		t.Errorf("the menu is %q", links)
	}
	other.shot("menu")
}

// One collection selects products by a rule, another by hand, and the shop shows both within
// moments; a discount applies to the products of one.
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
		b.await("products to add", `document.querySelector('[name="add"]')?.options.length > 2`)
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
	b.keepsHidden(p, f.Stores[0].StaffToken)
}

// keepsHidden checks that forms keep what is after the first page of a list, and that it can be
// found: a discount keeps its collections, a menu keeps its product, and the product can be added
// to a collection.
func (b *browser) keepsHidden(p *program, token string) {
	b.t.Helper()
	var before struct {
		Menus     struct{ Version int64 }
		Products  struct{ Nodes []struct{ ID, Title string } }
		Discounts struct {
			Nodes []struct{ CollectionIDs []string }
		}
	}
	const read = `{ menus { version } products(first: 1, filter: {status: ACTIVE}) { nodes { id title } }
		discounts(first: 1) { nodes { collectionIds } } }`
	p.graphql(b.t, token, read, nil, &before)
	product, lists := before.Products.Nodes[0], before.Discounts.Nodes[0].CollectionIDs
	var set struct {
		MenusSet struct {
			Menus struct{ Footer []struct{ ResourceID string } }
		}
	}
	p.graphql(b.t, token, `mutation($id: ID!, $version: Long!) { menusSet(expectedVersion: $version, input: {footer: [
		{title: "Old", target: PRODUCT, resourceId: $id}]}) { menus { footer { resourceId } } } }`,
		map[string]any{"id": product.ID, "version": before.Menus.Version}, &set)
	if len(set.MenusSet.Menus.Footer) != 1 {
		b.t.Fatal("the menu was not set")
	}
	p.fillUp(b.t, token)

	b.open("/dashboard/discounts")
	b.click(`tbody tr:first-child [data-test="discount-edit"]`)
	b.see(`dialog [data-test="discount-collections"] input:checked`)
	b.fill(`dialog input[name="basisPoints"]`, "6")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	p.graphql(b.t, token, read, nil, &before)
	if diff := cmp.Diff(lists, before.Discounts.Nodes[0].CollectionIDs); diff != "" || len(lists) != 1 {
		b.t.Errorf("the discount is for other collections (-want +got):\n%s", diff)
	}

	b.open("/dashboard/navigation")
	b.await("the product's name", `document.querySelector('[name="footer.0.resourceId"]')?.selectedOptions[0].text === `+
		quote(product.Title))
	b.fill(`[name="footer.0.title"]`, "Older")
	b.click(`form[data-test="menus"] [data-test="submit"]`)
	b.seeText("Navigation saved.")
	var menus struct {
		Menus struct {
			Footer []struct{ Title, ResourceID string }
		}
	}
	p.graphql(b.t, token, `{ menus { footer { title resourceId } } }`, nil, &menus)
	if got := menus.Menus.Footer; len(got) != 1 || got[0].Title != "Older" || got[0].ResourceID != product.ID {
		b.t.Errorf("the footer is %v", got)
	}

	b.open("/dashboard/collections/new")
	b.fill(`[data-test="choice-search"]`, product.Title+"\r")
	b.await("the product", "document.querySelector("+quote(`[name="add"] option[value="`+product.ID+`"]`)+")")
	b.choose(`[name="add"]`, product.ID)
	b.seeText(product.Title)
}

// fillUp adds more collections and more published products than a form offers without a search.
func (p *program) fillUp(t *testing.T, token string) {
	t.Helper()
	ten := func(mutation func(i int) string) (made map[string]struct{ Product struct{ ID string } }) {
		var text strings.Builder
		for i := range 10 {
			fmt.Fprintf(&text, "m%d: %s ", i, mutation(i))
		}
		p.graphql(t, token, "mutation { "+text.String()+"}", nil, &made)
		return made
	}
	for range 11 {
		ten(func(int) string {
			return `collectionCreate(input: {title: "C", sort: MANUAL, productIds: []}) { userErrors { message } }`
		})
	}
	for range 6 {
		made := ten(func(int) string {
			return `productCreate(input: {title: "Newer", priceMinor: 1, currency: "EUR"}) { product { id } }`
		})
		ten(func(i int) string {
			return fmt.Sprintf(`productPublish(id: %q, expectedVersion: 1) { userErrors { message } }`,
				made[fmt.Sprintf("m%d", i)].Product.ID)
		})
	}
}
