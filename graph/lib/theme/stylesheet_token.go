package theme

import (
	"bytes"
	"strings"
)

// closed reports whether a string token ends with its opening quote.
func closed(token []byte) bool {
	for i := 1; i < len(token); i++ {
		switch token[i] {
		case '\\':
			i++
		case token[0]:
			return i == len(token)-1
		}
	}
	return false
}

// target returns what a url() names. Escapes are refused: no asset's name needs one.
func target(token []byte) (raw string, ok bool) {
	_, text, _ := strings.Cut(string(token), "(")
	text, ok = strings.CutSuffix(text, ")")
	if text = strings.Trim(text, " \t\n"); !ok || strings.Contains(text, `\`) {
		return "", false
	}
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return text, true
	}
	if len(text) < 2 || text[len(text)-1] != text[0] {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// unescape returns a name in lower case with its escapes decoded (CSS Syntax 3, section 4.3.7).
func unescape(token []byte) string {
	if bytes.IndexByte(token, '\\') < 0 {
		return strings.ToLower(string(token))
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '\\' {
			b.WriteByte(token[i])
			continue
		}
		n, code := 0, rune(0)
		for n < 6 && i+1+n < len(token) && hexDigit(token[i+1+n]) >= 0 {
			code = code<<4 | hexDigit(token[i+1+n])
			n++
		}
		if n == 0 { // the character itself
			if i++; i < len(token) {
				b.WriteByte(token[i])
			}
			continue
		}
		b.WriteRune(code)
		if i += n; i+1 < len(token) && strings.IndexByte(" \t\n", token[i+1]) >= 0 {
			i++
		}
	}
	return strings.ToLower(b.String())
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}
