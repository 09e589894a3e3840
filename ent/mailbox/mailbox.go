// Package mailbox compares email addresses. Addresses that only look alike differ, since emails to
// them reach different people.
package mailbox

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Fold returns an email address as it is stored and compared. In the part before the @ it folds
// only ASCII letters, since Unicode folds the Kelvin sign to k. The domain is folded by the rules
// of IDNA, as resolvers do, and is in its Unicode form.
func Fold(address string) string {
	local, domain := cut(address)
	return strings.Map(lowerASCII, local) + byIDNA(domain, idna.Lookup.ToUnicode)
}

// Forms returns the forms in which an address may be stored: the result of [Fold], then the forms
// stored by earlier releases, which folded letters of every script. Forms of addresses that only
// look alike are excluded.
func Forms(address string) []string {
	local, domain := cut(address)
	var forms []string
	for _, convert := range []func(string) (string, error){idna.Lookup.ToUnicode, idna.Lookup.ToASCII} {
		for _, lower := range []func(rune) rune{lowerASCII, lowerPaired} {
			form := strings.Map(lower, local) + byIDNA(domain, convert)
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// cut splits an address before its @; the domain keeps it.
func cut(address string) (local, domain string) {
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		return address[:i], address[i:]
	}
	return address, ""
}

// byIDNA converts a domain after an @. In a domain that IDNA rejects, only ASCII letters are
// folded.
func byIDNA(domain string, convert func(string) (string, error)) string {
	name, ok := strings.CutPrefix(domain, "@")
	if !ok {
		return ""
	}
	converted, err := convert(name)
	if err != nil {
		converted = strings.Map(lowerASCII, name)
	}
	return "@" + converted
}

func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// lowerPaired returns the lower case of a letter if this has no other upper case, unlike that of
// the Kelvin sign.
func lowerPaired(r rune) rune {
	if lower := unicode.ToLower(r); unicode.ToUpper(lower) == r {
		return lower
	}
	return r
}
