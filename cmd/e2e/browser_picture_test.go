//go:build !race

package e2e

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// picture is the screenshot in README: a shop beside the dashboard.
const picture = ".github/storefront.jpg"

var update = flag.Bool("update", false, "take README's picture again")

// TestPicture checks that README shows a small screenshot. With -update it takes a new one of the
// demo.
func TestPicture(t *testing.T) {
	if *update {
		takePicture(t)
	}
	const most = 150_000
	info, err := os.Stat("../../" + picture)
	if err != nil || info.Size() > most {
		t.Errorf("want a picture of at most %d bytes: %v, %v", most, info, err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil || !strings.Contains(string(readme), "("+picture+")") {
		t.Errorf("README does not show %s: %v", picture, err)
	}
}

func takePicture(t *testing.T) {
	t.Helper()
	const width, height, gap, quality = 960, 760, 16, 80
	p := start(t, settings{Data: t.TempDir(), Args: []string{"--demo"}})
	b, store := p.browse(t), p.demo(t).Stores[0]
	b.dress("light", 1280)
	b.run(chromedp.EmulateViewport(1280, 1013, chromedp.EmulateScale(0.75)))
	b.open(p.front(t, store.StaffToken) + "products/hydraulic-disc-brake-front")
	b.await("the images", `[...document.images].every((i) => i.loading === 'lazy' || i.complete)`)
	shop := b.window()
	b.signIn("/dashboard", store.Owner)
	b.see(`[data-test="today"]`)
	dashboard := b.window()

	both := image.NewRGBA(image.Rect(0, 0, 2*width+gap, height))
	draw.Draw(both, both.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(both, image.Rect(0, 0, width, height), shop, image.Point{}, draw.Src)
	draw.Draw(both, image.Rect(width+gap, 0, 2*width+gap, height), dashboard, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, both, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../"+picture, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// window returns a screenshot of the window.
func (b *browser) window() image.Image {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	shown, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		b.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shown.Data))
	if err != nil {
		b.t.Fatal(err)
	}
	return picture
}
