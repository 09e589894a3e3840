package notify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is the maximum length of a line of an email in characters, except for longer words. RFC
// 5322, section 2.1.1, asks for 78, and quoted-printable breaks lines longer than 75 again.
const width = 72

// oneLine makes a text safe for a header: it replaces control characters by spaces and collapses
// spaces, so that no name can start another header or a line that looks empty.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}

// Unlink breaks what mail programs turn into links: the scheme of a URL, the dots of a domain and
// the @ of an email address. The text stays readable: "pay[at]shop[.]example".
func Unlink(s string) string {
	s = strings.ReplaceAll(s, "://", "[:]//")
	s = schemes.ReplaceAllString(s, "${1}[:]")
	s = ats.ReplaceAllString(s, "${1}[at]${2}")
	// Twice, because a label may have one letter.
	return dots.ReplaceAllString(dots.ReplaceAllString(s, "${1}[.]${2}"), "${1}[.]${2}")
}

// Patterns of [Unlink]. IDNA accepts four characters as a dot.
var (
	schemes = regexp.MustCompile(`(?i)\b(mailto|tel|sms|data|javascript):`)
	ats     = regexp.MustCompile(`(\S)[@＠](\S)`)
	dots    = regexp.MustCompile(`([\p{L}\p{N}])[.。．｡](\p{L})`)
)

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// fold wraps the lines of a text between words, for mail programs that do not wrap. Lines that fit
// stay as they are.
func fold(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) <= width {
			b.WriteString(line)
		} else {
			foldLine(&b, line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func foldLine(b *strings.Builder, line string) {
	used := 0
	for word := range strings.FieldsSeq(line) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+n > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
}
