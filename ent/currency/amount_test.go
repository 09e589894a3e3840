package currency_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/storefront-go/storefront/ent/currency"
)

// edges are the numbers around every boundary.
var edges = []int64{
	0, 1, 2, 3, 94906265, 94906266, 94906267, 1 << 31, 1 << 32,
	currency.MaxMinor/2 - 1, currency.MaxMinor / 2, currency.MaxMinor/2 + 1,
	currency.MaxMinor - 1, currency.MaxMinor, currency.MaxMinor + 1,
	math.MaxInt64/2 - 1, math.MaxInt64 / 2, math.MaxInt64/2 + 1, math.MaxInt64 - 1, math.MaxInt64,
	-1, -2, -3, -1 << 32, -currency.MaxMinor - 1, -currency.MaxMinor, 1 - currency.MaxMinor,
	math.MinInt64, math.MinInt64 + 1, math.MinInt64 / 2,
}

// check compares one operation with the same one on unbounded numbers.
func check(t *testing.T, name string, a, b int64,
	op func(int64, int64) (int64, bool), exact func(z, x, y *big.Int) *big.Int,
) {
	t.Helper()
	want := exact(new(big.Int), big.NewInt(a), big.NewInt(b))
	in := want.Sign() >= 0 && want.Cmp(big.NewInt(currency.MaxMinor)) <= 0
	got, ok := op(a, b)
	if ok != in || ok && got != want.Int64() || !ok && got != 0 {
		t.Errorf("%s(%d, %d) = %d, %v, want %s, %v", name, a, b, got, ok, want, in)
	}
}

func TestArithmeticAgreesWithBigNumbers(t *testing.T) {
	both := func(a, b int64) {
		check(t, "Add", a, b, currency.Add, (*big.Int).Add)
		check(t, "Mul", a, b, currency.Mul, (*big.Int).Mul)
	}
	for _, a := range edges {
		for _, b := range edges {
			both(a, b)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		// Shifting gives numbers of every length, so that products fall on both sides of the limit.
		a, b := int64(r.Uint64())>>r.IntN(64), int64(r.Uint64())>>r.IntN(64)
		both(a, b)
	}
}

func FuzzArithmetic(f *testing.F) {
	f.Add(int64(3), int64(1999))
	f.Add(int64(math.MinInt64), int64(-1))
	f.Fuzz(func(t *testing.T, a, b int64) {
		check(t, "Add", a, b, currency.Add, (*big.Int).Add)
		check(t, "Mul", a, b, currency.Mul, (*big.Int).Mul)
	})
}
