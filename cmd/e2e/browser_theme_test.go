//go:build !race

package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// shownTheme is a theme as the service shows it.
type shownTheme struct {
	ID, Name, Status, Source string
	PreviewURL               *string
}

// themes returns the themes of a store.
func (p *program) themes(t testing.TB, token string) []shownTheme {
	t.Helper()
	var found struct{ Themes struct{ Nodes []shownTheme } }
	p.graphql(t, token, `{ themes(first: 100) { nodes { id name status source previewUrl } } }`, nil, &found)
	return found.Themes.Nodes
}

// activeTheme returns the active theme.
func (p *program) activeTheme(t *testing.T, token string) shownTheme {
	t.Helper()
	var active []shownTheme
	for _, th := range p.themes(t, token) {
		if th.Status == "ACTIVE" {
			active = append(active, th)
		}
	}
	if len(active) != 1 {
		t.Fatalf("%d themes are active: %+v", len(active), active)
	}
	return active[0]
}

// sheets are the stylesheets, by which looks of the storefront differ.
const sheets = `[...document.querySelectorAll('link[rel="stylesheet"]')].map((l) => l.getAttribute('href')).join(' ')`

// look returns the stylesheets of a page.
func (b *browser) look(address string) string {
	b.t.Helper()
	b.open(address)
	b.await("a page of the storefront",
		`document.readyState === 'complete' && document.querySelector('link[rel="stylesheet"]')`)
	return evaluate[string](b, sheets)
}

// visit reloads a page of the storefront until a condition holds: each process caches a store's
// state for a second or two.
func (b *browser) visit(address, what, condition string) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		b.look(address)
		if evaluate[bool](b, "Boolean("+condition+")") {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.shot("visiting")
			b.t.Fatalf("the storefront never shows %s:\n%.800s", what, b.visible())
		}
	}
}

// A marketplace theme is installed, activated and seen on the storefront; activating the former
// theme undoes that.
func TestBrowserTheme(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token, front := f.Stores[0].StaffToken, p.front(t, f.Stores[0].StaffToken)
	former := p.activeTheme(t, token)
	before := b.look(front)
	b.shot("storefront-before")
	b.signIn("/dashboard/marketplace", f.Stores[0].Owner)
	b.see(`[data-test="offers"] [data-test="theme-install"]`)
	b.shot("marketplace")
	b.click(`[data-test="offers"] li:not(:has([data-test="installed"])) [data-test="theme-install"]`)
	b.await("the themes", `location.pathname === '/dashboard/themes'`)
	b.see(`[data-test="themes"] .fresh [data-test="theme-activate"]`)
	b.shot("themes")
	id := evaluate[string](b, `document.querySelector('[data-test="themes"] .fresh').dataset.id`)
	if active := p.activeTheme(t, token); active.ID != former.ID {
		t.Errorf("installing activated %+v", active)
	}
	b.confirm(`[data-test="themes"] .fresh [data-test="theme-activate"]`)
	b.see(css(`[data-test="theme-active"][data-id="` + id + `"]`))
	b.see(`[data-test="theme-swap"]`)
	b.shot("theme-activated")
	if active := p.activeTheme(t, token); active.ID != id {
		t.Errorf("%+v is active", active)
	}
	link := evaluate[string](b, `document.querySelector('[data-test="view-storefront"]').href`)
	if link != front {
		t.Errorf("the storefront is %s, want %s", link, front)
	}
	other := p.browse(t)
	other.visit(front, "another theme", sheets+" !== "+quote(before))
	other.shot("storefront-after")
	b.click(`[data-test="theme-undo"]`)
	b.see(css(`[data-test="theme-active"][data-id="` + former.ID + `"]`))
	b.gone(`[data-test="theme-swap"]`)
	other.visit(front, "the theme as before", sheets+" === "+quote(before))
	b.open("/dashboard/marketplace")
	b.see(css(`[data-test="installed"][href="/dashboard/themes/` + id + `"]`))
}

// A merchant changes the theme's settings: the preview follows at once, and visitors see them once
// they are published.
func TestBrowserThemeSettings(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token := f.Stores[0].StaffToken
	front := p.front(t, token)
	b.signIn("/dashboard/themes/"+p.activeTheme(t, token).ID, f.Stores[0].Owner)
	b.click(`[data-test="theme-settings"]`)
	b.see(`[data-test="live"]`)
	// The settings of the theme begin with its logo, its sections and its slogan.
	b.fill(`input[name="values.2.value"]`, "Bells, and more bells")
	b.framed(front)
	b.shot("theme-settings")
	const shown = `document.body.innerText.includes('Bells, and more bells')`
	other := p.browse(t)
	other.visit(evaluate[string](b, `document.querySelector('[data-test="theme-preview"]').href`),
		"the draft in the preview", shown)
	other.look(front)
	if evaluate[bool](other, shown) {
		t.Error("visitors see what is not published")
	}
	b.click(`form[data-test="theme-settings"] [data-test="submit"]`)
	b.seeText("Shoppers see them within seconds.")
	other.visit(front, "the slogan", shown)
}

// framed waits until a frame shows a page of a storefront, which is another site, so its frame is a
// separate target.
func (b *browser) framed(front string) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := chromedp.Targets(b.ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		if slices.ContainsFunc(list, func(in *target.Info) bool {
			return in.Type == "iframe" && strings.HasPrefix(in.URL, front)
		}) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.shot("framed")
			b.t.Fatalf("no frame shows %s", front)
		}
	}
}

// Themes are copied, renamed and deleted, also with the keyboard; their names are escaped.
func TestBrowserThemeNames(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token := f.Stores[0].StaffToken
	b.signIn("/dashboard/themes", f.Stores[0].Owner)
	b.click(`[data-test="theme-active"] [data-test="theme-more"]`)
	b.click(`[data-test="theme-active"] [data-test="theme-duplicate"]`)
	b.fill(`dialog input[name="name"]`, payload)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.see(`[data-test="themes"] .fresh`)
	if got := b.text(`[data-test="themes"] .fresh [data-test="theme-name"]`); got != payload {
		t.Errorf("the list shows %q, want %q", got, payload)
	}
	b.unharmed("themes")
	id := evaluate[string](b, `document.querySelector('[data-test="themes"] .fresh').dataset.id`)
	b.open("/dashboard/themes/" + id)
	b.see(`[data-test="theme-assets"] tbody tr`)
	b.unharmed("theme")
	b.shot("theme")
	b.open("/dashboard/themes")
	b.see(`[data-test="themes"] [data-test="theme-more"]`)
	evaluate[any](b, `document.querySelector('[data-test="themes"] [data-test="theme-more"]').focus()`)
	b.run(chromedp.KeyEvent("\r"))
	b.await("the menu", `document.activeElement.dataset.test === 'theme-rename'`)
	b.shot("theme-menu")
	b.run(chromedp.KeyEvent("\x1b"))
	b.await("the closed menu", `document.activeElement.dataset.test === 'theme-more' && `+
		`document.activeElement.getAttribute('aria-expanded') === 'false'`)
	b.click(`[data-test="themes"] [data-test="theme-more"]`)
	b.click(`[data-test="themes"] [data-test="theme-rename"]`)
	b.fill(`dialog input[name="name"]`, "Sale")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.await("the new name", `document.querySelector('[data-test="themes"] [data-test="theme-name"]').innerText `+
		`=== 'Sale'`)
	b.click(`[data-test="themes"] [data-test="theme-more"]`)
	b.click(`[data-test="themes"] [data-test="theme-delete"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.gone(css(`li[data-id="` + id + `"]`))
	for _, th := range p.themes(t, token) {
		if th.ID == id {
			t.Errorf("%+v is still there", th)
		}
	}
}

// mark is a text on the storefront with the theme of [archive].
const mark = "The window of the test"

// archive creates the zip of a theme; changes replace files of it, and an empty one removes its
// file.
func archive(t *testing.T, changes map[string]string) string {
	t.Helper()
	files := map[string]string{
		"theme.json": `{"name": "Window", "version": "1.0", "author": "The test"}`,
		"templates/layout.html": `<!doctype html><html lang="en"><head><meta ` +
			`charset="utf-8"><title>{{.page.title}}</title><link rel="stylesheet" href="{{asset ` +
			`"assets/style.css"}}"></head><body>{{template "content" .}}</body></html>`,
		"templates/home.html": `{{define "content"}}<h1>` + mark +
			`</h1><ul>{{range .products}}<li><a href="{{.url}}">{{.title}}</a></li>{{end}}</ul>{{end}}`,
		"templates/product.html":   `{{define "content"}}<h1>{{.product.title}}</h1>{{end}}`,
		"templates/search.html":    `{{define "content"}}<h1>{{.search.count}} found</h1>{{end}}`,
		"templates/not_found.html": `{{define "content"}}<h1>Nothing is here</h1>{{end}}`,
		"assets/style.css":         `body { font-family: serif; background: #fdf6e3; color: #20303c; margin: 3rem; }`,
	}
	maps.Copy(files, changes)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == "" {
			continue
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "window.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// upload selects a file of this device on the page.
func (b *browser) upload(path string) {
	b.t.Helper()
	b.see(`[data-test="theme-import"]`)
	b.run(chromedp.SetUploadFiles(css(`[data-test="import-file"]`), []string{path}))
}

// drop drops a file on the page.
func (b *browser) drop(name string, size int) {
	b.t.Helper()
	b.see(`[data-test="theme-import"]`)
	evaluate[any](b, fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([new Uint8Array(%d)], %s));
		for (const kind of ['dragenter', 'dragover', 'drop']) {
			document.querySelector('.drop').dispatchEvent(new DragEvent(kind,
				{dataTransfer: data, bubbles: true, cancelable: true}));
		}
	})()`, size, quote(name)))
}

// An archive is selected or dropped. Its problems are listed by file; a valid one becomes a theme,
// which can be previewed and activated.
func TestBrowserThemeImport(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token, front := f.Stores[0].StaffToken, p.front(t, f.Stores[0].StaffToken)
	b.signIn("/dashboard/themes", f.Stores[0].Owner)
	have := len(p.themes(t, token))
	refused := func(name string, phrases ...string) {
		t.Helper()
		b.see(`[data-test="import-problems"]`)
		for _, phrase := range append(phrases, name) {
			if got := b.text(`[data-test="import-problems"]`); !strings.Contains(got, phrase) {
				t.Errorf("the page does not say %q:\n%s", phrase, got)
			}
		}
		b.click(`[data-test="import-forget"]`)
		b.gone(`[data-test="import-problems"]`)
	}
	b.drop("theme.rar", 10)
	refused("theme.rar", "does not end in .zip")
	b.drop("large.zip", 10<<20+1)
	refused("large.zip", "10 MiB")
	b.drop("noise.zip", 10<<20) // of the maximum size: it is uploaded and checked
	refused("noise.zip", "not a zip archive, or it is damaged")
	b.upload(archive(t, map[string]string{
		"templates/search.html": "", "templates/home.html": `{{define "content"}}{{printf "%d" 1}}{{end}}`,
		"assets/run.js": "pwned=1",
	}))
	b.see(`[data-test="import-problems"] li`)
	b.shot("import-problems")
	refused("window.zip", "templates/search.html", "assets/run.js")
	if got := len(p.themes(t, token)); got != have {
		t.Fatalf("%d themes, want %d", got, have)
	}
	b.upload(archive(t, nil))
	b.see(`[data-test="import-done"]`)
	b.see(`[data-test="themes"] .fresh [data-test="theme-preview"]`)
	b.shot("imported")
	b.quiet()
	preview := evaluate[string](b, `document.querySelector('.fresh [data-test="theme-preview"]').href`)
	if !strings.HasPrefix(preview, front) {
		t.Errorf("the preview is at %s, want %s", preview, front)
	}
	other := p.browse(t)
	other.open(preview)
	other.seeText(mark)
	other.shot("preview")
	other.open(front)
	other.await("the storefront as it was", `document.readyState === 'complete'`)
	if strings.Contains(other.visible(), mark) {
		t.Error("a preview changed the storefront")
	}
	b.confirm(`[data-test="themes"] .fresh [data-test="theme-activate"]`)
	b.see(`[data-test="theme-swap"]`)
	other.visit(front, "the imported theme", "document.body.innerText.includes("+quote(mark)+")")
}

// A store submits a theme, a reviewer rejects it, then approves the next version; once it is
// published, another store installs it.
func TestBrowserMarketplace(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token := f.Stores[0].StaffToken
	p.copied(t, token, "Window")
	b.signIn("/dashboard/marketplace", f.Stores[0].Owner)
	b.see(`[data-test="offers"]`)
	b.gone(`.waiting-rows`) // content that appears above moves the buttons
	submit := func(tagline string) {
		t.Helper()
		b.click(`[data-test="submit-theme"]`)
		b.see(`dialog select[name="themeId"]`)
		b.click(`dialog [data-test="submit"]`)
		b.see(`[data-test="error-themeId"]`)
		value := evaluate[string](b, `[...document.querySelector('dialog select[name="themeId"]').options].find((o) `+
			`=> o.text.startsWith('Window')).value`)
		b.choose(`dialog select[name="themeId"]`, value)
		b.fill(`dialog input[name="tagline"]`, tagline)
		b.fill(`dialog input[name="categories"]`, "glass, No_good")
		b.click(`dialog [data-test="submit"]`)
		b.see(`[data-test="error-categories"]`)
		b.fill(`dialog input[name="categories"]`, "Glass light")
		b.shot("submission")
		b.click(`dialog [data-test="submit"]`)
		b.gone(`dialog`)
	}
	submit("Transparent")
	b.click(`[data-test="reviews"] [data-test="reject"]`)
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="error-note"]`)
	b.fill(`dialog textarea[name="note"]`, payload)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	if got := b.text(`[data-test="review-note"]`); got != payload {
		t.Errorf("the note is shown as %q, want %q", got, payload)
	}
	b.unharmed("marketplace")
	submit("Clear")
	// Another store's people approve it.
	b.see(`[data-test="reviews"] [data-test="own"]`)
	b.gone(`[data-test="reviews"] [data-test="approve"]`)
	other := p.browse(t)
	other.signIn("/dashboard/marketplace", f.Stores[1].Owner)
	other.confirm(`[data-test="reviews"] [data-test="approve"]`)
	b.reload("offers")
	b.see(`[data-test="submissions"] [data-test="publish"]`)
	b.shot("marketplace-approved")
	b.click(`[data-test="submissions"] [data-test="publish"]`)
	b.see(`[data-test="submissions"] [data-test="unlist"]`)
	other.reload("offers")
	other.seeText("Clear")
	other.shot("marketplace-other")
	b.confirm(`[data-test="submissions"] [data-test="unlist"]`)
	b.see(`[data-test="submissions"] [data-test="publish"]`)
	other.reload("offers")
	if strings.Contains(other.visible(), "Clear") {
		t.Error("an unlisted theme is still offered")
	}
}

// reload reloads the page and waits for parts of it.
func (b *browser) reload(parts ...string) {
	b.t.Helper()
	b.open(b.at())
	for _, part := range parts {
		b.see(css(`[data-test="` + part + `"]`))
	}
	b.gone(`.waiting-rows`)
}

// copied duplicates the active theme under a name.
func (p *program) copied(t *testing.T, token, name string) {
	t.Helper()
	var made struct {
		ThemeDuplicate struct{ Theme shownTheme }
	}
	p.graphql(t, token, `mutation($id: ID!, $name: String) { themeDuplicate(id: $id, name: $name) { theme { id name `+
		`status } userErrors { message } } }`,
		map[string]any{"id": p.activeTheme(t, token).ID, "name": name}, &made)
	if made.ThemeDuplicate.Theme.Name != name {
		t.Fatalf("%+v", made)
	}
}

// A role that edits themes but does not review sees no reviews, and support sees neither themes nor
// exports.
func TestBrowserThemeRoles(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	for role, closed := range map[string][]string{
		"DEVELOPER": {"/exports", "/exports/exp_1"},
		"SUPPORT":   {"/exports", "/exports/exp_1", "/themes", "/themes/thm_1", "/marketplace"},
	} {
		t.Run(role, func(t *testing.T) {
			b := p.browse(t)
			b.signIn("/dashboard", p.staff(t, f.Stores[0].StaffToken, role))
			for _, path := range closed {
				b.open("/dashboard" + path)
				b.seeText("Your role does not have access to this page")
			}
			if role == "DEVELOPER" {
				b.reviewless()
			}
		})
	}
}

// reviewless checks the marketplace for a person who reviews nothing.
func (b *browser) reviewless() {
	b.t.Helper()
	b.open("/dashboard/marketplace")
	b.see(`[data-test="submissions"]`)
	b.see(`[data-test="offers"]`)
	b.gone(`.waiting-rows`)
	b.gone(`[data-test="reviews"]`)
	b.open("/dashboard/themes")
	b.see(`[data-test="theme-active"]`)
}
