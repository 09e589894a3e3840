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

// spelt are letters of Latin alphabets that no accent makes, as they are written without them.
var spelt = strings.NewReplacer("ß", "ss", "ẞ", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "ø", "o", "Ø", "o",
	"đ", "d", "Đ", "d", "ð", "d", "Ð", "d", "ł", "l", "Ł", "l", "þ", "th", "Þ", "th", "ı", "i")

// Slug makes a handle from a title: letters lose their accents, everything else
// but digits becomes a hyphen. A title without any gives the fallback, and one of which most
// letters are of another script begins with it: what is left would mislead.
func Slug(title, fallback string) string {
	kept, lost := 0, 0
	for _, r := range norm.NFKC.String(spelt.Replace(title)) {
		switch base, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r))); {
		case !unicode.IsLetter(r):
		case base < utf8.RuneSelf:
			kept++
		default:
			lost++
		}
	}
	if lost > kept {
		title = fallback + "-" + title
	}
	return cmp.Or(hyphened(title), fallback)
}

// hyphened are the letters and digits that a handle may have, with a hyphen for what stands
// between them; "" for none.
func hyphened(title string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(spelt.Replace(FoldDigits(title))) {
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

// shortEnd and longEnd are how much of an id ends a handle whose like is taken: the first is
// short, and of thousands two may be alike; the second is all of an id that is random.
const (
	shortEnd = 6
	longEnd  = 16
)

// Suffixed distinguishes a handle of at most most bytes from one that is taken by the end of
// the id (contract section 2).
func Suffixed(handle, publicID string, most int) string {
	return suffixed(handle, publicID, shortEnd, most)
}

func suffixed(handle, publicID string, end, most int) string {
	tail := "-" + publicID[len(publicID)-end:]
	return strings.TrimRight(handle[:min(len(handle), most-len(tail))], "-") + tail
}

// ErrTaken says like a duplicate key that a handle is taken.
var ErrTaken = errors.New("the handle is taken")

// FirstFree makes something with the handle, or where that is taken with one that the id ends.
// A duplicate key must leave the transaction as it was.
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
