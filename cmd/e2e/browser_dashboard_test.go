//go:build !race

package e2e

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
)

// A key is created with chosen scopes, used and rotated; both work until the first is revoked. Then
// a call is tried with it in the API reference.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/keys", f.Stores[0].Owner)
	b.click(`[data-test="key-new"]`)
	b.see(`[data-test="scopes"] input`)
	offered := evaluate[[]string](b,
		`[...document.querySelectorAll('[data-test="scopes"] input[type="radio"]')].map((i) => i.value)
			.filter((v) => !v.endsWith('.none')).sort()`)
	if diff := cmp.Diff(slices.Sorted(slices.Values(scope.Names())), offered); diff != "" {
		t.Errorf("the key editor offers other scopes than the catalogue (-want +got):\n%s", diff)
	}
	b.fill(`dialog input[name="name"]`, "Warehouse")
	b.click(`[data-test="scopes-all"]`)
	b.click(`[data-test="scopes-none"]`)
	b.click(`dialog label[for="scope-products.write"]`)
	b.shot("key-editor")
	b.click(`dialog [data-test="submit"]`)
	first := b.text(`[data-test="secret"]`)
	b.shot("key-once")
	b.click(`[data-test="secret-done"]`)
	works := func(key string, status int, code string) {
		t.Helper()
		p.send(t, request{As: key, Path: base + "/products?limit=1"}).want(t, status, code)
	}
	works(first, http.StatusOK, "")
	refused := p.send(t, request{As: first, Path: base + "/orders"})
	refused.want(t, http.StatusForbidden, "insufficient_scope")

	b.fill(`[data-test="filters"] input[name="search"]`, "warehouse\r")
	b.await("the search", `document.querySelectorAll('[data-test="keys"] tbody tr').length === 1`)
	b.click(`tbody tr:first-child [data-test="key-allow"]`)
	b.fill(`dialog [name="allowedNetworks"]`, "192.0.2.0/24, 2001:db8::1")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="key-networks"]`)
	works(first, http.StatusUnauthorized, "invalid_token")
	b.click(`tbody tr:first-child [data-test="key-allow"]`)
	b.fill(`dialog [name="allowedNetworks"]`, "127.0.0.0/8, ::1")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	works(first, http.StatusOK, "")
	b.click(`tbody tr:first-child [data-test="key-rotate"]`)
	b.shot("key-rotate")
	b.click(`dialog [data-test="submit"]`)
	second := b.text(`[data-test="secret"]`)
	b.click(`[data-test="secret-done"]`)
	works(first, http.StatusOK, "")
	works(second, http.StatusOK, "")
	if first == second {
		t.Error("rotation gave the same key")
	}

	b.seeText("Live, rotated")
	b.shot("keys")
	b.click(`tbody tr:nth-child(2) [data-test="key-revoke"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	works(first, http.StatusUnauthorized, "invalid_token")
	works(second, http.StatusOK, "")
	b.see(`a[data-test="guide"][href="/docs/guides/first-call"]`)
	b.refusal(p, f.Stores[0].StaffToken, refused.Header.Get("X-Request-Id"))
	b.tryDocs(f.Stores[0].Name, second)
}

// refusal goes from the older key of a list to its requests, and from there to the one that was
// refused.
func (b *browser) refusal(p *program, token, id string) {
	b.t.Helper()
	p.logged(b.t, token, id)
	b.click(`tbody tr:nth-child(2) [data-test="key-requests"]`)
	b.seeText("insufficient_scope")
	b.shot("requests")
	b.open("/dashboard/requests?request=" + id)
	b.click(`[data-test="request"]`)
	if got := b.text(`[data-test="request-id"]`); got != id {
		b.t.Errorf("the page shows the request %s, want %s", got, id)
	}
	b.seeText("/orders")
	b.shot("request")
}

// logged waits until a request is in the request log.
func (p *program) logged(t testing.TB, token, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var found struct {
			RequestLog struct{ Nodes []struct{ ID string } }
		}
		p.graphql(t, token, `query($id: ID!) { requestLog(filter: {requestId: $id}) { nodes { id } } }`,
			map[string]any{"id": id}, &found)
		if len(found.RequestLog.Nodes) == 1 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the request %s does not come into the log", id)
		case <-tick.C:
		}
	}
}

// A product is drafted and published; its image is requested from no other host.
func TestBrowserProduct(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/products", f.Stores[0].Owner)
	b.see(`[data-test="products"] tbody tr`)
	b.shot("products")
	b.click(`[data-test="product-new"]`)
	b.click(`[data-test="submit"]`)
	b.see(`[data-test="error-title"]`)
	b.see(`[data-test="error-priceMinor"]`)
	b.fill(`input[name="title"]`, "Bicycle bell, brass")
	b.keeps(`input[name="title"]`, "Bicycle bell, brass")
	b.fill(`input[name="priceMinor"]`, "12.90")
	b.fill(`input[name="inventoryQuantity"]`, "40")
	b.fill(`input[name="imageUrl"]`, "https://10.0.0.1/bell.png")
	b.shot("product-new")
	b.click(`[data-test="submit"]`)
	b.click(`[data-test="productPublish"]`)
	b.see(`[data-test="productUnpublish"]`)
	b.await("the picture", `(() => {
		const asked = performance.getEntriesByType('resource').map((e) => new URL(e.name));
		return asked.some((u) => u.pathname.startsWith('/dashboard/pictures/')) &&
			asked.every((u) => u.origin === location.origin) && document.querySelector('main .thumb svg');
	})()`)
	b.shot("product-published")
	b.see(`a[data-test="view-in-store"]`)
	b.click(`[data-test="productArchive"]`)
	b.see(`[data-test="productRestore"]`)
	b.click(`[data-test="undo"]`)
	b.see(`[data-test="productUnpublish"]`)
	b.see(`[data-test="price-history"] tbody tr`)
	b.click(`[data-test="sale-edit"]`)
	b.fill(`input[name="sale.0"]`, "13.00")
	b.click(`form[data-test="sale"] [data-test="submit"]`)
	b.see(`[data-test="error-sale.0"]`)
	b.fill(`input[name="sale.0"]`, "9.90")
	b.click(`form[data-test="sale"] [data-test="submit"]`)
	b.seeText("Sale saved.")
	b.see(`[data-test="sale-end"]`)
	b.shot("product-sale")
	var list struct {
		Data []struct {
			Title, Status string
			PriceMinor    int `json:"price_minor"`
			Variants      []struct {
				Prices []struct {
					PriceMinor int `json:"price_minor"`
				}
			}
		}
	}
	p.send(t, request{As: f.Stores[0].Keys["all"], Path: base + "/products?limit=1&status=active"}).
		want(t, http.StatusOK, "").decode(t, &list)
	if len(list.Data) != 1 || list.Data[0].Title != "Bicycle bell, brass" || list.Data[0].PriceMinor != 1290 ||
		list.Data[0].Variants[0].Prices[0].PriceMinor != 990 {
		t.Errorf("%+v", list)
	}
}

// keeps tries to leave a page with unsaved input: by a link, and back in the history.
func (b *browser) keeps(field css, typed string) {
	b.t.Helper()
	for _, way := range []string{`document.querySelector('nav a[href="/dashboard/orders"]').click()`, `history.back()`} {
		at := b.at()
		b.see(`[data-test="discard"]`)
		evaluate[any](b, way)
		b.click(`[data-test="stay"]`)
		b.gone(`dialog`)
		if b.at() != at || evaluate[string](b, "document.querySelector("+quote(string(field))+").value") != typed {
			b.t.Errorf("%s left the page, or what was typed", way)
		}
	}
	b.shot("unsaved")
}

// A product gets sizes and colors: a combination is left out, an invalid number is reported beside
// its field, and what was saved is shown again, on a phone too.
func TestBrowserVariants(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/products/new", f.Stores[0].Owner)
	b.fill(`input[name="title"]`, "Jersey")
	for _, tool := range []css{"Bold", "Quote", "Quote"} { // the second press takes the mark away
		b.click(`.tools [aria-label="` + tool + `"]`)
	}
	if got := evaluate[string](b, `document.querySelector('[name="description"]').value`); got != "**text**" {
		t.Errorf("the buttons of the editor wrote %q", got)
	}
	b.fill(`input[name="priceMinor"]`, "49.00")
	b.click(`[data-test="submit"]`)
	b.click(`[data-test="add-option"]`)
	b.fill(`input[name="options.0.name"]`, "Size")
	b.fill(`textarea[name="options.0.values"]`, "S\nM")
	b.click(`[data-test="add-option"]`)
	b.fill(`input[name="options.1.name"]`, "Colour")
	b.fill(`textarea[name="options.1.values"]`, "Red\nBlue")
	b.click(`input[name="options.0.name"]`)
	b.see(`[data-test="variant"]:nth-of-type(4)`)
	b.click(`[aria-label="Remove M / Blue"]`)
	b.gone(`[aria-label="Remove M / Blue"]`)
	b.choose(`[data-test="set-all"] select`, "weightGrams")
	b.fill(`[data-test="set-all"] input`, "250")
	b.click(`[data-test="set-all-apply"]`)
	b.await("the weight of all variants", `(() => {
		const all = [...document.querySelectorAll('input[name$=".weightGrams"]')];
		return all.length === 3 && all.every((field) => field.value === '250');
	})()`)
	b.fill(`input[name="variants.1.priceMinor"]`, "52.00")
	b.fill(`input[name="variants.1.compareAtPriceMinor"]`, "60.00")
	b.fill(`input[name="variants.1.sku"]`, "J-S-B")
	b.fill(`input[name="variants.1.inventoryQuantity"]`, "many")
	b.click(`form[data-test="variants"] [data-test="submit"]`)
	b.see(`[data-test="error-variants.1.inventoryQuantity"]`)
	b.fill(`input[name="variants.1.inventoryQuantity"]`, "7")
	b.shot("product-variants")
	b.click(`form[data-test="variants"] [data-test="submit"]`)
	b.seeText("Variants saved.")
	b.gone(`form[data-test="product"] input[name="priceMinor"]`)
	b.dress("light", 390)
	b.see(`input[name="variants.1.sku"]`)
	b.shot("product-variants-phone")
	if wide := evaluate[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d px wide on a phone", wide)
	}
	var list struct {
		Data []struct {
			Variants []struct {
				Title     string
				SKU       *string
				Price     int  `json:"price_minor"`
				Before    *int `json:"compare_at_price_minor"`
				Inventory *int `json:"inventory_quantity"`
			}
		}
	}
	p.send(t, request{As: f.Stores[0].Keys["all"], Path: base + "/products?limit=1"}).
		want(t, http.StatusOK, "").decode(t, &list)
	v := list.Data[0].Variants
	if len(v) != 3 || v[0].Title != "S / Red" || v[0].Price != 4900 || v[0].Inventory != nil || v[1].Price != 5200 ||
		*v[1].SKU != "J-S-B" || *v[1].Inventory != 7 || v[0].Before != nil || v[1].Before == nil ||
		*v[1].Before != 6000 || v[2].Title != "M / Red" {
		t.Errorf("%+v", v)
	}
}

// TestBrowserVariantGrid: a grid of more variants than it shows at once keeps what was typed in all of
// them, leads to the row of an error, and does not call turning its pages a change.
func TestBrowserVariantGrid(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	sizes, variants := make([]string, 150), make([]map[string]any, 150)
	for i := range sizes {
		sizes[i] = strconv.Itoa(i)
		variants[i] = map[string]any{"options": sizes[i : i+1], "priceMinor": 100 + i}
	}
	var made struct {
		ProductCreate struct{ Product struct{ ID string } }
	}
	p.graphql(t, f.Stores[0].StaffToken, `mutation($sizes: [String!]!, $variants: [ProductVariantInput!]!) {
		productCreate(input: {title: "Bolt", priceMinor: 1, currency: "EUR", options: [{name: "Size", values: $sizes}],
			variants: $variants}) { product { id } } }`, map[string]any{"sizes": sizes, "variants": variants}, &made)
	path := "/products/" + made.ProductCreate.Product.ID
	b.signIn("/dashboard"+path, f.Stores[0].Owner)
	b.fill(`input[name="variants.99.sku"]`, "LAST")
	b.click(`[data-test="variants-after"]`)
	b.fill(`input[name="variants.149.barcode"]`, "wrong")
	b.choose(`[data-test="set-all"] select`, "weightGrams")
	b.fill(`[data-test="set-all"] input`, "250")
	b.click(`[data-test="set-all-apply"]`)
	b.click(`[data-test="variants-before"]`)
	b.await("what was typed", `document.querySelector('input[name="variants.99.sku"]').value === 'LAST'`)
	b.click(`form[data-test="variants"] [data-test="submit"]`)
	b.await("the wrong field", `document.activeElement.name === 'variants.149.barcode'`)
	b.fill(`input[name="variants.149.barcode"]`, "4006381333931")
	b.click(`form[data-test="variants"] [data-test="submit"]`)
	b.seeText("Variants saved.")
	b.open("/dashboard" + path)
	b.click(`[data-test="variants-after"]`)
	b.see(`input[name="variants.149.sku"]`)
	b.gone(`form[data-test="variants"] .unsaved`)
	var got struct {
		Variants []struct {
			SKU    *string
			Price  int `json:"price_minor"`
			Weight int `json:"weight_grams"`
		}
	}
	p.send(t, request{As: f.Stores[0].Keys["all"], Path: base + path}).want(t, http.StatusOK, "").decode(t, &got)
	for i, v := range got.Variants {
		if v.Price != 100+i || v.Weight != 250 || (v.SKU != nil) != (i == 99) {
			t.Errorf("variant %d: %+v", i, v)
		}
	}
	if len(got.Variants) != 150 {
		t.Errorf("%d variants", len(got.Variants))
	}
}

// The home page shows what matters, and is light: this is its total size on the wire.
func TestBrowserHome(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	p.ordered(t, f.Stores[0].StaffToken)
	b.signIn("/dashboard", f.Stores[0].Owner)
	b.open("/dashboard")
	for _, part := range []css{`[data-test="today"] .tile-value`, `[data-test="sales"] canvas`,
		`[data-test="latest-orders"] tbody tr`, `[data-test="notices"]`, `[data-test="recent-events"] li`} {
		b.see(part)
	}
	b.gone(`.waiting-rows`)
	if today := b.text(`[data-test="today"] .tile-value`); today != "1" {
		t.Errorf("%s orders today, want 1", today)
	}
	b.shot("home")
	size := evaluate[int](b,
		`performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
		.reduce((n, e) => n + e.encodedBodySize, 0)`)
	paint := evaluate[float64](b, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`)
	t.Logf("home: %d bytes, first contentful paint after %.0f ms", size, paint)
	if size < 20_000 || size > 150_000 {
		t.Errorf("home weighs %d bytes, want less than 150000", size)
	}
}
