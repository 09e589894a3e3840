package currency

import "math/bits"

// MaxMinor is the largest amount, in minor units: the largest integer that a JSON reader with
// double-precision numbers distinguishes from its neighbors (contract, section 1).
const MaxMinor = 9_007_199_254_740_991

// Add returns a + b. It reports false if the sum is outside 0 to [MaxMinor], so that an overflow is
// rejected and never wraps; a negative b subtracts.
func Add(a, b int64) (int64, bool) {
	sum := a + b
	// Only two numbers of the same sign can overflow; the sum then has the other sign.
	if (a >= 0) == (b >= 0) && (sum >= 0) != (a >= 0) {
		return 0, false
	}
	return within(sum)
}

// Mul returns quantity * unit. It reports false if the product is outside 0 to [MaxMinor].
func Mul(quantity, unit int64) (int64, bool) {
	if quantity == 0 || unit == 0 {
		return 0, true
	}
	if (quantity < 0) != (unit < 0) {
		return 0, false
	}
	hi, lo := bits.Mul64(magnitude(quantity), magnitude(unit))
	if hi != 0 || lo > MaxMinor {
		return 0, false
	}
	return int64(lo), true
}

// magnitude returns |n|, also for the lowest int64.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func within(n int64) (int64, bool) {
	if n < 0 || n > MaxMinor {
		return 0, false
	}
	return n, true
}
