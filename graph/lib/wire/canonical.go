package wire

import (
	"bytes"
	"slices"
)

// AppendCanonical appends the canonical text of v: members sorted by the bytes of their names, no
// white space, one spelling for every string. Numbers stay as written (contract section 3).
func AppendCanonical(dst []byte, v Value) []byte {
	switch v.Kind() {
	case BoolKind:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case NumberKind:
		return append(dst, v.doc.bytes(v.i)...)
	case StringKind:
		return appendQuoted(dst, v.doc.bytes(v.i))
	case ArrayKind:
		return appendArray(dst, v)
	case ObjectKind:
		return appendObject(dst, v)
	}
	return append(dst, "null"...)
}

func appendArray(dst []byte, v Value) []byte {
	dst = append(dst, '[')
	for i, e := range v.Elements() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendCanonical(dst, e)
	}
	return append(dst, ']')
}

func appendObject(dst []byte, v Value) []byte {
	names := make([]uint32, 0, v.Len())
	for i := range v.names() {
		names = append(names, i)
	}
	slices.SortFunc(names, func(a, b uint32) int {
		return bytes.Compare(v.doc.bytes(a), v.doc.bytes(b))
	})
	dst = append(dst, '{')
	for n, i := range names {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, v.doc.bytes(i)), ':')
		dst = AppendCanonical(dst, Value{v.doc, i + 1})
	}
	return append(dst, '}')
}

// appendQuoted escapes only what must be escaped, always in the same way.
func appendQuoted(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		from = i + 1
	}
	return append(append(dst, s[from:]...), '"')
}
