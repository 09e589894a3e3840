package wire

import "strings"

// Pointer returns the JSON pointer to a member as a URI fragment (RFC 6901
// section 6): Pointer("tags", "3") is "#/tags/3", and Pointer() is "#", the whole
// body.
func Pointer(tokens ...string) string {
	p := "#"
	for _, t := range tokens {
		p = join(p, t)
	}
	return p
}

// join appends one reference token to a pointer.
func join(pointer, token string) string {
	var b strings.Builder
	b.Grow(len(pointer) + 1 + len(token))
	b.WriteString(pointer)
	b.WriteByte('/')
	for i := range len(token) {
		switch c := token[i]; {
		case c == '~':
			b.WriteString("~0")
		case c == '/':
			b.WriteString("~1")
		case inFragment(c):
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// inFragment reports whether c is allowed in a fragment unescaped (RFC 3986 section 3.5). ~ and /
// are escaped before.
func inFragment(c byte) bool {
	switch {
	case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("-._!$&'()*+,;=:@?", c) >= 0
}
