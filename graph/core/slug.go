package core

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/storefront-go/storefront/ent"
)

// MaxHandle is the longest handle of a product.
const MaxHandle = 120

// hanWeight is how many letters a Chinese character that is left out counts for.
const hanWeight = 3

// Slug derives a handle from a title. Letters of other scripts become Latin ones where they have a
// usual form, letters lose their accents, and everything but letters and digits becomes a hyphen. A
// title without usable characters returns the fallback; if most letters are of other scripts, the
// handle begins with the fallback, because the rest alone would mislead.
func Slug(title, fallback string) string {
	kept, lost := 0, 0
	for _, r := range romanize(norm.NFKC.String(title)) {
		switch base, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r))); {
		case !unicode.IsLetter(r):
		case base < utf8.RuneSelf:
			kept++
		case unicode.Is(unicode.Han, r):
			lost += hanWeight
		default:
			lost++
		}
	}
	if lost > kept {
		title = fallback + "-" + title
	}
	return cmp.Or(hyphenate(title), fallback)
}

// hyphenate returns the letters and digits of a title that handles allow, with hyphens between
// groups; "" if there are none.
func hyphenate(title string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(romanize(FoldDigits(title))) {
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
	return strings.Trim(b.String()[:min(b.Len(), MaxHandle)], "-")
}

// shortEnd and longEnd are how many characters of an id are appended to a taken handle. The short
// end may collide among thousands; the long end is the whole random part of an id.
const (
	shortEnd = 6
	longEnd  = 16
)

// Suffixed appends the end of the id to a taken handle (contract section 2). The result has at most
// most bytes.
func Suffixed(handle, publicID string, most int) string {
	return suffixed(handle, publicID, shortEnd, most)
}

func suffixed(handle, publicID string, end, most int) string {
	tail := "-" + publicID[len(publicID)-end:]
	return strings.TrimRight(handle[:min(len(handle), most-len(tail))], "-") + tail
}

// ErrTaken reports that a handle is taken, like a duplicate key.
var ErrTaken = errors.New("the handle is taken")

// FirstFree calls try with the handle and, while that is taken, with the handle plus a short and
// then a long end of the id. A duplicate key must leave the transaction usable.
func FirstFree[T any](handle, publicID string, most int, try func(handle string) (T, error)) (T, error) {
	made, err := try(handle)
	for _, end := range []int{shortEnd, longEnd} {
		if !ent.IsDuplicate(err) && !errors.Is(err, ErrTaken) {
			break
		}
		made, err = try(suffixed(handle, publicID, end, most))
	}
	return made, err
}

// FoldDigits replaces the digits of all scripts with 0 to 9, and full-width letters and signs with
// those of ASCII. Japanese and Arabic keyboards produce such digits.
func FoldDigits(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '٫': // the Arabic decimal separator
			return '.'
		case r < unicode.MaxASCII || !unicode.Is(unicode.Nd, r):
			return r
		}
		value := rune(0)
		for unicode.Is(unicode.Nd, r-value-1) { // the digits of a script are consecutive, from 0 on
			value++
		}
		return '0' + value%10
	}, norm.NFKC.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
