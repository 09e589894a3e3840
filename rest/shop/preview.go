package shop

import (
	"context"
	"errors"
	"html"
	"net/http"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// signedNames are the parameters of a preview's address, in signing order.
var signedNames = [...]string{"expires", appearance.PreviewTheme, appearance.PreviewStore, "signature"}

// links builds the addresses of a page's links. In a preview all of them carry the signed query, so
// that visitors stay in it.
type links struct {
	query string // the signed query, or ""
}

func (l links) to(path string) string {
	if l.query == "" {
		return path
	}
	if strings.Contains(path, "?") {
		return path + "&" + l.query
	}
	return path + "?" + l.query
}

// fields returns the hidden fields of a form: browsers drop the query of a form's address.
func (l links) fields() []any {
	list := []any{}
	if l.query == "" {
		return list
	}
	for pair := range strings.SplitSeq(l.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, map[string]any{"name": name, "value": value})
	}
	return list
}

// signed reports whether a query has any parameter of a preview. An address that was tampered with
// is thus refused, and never shows the storefront in place of the preview.
func signed(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		name, _, found := strings.Cut(pair, "=")
		if found && slices.Contains(signedNames[:], name) {
			return true
		}
	}
	return false
}

// linksOf takes the signed parameters out of a query and puts them in signing order: a search form
// sends the search term among them. Neither the signer nor browsers escape them, so they are taken
// literally.
func linksOf(query string) (links, bool) {
	pairs := [len(signedNames)]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		switch i := slices.Index(signedNames[:], name); {
		case i < 0:
		case pairs[i] != "":
			return links{}, false
		default:
			pairs[i] = pair
		}
	}
	return links{strings.Join(pairs[:], "&")}, !slices.Contains(pairs[:], "")
}

// preview shows the storefront with another theme of the store to the holder of a signed link.
// Nothing is cached.
func (s *Shop) preview(w http.ResponseWriter, r *http.Request, v *visit) {
	h := w.Header()
	// The address is signed and must not leak.
	h["X-Robots-Tag"], h["Cache-Control"], h["Referrer-Policy"] = noIndex, noStore, noReferrer
	h.Set("Content-Security-Policy", policy+" "+s.Core.APIHost) // the dashboard shows it in a frame
	l, theme, err := s.judge(r, v)
	switch {
	case errors.Is(err, link.ErrExpired):
		s.message(w, r, http.StatusForbidden, "This preview has ended",
			"The link has expired. Copy a new one from the dashboard.")
		return
	case errors.Is(err, link.ErrForged):
		s.message(w, r, http.StatusForbidden, "This link is not valid",
			"The link is incomplete or was changed. Copy it from the dashboard again.")
		return
	case errors.Is(err, errGone):
		s.message(w, r, http.StatusGone, "This theme is not available", "It was deleted or cannot be shown.")
		return
	case err != nil:
		s.refuse(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), makeLimit)
	defer cancel()
	in := scene{shop: v.state, sum: theme.Checksum, links: l, banner: theme.Name, set: theme.Settings,
		accounts: s.Accounts}
	if theme.DraftSettings != nil {
		in.set = theme.DraftSettings
	}
	p, err := s.make(ctx, v.front, in, viewOf(r.URL))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	p.form.Tag = "" // never cached
	send(w, r, p)
}

var errGone = errors.New("the theme is gone")

// judge returns the theme of a preview. The link is signed for the path "/" and valid for every
// page. It names the store, because one key signs for all hosts.
func (s *Shop) judge(r *http.Request, v *visit) (links, *db.Theme, error) {
	l, ok := linksOf(r.URL.RawQuery)
	if !ok {
		return l, nil, link.ErrForged
	}
	params, err := s.Links.Verify("/", l.query, micros.Of(s.Now()))
	if err != nil {
		return l, nil, err
	}
	id, err := xid.Theme.Parse(params[appearance.PreviewTheme])
	if err != nil || params[appearance.PreviewStore] != xid.Store.Format(v.front.id) {
		return l, nil, link.ErrForged
	}
	t, err := s.Core.Theme(viewer.Visitor(r.Context(), v.front.id), id)
	if missing(err) || err == nil && t.Status != state.ThemeInactive && t.Status != state.ThemeActive {
		return l, nil, errGone
	}
	return l, t, err
}

// withBanner adds a line above the page that says what is shown.
func withBanner(page []byte, theme string) []byte {
	return above(page, "Preview of <strong>"+html.EscapeString(theme)+"</strong>. Shoppers do not see it.")
}

// above adds markup above the page. Its style is a file of ours, because the page's policy allows
// no inline style.
func above(page []byte, markup string) []byte {
	banner := `<link rel="stylesheet" href="` + staticRoot +
		`preview.css"><p class="storefront-preview" role="status">` + markup + `</p>`
	return slices.Insert(page, afterTag(string(page), "body"), []byte(banner)...)
}

// afterTag returns where the content of an element begins: after its tag, or else the end of the
// page. Quoted attribute values may hold anything.
func afterTag(page, name string) int {
	lower := asciiLower(page)
	for at := 0; at < len(page); at++ {
		switch {
		case page[at] != '<':
		case strings.HasPrefix(lower[at:], "<!--"):
			end := strings.Index(page[at:], "-->")
			if end < 0 {
				return len(page)
			}
			at += end
		default:
			end := tagEnd(page, at)
			if isTag(lower[at:end], name) {
				return end
			}
			at = max(at, end-1)
		}
	}
	return len(page)
}

func isTag(tag, name string) bool {
	rest, ok := strings.CutPrefix(tag, "<"+name)
	return ok && rest != "" && strings.ContainsAny(rest[:1], " \t\r\n\f/>")
}

// tagEnd returns the end of the tag that begins at a position; if no tag begins there, the position
// after the "<".
func tagEnd(page string, at int) int {
	if at+1 == len(page) || !isLetter(page[at+1]) && page[at+1] != '/' && page[at+1] != '!' {
		return at + 1
	}
	var quote byte
	for i := at + 1; i < len(page); i++ {
		switch c := page[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(page)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// asciiLower lowers ASCII letters only, so that every byte keeps its position.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
