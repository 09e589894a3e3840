package country

import (
	"regexp"
	"strings"
	"unicode"
)

type postal struct {
	country  string
	pattern  *regexp.Regexp // nil if there is none
	examples []string
}

// signs are prefixes of postal codes on international mail besides the two-letter country code:
// vehicle registration codes.
var signs = map[string][]string{"AT": {"A"}, "BE": {"B"}, "DE": {"D"}, "ES": {"E"}, "FI": {"FIN", "SF"},
	"FR": {"F"}, "HU": {"H"}, "IT": {"I"}, "LI": {"FL"}, "LU": {"L"}, "NO": {"N"}, "PT": {"P"}, "SE": {"S"},
	"SI": {"SLO"}, "VA": {"V", "SCV"}}

// older converts replaced formats that carriers still accept.
var older = map[string]func(compact string) string{
	"KR": func(s string) string { // until 2015
		if len(s) == 6 && strings.Trim(s, "0123456789") == "" {
			return s[:3] + "-" + s[3:]
		}
		return ""
	},
}

func newPostal(country, pattern, examples string) *postal {
	p := &postal{country: country}
	if pattern != "" {
		p.pattern = regexp.MustCompile(`^(?:` + pattern + `)$`)
	}
	if examples != "" {
		p.examples = strings.Split(examples, ",")
	}
	return p
}

// PostalCode returns a postal code as its country writes it, with spaces and dashes and without the
// country's prefix, and reports whether a carrier would accept it. Codes of countries that need
// none are not validated: an unknown format is returned unchanged.
func PostalCode(country, text string) (string, bool) {
	c := countries()[country]
	typed := strings.Join(strings.Fields(text), " ")
	if c == nil || c.postal().pattern == nil {
		return typed, true
	}
	if code := c.postal().read(compact(typed)); code != "" {
		return code, true
	}
	return typed, c.form.PostalCode != Required
}

// compact returns the letters and digits of a code, in upper case.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if r != 'ー' && (unicode.IsLetter(r) || unicode.IsDigit(r)) { // typed for a dash on Japanese keyboards
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// read returns a code as the country writes it, "" if it is invalid.
func (p *postal) read(compact string) string {
	candidates := []string{compact, p.country + compact}
	for _, sign := range append(signs[p.country], p.country) {
		if rest, ok := strings.CutPrefix(compact, sign); ok {
			candidates = append(candidates, rest)
		}
	}
	for _, s := range candidates {
		if code := p.spaced(s); code != "" {
			return code
		}
	}
	for _, s := range candidates {
		if old := older[p.country]; old != nil && old(s) != "" {
			return old(s)
		}
	}
	return ""
}

// spaced adds the spaces and dashes to a code: as in an example of the same length, or none, or
// wherever the pattern allows one.
func (p *postal) spaced(s string) string {
	for _, example := range p.examples {
		if code := like(s, example); code != "" && p.pattern.MatchString(code) {
			return code
		}
	}
	if p.pattern.MatchString(s) {
		return s
	}
	for i := 1; i < len(s); i++ {
		for _, between := range []string{" ", "-"} {
			if code := s[:i] + between + s[i:]; p.pattern.MatchString(code) {
				return code
			}
		}
	}
	return ""
}

// like formats a code like an example of the same length; "" if the length differs.
func like(s, example string) string {
	if len(s) != len(compact(example)) {
		return ""
	}
	var b strings.Builder
	for _, r := range example {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteByte(s[0])
			s = s[1:]
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
