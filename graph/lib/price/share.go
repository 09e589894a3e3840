package price

import (
	"cmp"
	"math/bits"
	"slices"
)

// Whole is 100 % in basis points.
const Whole = 10_000

// part returns a · b / whole and the remainder. None is negative, and b is at most whole, so the
// result is at most a.
func part(a, b, whole int64) (quotient, rest int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, r := bits.Div64(hi, lo, uint64(whole))
	return int64(q), int64(r)
}

// halfUp is [part], rounded half up.
func halfUp(a, b, whole int64) int64 {
	q, r := part(a, b, whole)
	if r >= whole-r {
		q++
	}
	return q
}

// Spread splits an amount by weights whose sum is at least the amount: the parts add up to it, and
// none exceeds its weight. What rounding down leaves goes, unit by unit, to the largest remainders.
func Spread(amount int64, weights []int64) []int64 {
	var whole int64
	for _, w := range weights {
		whole += w
	}
	parts, left := make([]int64, len(weights)), amount
	if whole == 0 {
		return parts
	}
	rests, by := make([]int64, len(weights)), make([]int, len(weights))
	for i, w := range weights {
		parts[i], rests[i] = part(amount, w, whole)
		left, by[i] = left-parts[i], i
	}
	slices.SortStableFunc(by, func(i, j int) int { return cmp.Compare(rests[j], rests[i]) })
	for _, i := range by[:left] {
		parts[i]++
	}
	return parts
}

// Refund returns what units of a line are worth, after some units were refunded. It is the
// difference of two positions on the way from 0 to the total, so the refunds of all units add up to
// the total, in whatever portions. Units that the line no longer has are worth nothing.
func Refund(total, quantity, refunded, units int64) int64 {
	if total <= 0 || quantity < 1 {
		return 0
	}
	from := min(max(refunded, 0), quantity)
	to := from + min(max(units, 0), quantity-from)
	return halfUp(total, to, quantity) - halfUp(total, from, quantity)
}
