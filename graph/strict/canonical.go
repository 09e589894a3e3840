package strict

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// AppendCanonical appends the one text of what v means: members sorted by the
// bytes of their names, no white space, one spelling of every string. Numbers
// stay as written (contract section 3).
func AppendCanonical(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Bool:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return append(dst, v.doc.bytes(v.i)...)
	case String:
		return appendQuoted(dst, v.doc.bytes(v.i))
	case Array:
		return appendArray(dst, v)
	case Object:
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

// appendQuoted escapes what must be escaped, always in the same way.
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

// What the body of a fingerprint counts by.
const (
	byMeaning = 1
	byBytes   = 2
)

// Fingerprint tells whether two requests ask for the same (contract section 3).
// It covers the method, the path, from which the caller has taken the version,
// and the body: by its meaning when [Parse] takes it, by its bytes otherwise.
// An empty body equals {}.
func Fingerprint(method, path string, body []byte) [sha256.Size]byte {
	if len(body) == 0 {
		body = []byte("{}")
	}
	b := make([]byte, 0, len(method)+len(path)+len(body)+32)
	for _, s := range []string{method, path} {
		// The lengths keep ("a", "bc") and ("ab", "c") apart.
		b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	if v, err := Parse(body); err == nil {
		b = AppendCanonical(append(b, byMeaning), v)
	} else {
		b = append(append(b, byBytes), body...)
	}
	return sha256.Sum256(b)
}
