package listings

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold normalizes a text so that texts which readers take for the same become equal: regardless of
// case, width of letters, accents and encoding. Databases differ in this, so they never compare
// unfolded texts.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(cases.Fold().String(norm.NFKD.String(s))) {
		if !unicode.Is(accents, r) {
			b.WriteString(plain(r))
		}
	}
	return norm.NFC.String(b.String())
}

// accents are the marks without which letters are still read: those of Latin, Greek and Cyrillic,
// and the vowels of Hebrew and Arabic. Other marks, such as those that distinguish Japanese
// syllables, stay.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x0591, Hi: 0x05bd, Stride: 1}, {Lo: 0x05bf, Hi: 0x05c7, Stride: 1},
	{Lo: 0x0610, Hi: 0x061a, Stride: 1}, {Lo: 0x0640, Hi: 0x0640, Stride: 1}, {Lo: 0x064b, Hi: 0x065f, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1}, {Lo: 0x06d6, Hi: 0x06dc, Stride: 1},
}}

// letters maps letters to what people type when a keyboard lacks them.
var letters = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d",
	'ى': "ي", 'ة': "ه", 'ک': "ك", 'ی': "ي",
}

// plain returns a letter as it is compared. Katakana become hiragana.
func plain(r rune) string {
	const first, last, apart = 'ァ', 'ヶ', 'ァ' - 'ぁ'
	if first <= r && r <= last {
		return string(r - apart)
	}
	if s, ok := letters[r]; ok {
		return s
	}
	return string(r)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cut returns the longest prefix of s with at most n bytes and whole letters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// Cut returns the part of a word that is indexed.
func Cut(word string) string { return cut(word, maxWord) }

// QueryTerms returns the words to search for a folded text without spaces: one word without punctuation,
// or pairs of letters in a script without spaces.
func QueryTerms(text string) []string {
	all := tokens(text)
	if len(all) == 0 {
		return nil
	}
	list := make([]string, len(all))
	pairs := false
	for i, t := range all {
		list[i], pairs = t.text, pairs || t.pair
	}
	if pairs {
		return list
	}
	return []string{Cut(strings.Join(list, ""))}
}

// Terms returns all words under which a text is indexed: its words, and for each part that is typed
// without a space, such as "T-shirt", the word that [QueryTerms] returns.
func Terms(text string) (list []string) {
	for chunk := range strings.FieldsSeq(Fold(text)) {
		for _, w := range append(wordsIn(chunk), QueryTerms(chunk)...) {
			if !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	return list
}

// token is a word of a text, or two consecutive letters in a script without spaces.
type token struct {
	text string
	pair bool
	// run numbers the runs of letters, to recognize pairs of one run.
	run int
}

// unspaced are the scripts without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

// isUnspaced reports whether a letter belongs to such a script. The mark for a long vowel belongs
// to none in Unicode.
func isUnspaced(r rune) bool { return r == 'ー' || unicode.In(r, unspaced...) }

func tokens(text string) (list []token) {
	text = strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' {
			return -1
		}
		return r
	}, text)
	run := 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		letters := []rune(word)
		for len(letters) > 0 {
			apart := isUnspaced(letters[0])
			end := slices.IndexFunc(letters, func(r rune) bool { return isUnspaced(r) != apart && !unicode.IsMark(r) })
			if end < 0 {
				end = len(letters)
			}
			list = append(list, splitRun(letters[:end], apart, run)...)
			letters, run = letters[end:], run+1
		}
	}
	return list
}

// splitRun returns a run of letters as one word, or as pairs.
func splitRun(letters []rune, apart bool, run int) (list []token) {
	if !apart || len(letters) == 1 {
		return []token{{text: cut(string(letters), maxWord), pair: apart, run: run}}
	}
	for i := range len(letters) - 1 {
		list = append(list, token{text: string(letters[i : i+2]), pair: true, run: run})
	}
	return list
}
