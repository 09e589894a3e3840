package wire

import (
	"bytes"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
)

// MaxInt is the largest integer of a request, and -MaxInt the smallest: other JSON readers lose
// digits beyond it (contract section 1).
const MaxInt = 1<<53 - 1

// Int returns the integer value of a Number: 1.0, 1e3 and 10e-1 are integers. The code is "",
// [fault.InvalidType] if v is not a number or not whole, or [fault.OutOfRange] beyond ±[MaxInt].
// The time is linear in the text, whatever the exponent.
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

// decimal splits a number into digits without leading and trailing zeros and a power of ten. No
// digits means zero.
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

// exponent parses an exponent. It stops counting where no mantissa that fits into memory could
// compensate.
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

// maxDigits is how many digits every JSON reader keeps (IEEE 754 binary64).
const maxDigits = 15

// Decimal returns a Number in plain notation, without superfluous zeros; "" if v is not a number. It
// fails if the number has more than [maxDigits] digits, or as many zeros beside them.
func (v Value) Decimal() (text string, ok bool) {
	if v.Kind() != NumberKind {
		return "", false
	}
	digits, exp, negative := decimal(v.doc.bytes(v.i))
	point := int64(len(digits)) + exp // where it is among the digits
	switch {
	case len(digits) == 0:
		return "0", true
	case len(digits) > maxDigits || point > maxDigits || point < -maxDigits:
		return "", false
	case exp >= 0:
		text = string(digits) + strings.Repeat("0", int(exp))
	case point <= 0:
		text = "0." + strings.Repeat("0", int(-point)) + string(digits)
	default:
		text = string(digits[:point]) + "." + string(digits[point:])
	}
	if negative {
		text = "-" + text
	}
	return text, true
}
