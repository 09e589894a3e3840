//go:build !race

// Browser tests are left out with the race detector: the browser takes most of their time, and a
// single person who clicks causes no concurrency.

package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// envBrowser set to 1 makes a missing browser a failure.
const envBrowser = "STOREFRONT_REQUIRE_BROWSER"

// css selects elements.
type css = chromedp.CSS

// browser is a window of the headless chromium that all tests share, with its own cookies and
// storage.
type browser struct {
	t      *testing.T
	ctx    context.Context
	api    string
	clicks int
}

// shared starts the chromium of all tests. It ends with the test process.
var shared = sync.OnceValues(func() (context.Context, error) {
	path, err := findChromium()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.WindowSize(1280, 900),
		chromedp.Flag("force-prefers-reduced-motion", true), // animations are drawn by the processor here
		chromedp.Flag("site-per-process", true))             // a frame of another site is a process, as on a desktop
	alloc, end := chromedp.NewExecAllocator(context.Background(), options...)
	atExit = append(atExit, end)
	ctx, _ := chromedp.NewContext(alloc)
	return ctx, chromedp.Do(ctx)
})

// browse opens a window on the program. An error in its console fails the test.
func (p *program) browse(t *testing.T) *browser {
	t.Helper()
	chromium(t)
	parent, err := shared()
	if err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	ctx, end := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	b := &browser{t: t, ctx: ctx, api: p.API}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			b.shot("failed")
		}
	})
	return b
}

// findChromium prefers the headless shell, which takes two thirds of the time.
func findChromium() (path string, err error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// chromium skips the test where no browser is installed, unless [envBrowser] requires one.
func chromium(t *testing.T) string {
	t.Helper()
	path, err := findChromium()
	switch {
	case err == nil:
		return path
	case os.Getenv(envBrowser) == "1":
		t.Fatal("there is no chromium")
	}
	t.Skip("there is no chromium")
	return ""
}

// listen fails the test on script errors, on content that the policy refuses, and on dialogs. Our
// pages open only the dialog before unsaved input is lost; there the test leaves. An answer with an
// error status is the page's to show.
func (b *browser) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.t.Errorf("a script failed: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			b.t.Errorf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		if e.Type == page.DialogTypeBeforeunload {
			go chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			return
		}
		b.t.Errorf("a dialog of a script: %s", e.Message)
	}
}

// step bounds a single browser action, so that long tests are allowed and hanging ones are found.
func (b *browser) step() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, patience)
}

func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	err := chromedp.Do(ctx, steps...)
	for len(steps) == 1 && err != nil && ctx.Err() == nil && strings.Contains(err.Error(), replaced) {
		err = chromedp.Do(ctx, steps...)
	}
	if err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

// replaced is the answer about an element whose page arrived again after the element was looked up.
// Nothing was done to it.
const replaced = "Could not find node with given id"

// open goes to an address of the service.
func (b *browser) open(path string) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.api + path
	}
	b.run(chromedp.Navigate(path))
}

// await evaluates a condition until it holds. A page that is being left or loaded gives no result,
// which is not yet an error.
func (b *browser) await(what, condition string) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	pause := 5 * time.Millisecond
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+condition+")"))
		if ok && err == nil {
			return
		}
		pause = min(2*pause, 100*time.Millisecond) // asking costs the page the time that it needs
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			b.shot("waiting")
			b.t.Fatalf("the page never shows %s (last: %v); it is %s:\n%.1500s", what, err, b.at(), b.visible())
		}
	}
}

// see waits until an element is visible.
func (b *browser) see(selector css) {
	b.t.Helper()
	b.await(string(selector), fmt.Sprintf("document.querySelector(%s)?.checkVisibility()", quote(string(selector))))
}

// seeText waits until the page's visible text holds a phrase.
func (b *browser) seeText(phrase string) {
	b.t.Helper()
	b.await(phrase, seen+".includes("+quote(phrase)+")")
}

// gone waits until no such element is visible.
func (b *browser) gone(selector css) {
	b.t.Helper()
	b.await("no "+string(selector),
		fmt.Sprintf("!document.querySelector(%s)?.checkVisibility()", quote(string(selector))))
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}

// seen is the page's text as people see it, without the isolates around names in a line.
const seen = `(document.body?.innerText ?? '').replace(/[\u2068\u2069]/g, '')`

// visible is the page's text.
func (b *browser) visible() string {
	ctx, cancel := b.step()
	defer cancel()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string](seen))
	if err != nil {
		return err.Error()
	}
	return s
}

// click waits for a control and presses it.
func (b *browser) click(selector css) {
	b.t.Helper()
	b.see(selector)
	evaluate[any](b, uncover+"(document.querySelector("+quote(string(selector))+"))")
	b.run(chromedp.Click(selector))
	b.clicks++
}

// uncover scrolls to an element that is out of view or below a sticky bar. Themes may scroll
// smoothly, so a click waits for the end.
const uncover = `((e) => {
	const box = e.getBoundingClientRect();
	const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
	const bar = top?.closest('.unsaved, .bulk');
	if (!top || bar && !bar.contains(e)) {
		e.scrollIntoView({ block: 'center', behavior: 'instant' });
	}
})`

// fill types a text into a field, in place of what it holds.
func (b *browser) fill(selector css, text string) {
	b.t.Helper()
	b.see(selector)
	evaluate[any](b, fmt.Sprintf("document.querySelector(%s).select()", quote(string(selector))))
	b.run(chromedp.SendKeys(selector, text))
}

// text returns what an element shows.
func (b *browser) text(selector css) string {
	b.t.Helper()
	b.see(selector)
	return strings.TrimSpace(evaluate[string](b,
		fmt.Sprintf("document.querySelector(%s).innerText", quote(string(selector)))))
}

// evaluate runs a script, which may be asynchronous, and decodes its result.
func evaluate[T any](b *browser, script string) T {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.80s: %v", script, err)
	}
	return v
}

// at returns the browser's address.
func (b *browser) at() string {
	ctx, cancel := b.step()
	defer cancel()
	address, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		return err.Error()
	}
	return address
}

// shot saves a screenshot of the whole page among the test's artifacts, if the command keeps them
// (go test -artifacts).
func (b *browser) shot(name string) {
	if keep := flag.Lookup("test.artifacts"); keep.Value.String() != "true" {
		return
	}
	ctx, cancel := b.step()
	defer cancel()
	picture, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: new(true), OptimizeForSpeed: new(true)})
	if err == nil {
		err = os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), picture.Data, 0o644)
	}
	if err != nil {
		b.t.Logf("picture %s: %v", name, err)
	}
}

// dress sets the color scheme and the width of the window.
func (b *browser) dress(scheme string, width int64) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "no-preference"}}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(chromedp.EmulateViewport(width, 900))
}

// signIn opens a path as a person who has to sign in first.
func (b *browser) signIn(path string, o demo.Owner) {
	b.t.Helper()
	b.open(path)
	b.fill(`input[name="email"]`, o.Email)
	b.fill(`input[name="password"]`, o.Password)
	b.click(`form button[type="submit"]`)
	b.await("the page behind the sign-in",
		"!location.pathname.startsWith('/sign-in') && document.readyState === 'complete'")
}

// paper prints some sheets of the page, "" for all.
func (b *browser) paper(sheets string) []byte {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	printed, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{PageRanges: sheets})
	if err != nil {
		b.t.Fatal(err)
	}
	return printed.Data
}

// printed fails unless the page takes a number of sheets.
func (b *browser) printed(want int) {
	b.t.Helper()
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(b.paper(""), -1)); n != want {
		b.t.Errorf("%s is printed on %d sheets, want %d", b.at(), n, want)
	}
}
