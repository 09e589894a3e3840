package appearance_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestThemeImport(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		added := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
			model.ThemeImportInput{Archive: graphtest.Archived(t, graphtest.Tiny(t, "Linen", nil)),
				Name: new("Ours")})).Theme
		if added.Status() != state.ThemeProcessing || added.Name != "Ours" || *added.ThemeVersion != "1.2.0" ||
			*added.Author != "Ada" || added.PreviewURL != nil || added.PreviewImageURL != nil ||
			added.AssetCount != 0 || added.Source != state.ThemeUploaded {
			t.Errorf("added %+v", added.Theme)
		}
		select {
		case <-p.Themes.Wakeups():
		default:
			t.Error("no signal")
		}
		if got := graphtest.FaultOf(last(p.Mutation().ThemeActivate(p.Ctx,
			added.PublicID()))); got != "theme_not_ready" {
			t.Errorf("an unprocessed theme was activated: %s", got)
		}
		assets := graphtest.Must[*model.ThemeAssetConnection](t)(p.Query().ThemeAssets(p.Ctx, added.PublicID(), nil,
			nil))
		if len(assets.Nodes) != 0 {
			t.Errorf("%d assets before the processing", len(assets.Nodes))
		}
		if err := p.Themes.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		done := p.ThemeNow(t, added)
		if done.Status() != state.ThemeInactive || done.AssetCount != 3 || done.SizeBytes < 100 ||
			done.PreviewURL == nil || done.PreviewImageURL == nil ||
			!strings.HasPrefix(*done.PreviewImageURL, p.APIHost+"/assets/") ||
			!strings.HasSuffix(*done.PreviewImageURL, "/preview.png") || done.Checksum() != added.Checksum() ||
			done.Name != "Ours" {
			t.Errorf("processed: %+v", done.Theme)
		}
		if got := p.Audited(t); !strings.HasSuffix(got, " theme.import") {
			t.Errorf("the audit log: %s", got)
		}
	})
}

// last returns the error of a call.
func last[T any](_ T, err error) error { return err }

// An invalid archive is refused with all problems and leaves nothing behind.
func TestThemeImportRefusals(t *testing.T) {
	good := graphtest.Archived(t, graphtest.Tiny(t, "Linen", nil))
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		before := leftovers(p, t)
		for _, tc := range []struct {
			name, archive, title string
			want                 string
		}{
			{name: "not base64", archive: "%%%%", want: "#/archive invalid_format"},
			{name: "no padding", archive: strings.TrimRight(good, "=") + "A", want: "#/archive invalid_format"},
			{name: "new lines", archive: good[:64] + "\n" + good[64:], want: "#/archive invalid_format"},
			{name: "the other alphabet", archive: strings.Repeat("-_", 32), want: "#/archive invalid_format"},
			{name: "loose bits", archive: "AB==", want: "#/archive invalid_format"},
			{name: "nothing", want: "#/archive too_short"},
			{name: "too long", archive: strings.Repeat("A", base64.StdEncoding.EncodedLen(appearance.MaxArchive+3)),
				want: "#/archive too_long"},
			{name: "too long by a byte",
				archive: base64.StdEncoding.EncodeToString(make([]byte, appearance.MaxArchive+1)),
				want:    "#/archive too_long"},
			{name: "not a zip", archive: base64.StdEncoding.EncodeToString([]byte("hello")),
				want: "#/archive invalid_format"},
			{name: "a blank name", archive: good, title: " ", want: "#/name too_short"},
			{name: "a script",
				archive: graphtest.Archived(t,
					graphtest.Tiny(t, "Bad", map[string]string{"assets/x.js": "alert(1)", "../evil.css": "h1 {}"})),
				want: "#/archive invalid_format"},
			{name: "no layout",
				archive: graphtest.Archived(t,
					graphtest.Tiny(t, "Bad", map[string]string{"templates/layout.html": ""})),
				want: "#/archive invalid_format"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				in := model.ThemeImportInput{Archive: tc.archive}
				if tc.title != "" {
					in.Name = &tc.title
				}
				_, err := p.Mutation().ThemeImport(p.Ctx, in)
				if got := graphtest.FaultOf(err); got != "validation_failed" || graphtest.FieldOf(err) != tc.want {
					t.Errorf("got %v, want %s", err, tc.want)
				}
			})
		}
		if after := leftovers(p, t); after != before {
			t.Errorf("after %v, before %v", after, before)
		}
	})
}

// leftovers counts everything that an import could leave behind.
func leftovers(p *graphtest.Shop, t testing.TB) string {
	t.Helper()
	var counts []string
	for _, table := range []string{
		"themes", "theme_uploads", "theme_assets", "theme_packages", "marketplace_themes", "audit_log", "events",
		"outbox", "notifications",
	} {
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

// The bytes of a theme count as soon as it is accepted, and no longer once its processing failed.
func TestThemeBytes(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		before := int64(0)
		for _, th := range graphtest.Must[*model.ThemeConnection](t)(p.Query().Themes(p.Ctx, nil, nil)).Nodes {
			before += th.SizeBytes
		}
		first := p.ImportUnprocessed(t)
		p.Limits[limit.ThemeBytes] = before + first.SizeBytes
		imported := func() error {
			_, err := p.Mutation().ThemeImport(p.Ctx,
				model.ThemeImportInput{Archive: graphtest.Archived(t, graphtest.Tiny(t, "Waiting", nil))})
			return err
		}
		if err := imported(); graphtest.FaultOf(err) != "limit_reached" || first.SizeBytes == 0 {
			t.Errorf("with %d bytes in processing: %v", first.SizeBytes, err)
		}
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error { // as if in processing
			return c.ThemeUpload.Update().
				Modify(func(u *sql.UpdateBuilder) { u.Set("archive", []byte("no archive")) }).Exec(ctx)
		})
		if err := p.Themes.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := p.ThemeNow(t, first); now.Status() != state.ThemeFailed || now.SizeBytes != 0 {
			t.Errorf("%s of %d bytes", now.Status(), now.SizeBytes)
		}
		if err := imported(); err != nil {
			t.Errorf("after the other failed: %v", err)
		}
	})
}

// The limit of themes holds for every way to add one.
func TestThemeLimit(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		p.Limits[limit.Themes] = 5
		first := p.ImportTheme(t, "Linen")
		for i := range 3 { // the first one came with the store
			if _, err := p.Mutation().ThemeDuplicate(p.Ctx, first.PublicID(), nil); err != nil {
				t.Fatalf("copy %d: %v", i, err)
			}
		}
		before := p.Audited(t)
		for name, err := range map[string]error{
			"import": last(p.Mutation().ThemeImport(p.Ctx,
				model.ThemeImportInput{Archive: graphtest.Archived(t, graphtest.Tiny(t, "More", nil))})),
			"duplicate": last(p.Mutation().ThemeDuplicate(p.Ctx, first.PublicID(), nil)),
		} {
			if graphtest.FaultOf(err) != "limit_reached" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.Audited(t) != before {
			t.Error("a refusal was audited")
		}
		graphtest.Must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.Ctx, first.PublicID()))
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
			model.ThemeImportInput{Archive: graphtest.Archived(t, graphtest.Tiny(t, "More", nil))}))
	})
}
