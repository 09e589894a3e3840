//go:build !race

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// photo writes an image of one color to a file.
func photo(t *testing.T, name string, c color.Color) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 900, 600))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several images are uploaded at once, reordered with buttons and by dragging, described and
// removed, while input in the form beside them stays; the shop shows them, and the form is saved
// afterwards. A variant has its own image.
func TestBrowserImages(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/products/new", f.Stores[0].Owner)
	b.fill(`input[name="title"]`, "Jersey")
	b.fill(`input[name="priceMinor"]`, "49.00")
	b.click(`[data-test="submit"]`)
	b.see(`[data-test="photo-file"]`)
	b.fill(`input[name="vendor"]`, "Kestrel")
	wrong := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(wrong, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.SetUploadFiles(css(`[data-test="photo-file"]`), []string{
		photo(t, "red.png", color.RGBA{200, 30, 30, 255}), photo(t, "blue.png", color.RGBA{30, 30, 200, 255}), wrong,
	}))
	b.see(`[data-test="photo"]:nth-of-type(2)`)
	b.see(`[data-test="photo-problems"]`)
	b.await("the pictures", `[...document.querySelectorAll('.photo-view')].every((i) => i.naturalWidth === 320)`)
	first := evaluate[string](b, `document.querySelector('[data-test="photo"]').dataset.id`)
	b.click(`[data-test="photo"]:nth-of-type(1) [data-test="photo-down"]`)
	b.seeText("Order saved.")
	b.await("the other order", `document.querySelectorAll('[data-test="photo"]')[1].dataset.id === '`+first+`'`)
	b.drag(1, 0)
	b.await("the first order", `document.querySelector('[data-test="photo"]').dataset.id === '`+first+`' &&
		!document.querySelector('[data-test="photo"]:nth-of-type(2) [data-test="photo-up"]').disabled`)
	b.fill(`[data-test="photo"]:nth-of-type(2) [data-test="photo-alt"]`, "A blue jersey")
	b.click(`[data-test="photo"]:nth-of-type(1) [data-test="photo-alt"]`)
	b.seeText("Description saved.")
	b.shot("product-images")
	b.click(`[data-test="photo"]:nth-of-type(1) [data-test="photo-remove"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="photo"]:nth-of-type(2)`)
	if typed := evaluate[string](b, `document.querySelector('input[name="vendor"]').value`); typed != "Kestrel" {
		t.Errorf("what was typed beside the pictures became %q", typed)
	}
	b.click(`input[name="requiresShipping"]`)
	b.click(`form[data-test="product"] [data-test="submit"]`)
	b.seeText("Product saved.")
	b.click(`[data-test="file-set"]`)
	b.run(chromedp.SetUploadFiles(css(`dialog input[name="file"]`), []string{wrong}))
	b.click(`dialog [data-test="submit"]`)
	b.seeText("File saved.")
	b.seeText("notes.txt")
	b.see(`[data-test="file-remove"]`)
	b.dress("light", 390)
	b.see(`[data-test="photo"]`)
	b.shot("product-images-phone")
	if wide := evaluate[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d px wide on a phone", wide)
	}
	b.click(`[data-test="productPublish"]`)
	b.see(`[data-test="productUnpublish"]`)
	b.fileOrdered(p, f.Stores[0].StaffToken)
	b.choosePicture("/dashboard/products/" + p.pictured(t, f.Stores[0].StaffToken))
	b.open(p.front(t, f.Stores[0].StaffToken) + "products/jersey")
	b.await("the picture on the shop's page", `(() => {
		const img = document.querySelector('img[alt="A blue jersey"]');
		return img && img.complete && img.naturalWidth > 0 && img.srcset.includes('-320.png 320w');
	})()`)
	b.shot("product-images-shop")
}

// fileOrdered opens an order of the product of the page, whose file its shopper may download.
func (b *browser) fileOrdered(p *program, token string) {
	b.t.Helper()
	var made struct {
		OrderCreate struct{ Order struct{ ID string } }
	}
	p.graphql(b.t, token, `mutation($product: ID!) { orderCreate(input: {email: "ada@example.com",
		lines: [{productId: $product, quantity: 2}]}) { order { id } userErrors { code message } } }`,
		map[string]any{"product": evaluate[string](b, `location.pathname.split('/').pop()`)}, &made)
	id := made.OrderCreate.Order.ID
	p.graphql(b.t, token, `mutation($id: ID!) { orderMarkPaid(id: $id, expectedVersion: 1) {
		userErrors { code message } } }`, map[string]any{"id": id}, &made)
	b.open("/dashboard/orders/" + id)
	b.see(`[data-test="order-downloads"]`)
	b.seeText("0 of 10 downloads used")
	b.shot("order-downloads")
}

// drag drags an image to the place of another with the mouse.
func (b *browser) drag(from, to int) {
	b.t.Helper()
	if !evaluate[bool](b, fmt.Sprintf(`(() => {
		const all = document.querySelectorAll('[data-test="photo"]'), taken = all[%d].querySelector('img');
		const dataTransfer = new DataTransfer();
		const say = (on, kind) => !on.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true}));
		say(taken, 'dragstart');
		const welcome = say(all[%d], 'dragover');
		say(all[%[2]d], 'drop');
		say(taken, 'dragend');
		return taken.draggable && welcome;
	})()`, from, to)) {
		b.t.Error("the picture cannot be dragged there")
	}
}

// choosePicture gives a variant of a product the last image.
func (b *browser) choosePicture(address string) {
	b.t.Helper()
	const choice = `[data-test="variant-image"]`
	b.open(address)
	b.click(`.photo-variants summary`)
	b.see(choice)
	last := evaluate[string](b, `[...document.querySelectorAll('[data-test="photo"]')].at(-1).dataset.id`)
	evaluate[any](b, `(() => {
		const choice = document.querySelector('`+choice+`');
		choice.value = '`+last+`';
		choice.dispatchEvent(new Event('change', {bubbles: true}));
	})()`)
	b.seeText("Variant image saved.")
	b.open(address)
	b.await("the picture of the variant", `document.querySelector('`+choice+`')?.value === '`+last+`'`)
}

// pictured returns the demo's first product with options and several images.
func (p *program) pictured(t *testing.T, token string) string {
	t.Helper()
	var list struct {
		Products struct{ Nodes []struct{ ID string } }
	}
	p.graphql(t, token, `{ products(first: 100) { nodes { id } } }`, nil, &list)
	return list.Products.Nodes[len(list.Products.Nodes)-1].ID
}
