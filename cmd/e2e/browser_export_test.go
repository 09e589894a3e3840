//go:build !race

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	dl "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// export is an export job as the service shows it.
type export struct {
	ID, Kind, Format, Compression, Status string
	Filters                               struct {
		CreatedFrom, CreatedTo *time.Time
		Status                 *string
		IDs                    []string
	}
	RowCount *int
	Sha256   *string
}

// exports returns the export jobs of a store, newest first.
func (p *program) exports(t *testing.T, token string) []export {
	t.Helper()
	var found struct{ Exports struct{ Nodes []export } }
	p.graphql(t, token, `{ exports(first: 20) { nodes { id kind format compression status filters { createdFrom `+
		`createdTo status ids } rowCount sha256 } } }`, nil, &found)
	return found.Exports.Nodes
}

// downloads lets the browser save files in a folder, which it returns.
func (b *browser) downloads() string {
	b.t.Helper()
	dir := b.t.TempDir()
	_, err := chromedp.CallBrowser(b.ctx, dl.SetDownloadBehavior, dl.SetDownloadBehaviorParams{
		Behavior: dl.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return dir
}

// downloaded waits for the one file in a folder and returns its name and content.
func (b *browser) downloaded(dir string) (string, []byte) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := os.ReadDir(dir)
		if err != nil {
			b.t.Fatal(err)
		}
		// The browser uses another name until the file is complete.
		if len(list) == 1 && !strings.HasSuffix(list[0].Name(), ".crdownload") &&
			!strings.HasPrefix(list[0].Name(), ".") {
			content, err := os.ReadFile(filepath.Join(dir, list[0].Name()))
			if err != nil {
				b.t.Fatal(err)
			}
			return list[0].Name(), content
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.shot("downloading")
			b.t.Fatalf("no file arrives; the page is %s:\n%.800s", b.at(), b.visible())
		}
	}
}

// An export is started, followed until it is complete, downloaded with the announced size and
// checksum, and deleted.
func TestBrowserExport(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token := f.Stores[0].StaffToken
	dir := b.downloads()
	b.signIn("/dashboard/exports", f.Stores[0].Owner)
	b.seeText("No exports yet")
	b.click(`[data-test="export-new"]`)
	b.see(`dialog [data-test="submit"]`)
	b.shot("export-new")
	b.click(`dialog label[for="format-CSV"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.see(`[data-test="exports"] [data-test="export-download"]`)
	b.shot("exports")
	b.quiet()
	made := p.exports(t, token)
	if len(made) != 1 || made[0].Kind != "ORDERS" || made[0].Format != "CSV" ||
		made[0].Compression != "NONE" || made[0].Status != "COMPLETED" {
		t.Fatalf("%+v", made)
	}
	b.click(`[data-test="export"]`)
	b.see(`[data-test="export-file"]`)
	b.shot("export")
	b.click(`[data-test="export-download"]`)
	name, content := b.downloaded(dir)
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != b.text(`[data-test="sha256"]`) {
		t.Errorf("the page shows another checksum than that of %s", name)
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || !strings.HasSuffix(name, ".csv") || len(rows) != *made[0].RowCount+1 ||
		len(rows) <= templateOrders || rows[0][0] != "order_id" {
		t.Errorf("%s: %v, %d rows, announced %d: %.300s", name, err, len(rows), *made[0].RowCount, content)
	}
	b.see(`[data-test="export-download"]`) // and the dashboard is still there
	b.confirm(`[data-test="export-delete"]`)
	b.seeText("No exports yet")
	if left := p.exports(t, token); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	b.open("/dashboard/exports/" + made[0].ID)
	b.await("that it is gone", `/no such export|not found/i.test(document.querySelector('main').innerText)`)
}

// quiet checks that the page stops polling, because its export has ended.
func (b *browser) quiet() {
	b.t.Helper()
	asked := `performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/graphql')).length`
	more := evaluate[int](b, `new Promise((done) => { const before = `+asked+
		`; setTimeout(() => done(`+asked+` - before), 2500); })`)
	if more != 0 {
		b.t.Errorf("the page asked %d times more, though nothing is on its way", more)
	}
}

// The form offers the states of the exported kind, takes dates in the store's time zone, and sends
// what was chosen.
func TestBrowserExportForm(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/exports", f.Stores[0].Owner)
	b.click(`[data-test="export-new"]`)
	for kind, want := range map[string][]string{
		"ORDERS": {"", "open", "completed", "cancelled"}, "PRODUCTS": {"", "draft", "active", "archived"},
		"CUSTOMERS": {"", "guest", "active", "disabled", "redacted"},
	} {
		b.click(css(fmt.Sprintf(`dialog label[for="kind-%s"]`, kind)))
		b.await(kind+" chosen", fmt.Sprintf(`document.getElementById("kind-%s").checked`, kind))
		got := evaluate[[]string](b, `[...document.querySelector('dialog `+
			`select[name="filters.status"]').options].map((o) => o.value)`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	b.click(`dialog label[for="kind-PRODUCTS"]`)
	b.click(`dialog label[for="format-JSONL"]`)
	b.click(`dialog input[name="gzip"]`)
	b.choose(`dialog select[name="filters.status"]`, "active")
	b.choose(`dialog select[name="range"]`, "own")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="error-filters.createdFrom"]`)
	b.set(`dialog input[name="filters.createdFrom"]`, "2026-03-29")
	b.set(`dialog input[name="filters.createdTo"]`, "2026-03-28")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="error-filters.createdTo"]`)
	b.set(`dialog input[name="filters.createdTo"]`, "2026-03-29")
	b.shot("export-form")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("JSON Lines, gzip")
	b.seeText("Active, created Mar 29, 2026")
	made := p.exports(t, f.Stores[0].StaffToken)
	if len(made) != 1 || made[0].Kind != "PRODUCTS" || made[0].Format != "JSONL" || made[0].Compression != "GZIP" ||
		*made[0].Filters.Status != "active" {
		t.Fatalf("%+v", made)
	}
	// In Berlin that day had 23 hours.
	from, to := made[0].Filters.CreatedFrom, made[0].Filters.CreatedTo
	if from.Format(time.RFC3339) != "2026-03-28T23:00:00Z" || to.Format(time.RFC3339) != "2026-03-29T22:00:00Z" {
		t.Errorf("from %v to %v", from, to)
	}
}

// The file contains only the rows selected in the list.
func TestBrowserExportChosen(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/orders", f.Stores[0].Owner)
	for _, list := range []string{"orders", "products", "customers"} {
		b.open("/dashboard/" + list)
		b.see(css(`[data-test="` + list + `"] tbody tr`))
		b.click(`tbody tr:nth-child(1) [data-test="pick"]`)
		b.click(`tbody tr:nth-child(3) [data-test="pick"]`)
		chosen := evaluate[[]string](b, `[1, 3].map((n) => document.querySelector('tbody tr:nth-child(' + n + ') a')`+
			`.pathname.split('/').pop())`)
		b.seeText("Export 2 selected")
		b.click(`[data-test="export-shown"]`)
		b.see(`[data-test="export-file"]`)
		b.seeText("2 selected")
		made := p.exports(t, f.Stores[0].StaffToken)[0]
		slices.Sort(chosen)
		slices.Sort(made.Filters.IDs)
		if diff := cmp.Diff(chosen, made.Filters.IDs); diff != "" || !strings.EqualFold(made.Kind, list) ||
			list != "orders" && *made.RowCount != 2 {
			t.Errorf("%s: %+v (-want +got):\n%s", list, made, diff)
		}
	}
}

// choose selects an option.
func (b *browser) choose(selector css, value string) {
	b.t.Helper()
	b.see(selector)
	evaluate[any](b, fmt.Sprintf(`(() => { const s = document.querySelector(%s); s.value = %s; s.dispatchEvent(new `+
		`Event('change', {bubbles: true})); })()`, quote(string(selector)), quote(value)))
}

// set sets a field that is picked rather than typed, such as a date.
func (b *browser) set(selector css, value string) {
	b.t.Helper()
	b.see(selector)
	evaluate[any](b, fmt.Sprintf(`(() => { document.querySelector(%s).value = %s; })()`,
		quote(string(selector)), quote(value)))
}
