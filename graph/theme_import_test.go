package graph

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/theme/sample"
)

// tinyTemplates are those of the smallest theme.
var tinyTemplates = map[string]string{
	"templates/layout.html":    `<!doctype html><title>{{.page.title}}</title><link rel="stylesheet" href="{{asset "assets/style.css"}}">{{template "content" .}}`,
	"templates/home.html":      `{{define "content"}}<h1>{{.shop.name}}</h1>{{end}}`,
	"templates/product.html":   `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
	"templates/search.html":    `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
	"templates/not_found.html": `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
}

// picture is a PNG of one pixel.
func picture(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tiny is a theme with some stylesheets and a picture. Change it, with "" to leave
// a file out.
func tiny(t testing.TB, name string, change map[string]string) map[string]string {
	t.Helper()
	files := maps.Clone(tinyTemplates)
	files["theme.json"] = `{"name": "` + name + `", "version": "1.2.0", "author": "Ada", "preview": "assets/preview.png"}`
	files["assets/style.css"], files["assets/print.css"] = "h1 { color: #123456 }", "h1 { color: #000 }"
	files["assets/preview.png"] = picture(t)
	maps.Copy(files, change)
	maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
	return files
}

// zipped is the archive of files.
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

// archived is an archive as the mutation takes it.
func archived(t testing.TB, files map[string]string) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString(zipped(t, files))
}

// samples are what new stores begin with in tests.
func samples(t testing.TB) []sample.Sample {
	t.Helper()
	files := fstest.MapFS{}
	for path, text := range tiny(t, "Plain", nil) {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return []sample.Sample{{Slug: "plain", Tagline: "Nothing more than is needed.", Categories: []string{"small", "plain"}, Files: files}}
}

// imported adds a theme and processes it.
func (p *shop) imported(t testing.TB, name string) *model.Theme {
	t.Helper()
	added := must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.ctx, model.ThemeImportInput{Archive: archived(t, tiny(t, name, nil))})).Theme
	if err := p.Themes.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.themeNow(t, added)
}

// themeNow reads a theme again.
func (p *shop) themeNow(t testing.TB, th *model.Theme) *model.Theme {
	t.Helper()
	return must[*model.Theme](t)(p.Query().Theme(p.ctx, th.PublicID()))
}

func TestThemeImport(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		added := must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.ctx,
			model.ThemeImportInput{Archive: archived(t, tiny(t, "Linen", nil)), Name: new("Ours")})).Theme
		if added.Status() != state.ThemeProcessing || added.Name != "Ours" || *added.ThemeVersion != "1.2.0" || *added.Author != "Ada" ||
			added.PreviewURL != nil || added.PreviewImageURL != nil || added.AssetCount != 0 || added.Source != state.ThemeUploaded {
			t.Errorf("added %+v", added.Theme)
		}
		select {
		case <-p.Themes.Woken():
		default:
			t.Error("nobody is woken")
		}
		if got := faultOf(last(p.Mutation().ThemeActivate(p.ctx, added.PublicID()))); got != "theme_not_ready" {
			t.Errorf("a theme that is processed is activated: %s", got)
		}
		assets := must[*model.ThemeAssetConnection](t)(p.Query().ThemeAssets(p.ctx, added.PublicID(), nil, nil))
		if len(assets.Nodes) != 0 {
			t.Errorf("%d assets before the processing", len(assets.Nodes))
		}
		if err := p.Themes.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		done := p.themeNow(t, added)
		if done.Status() != state.ThemeInactive || done.AssetCount != 3 || done.SizeBytes < 100 || done.PreviewURL == nil ||
			done.PreviewImageURL == nil || !strings.HasPrefix(*done.PreviewImageURL, "https://api.example/assets/") ||
			!strings.HasSuffix(*done.PreviewImageURL, "/preview.png") || done.Checksum() != added.Checksum() || done.Name != "Ours" {
			t.Errorf("processed: %+v", done.Theme)
		}
		if got := p.audited(t); !strings.HasSuffix(got, " theme.import") {
			t.Errorf("the audit log: %s", got)
		}
	})
}

// last is the error of a call.
func last[T any](_ T, err error) error { return err }

// A bad archive is refused with all that is wrong with it, and leaves nothing.
func TestThemeImportRefusals(t *testing.T) {
	good := archived(t, tiny(t, "Linen", nil))
	eachShop(t, func(t *testing.T, p *shop) {
		before := p.leftovers(t)
		for _, tc := range []struct {
			name, archive, title string
			want                 string
		}{
			{"not base64", "%%%%", "", "#/archive invalid_format"},
			{"no padding", strings.TrimRight(good, "=") + "A", "", "#/archive invalid_format"},
			{"new lines", good[:64] + "\n" + good[64:], "", "#/archive invalid_format"},
			{"the other alphabet", strings.Repeat("-_", 32), "", "#/archive invalid_format"},
			{"loose bits", "AB==", "", "#/archive invalid_format"},
			{"nothing", "", "", "#/archive too_short"},
			{"too long", strings.Repeat("A", base64.StdEncoding.EncodedLen(maxArchive+3)), "", "#/archive too_long"},
			{"too long by a byte", base64.StdEncoding.EncodeToString(make([]byte, maxArchive+1)), "", "#/archive too_long"},
			{"not a zip", base64.StdEncoding.EncodeToString([]byte("hello")), "", "#/archive invalid_format"},
			{"a blank name", good, " ", "#/name too_short"},
			{"a script", archived(t, tiny(t, "Bad", map[string]string{"assets/x.js": "alert(1)", "../evil.css": "h1 {}"})), "", "#/archive invalid_format"},
			{"no layout", archived(t, tiny(t, "Bad", map[string]string{"templates/layout.html": ""})), "", "#/archive invalid_format"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				in := model.ThemeImportInput{Archive: tc.archive}
				if tc.title != "" {
					in.Name = &tc.title
				}
				_, err := p.Mutation().ThemeImport(p.ctx, in)
				if got := faultOf(err); got != "validation_failed" || fieldOf(err) != tc.want {
					t.Errorf("got %v, want %s", err, tc.want)
				}
			})
		}
		if after := p.leftovers(t); after != before {
			t.Errorf("left behind: %v, before %v", after, before)
		}
	})
}

// leftovers counts all that an import could leave.
func (p *shop) leftovers(t testing.TB) string {
	t.Helper()
	var counts []string
	for _, table := range []string{"themes", "theme_uploads", "theme_assets", "theme_packages", "marketplace_themes", "audit_log", "events", "outbox", "notifications"} {
		var n int
		if err := p.Store.Raw().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts = append(counts, fmt.Sprint(table, " ", n))
	}
	blobs := 0
	for _, err := range p.Themes.Blobs.List(t.Context(), "assets/") {
		if err != nil {
			t.Fatal(err)
		}
		blobs++
	}
	return fmt.Sprint(strings.Join(counts, ", "), ", blobs ", blobs)
}

// The hundredth theme is the last one, however it comes.
func TestThemeLimit(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		first := p.imported(t, "Linen")
		for i := range maxThemes - 2 { // the first one came with the store
			if _, err := p.Mutation().ThemeDuplicate(p.ctx, first.PublicID(), nil); err != nil {
				t.Fatalf("copy %d: %v", i, err)
			}
		}
		before := p.audited(t)
		for name, err := range map[string]error{
			"import":    last(p.Mutation().ThemeImport(p.ctx, model.ThemeImportInput{Archive: archived(t, tiny(t, "More", nil))})),
			"duplicate": last(p.Mutation().ThemeDuplicate(p.ctx, first.PublicID(), nil)),
		} {
			if faultOf(err) != "limit_reached" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.audited(t) != before {
			t.Error("a refusal was noted")
		}
		must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.ctx, first.PublicID()))
		must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.ctx, model.ThemeImportInput{Archive: archived(t, tiny(t, "More", nil))}))
	})
}

// unprocessed adds a theme that waits for its processing, beyond the test.
func (p *shop) unprocessed(t testing.TB) *model.Theme {
	t.Helper()
	added := must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.ctx, model.ThemeImportInput{Archive: archived(t, tiny(t, "Waiting", nil))})).Theme
	return added
}
