package core

import (
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
)

// Locale checks the form of a language tag, such as de or pt-BR. It does not check that its subtags
// are registered, because the registry grows.
func (c *Check) Locale(name, tag string) {
	switch {
	case tag == "":
		c.Add(name, fault.TooShort, "The language tag is empty.")
	case len(tag) > limit.Locale:
		c.Add(name, fault.TooLong, "The language tag has more than "+strconv.Itoa(limit.Locale)+" characters.")
	case !languageTag(tag):
		c.Add(name, fault.InvalidFormat, "This is not a valid language tag. For example, de or pt-BR.")
	}
}

// languageTag reports whether s is a language of two to eight letters, followed by subtags of up to
// eight letters and digits.
func languageTag(s string) bool {
	language, rest, more := strings.Cut(s, "-")
	if len(language) < 2 || !subtag(language, asciiLetter) {
		return false
	}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "-")
		if !subtag(part, func(r rune) bool { return asciiLetter(r) || r >= '0' && r <= '9' }) {
			return false
		}
	}
	return true
}

func subtag(s string, allowed func(rune) bool) bool {
	return s != "" && len(s) <= 8 && !strings.ContainsFunc(s, func(r rune) bool { return !allowed(r) })
}

func asciiLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
