package graphtest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
	"github.com/storefront-go/storefront/graph/model"
)

var tinyTemplates = map[string]string{
	"templates/layout.html": `<!doctype html><title>{{.page.title}}</title><link rel="stylesheet" href="{{asset ` +
		`"assets/style.css"}}">{{template "content" .}}`,
	"templates/home.html":      `{{define "content"}}<h1>{{.shop.name}}</h1>{{end}}`,
	"templates/product.html":   `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
	"templates/search.html":    `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
	"templates/not_found.html": `{{define "content"}}<h1>{{.page.title}}</h1>{{end}}`,
}

// Tiny returns the files of a theme with two stylesheets and an image. change adds or replaces
// files; "" removes one.
func Tiny(t testing.TB, name string, change map[string]string) map[string]string {
	t.Helper()
	files := maps.Clone(tinyTemplates)
	files["theme.json"] = `{"name": "` + name +
		`", "version": "1.2.0", "author": "Ada", "preview": "assets/preview.png"}`
	files["assets/style.css"], files["assets/print.css"] = "h1 { color: #123456 }", "h1 { color: #000 }"
	files["assets/preview.png"] = string(picture(t, 1, 1))
	maps.Copy(files, change)
	maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
	return files
}

var settable = map[string]string{"theme.json": `{"name": "Set", "preview": "assets/preview.png", "settings": [
	{"name": "slogan", "type": "text", "label": "Slogan", "default": "Ours"},
	{"name": "accent", "type": "color", "label": "Accent", "default": "#102030"},
	{"name": "hero", "type": "image", "label": "Picture"}]}`}

// Archived returns an archive as the mutation expects it.
func Archived(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		Must[int](t)(io.WriteString(Must[io.Writer](t)(w.Create(path)), files[path]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

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

// ImportSectioned imports a theme whose home page has sections.
func (p *Shop) ImportSectioned(t testing.TB) *model.Theme {
	t.Helper()
	return p.imported(t, Tiny(t, "Sections", map[string]string{"theme.json": `{"name": "Sections",
		"preview": "assets/preview.png", "settings": [{"name": "home_sections", "type": "text", "label": "Home page",
		"default": ""}]}`}))
}

// ImportTheme imports a theme and processes it.
func (p *Shop) ImportTheme(t testing.TB, name string) *model.Theme {
	t.Helper()
	return p.imported(t, Tiny(t, name, nil))
}

func (p *Shop) imported(t testing.TB, files map[string]string) *model.Theme {
	t.Helper()
	added := p.unprocessed(t, files)
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
	return p.unprocessed(t, Tiny(t, "Waiting", nil))
}

func (p *Shop) unprocessed(t testing.TB, files map[string]string) *model.Theme {
	t.Helper()
	return Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
		model.ThemeImportInput{Archive: Archived(t, files)})).Theme
}

// Submit submits a new theme of the shop to the marketplace.
func (p *Shop) Submit(t testing.TB, in model.MarketplaceThemeSubmitInput) *model.MarketplaceSubmission {
	t.Helper()
	in.ThemeID = p.ImportTheme(t, "Linen").PublicID()
	return Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.Ctx, in)).Submission
}

// Move brings a submission into a state.
func (p *Shop) Move(t testing.TB, l *model.MarketplaceSubmission, to state.ListingStatus) *model.MarketplaceSubmission {
	t.Helper()
	m, id, done := p.Mutation(), l.PublicID(), Must[*model.MarketplaceSubmissionPayload](t)
	switch to {
	case state.ListingSubmitted:
		return l
	case state.ListingRejected:
		return done(m.MarketplaceThemeReview(p.Ctx, id, state.ReviewReject, nil)).Submission
	}
	l = done(m.MarketplaceThemeReview(p.Ctx, id, state.ReviewApprove, nil)).Submission
	if to != state.ListingApproved {
		l = done(m.MarketplaceThemePublish(p.Ctx, id)).Submission
	}
	if to == state.ListingUnlisted {
		l = done(m.MarketplaceThemeUnlist(p.Ctx, id)).Submission
	}
	return l
}

// SubmitAs submits a theme of the shop and brings it into a state.
func (p *Shop) SubmitAs(t testing.TB, as state.ListingStatus) *model.MarketplaceSubmission {
	t.Helper()
	return p.Move(t, p.Submit(t, model.MarketplaceThemeSubmitInput{}), as)
}

var laterSet = map[string]string{"theme.json": `{"name": "Set", "version": "2.0.0", "settings": [
	{"name": "slogan", "type": "text", "label": "Slogan", "default": "Ours"},
	{"name": "hero", "type": "image", "label": "Picture"}]}`}

// InstallOutdated installs a theme like that of [Shop.ImportSettable] and then gives the marketplace a later
// version.
func (p *Shop) InstallOutdated(t testing.TB) *model.Theme {
	t.Helper()
	l := p.Move(t, Must[*model.MarketplaceSubmissionPayload](t)(p.Mutation().MarketplaceThemeSubmit(p.Ctx,
		model.MarketplaceThemeSubmitInput{ThemeID: p.ImportSettable(t).PublicID()})).Submission, state.ListingPublished)
	th := Must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.Ctx, l.PublicID())).Theme
	next := p.imported(t, Tiny(t, "Set", laterSet))
	inTx(t, viewer.Everywhere(t.Context()), p.Store, func(ctx context.Context) error {
		return p.Store.DB(ctx).MarketplaceTheme.Update().Where(marketplacetheme.ID(l.ID)).
			SetChecksum(next.Theme.Checksum).SetThemeVersion(*next.ThemeVersion).Exec(ctx)
	})
	return th
}
