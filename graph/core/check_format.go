package core

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/graph/lib/country"
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

// GTIN checks a Global Trade Item Number: the code of a product below its bars (GS1 General
// Specifications, section 7.9).
func (c *Check) GTIN(name, code string) {
	switch {
	case strings.Trim(code, "0123456789") != "" || !slices.Contains([]int{8, 12, 13, 14}, len(code)):
		c.Add(name, fault.InvalidFormat, "A barcode (GTIN) has 8, 12, 13 or 14 digits.")
	case !IsGTIN(code):
		c.Add(name, fault.InvalidFormat, "The check digit of this barcode (GTIN) is wrong.")
	}
}

// IsGTIN reports whether a text is a Global Trade Item Number, its check digit included.
func IsGTIN(code string) bool {
	if strings.Trim(code, "0123456789") != "" || !slices.Contains([]int{8, 12, 13, 14}, len(code)) {
		return false
	}
	sum := 0
	for i := range len(code) {
		weight := 1 + 2*((len(code)-1-i)%2) // from the right: 1, 3, 1, ...
		sum += weight * int(code[i]-'0')
	}
	return sum%10 == 0
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

// Country checks the form of an ISO 3166-1 alpha-2 code and returns it in upper case. It does not
// check that the code is assigned: the list changes, and old orders keep their country.
func (c *Check) Country(name, code string) string {
	upper := strings.ToUpper(code)
	if len(code) != 2 || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		c.Add(name, fault.InvalidFormat, "A country code has two letters.")
	}
	return upper
}

// AssignedCountry is [Check.Country] for a code that ISO 3166-1 assigns now or that is in kept, so
// that existing settings with a withdrawn code can still be saved.
func (c *Check) AssignedCountry(name, code string, kept ...string) string {
	upper := c.Country(name, code)
	if !country.Assigned(upper) && !slices.Contains(kept, upper) {
		c.Add(name, fault.UnknownValue, "Unknown country.")
	}
	return upper
}

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

// Timezone checks the name of a time zone of the IANA database. Names that depend on the machine
// are refused: another one would read them differently.
func (c *Check) Timezone(name, zone string) {
	switch _, err := time.LoadLocation(zone); {
	case zone == "":
		c.Add(name, fault.TooShort, "The time zone is empty.")
	case len(zone) > limit.Timezone:
		c.Add(name, fault.TooLong, "The time zone has more than "+strconv.Itoa(limit.Timezone)+" characters.")
	case err != nil, machineOnly(zone):
		c.Add(name, fault.UnknownValue, "This is not an IANA time zone. For example, Europe/Berlin.")
	}
}

// machineOnly reports whether a zone that loads is a setting of the machine or a variant that some
// systems install beside the database.
func machineOnly(zone string) bool {
	switch zone {
	case "Local", "localtime", "posixrules", "Factory":
		return true
	}
	return strings.HasPrefix(zone, "posix/") || strings.HasPrefix(zone, "right/")
}
