package baseline_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// themed is the baseline with what themes need; folder holds the assets.
func (b *bench) themed(t *testing.T, folder string) http.Handler {
	t.Helper()
	files, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	h, err := baseline.New(baseline.Config{Store: b.store, Keys: b.keys, Pages: b.core.Pages, Assets: files,
		OriginOf: func(handle string) string { return "https://" + handle + ".localhost" }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The list of a theme's assets is the service's, byte for byte.
func TestThemeAssets(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		if err := b.core.Themes.Seed(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, h := b.viewer(t), b.themed(t, t.TempDir())
		themes, err := b.core.Query().Themes(ctx, nil, nil)
		if err != nil || len(themes.Nodes) != 1 {
			t.Fatalf("%d themes, %v", len(themes.Nodes), err)
		}
		id := xid.Theme.Format(themes.Nodes[0].ID)
		for _, limit := range []int{1, page.DefaultLimit} { // the first one leaves some
			want, err := b.core.Query().ThemeAssets(ctx, id, new(limit), nil)
			if err != nil {
				t.Fatal(err)
			}
			b.same(t, h, "/themes/"+id+"/assets?limit="+strconv.Itoa(limit), written(want.Nodes, want.Next,
				func(a *model.ThemeAsset) []byte { return wire.AppendThemeAsset(nil, a.ThemeAsset, a.Host) }))
		}
	})
}

// Assets come from the folder, under the type of their name.
func TestAssetFiles(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		folder, sum := t.TempDir(), strings.Repeat("ab", 32)
		if err := os.WriteFile(filepath.Join(folder, baseline.AssetFile(sum, "style.css")), []byte("a{}"),
			0o600); err != nil {
			t.Fatal(err)
		}
		h := b.themed(t, folder)
		for _, tc := range []struct {
			path, body, contentType string
			status                  int
		}{
			{path: "/assets/" + sum + "/style.css", body: "a{}", contentType: "text/css; charset=utf-8",
				status: http.StatusOK},
			{path: "/assets/" + sum + "/style.png", body: "404 page not found\n",
				contentType: "text/plain; charset=utf-8", status: http.StatusNotFound},
			{path: "/assets/" + sum + "/style", body: "404 page not found\n", contentType: "text/plain; charset=utf-8",
				status: http.StatusNotFound},
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.path, nil))
			if w.Code != tc.status || w.Body.String() != tc.body || w.Header().Get("Content-Type") != tc.contentType {
				t.Errorf("%s: %d %q %q, want %d %q %q", tc.path, w.Code, w.Header().Get("Content-Type"),
					w.Body, tc.status, tc.contentType, tc.body)
			}
		}
	})
}
