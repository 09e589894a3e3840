//go:build !race

package e2e

import (
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// maxWeight is how many bytes the page of a product may weigh on the wire, with all that it
// loads and one picture: those of other products are not counted.
const maxWeight = 150_000

// slow is the network of a phone with a poor connection: 1.6 Mb/s and 150 ms.
type slow struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"` // ms
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"` // bytes a second
}

var emulateNetwork = cdp.Command[slow, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// loaded is what a page took.
type loaded struct {
	LCP     float64 // ms
	Element string
	Bytes   int // without pictures
	Picture int // the largest one
	Others  int // the other pictures together
}

// measure waits for the largest paint that the page had, and adds up what it loaded.
const measure = `new Promise((done) => {
	new PerformanceObserver((list) => {
		const last = list.getEntries().at(-1)
		const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
		const sum = (some) => some.reduce((sum, f) => sum + f.transferSize, 0)
		const pictures = files.filter((f) => f.initiatorType === 'img')
		const Picture = Math.max(0, ...pictures.map((f) => f.transferSize))
		done({LCP: last.startTime, Element: last.element?.tagName ?? '', Picture,
			Bytes: sum(files) - sum(pictures), Others: sum(pictures) - Picture})
	}).observe({type: 'largest-contentful-paint', buffered: true})
})`

// weigh loads the page of a product in every theme of the marketplace, on a slow network and
// with nothing in the cache. Its weight is held; how long it took is told, since a machine
// that does other things is slower.
func (b *browser) weigh(p *program, token, front string) {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	call(b, network.Enable, network.EnableParams{})
	b.look(front)
	product := evaluate[string](b, `[...document.querySelectorAll('main a[href^="/products/"]')].find((a) =>
		a.querySelector('img') || a.closest('li, article')?.querySelector('img')).href`)
	for _, th := range p.everyTheme(b.t, token) {
		preview, err := url.Parse(*th.PreviewURL)
		if err != nil {
			b.t.Fatal(err)
		}
		address := product + "?" + preview.RawQuery
		b.look(address) // makes the pictures
		call(b, network.ClearBrowserCache, cdp.Empty{})
		call(b, emulateNetwork, slow{Latency: 150, DownloadThroughput: 1.6e6 / 8, UploadThroughput: 0.75e6 / 8})
		b.look(address)
		got := evaluate[loaded](b, measure)
		call(b, emulateNetwork, slow{DownloadThroughput: -1, UploadThroughput: -1})
		b.t.Logf("%s: largest paint (%s) after %.0f ms; %d bytes, and %d of a picture; others: %d", th.Name,
			got.Element, got.LCP, got.Bytes, got.Picture, got.Others)
		if got.Bytes+got.Picture > maxWeight || got.Picture == 0 || got.LCP == 0 {
			b.t.Errorf("%s: %+v, want a picture and %d bytes at most with it", th.Name, got, maxWeight)
		}
	}
}

// call sends a command to the browser.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// everyTheme installs what the marketplace offers and the store lacks, and returns the
// store's themes.
func (p *program) everyTheme(t testing.TB, token string) []shownTheme {
	t.Helper()
	var offers struct {
		MarketplaceThemes struct {
			Nodes []struct {
				ID        string
				Installed bool
			}
		}
	}
	p.graphql(t, token, `{ marketplaceThemes { nodes { id installed } } }`, nil, &offers)
	for _, o := range offers.MarketplaceThemes.Nodes {
		if o.Installed {
			continue
		}
		var made struct{ ThemeInstall struct{ Theme shownTheme } }
		p.graphql(t, token, `mutation($id: ID!) { themeInstall(marketplaceThemeId: $id) { theme { id } } }`,
			map[string]any{"id": o.ID}, &made)
	}
	return p.themes(t, token)
}
