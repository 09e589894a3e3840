package graphtest

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/storefront-go/storefront/graph/lib/theme/sample"
	"github.com/storefront-go/storefront/graph/model"
)

// tinyTemplates holds the templates of the smallest theme.
var tinyTemplates = map[string]string{
	"templates/layout.html": `<!doctype html><title>{{.page.title}}</title><link rel="stylesheet" href="{{asset ` +
		`"assets/style.css"}}">{{template "content" .}}`,
	"templates/home.html":      `{{define "content"}}<h1>{{.shop.name}}</h1>{{end}}`,
	"templates/product.html":   `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
	"templates/search.html":    `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
	"templates/not_found.html": `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
}

// pixel returns a PNG of one pixel.
func pixel(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Tiny returns the files of a theme with two stylesheets and an image. change adds or replaces
// files; "" removes one.
func Tiny(t testing.TB, name string, change map[string]string) map[string]string {
	t.Helper()
	files := maps.Clone(tinyTemplates)
	files["theme.json"] = `{"name": "` + name +
		`", "version": "1.2.0", "author": "Ada", "preview": "assets/preview.png"}`
	files["assets/style.css"], files["assets/print.css"] = "h1 { color: #123456 }", "h1 { color: #000 }"
	files["assets/preview.png"] = pixel(t)
	maps.Copy(files, change)
	maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
	return files
}

// settable adds the settings of [Shop.ImportSettable].
var settable = map[string]string{"theme.json": `{"name": "Set", "preview": "assets/preview.png", "settings": [
	{"name": "slogan", "type": "text", "label": "Slogan", "default": "Ours"},
	{"name": "accent", "type": "color", "label": "Accent", "default": "#102030"},
	{"name": "hero", "type": "image", "label": "Picture"}]}`}

// zipped returns a ZIP archive of files.
func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[path])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Archived returns an archive as the mutation expects it.
func Archived(t testing.TB, files map[string]string) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString(zipped(t, files))
}

// samples returns the sample themes of new stores in tests.
func samples(t testing.TB) []sample.Sample {
	t.Helper()
	files := fstest.MapFS{}
	for path, text := range Tiny(t, "Plain", nil) {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return []sample.Sample{{Slug: "plain", Tagline: "Nothing more than is needed.",
		Categories: []string{"small", "plain"}, Files: files}}
}

// ImportSettable imports a theme with a text, a color and an image setting.
func (p *Shop) ImportSettable(t testing.TB) *model.Theme {
	t.Helper()
	return p.imported(t, Tiny(t, "Set", settable))
}

// ImportTheme imports a theme and processes it.
func (p *Shop) ImportTheme(t testing.TB, name string) *model.Theme {
	t.Helper()
	return p.imported(t, Tiny(t, name, nil))
}

func (p *Shop) imported(t testing.TB, files map[string]string) *model.Theme {
	t.Helper()
	added := Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
		model.ThemeImportInput{Archive: Archived(t, files)})).Theme
	if err := p.Themes.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.ThemeNow(t, added)
}

// ThemeNow reads a theme again.
func (p *Shop) ThemeNow(t testing.TB, th *model.Theme) *model.Theme {
	t.Helper()
	return Must[*model.Theme](t)(p.Query().Theme(p.Ctx, th.PublicID()))
}

// ImportUnprocessed imports a theme and leaves it unprocessed.
func (p *Shop) ImportUnprocessed(t testing.TB) *model.Theme {
	t.Helper()
	added := Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
		model.ThemeImportInput{Archive: Archived(t, Tiny(t, "Waiting", nil))})).Theme
	return added
}
