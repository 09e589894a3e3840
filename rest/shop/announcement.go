package shop

import (
	"html"
	"net/http"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// IsUnlocked reports whether a request needs no password of the shop: previews of themes, whose signed
// address is checked when they are shown, and stylesheets, which say nothing of the shop.
func IsUnlocked(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, staticRoot) || signed(r.URL.RawQuery) && !viewOf(r.URL).forRobots()
}

// withAnnouncement adds what the shop announces above its page: why it takes no orders, or the
// merchant's announcement.
func (s *Shop) withAnnouncement(page []byte, st *storefront.State) []byte {
	text, now := "", micros.Of(s.Now())
	if p := st.Front.Paused(now); p != nil {
		text = html.EscapeString(p.Message)
	} else if a := st.Front.Announced(now); a != nil {
		text = html.EscapeString(a.Text)
		if to := core.Deref(a.Link); to != "" {
			text = `<a href="` + html.EscapeString(to) + `">` + text + `</a>`
		}
	}
	if text == "" {
		return page
	}
	page = withHead(page, `<link rel="stylesheet" href="`+staticRoot+`announcement.css">`)
	bar := `<aside class="storefront-announcement" aria-label="` + html.EscapeString(st.Say(phrase.Information)) +
		`"><p dir="auto">` + text + `</p></aside>`
	return slices.Insert(page, afterTag(string(page), "body"), []byte(bar)...)
}
