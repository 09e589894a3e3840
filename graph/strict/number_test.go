package strict

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
		{"zero", "0", 0, ""},
		{"minus zero", "-0", 0, ""},
		{"zero with all", "-0.000e99999999999999999999", 0, ""},
		{"whole", "42", 42, ""},
		{"negative", "-42", -42, ""},
		{"point zero", "1.0", 1, ""},
		{"exponent", "1e3", 1000, ""},
		{"capital and plus", "1E+3", 1000, ""},
		{"negative exponent", "10e-1", 1, ""},
		{"fraction moved away", "1.25e2", 125, ""},
		{"long fraction of zeros", "7." + zeros, 7, ""},
		{"long exponent of zeros", "7e" + zeros, 7, ""},
		{"tiny mantissa, large exponent", "0." + zeros + "3e100001", 3, ""},
		{"large mantissa, small exponent", "3" + zeros + "e-100000", 3, ""},
		{"largest", "9007199254740991", MaxInt, ""},
		{"smallest", "-9007199254740991", -MaxInt, ""},
		{"largest otherwise", "900719925474099.1e1", MaxInt, ""},
		{"one more", "9007199254740992", 0, fault.OutOfRange},
		{"one less", "-9007199254740992", 0, fault.OutOfRange},
		{"sixteen nines", "9999999999999999", 0, fault.OutOfRange},
		{"beyond 64 bits", "18446744073709551617", 0, fault.OutOfRange},
		{"thirty digits", "100000000000000000000000000000", 0, fault.OutOfRange},
		{"1e400", "1e400", 0, fault.OutOfRange},
		{"monstrous", "1e999999999", 0, fault.OutOfRange},
		{"more monstrous", "-1e99999999999999999999999", 0, fault.OutOfRange},
		{"half", "1.5", 0, fault.InvalidType},
		{"large and a half", "123456789012345678901.5", 0, fault.InvalidType},
		{"tiny", "1e-999999999999999999999", 0, fault.InvalidType},
		{"not whole by exponent", "15e-1", 0, fault.InvalidType},
		{"text", `"15"`, 0, fault.InvalidType},
		{"true", "true", 0, fault.InvalidType},
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

// tame keeps the exponents such that math/big stays quick.
var tame = regexp.MustCompile(`^[^eE]{1,400}([eE][+-]?[0-9]{1,3})?$`)

func FuzzInt(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1e3", "10e-1", "1.5", "9007199254740991", "9007199254740992", "1e400", "12.340e2"} {
		f.Add(s)
	}
	limit := new(big.Rat).SetInt64(MaxInt)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse([]byte(s))
		if err != nil || v.Kind() != Number || !tame.MatchString(v.Text()) {
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
