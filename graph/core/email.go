package core

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/mailbox"
)

// Email checks the email address of a person and returns it normalized by [mailbox.Fold]. It
// accepts only the ordinary form: quoted local parts, comments and address literals are used by
// mail servers, not by customers.
func (c *Check) Email(name, address string) string {
	lower := mailbox.Fold(address)
	switch local, domain, _ := strings.Cut(lower, "@"); {
	case lower == "":
		c.Add(name, fault.TooShort, "The email address is empty.")
	case len(lower) > limit.Email:
		c.Add(name, fault.TooLong, "The email address has more than "+strconv.Itoa(limit.Email)+" bytes.")
	case !utf8.ValidString(address) || !dotted(local, localRune) || !domainName(domain):
		c.Add(name, fault.InvalidFormat, "This is not a valid email address.")
	}
	return lower
}

// dotted reports whether s consists of non-empty parts of allowed characters, separated by single
// dots.
func dotted(s string, allowed func(rune) bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !allowed(r) }) {
			return false
		}
	}
	return true
}

// localRune reports whether r may appear left of the @ without quotes (RFC 5321, with the letters
// of RFC 6531).
func localRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`"(),:;<>@[\]`, r)
	}
	return unicode.IsPrint(r)
}

// domainName reports whether s is a mail domain: at least two labels, or localhost for development
// machines.
func domainName(s string) bool {
	if !dotted(s, domainRune) {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return strings.Contains(s, ".") || s == "localhost"
}

func domainRune(r rune) bool {
	return r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
