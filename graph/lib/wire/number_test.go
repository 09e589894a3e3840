package wire

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
)

func TestInt(t *testing.T) {
	zeros := strings.Repeat("0", 100_000)
	for _, tc := range []struct {
		name, text string
		want       int64
		code       string
	}{
		{name: "zero", text: "0"},
		{name: "minus zero", text: "-0"},
		{name: "zero with all", text: "-0.000e99999999999999999999"},
		{name: "whole", text: "42", want: 42},
		{name: "negative", text: "-42", want: -42},
		{name: "point zero", text: "1.0", want: 1},
		{name: "exponent", text: "1e3", want: 1000},
		{name: "capital and plus", text: "1E+3", want: 1000},
		{name: "negative exponent", text: "10e-1", want: 1},
		{name: "fraction moved away", text: "1.25e2", want: 125},
		{name: "long fraction of zeros", text: "7." + zeros, want: 7},
		{name: "long exponent of zeros", text: "7e" + zeros, want: 7},
		{name: "tiny mantissa, large exponent", text: "0." + zeros + "3e100001", want: 3},
		{name: "large mantissa, small exponent", text: "3" + zeros + "e-100000", want: 3},
		{name: "largest", text: "9007199254740991", want: MaxInt},
		{name: "smallest", text: "-9007199254740991", want: -MaxInt},
		{name: "largest otherwise", text: "900719925474099.1e1", want: MaxInt},
		{name: "one more", text: "9007199254740992", code: fault.OutOfRange},
		{name: "one less", text: "-9007199254740992", code: fault.OutOfRange},
		{name: "sixteen nines", text: "9999999999999999", code: fault.OutOfRange},
		{name: "beyond 64 bits", text: "18446744073709551617", code: fault.OutOfRange},
		{name: "thirty digits", text: "100000000000000000000000000000", code: fault.OutOfRange},
		{name: "1e400", text: "1e400", code: fault.OutOfRange},
		{name: "monstrous", text: "1e999999999", code: fault.OutOfRange},
		{name: "more monstrous", text: "-1e99999999999999999999999", code: fault.OutOfRange},
		{name: "half", text: "1.5", code: fault.InvalidType},
		{name: "large and a half", text: "123456789012345678901.5", code: fault.InvalidType},
		{name: "tiny", text: "1e-999999999999999999999", code: fault.InvalidType},
		{name: "not whole by exponent", text: "15e-1", code: fault.InvalidType},
		{name: "text", text: `"15"`, code: fault.InvalidType},
		{name: "true", text: "true", code: fault.InvalidType},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := Parse([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if got, code := v.Int(); got != tc.want || code != tc.code {
				t.Errorf("got %d %q, want %d %q", got, code, tc.want, tc.code)
			}
		})
	}
}

// tame limits the exponents so that math/big stays fast.
var tame = regexp.MustCompile(`^[^eE]{1,400}([eE][+-]?[0-9]{1,3})?$`)

func FuzzInt(f *testing.F) {
	for _, s := range []string{
		"0", "-0.0", "1e3", "10e-1", "1.5", "9007199254740991", "9007199254740992", "1e400", "12.340e2",
	} {
		f.Add(s)
	}
	limit := new(big.Rat).SetInt64(MaxInt)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse([]byte(s))
		if err != nil || v.Kind() != NumberKind || !tame.MatchString(v.Text()) {
			return
		}
		want, ok := new(big.Rat).SetString(v.Text())
		if !ok {
			t.Fatalf("math/big cannot read %q", v.Text())
		}
		code := ""
		switch {
		case !want.IsInt():
			code = fault.InvalidType
		case new(big.Rat).Abs(want).Cmp(limit) > 0:
			code = fault.OutOfRange
		}
		got, gotCode := v.Int()
		if gotCode != code || code == "" && want.Cmp(new(big.Rat).SetInt64(got)) != 0 {
			t.Errorf("%q: got %d %q, want %s %q", v.Text(), got, gotCode, want, code)
		}
	})
}
