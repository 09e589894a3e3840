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

// Email checks an e-mail address that names a person and returns it as it is
// kept, see [mailbox.Fold].
// Only the form of ordinary addresses is taken: quoted local parts, comments and
// address literals belong to mail servers, not to customers.
func (c *Check) Email(name, address string) string {
	lower := mailbox.Fold(address)
	switch local, domain, _ := strings.Cut(lower, "@"); {
	case lower == "":
		c.Add(name, fault.TooShort, "The e-mail address is empty.")
	case len(lower) > limit.Email:
		c.Add(name, fault.TooLong, "The e-mail address has more than "+strconv.Itoa(limit.Email)+" bytes.")
	case !utf8.ValidString(address) || !dotted(local, localRune) || !domainName(domain):
		c.Add(name, fault.InvalidFormat, "This is not an e-mail address.")
	}
	return lower
}

// dotted reports whether s is made of parts of allowed characters with single
// dots between them.
func dotted(s string, allowed func(rune) bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !allowed(r) }) {
			return false
		}
	}
	return true
}

// localRune reports whether r may stand left of the @ without quotes (RFC 5321,
// with the letters of RFC 6531).
func localRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`"(),:;<>@[\]`, r)
	}
	return unicode.IsPrint(r)
}

// domainName reports whether s names a mail domain: at least two labels, or
// localhost, where a development machine gets its mail.
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
