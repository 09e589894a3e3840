package core

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxHandle is the longest handle of a product.
const MaxHandle = 120

// spelt are letters of Latin alphabets that no accent makes, as they are written without them.
var spelt = strings.NewReplacer("ß", "ss", "ẞ", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "ø", "o", "Ø", "o",
	"đ", "d", "Đ", "d", "ð", "d", "Ð", "d", "ł", "l", "Ł", "l", "þ", "th", "Þ", "th", "ı", "i")

// Slug makes a handle from a title: letters lose their accents, everything else
// but digits becomes a hyphen. A title without any gives the fallback.
func Slug(title, fallback string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(spelt.Replace(title)) {
		switch r = unicode.ToLower(r); {
		case unicode.Is(unicode.Mn, r):
		case HandleRune(r) && r != '-':
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
		default:
			hyphen = true
		}
		if b.Len() >= MaxHandle {
			break
		}
	}
	if b.Len() == 0 {
		return fallback
	}
	return strings.Trim(b.String()[:min(b.Len(), MaxHandle)], "-")
}

// Suffixed distinguishes a handle from one that is taken by the end of the id.
func Suffixed(handle, publicID string) string {
	end := "-" + publicID[len(publicID)-6:]
	return strings.TrimRight(handle[:min(len(handle), MaxHandle-len(end))], "-") + end
}
