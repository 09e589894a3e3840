package shop_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/rest/shop"
)

// A theme in a folder is shown with sample data and its current files, or with what is wrong with
// them.
func TestDraft(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../graph/lib/theme/sample/linen")); err != nil {
		t.Fatal(err)
	}
	h := shop.Draft(os.DirFS(dir))
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s has no policy", path)
		}
		return w
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/": {200, "Clay &amp; Co."}, "/products/product-7": {200, "Holds 350 ml."}, "/search?q=mug": {200, "mug"},
		"/pages/shipping": {200, "30 days"}, "/nothing": {404, "<html"}, "/pictures/x/mug": {200, "PNG"},
	} {
		if w := get(path); w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %.300s", path, w.Code, w.Body)
		}
	}
	sheet := regexp.MustCompile(`/assets/[0-9a-f]+/style\.css`).FindString(get("/").Body.String())
	if w := get(sheet); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/css") {
		t.Errorf("%q: %d", sheet, w.Code)
	}
	home := filepath.Join(dir, "templates", "home.html")
	for text, want := range map[string]string{
		`{{define "content"}}<h1>Quite new</h1>{{end}}`: "Quite new",
		`{{define "content"}}{{.products`:               "templates/home.html: Line 1: ",
	} {
		if err := os.WriteFile(home, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if w := get("/"); !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page does not show %q: %d %.300s", want, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil)); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}
