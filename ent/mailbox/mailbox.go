// Package mailbox compares email addresses. Two that only look alike are different ones: mail for
// them goes to different people.
package mailbox

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Fold returns an email address as it is stored and compared. Of the part before the @ it folds
// ASCII letters alone, since Unicode folds the Kelvin sign to k. The domain is folded by the rules of
// IDNA, as resolvers do, and is in its Unicode form.
func Fold(address string) string {
	local, domain := cut(address)
	return strings.Map(lowerASCII, local) + byIDNA(domain, idna.Lookup.ToUnicode)
}

// Forms returns what an address may be stored as: what [Fold] returns first, then what earlier
// releases, which folded letters of every script, may have stored for it. The form of an address
// that only looks like it is not among them.
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

// byIDNA converts a domain behind an @. A domain that IDNA does not take keeps its form but for ASCII
// letters.
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

// lowerPaired returns the lower case of a letter whose lower case has no other upper case, as the
// Kelvin sign's has.
func lowerPaired(r rune) rune {
	if lower := unicode.ToLower(r); unicode.ToUpper(lower) == r {
		return lower
	}
	return r
}
