package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// plain marks the bytes that need no escape in a string.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// str reads a string or a name. Without escapes, its node points into the source. With escapes, the
// text is decoded once, here, so that names can be compared by meaning.
func (p *parser) str() error {
	n := node{kind: StringKind, at: uint32(p.pos)}
	first := len(p.text)
	p.pos++
	from := p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case plain[c]:
			p.pos++
		case c == '"':
			n.lo, n.hi = uint32(from), uint32(p.pos)
			if n.own {
				p.text = append(p.text, p.src[from:p.pos]...)
				n.lo, n.hi = uint32(first), uint32(len(p.text))
			}
			p.nodes = append(p.nodes, n)
			p.pos++
			return nil
		case c == '\\':
			n.own = true
			p.text = append(p.text, p.src[from:p.pos]...)
			if err := p.escape(); err != nil {
				return err
			}
			from = p.pos
		case c < ' ':
			return p.fail("control character in a string", p.pos)
		default:
			r, size := utf8.DecodeRune(p.src[p.pos:])
			if r == utf8.RuneError && size == 1 {
				return p.fail("bad UTF-8", p.pos)
			}
			p.pos += size
		}
	}
	return p.unexpected()
}

// short maps the letter of a short escape to its byte, or 0.
var short = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape decodes the escape at pos onto p.text.
func (p *parser) escape() error {
	at := p.pos
	p.pos++
	if p.take('u') {
		return p.unicode(at)
	}
	if p.pos >= len(p.src) || short[p.src[p.pos]] == 0 {
		return p.unexpected()
	}
	p.text = append(p.text, short[p.src[p.pos]])
	p.pos++
	return nil
}

// unicode decodes the digits of a \u escape that starts at byte at, and after a high surrogate the
// low one that must follow.
func (p *parser) unicode(at int) error {
	r, err := p.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		if !p.take('\\') || !p.take('u') {
			return p.fail("lone surrogate", at)
		}
		low, err := p.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return p.fail("lone surrogate", at)
		}
	}
	p.text = utf8.AppendRune(p.text, r)
	return nil
}

// hex reads four hexadecimal digits.
func (p *parser) hex() (r rune, err error) {
	for range 4 {
		if p.pos >= len(p.src) {
			return 0, p.unexpected()
		}
		switch c := p.src[p.pos]; {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, p.unexpected()
		}
		p.pos++
	}
	return r, nil
}
