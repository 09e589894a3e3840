package shop_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/appearance"
)

var hrefs = regexp.MustCompile(`href="([^"]*)"`)

// TestPreview: the holder of the link sees another theme of the store on every page that its links
// lead to.
func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.sell("Blue mug")
		address := s.link(s.theme(`Bold "&" new`), time.Hour)
		a := s.get(address).want(t, 200, "Theme Bold &#34;&amp;&#34; new, as a preview", "Blue mug",
			`<body class="home" data-note="a > b"><link rel="stylesheet" href="/_storefront/preview.css"><p `+
				`class="storefront-preview" role="status">Preview of <strong>Bold &#34;&amp;&#34; new</strong>`)
		for name, want := range map[string]string{"X-Robots-Tag": "noindex", "Cache-Control": "no-store", "Etag": "",
			"Referrer-Policy": "no-referrer"} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		followed := 0
		for _, m := range hrefs.FindAllStringSubmatch(a.body, -1) {
			if link := html.UnescapeString(m[1]); !strings.HasPrefix(link, "/assets/") &&
				!strings.HasPrefix(link, "/_storefront/") {
				s.get(link).want(t, 200, "as a preview")
				followed++
			}
		}
		if followed != 2 { // the shop and the product
			t.Errorf("%d links followed", followed)
		}
		// The search form drops the query of its address and sends its fields.
		form := url.Values{"q": {"MUG"}}
		for _, m := range regexp.MustCompile(`type="hidden" name="([^"]*)" value="([^"]*)"`).
			FindAllStringSubmatch(a.body, -1) {
			form.Set(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
		}
		s.get("/search?"+form.Encode()).want(t, 200, "as a preview", "<h1>1 for “MUG”</h1>")
		s.get("/nothing"+address[1:]).want(t, 404, "as a preview", "Nothing at /nothing")

		// The storefront itself is unchanged, and a preview is never cached.
		s.get("/").want(t, 200, "Theme Plain<", "!storefront-preview", "!as a preview")
		s.sell("Bowl")
		s.clock.add(time.Second)
		s.get(address).want(t, 200, "Bowl")
	})
}

// TestPreviewIsOnlyWhatWasSigned changes the address at every byte: no variation shows the theme,
// nor the storefront in its place.
func TestPreviewIsOnlyWhatWasSigned(t *testing.T) {
	s := sqlite(t)
	other := s.open()
	other.activate(other.theme("Other"))
	id := s.theme("Bold")
	address := s.link(id, time.Hour)
	s.get(address).want(t, 200, "Theme Bold")
	for i := len("/?"); i < len(address); i++ {
		for _, c := range []string{"", "x", "A", "0", "&", "=", "%41", "+"} {
			altered := address[:i] + c + address[i+1:]
			if altered == address {
				continue
			}
			a := s.get(altered)
			if a.StatusCode != http.StatusForbidden || strings.Contains(a.body, "Theme") {
				t.Errorf("%s: %d\n%.200s", altered, a.StatusCode, a.body)
			}
		}
	}
	for _, altered := range []string{
		"/?preview=" + xid.Theme.Format(id), "/?signature=x", "/?expires=9", address + "&preview=" +
			xid.Theme.Format(id), address + "&expires=1", "/?" + address[2:] + address[1:],
	} {
		s.get(altered).want(t, 403, "This link is not valid", "!Theme")
	}
	// Signed by us, but for something else.
	until := micros.Of(s.clock.Now().Add(time.Hour))
	for name, link := range map[string]string{
		"without a store": s.core.Links.Sign("/", until, "preview", xid.Theme.Format(id)),
		"another path": "/?" + strings.SplitN(s.core.Links.Sign("/downloads/x", until, "preview",
			xid.Theme.Format(id), "store", xid.Store.Format(s.id)), "?", 2)[1],
		"another store": s.core.Links.Sign("/", until, "preview", xid.Theme.Format(id),
			"store", xid.Store.Format(other.id)),
		"another order": s.core.Links.Sign("/", until, "store",
			xid.Store.Format(s.id), "preview", xid.Theme.Format(id)),
		"no theme": s.core.Links.Sign("/", until, "preview", "thm_x", "store", xid.Store.Format(s.id)),
	} {
		if a := s.get(link); a.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
	}
	// A store's link at another store's host, and another store's theme in a link of this store.
	s.ask(http.MethodGet, other.handle+".shops.test", address).want(t, 403, "!Theme")
	s.get(s.link(other.theme("Foreign"), time.Hour)).want(t, 410, "!Theme Foreign")
}

func TestPreviewEnds(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		id := s.theme("Bold")
		address := s.link(id, time.Hour)
		s.get(address).want(t, 200)
		setStatus := func(status state.ThemeStatus) {
			s.write(func(ctx context.Context, c *db.Client) error {
				return c.Theme.Update().SetStatus(status).Exec(ctx)
			})
		}
		for _, status := range []state.ThemeStatus{state.ThemeProcessing, state.ThemeFailed} {
			setStatus(status)
			s.get(address).want(t, 410, "This theme is not available")
		}
		setStatus(state.ThemeInactive)
		s.activate(id)
		s.get(address).want(t, 200, "as a preview") // of the active one too
		s.write(func(ctx context.Context, c *db.Client) error {
			_, err := c.Theme.Delete().Exec(ctx)
			return err
		})
		a := s.get(address).want(t, 410, "This theme is not available")
		if a.Header.Get("X-Robots-Tag") != "noindex" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", a.Header)
		}
		s.clock.add(time.Hour)
		s.get(address).want(t, 403, "This preview has ended")
	})
}

// TestPreviewAddressOfTheCore: the address that the core signs works here.
func TestPreviewAddressOfTheCore(t *testing.T) {
	s := sqlite(t)
	id := s.theme("Bold")
	today := s.clock.Now().UTC().Truncate(24 * time.Hour)
	address := s.core.Links.Sign("/", micros.Of(today.AddDate(0, 0, 2)),
		appearance.PreviewTheme, xid.Theme.Format(id), appearance.PreviewStore, xid.Store.Format(s.id))
	s.get(address).want(t, 200, "Theme Bold")
	s.clock.add(today.AddDate(0, 0, 2).Sub(s.clock.Now()))
	s.get(address).want(t, 403)
}

// TestPreviewOfABrokenTheme shows its merchant no more than visitors see.
func TestPreviewOfABrokenTheme(t *testing.T) {
	s := sqlite(t)
	id := s.theme("Broken", func(files map[string]string) { files["templates/home.html"] = `{{define "content"}}{{` })
	s.get(s.link(id, time.Hour)).want(t, 503, "This page cannot be shown")
}
