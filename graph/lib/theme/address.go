package theme

import (
	"encoding/base64"
	"path"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
)

// maxInline is the largest size of an image within a stylesheet, in bytes.
const maxInline = 32 << 10

type addresses struct {
	folder string // the stylesheet's
	// find returns an asset of the theme by its path.
	find func(path string) (Asset, bool)
	// image checks an image within the stylesheet itself.
	image func(ext string, b []byte) (detail string)
}

func (a addresses) address(raw string) (instead, detail string) {
	scheme, _, colon := strings.Cut(raw, ":")
	switch {
	case raw == "":
		return "", "A url() is empty."
	case strings.HasPrefix(raw, "//"):
		return "", "url(" + brief(raw) + ") points to another host. Add the image or font to the theme."
	case colon && strings.EqualFold(scheme, "data"):
		return a.inline(raw)
	case colon:
		return "", "url(" + brief(raw) +
			") points outside the theme. Add the image or font to the theme."
	case raw[0] == '/':
		return "", "url(" + brief(raw) + ") is absolute. Use an address relative to the stylesheet."
	}
	name, fragment, _ := strings.Cut(raw, "#")
	name, _, _ = strings.Cut(name, "?") // version queries, which addresses do not need
	if name == "" {
		return "", "url(" + brief(raw) + ") does not name a file."
	}
	return a.relative(raw, name, fragment)
}

func (a addresses) relative(raw, name, fragment string) (instead, detail string) {
	asset, ok := a.find(path.Join(a.folder, name))
	switch {
	case !ok || strings.HasSuffix(name, "/"):
		return "", "url(" + brief(raw) + ") is not an asset of the theme."
	case asset.Kind == state.AssetCSS:
		return "", "url(" + brief(raw) + ") is a stylesheet. Stylesheets may use only fonts and images."
	case strings.ContainsFunc(fragment, func(r rune) bool { return r == '/' || !nameRune(r) }):
		return "", "url(" + brief(raw) + ") has invalid characters after its #."
	case fragment != "":
		return asset.Address() + "#" + fragment, ""
	}
	return asset.Address(), ""
}

// inline checks an image that a url() contains.
func (a addresses) inline(raw string) (instead, detail string) {
	for _, ext := range []string{"png", "jpg", "gif", "webp"} {
		m, _ := mediaWith(ext)
		text, ok := strings.CutPrefix(raw, "data:"+m.contentType+";base64,")
		if !ok {
			continue
		}
		b, err := base64.StdEncoding.Strict().DecodeString(text)
		if len(b) > maxInline {
			return "", "An image in a url() is larger than 32 KiB."
		}
		if err != nil || strings.Contains(text, "\n") { // the decoder skips line breaks
			return "", "An image in a url() is not valid base64."
		}
		if sniff(b) != ext {
			return "", "An image in a url() claims to be " + m.noun + " but is not."
		}
		return raw, a.image(ext, b)
	}
	return "", "A data: address in a url() may only be a PNG, JPEG, GIF or WebP image in base64."
}

// brief returns the beginning of a text, to repeat in a sentence.
func brief(text string) string {
	const few = 60
	if len(text) > few {
		return show(text[:few]) + "..."
	}
	return show(text)
}
