package appearance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Each list takes its documented number of statements, at any length.
func TestThemeStatements(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th, l := p.ImportTheme(t, "Linen"), p.SubmitAs(t, state.ListingPublished)
		waiting := p.ImportUnprocessed(t)
		for range 3 {
			graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeInstall(p.Ctx, l.PublicID()))
		}
		q, id, empty := p.Query(), th.PublicID(), graphtest.NewShop(t, graphtest.NewCore(t, p.Store))
		second := graphtest.Must[*model.ThemeAssetConnection](t)(q.ThemeAssets(p.Ctx, id, new(1), nil)).Next
		for _, tc := range []struct {
			name string
			call func(ctx context.Context) error
			want uint64
		}{
			{"themes", func(ctx context.Context) error { return last(q.Themes(ctx, nil, nil)) }, 2},
			{"one theme", func(ctx context.Context) error { return last(q.Theme(ctx, id)) }, 2},
			{"assets", func(ctx context.Context) error { return last(q.ThemeAssets(ctx, id, nil, nil)) }, 1},
			{"more assets", func(ctx context.Context) error { return last(q.ThemeAssets(ctx, id, nil, &second)) }, 1},
			{"no assets", func(ctx context.Context) error {
				return last(q.ThemeAssets(ctx, waiting.PublicID(), nil, nil))
			}, 1},
			{"the marketplace", func(ctx context.Context) error { return last(q.MarketplaceThemes(ctx, nil, nil)) }, 2},
			{"one of the marketplace",
				func(ctx context.Context) error { return last(q.MarketplaceTheme(ctx, l.PublicID())) }, 2},
			{"submissions", func(ctx context.Context) error { return last(q.MarketplaceSubmissions(ctx, nil, nil)) },
				1},
			{"reviews", func(ctx context.Context) error { return last(q.MarketplaceReviews(ctx, nil, nil)) }, 2},
		} {
			ctx, n := ent.CountStatements(p.Ctx)
			if err := tc.call(ctx); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			if n.N() != tc.want {
				t.Errorf("%s cost %d statements, want %d", tc.name, n.N(), tc.want)
			}
		}
		// The handle and the assets are read once.
		ctx, n := ent.CountStatements(empty.Ctx)
		for range 2 {
			graphtest.Must[*model.ThemeAssetConnection](t)(empty.Query().ThemeAssets(ctx, activeOnes(empty, t)[0], nil,
				nil))
		}
		if n.N() != 4 {
			t.Errorf("the assets of a new store cost %d statements twice", n.N())
		}
	})
}

func TestThemes(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		want := []string{activeOnes(p, t)[0]}
		for i := range 5 {
			want = append(want, p.ImportTheme(t, fmt.Sprint("Theme ", i)).PublicID())
		}
		slices.Reverse(want)
		var got []string
		var after *string
		for {
			page := graphtest.Must[*model.ThemeConnection](t)(p.Query().Themes(p.Ctx, new(2), after))
			for _, th := range page.Nodes {
				got = append(got, th.PublicID())
			}
			if page.Next == "" {
				break
			}
			after = &page.Next
			p.ImportTheme(t, "Newer") // to have a newer theme
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// wide returns an archive with many stylesheets whose names sort in another order than they are
// written.
func wide(t testing.TB, n int) map[string]string {
	t.Helper()
	files := graphtest.Tiny(t, "Wide", nil)
	for i := range n {
		files[fmt.Sprintf("assets/css/%c%d.css", 'a'+(i*7)%26, i)] = fmt.Sprintf("h1 { margin: %dpx }", i)
	}
	return files
}

// A walk over the assets returns each once by path, whatever is added, activated or deleted
// meanwhile.
func TestThemeAssets(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		files := wide(t, 130)
		added := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeImport(p.Ctx,
			model.ThemeImportInput{Archive: graphtest.Archived(t, files)})).Theme
		if err := p.Themes.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for path := range files {
			if strings.HasPrefix(path, "assets/") {
				want = append(want, path)
			}
		}
		slices.Sort(want)
		var after *string
		for size := 7; ; size++ {
			page := graphtest.Must[*model.ThemeAssetConnection](t)(p.Query().ThemeAssets(p.Ctx, added.PublicID(), &size,
				after))
			for _, a := range page.Nodes {
				got = append(got, a.Path)
			}
			if page.Next == "" {
				break
			}
			after = &page.Next
			twin := graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeDuplicate(p.Ctx, added.PublicID(),
				nil)).Theme
			graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, twin.PublicID()))
			graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, added.PublicID()))
			graphtest.Must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.Ctx, twin.PublicID()))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		// The cursor is valid for this theme only, and ends with it.
		other := p.ImportTheme(t, "Linen")
		if page := graphtest.Must[*model.ThemeAssetConnection](t)(p.Query().ThemeAssets(p.Ctx, other.PublicID(), nil,
			after)); len(page.Nodes) != 3 {
			t.Errorf("a cursor of another theme leaves %d of 3", len(page.Nodes))
		}
		graphtest.Must[*model.ThemePayload](t)(p.Mutation().ThemeActivate(p.Ctx, other.PublicID()))
		graphtest.Must[*model.ThemeDeletePayload](t)(p.Mutation().ThemeDelete(p.Ctx, added.PublicID()))
		if err := last(p.Query().ThemeAssets(p.Ctx, added.PublicID(), nil,
			after)); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("the rest of a deleted theme: %v", err)
		}
	})
}

func TestThemeAssetFields(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		th := p.ImportTheme(t, "Linen")
		var got []string
		for _, a := range graphtest.Must[*model.ThemeAssetConnection](t)(p.Query().ThemeAssets(p.Ctx, th.PublicID(),
			nil, nil)).Nodes {
			sum, ok := strings.CutPrefix(a.Checksum(), "sha256:")
			if want := "https://" + p.Model.StoreHost + "/assets/" + sum + "/" + a.Path[len("assets/"):]; !ok ||
				a.URL() != want {
				t.Errorf("the address is %s, want %s", a.URL(), want)
			}
			if a.ThemeID != th.ID || !strings.HasPrefix(xid.ThemeAsset.Format(a.ID), "ast_") {
				t.Errorf("%s is of %s", a.PublicID(), a.ThemeID)
			}
			size := ""
			if a.Width != nil {
				size = fmt.Sprint(*a.Width, "x", *a.Height)
			}
			got = append(got, fmt.Sprint(a.Path, " ", a.Kind, " ", a.ContentType, " ", size))
		}
		want := []string{"assets/preview.png image image/png 1x1", "assets/print.css css text/css; charset=utf-8 ",
			"assets/style.css css text/css; charset=utf-8 "}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}
