package shop_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// TestTwins reads pages in both forms: by suffix, and by Accept at the address of the page itself.
func TestTwins(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.activate(s.theme("Plain"))
		s.sell("Blue *mug*", func(in *model.ProductCreateInput) { in.Handle = new("mug"); in.Vendor = new("Kiln") })
		for _, path := range []string{"/", "/products/mug", "/products", "/search?q=mug", "/search"} {
			html := s.get(path)
			twin := s.get(path, "Accept", "text/markdown, text/html, */*").want(t, http.StatusOK, "[Products](<")
			again := s.get(path, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
			if html.Header.Get("Content-Type") != "text/html; charset=utf-8" || html.body != again.body ||
				twin.Header.Get("Content-Type") != "text/markdown; charset=utf-8" {
				t.Errorf("%s: %v and %v", path, html.Header, twin.Header)
			}
			if strings.Contains(twin.body, "<html") || html.Header.Get("Etag") == twin.Header.Get("Etag") ||
				twin.Header.Get("Vary") != "Accept, Accept-Encoding" || twin.Header.Get("X-Robots-Tag") != "noindex" ||
				html.Header.Get("X-Robots-Tag") != "" {
				t.Errorf("%s: %v\n%s", path, twin.Header, twin.body)
			}
			address, rest, _ := strings.Cut(strings.TrimPrefix(html.Header.Get("Link"), "<"), ">")
			if rest != `; rel="alternate"; type="text/markdown"` || s.get(address).body != twin.body {
				t.Errorf("%s: the link %q does not lead to the twin", path, html.Header.Get("Link"))
			}
			if n := s.statements(func() { s.get(path); s.get(address) }); n != 0 {
				t.Errorf("%s: %d statements for pages that are cached", path, n)
			}
			s.get(path, "If-None-Match", twin.Header.Get("Etag")).want(t, http.StatusOK)
			s.get(address, "If-None-Match", twin.Header.Get("Etag")).want(t, http.StatusNotModified)
		}
		s.get("/products/mug.md").want(t, http.StatusOK, `# Blue \*mug\*`, "| id |", "| var_", "Kiln", "24.90")
		s.sell("Picture", func(in *model.ProductCreateInput) {
			in.Handle, in.DescriptionFormat = new("picture"), new(state.Markdown)
			in.Description = new("**Seen** ![it](https://elsewhere.test/a.png) and ![no](http://plain.test/b.png)")
		})
		s.get("/products/picture.md").want(t, http.StatusOK, "**Seen** ![it](", "/pictures/", "/picture)",
			"!elsewhere.test", "!plain.test")
		s.get("/index.md").want(t, http.StatusOK, `[Blue \*mug\*](<`, "/products/mug.md>)")
		for _, path := range []string{"/products/none.md", "/robots.txt.md", "/.md", "/products/mug.md.md"} {
			s.get(path).want(t, http.StatusNotFound)
		}
		s.get("/robots.txt", "Accept", "text/markdown").want(t, http.StatusOK, "User-agent")
		s.write(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetStatus(state.StoreClosed).AddVersion(1).Exec(ctx)
		})
		s.clock.add(time.Minute)
		for _, path := range []string{"/index.md", "/products/mug.md", "/products.md"} {
			s.get(path).want(t, http.StatusNotFound, "Shop not found", "!mug")
		}
		s.get("/products/mug", "Accept", "text/markdown").want(t, http.StatusNotFound, "Shop not found", "!mug")
	})
}
