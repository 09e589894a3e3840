package wire

import (
	"bytes"

	"github.com/storefront-go/storefront/ent/fault"
)

// MaxInt is the largest integer, and its negative the smallest, that a request
// may hold: beyond it other JSON readers lose digits (contract section 1).
const MaxInt = 1<<53 - 1

// Int returns the integer that a Number is by its value: 1.0, 1e3 and 10e-1 are
// integers. The code is "" or what is wrong: [fault.InvalidType] when v is no
// number or not whole, [fault.OutOfRange] beyond ±[MaxInt]. The work is linear in
// the text, whatever the exponent.
func (v Value) Int() (n int64, code string) {
	if v.Kind() != NumberKind {
		return 0, fault.InvalidType
	}
	digits, exp, negative := decimal(v.doc.bytes(v.i))
	switch {
	case len(digits) == 0:
		return 0, ""
	case exp < 0:
		return 0, fault.InvalidType
	case int64(len(digits))+exp > 16: // MaxInt has 16 digits
		return 0, fault.OutOfRange
	}
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	for range exp {
		n *= 10
	}
	if n > MaxInt {
		return 0, fault.OutOfRange
	}
	if negative {
		n = -n
	}
	return n, ""
}

// decimal splits a number into digits that neither start nor end with a zero
// and the power of ten they are multiplied with. No digits means zero.
func decimal(text []byte) (digits []byte, exp int64, negative bool) {
	text, negative = bytes.CutPrefix(text, []byte("-"))
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exp = exponent(text[i+1:])
		text = text[:i]
	}
	digits, frac, _ := bytes.Cut(text, []byte("."))
	if frac = bytes.TrimRight(frac, "0"); len(frac) > 0 {
		exp -= int64(len(frac))
		digits = append(bytes.Clone(digits), frac...)
	}
	whole := len(bytes.TrimRight(digits, "0"))
	exp += int64(len(digits) - whole)
	return bytes.TrimLeft(digits[:whole], "0"), exp, negative
}

// exponent reads an exponent. It stops counting where no mantissa that fits in
// memory could bring the value back.
func exponent(text []byte) int64 {
	negative := text[0] == '-'
	n := int64(0)
	for _, c := range bytes.TrimLeft(text, "+-") {
		n = min(n*10+int64(c-'0'), 1<<40)
	}
	if negative {
		return -n
	}
	return n
}
