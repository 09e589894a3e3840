//go:build !race

package e2e

import (
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// maxWeight is the maximum size of a product page on the wire, with everything that it loads and
// one image; images of other products are not counted.
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
	Bytes   int // without images
	Picture int // the largest one
	Others  int // the other images together
}

// measure waits for the largest contentful paint and adds up what the page loaded.
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

// weigh loads a product page in every theme of the marketplace, on a slow network with an empty
// cache. The size is limited; the time is only logged, because it depends on the machine's load.
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
		b.look(address) // creates the image files
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

// Limits of the dashboard's home page: bytes on the wire and answers with an empty cache, and the
// sum of layout shifts.
const (
	maxHomeBytes   = 110_000
	maxHomeAnswers = 20
	maxHomeShift   = 0.02
)

// rested is what the home page took until it settled.
type rested struct {
	LCP, Shift float64 // ms; a part of the window
	Moved      []string
}

// settle waits for the browser's measurements of the page, whose plot is drawn last.
const settle = `new Promise((done) => {
	const all = (type) => new Promise((seen) => {
		let some = [];
		new PerformanceObserver((list) => { some = some.concat(list.getEntries()); }).observe({type, buffered: true});
		setTimeout(() => seen(some), 300);
	});
	Promise.all([all('largest-contentful-paint'), all('layout-shift')]).then(([paints, shifts]) => {
		const own = shifts.filter((s) => !s.hadRecentInput);
		done({LCP: paints.at(-1)?.startTime ?? 0, Shift: own.reduce((sum, s) => sum + s.value, 0),
			Moved: own.flatMap((s) => s.sources.map((m) => m.node?.outerHTML?.slice(0, 100) ?? String(m.node)))});
	});
})`

// weighHome opens the dashboard's home page on a phone and a desktop, on a slow network, with a
// processor four times slower and an empty cache. The time is only logged, because it depends on
// the machine's load.
func (b *browser) weighHome() {
	b.t.Helper()
	var bytes, answers atomic.Int64
	if err := chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*network.EventLoadingFinished); ok {
			bytes.Add(int64(e.EncodedDataLength))
			answers.Add(1)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, emulateNetwork, slow{Latency: 150, DownloadThroughput: 1.6e6 / 8, UploadThroughput: 0.75e6 / 8})
	call(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4})
	for _, width := range []int64{390, 1280} {
		b.dress("light", width)
		b.open("about:blank")
		call(b, network.ClearBrowserCache, cdp.Empty{})
		bytes.Store(0)
		answers.Store(0)
		b.open("/dashboard")
		b.see(`[data-test="sales"] canvas`)
		b.see(`[data-test="work"]`)
		b.gone(`.waiting-rows`)
		got := evaluate[rested](b, settle)
		b.t.Logf("home at %d px: largest paint after %.0f ms; %d bytes in %d answers; moved by %.4f", width, got.LCP,
			bytes.Load(), answers.Load(), got.Shift)
		if bytes.Load() > maxHomeBytes || bytes.Load() < 50_000 || answers.Load() > maxHomeAnswers {
			b.t.Errorf("home at %d px: %d bytes in %d answers, want %d in %d at most", width, bytes.Load(),
				answers.Load(), maxHomeBytes, maxHomeAnswers)
		}
		if got.Shift > maxHomeShift || got.LCP == 0 {
			b.t.Errorf("home at %d px: moved by %.4f, want %.2f at most: %q", width, got.Shift, maxHomeShift, got.Moved)
		}
	}
	call(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 1})
	call(b, emulateNetwork, slow{DownloadThroughput: -1, UploadThroughput: -1})
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

// everyTheme installs the marketplace themes that the store lacks, and returns the store's themes.
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
